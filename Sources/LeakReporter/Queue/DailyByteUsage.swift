/// The bytes of reports that a reporter stored on one day to send them.
struct DailyByteUsage: Hashable, Sendable {
    /// Days since 1970, in UTC.
    var day = 0
    /// Bytes of reports that were new in their session.
    var newBytes = 0
    /// Bytes of reports that had been stored before in the same session.
    var repeatedBytes = 0

    init(day: Int = 0, newBytes: Int = 0, repeatedBytes: Int = 0) {
        self.day = day
        self.newBytes = newBytes
        self.repeatedBytes = repeatedBytes
    }

    var totalBytes: Int { Self.sum(newBytes, repeatedBytes) }

    /// The upper limit of a count: no device sends more, and sums of a few such numbers do not overflow.
    private static let maxBytes = 1 << 53

    private static func sum(_ one: Int, _ other: Int) -> Int {
        min(min(one, maxBytes) + min(other, maxBytes), maxBytes)
    }

    /// - Returns: `nil` if the line does not have the format of ``line``.
    init?(line: String) {
        let parts = line.split(separator: " ")
        // Earlier versions wrote no third number.
        guard parts.count == 2 || parts.count == 3, let day = Int(parts[0]), let newBytes = Int(parts[1]),
            let repeatedBytes = parts.count == 3 ? Int(parts[2]) : 0, (0...Self.maxBytes).contains(newBytes),
            (0...Self.maxBytes).contains(repeatedBytes)
        else { return nil }
        self.init(day: day, newBytes: newBytes, repeatedBytes: repeatedBytes)
    }

    /// The text for the file: day, new bytes and repeated bytes in decimal, separated by spaces.
    var line: String { "\(day) \(newBytes) \(repeatedBytes)" }

    /// Returns the usage of all processes of the app: `other`, and the increase of this process since `base`. If the days
    /// differ, returns the usage of the later day.
    ///
    /// - Parameters:
    ///   - other: the usage in the shared file, to which other processes may have added.
    ///   - base: the usage that this process last wrote to the file.
    func added(to other: DailyByteUsage, since base: DailyByteUsage) -> DailyByteUsage {
        guard other.day == day else { return other.day > day ? other : self }
        func sum(_ counter: KeyPath<DailyByteUsage, Int>) -> Int {
            let ownIncrease = self[keyPath: counter] - (base.day == day ? base[keyPath: counter] : 0)
            return Self.sum(other[keyPath: counter], max(ownIncrease, 0))
        }
        return DailyByteUsage(day: day, newBytes: sum(\.newBytes), repeatedBytes: sum(\.repeatedBytes))
    }
}
