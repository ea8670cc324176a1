/// How many leaks are the system's alone.
public struct KnownTotals: Hashable, Sendable {
    public var leaks = 0
    public var reports = 0

    public init(leaks: Int = 0, reports: Int = 0) {
        self.leaks = leaks
        self.reports = reports
    }
}
