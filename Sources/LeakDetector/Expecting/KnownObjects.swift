/// Objects that something is known of, by identity, until they are seen to be gone.
struct KnownObjects<Subject: Sendable> {
    enum State: Hashable {
        /// It was reported.
        case told(reportID: String, isWatched: Bool)
        /// It stayed, and so did its owner, which was reported.
        case shadowed
        /// Nothing is told of it, or told no more.
        case muted

        fileprivate var reportID: String? {
            if case .told(let reportID, _) = self { reportID } else { nil }
        }
    }

    struct Known {
        /// No other object ever has the same.
        let number: Int
        let subject: Subject
        let type: ObjectIdentifier
        let since: Int
        let isCounted: Bool
        var state: State {
            didSet { reportID = state.reportID ?? reportID }
        }
        /// Of its report, also after it was muted.
        var reportID: String?
        /// Whether it is among ``LeakDetector/Counts/suppressed``.
        var isSuppressed = false
    }

    /// Those of 16 MB. Beyond, an object is told of and not remembered, so that it may be told of twice.
    private static var limit: Int { 100_000 }

    private var byIdentity: [ObjectIdentifier: Known] = [:]
    private var toldOfType: [ObjectIdentifier: Int] = [:]
    /// Whose end will be told.
    private(set) var watched = 0
    private var newest = 0
    /// The time of the next look by ``toldOf(_:at:)``.
    private var nextCensus = Int.min
    /// From how many on to look for those that have gone.
    private var crowd = 1_024

    subscript(identity: ObjectIdentifier) -> Known? { byIdentity[identity] }

    /// All, if there are so many that some may have gone unseen.
    var crowded: [(identity: ObjectIdentifier, known: Known)] {
        byIdentity.count < crowd ? [] : byIdentity.map { ($0.key, $0.value) }
    }

    /// The reported objects of some types, which may have gone since. Looked up at most once in a hundredth of a
    /// millisecond for each known object, so that a million leaks cost no more than one percent of a processor.
    mutating func toldOf(_ types: Set<ObjectIdentifier>, at now: Int) -> [ObjectIdentifier] {
        guard now >= nextCensus, types.contains(where: { told(of: $0) > 0 }) else { return [] }
        nextCensus = now + byIdentity.count / 100
        return byIdentity.compactMap { identity, known in
            guard case .told = known.state, types.contains(known.type) else { return nil }
            return identity
        }
    }

    /// Says that those of ``crowded`` that have gone were removed.
    mutating func thinOut() { crowd = min(max(byIdentity.count * 2, 1_024), Self.limit) }

    var isFull: Bool { byIdentity.count >= Self.limit }

    /// How many of a type were told of and are not known to have gone.
    func told(of type: ObjectIdentifier) -> Int { toldOfType[type] ?? 0 }

    /// - Returns: its number, or `nil` if too many are known.
    mutating func insert(
        _ identity: ObjectIdentifier, _ subject: Subject, type: AnyClass, _ state: State,
        isCounted: Bool = true, at now: Int
    ) -> Int? {
        guard !isFull else { return nil }
        newest += 1
        byIdentity[identity] = Known(
            number: newest, subject: subject, type: ObjectIdentifier(type), since: now, isCounted: isCounted,
            state: state, reportID: state.reportID)
        note(state, ObjectIdentifier(type), 1)
        return newest
    }

    mutating func set(_ identity: ObjectIdentifier, _ state: State, isSuppressed: Bool) {
        guard let known = byIdentity[identity] else { return }
        note(known.state, known.type, -1)
        note(state, known.type, 1)
        byIdentity[identity]?.state = state
        byIdentity[identity]?.isSuppressed = isSuppressed
    }

    mutating func remove(_ identity: ObjectIdentifier) {
        guard let known = byIdentity.removeValue(forKey: identity) else { return }
        note(known.state, known.type, -1)
    }

    private mutating func note(_ state: State, _ type: ObjectIdentifier, _ change: Int) {
        guard case .told(_, let isWatched) = state else { return }
        if isWatched { watched += change }
        let count = (toldOfType[type] ?? 0) + change
        toldOfType[type] = count > 0 ? count : nil
    }
}
