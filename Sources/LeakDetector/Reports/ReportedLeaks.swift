internal import LeakMessage

/// The reports of leaks by id, kept until each object is reported as freed or as in use again. That later report repeats the content of
/// the leak's report.
struct ReportedLeaks {
    /// A report in a box, because a dictionary keeps the memory for its values after they were removed.
    private final class BoxedReport {
        let report: LeakReport
        init(_ report: LeakReport) { self.report = report }
    }

    /// The end of an object: it was deallocated, or is in use again.
    struct End {
        let livedMilliseconds: Int
        let aliveCount: Int
        let isInUse: Bool
        let endedAt: WireTime
    }

    /// The state of an object until `onDetect` has answered.
    private struct PendingAnswer {
        var end: End?
        var isIgnored = false
    }

    private var reportsByID: [String: BoxedReport] = [:]
    /// The leaks for which `onDetect` runs on another queue and has not answered, by id. If their objects are freed or used
    /// again meanwhile, this is reported after the leaks.
    private var pendingAnswers: [String: PendingAnswer] = [:]
    /// Classes for which `onDetect` returned ``LeakDetector/Answer/ignoreClass``.
    private var ignoredTypes: Set<ObjectIdentifier> = []

    mutating func beginAsking(_ id: String) { pendingAnswers[id] = PendingAnswer() }

    /// - Returns: the ``End`` of the object, if it came before the answer.
    mutating func endAsking(_ id: String) -> End? { pendingAnswers.removeValue(forKey: id)?.end }

    /// Returns `true` if the object was ignored before `onDetect` answered.
    func isIgnored(_ id: String) -> Bool { pendingAnswers[id]?.isIgnored ?? false }

    mutating func add(_ report: LeakReport) { reportsByID[report.id ?? ""] = BoxedReport(report) }

    mutating func forget(_ id: String, isIgnored: Bool) {
        _ = take(id)
        if isIgnored { pendingAnswers[id]?.isIgnored = true }
    }

    mutating func ignore(_ type: AnyClass) { ignoredTypes.insert(ObjectIdentifier(type)) }

    func ignores(_ type: AnyClass) -> Bool { ignoredTypes.contains(ObjectIdentifier(type)) }

    /// Returns the report that a reported object was freed or is in use again; `nil` if this is reported later, or not at all.
    mutating func report(_ end: End, of id: String) -> LeakReport? {
        guard pendingAnswers[id] == nil else {
            pendingAnswers[id]?.end = end
            return nil
        }
        guard var report = take(id) else { return nil }
        report.event = .freed
        report.at = end.endedAt
        report.waitedMilliseconds = nil
        report.livedMilliseconds = end.livedMilliseconds
        report.alive = end.aliveCount
        report.cycle = []
        if end.isInUse { report.keys.append(LeakReport.cameBackKey) }
        return report
    }

    private mutating func take(_ id: String) -> LeakReport? {
        defer { if reportsByID.isEmpty { reportsByID = [:] } }
        return reportsByID.removeValue(forKey: id)?.report
    }
}

extension LeakReport {
    /// The key that marks a report about a leaked object that is in use again: its owner keeps the object on purpose.
    static let cameBackKey = CustomKey("came_back", .boolean(true))

    var isCameBack: Bool { keys.contains(Self.cameBackKey) }
}
