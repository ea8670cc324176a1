/// Why a leak, or a part of its reports, is the system's.
public struct KnownMatch: Hashable, Sendable {
    /// The entry that most of the reports fit.
    public var leak: KnownLeak
    /// Reports from systems where this happens.
    public var reports: Int
    /// Reports from systems where nothing of the kind is known. As long as there are any, the leak is the app's as well.
    public var elsewhere: Int

    public init(leak: KnownLeak, reports: Int, elsewhere: Int) {
        self.leak = leak
        self.reports = reports
        self.elsewhere = elsewhere
    }

    /// Whether nothing speaks against the system.
    public var isAll: Bool { elsewhere == 0 }
}

extension LeakRow {
    package mutating func mark(_ match: KnownMatch?) {
        known = match
        if match?.isAll == true { state = .known }
    }
}
