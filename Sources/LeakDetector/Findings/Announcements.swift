internal import LeakMessage

/// What was reported, by the id of the report, until its object has gone: the end of an object says again what its leak
/// said.
struct Announcements {
    private var reports: [String: LeakReport] = [:]
    /// Classes that were ignored since the start.
    private var ignored: Set<ObjectIdentifier> = []

    mutating func announce(_ report: LeakReport) { reports[report.id ?? ""] = report }

    mutating func forget(_ id: String) { reports[id] = nil }

    mutating func ignore(_ type: AnyClass) { ignored.insert(ObjectIdentifier(type)) }

    func ignores(_ type: AnyClass) -> Bool { ignored.contains(ObjectIdentifier(type)) }

    /// The report of an announced object's end.
    mutating func end(
        of id: String, livedMilliseconds: Int, alive: Int, isInUse: Bool, at now: WireTime
    ) -> LeakReport? {
        guard var report = reports.removeValue(forKey: id) else { return nil }
        report.event = .freed
        report.at = now
        report.waitedMilliseconds = nil
        report.livedMilliseconds = livedMilliseconds
        report.alive = alive
        report.cycle = []
        if isInUse { report.keys.append(LeakReport.cameBackKey) }
        return report
    }
}

extension LeakReport {
    /// Marks the end of a leak that was none: its owner keeps the object on purpose, and used it again.
    static let cameBackKey = CustomKey("came_back", .boolean(true))

    var isCameBack: Bool { keys.contains(Self.cameBackKey) }
}
