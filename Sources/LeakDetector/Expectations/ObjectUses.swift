/// The objects that came into use again while other objects were waited for, each with its last use.
///
/// A use withdraws the earlier expectations of the object.
struct ObjectUses {
    /// The maximum number of recorded uses, about 4 MB. Beyond it only the sequence number of the latest use is kept.
    static let limit = 100_000
    /// The shortest time between two removals of old uses. A removal takes two milliseconds.
    static let minRemovalIntervalMilliseconds = 100

    private struct Use {
        let sequence: Int
        let time: Int
    }

    private var uses: [ObjectIdentifier: Use] = [:]
    private var nextRemoval = Int.min
    /// The sequence number of the latest use that was not recorded with its object; 0 if all were recorded.
    private(set) var lastUnrecordedSequence = 0

    /// - Returns: the sequence number of the object's last use; `nil` if none is recorded.
    func sequence(of identity: ObjectIdentifier) -> Int? { uses.isEmpty ? nil : uses[identity]?.sequence }

    /// Records a use, unless there are too many.
    ///
    /// - Parameters:
    ///   - sequence: the sequence number of the use. Expectations with a lower sequence number were made before the use.
    ///   - milliseconds: the age from which on a use no longer matters to any expectation.
    mutating func add(
        _ identity: ObjectIdentifier, _ sequence: Int, at now: Int, forgettingAfter milliseconds: Int
    ) {
        if uses.count >= Self.limit, now >= nextRemoval {
            nextRemoval = now + Self.minRemovalIntervalMilliseconds
            uses = uses.filter { now - $0.value.time <= milliseconds }
        }
        guard uses.count < Self.limit || uses[identity] != nil else {
            lastUnrecordedSequence = sequence
            return
        }
        uses[identity] = Use(sequence: sequence, time: now)
    }
}
