/// Objects that were reported, that a reported owner keeps, or that must not be reported, by identity. An object is known until
/// a check finds that it was deallocated, and an object that is not muted only until it is in use again.
struct KnownObjects<Subject: Sendable> {
    enum State: Hashable {
        /// The object was reported.
        case reported(reportID: String, isWatched: Bool)
        /// The object stayed in memory, and so did its owner, which was reported.
        case keptByOwner
        /// The object is not reported, or not reported any more.
        case muted

        fileprivate var reportID: String? {
            if case .reported(let reportID, _) = self { reportID } else { nil }
        }
    }

    struct KnownObject {
        /// A number that no other object ever has.
        let number: Int
        let subject: Subject
        let type: ObjectIdentifier
        /// The time of ``ActiveClock`` at which the object became known, in milliseconds.
        let since: Int
        let isCounted: Bool
        var state: State {
            didSet { reportID = state.reportID ?? reportID }
        }
        /// The id of the object's report, even after the object was muted.
        var reportID: String?
        /// `true` if the object is counted in ``LeakDetector/Counts/suppressed``.
        var isSuppressed = false
    }

    /// The maximum number of known objects, about 16 MB. An object beyond it is reported but not stored, so it may be reported
    /// twice.
    private static var limit: Int { 100_000 }

    private var byIdentity: [ObjectIdentifier: KnownObject] = [:]
    private var reportedCountByType: [ObjectIdentifier: Int] = [:]
    /// The number of objects whose deallocation will be reported.
    private(set) var watchedCount = 0
    private var lastNumber = 0
    /// The earliest time of the next scan by ``reportedObjects(_:at:)``.
    private var nextScan = Int.min
    /// When this many objects are known, the deallocated objects among them are searched for and removed.
    private var scanThreshold = 1_024

    subscript(identity: ObjectIdentifier) -> KnownObject? { byIdentity[identity] }

    /// All known objects, if there are so many that some may have been deallocated without a check; otherwise empty.
    var scanCandidates: [(identity: ObjectIdentifier, known: KnownObject)] {
        byIdentity.count < scanThreshold ? [] : byIdentity.map { ($0.key, $0.value) }
    }

    /// Returns the reported objects of some types, which may have been deallocated since. After a scan of n known objects it
    /// returns an empty array for n / 100 milliseconds, so that scans take at most about one percent of a processor.
    mutating func reportedObjects(_ types: Set<ObjectIdentifier>, at now: Int) -> [ObjectIdentifier] {
        guard now >= nextScan, types.contains(where: { reportedCount(of: $0) > 0 }) else { return [] }
        nextScan = now + byIdentity.count / 100
        return byIdentity.compactMap { identity, known in
            guard case .reported = known.state, types.contains(known.type) else { return nil }
            return identity
        }
    }

    /// Sets the next threshold of ``scanCandidates``, after the deallocated objects were removed.
    mutating func updateScanThreshold() { scanThreshold = min(max(byIdentity.count * 2, 1_024), Self.limit) }

    var isFull: Bool { byIdentity.count >= Self.limit }

    /// Returns the number of objects of a type that were reported and are not known to be deallocated.
    func reportedCount(of type: ObjectIdentifier) -> Int { reportedCountByType[type] ?? 0 }

    /// - Returns: the number of the object, or `nil` if too many objects are known.
    mutating func insert(
        _ identity: ObjectIdentifier, subject: Subject, type: AnyClass, state: State,
        isCounted: Bool = true, at now: Int
    ) -> Int? {
        guard !isFull else { return nil }
        lastNumber += 1
        byIdentity[identity] = KnownObject(
            number: lastNumber, subject: subject, type: ObjectIdentifier(type), since: now,
            isCounted: isCounted,
            state: state, reportID: state.reportID)
        changeCounts(of: state, ObjectIdentifier(type), by: 1)
        return lastNumber
    }

    mutating func set(_ identity: ObjectIdentifier, _ state: State, isSuppressed: Bool) {
        guard let known = byIdentity[identity] else { return }
        changeCounts(of: known.state, known.type, by: -1)
        changeCounts(of: state, known.type, by: 1)
        byIdentity[identity]?.state = state
        byIdentity[identity]?.isSuppressed = isSuppressed
    }

    mutating func remove(_ identity: ObjectIdentifier) {
        guard let known = byIdentity.removeValue(forKey: identity) else { return }
        changeCounts(of: known.state, known.type, by: -1)
    }

    /// Changes the counts of reported objects if `state` is that of a reported object.
    private mutating func changeCounts(of state: State, _ type: ObjectIdentifier, by change: Int) {
        guard case .reported(_, let isWatched) = state else { return }
        if isWatched { watchedCount += change }
        let count = (reportedCountByType[type] ?? 0) + change
        reportedCountByType[type] = count > 0 ? count : nil
    }
}
