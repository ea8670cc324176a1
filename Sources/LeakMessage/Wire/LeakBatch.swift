/// Everything one device sends at once: the object `batch` of the wire format, version 1.
public struct LeakBatch: Hashable, Sendable {
    public var app = AppInfo()
    public var device = DeviceInfo()
    public var install: String?
    public var user: String?
    public var sentAt: WireTime?
    /// Sessions that have ended, each sent once.
    public var sessions: [EndedSession] = []
    /// What was checked since the last batch, with or without a leak.
    public var checks: [ClassChecks] = []
    /// What the device had to throw away, by reason.
    public var dropped: [DroppedReports] = []
    public var reports: [LeakReport] = []

    public init() {}
}

/// One run of an app, for leak-free sessions per version.
public struct EndedSession: Hashable, Sendable {
    public var id: String
    public var startedAt: WireTime?
    public var checks: Int
    public var leaks: Int

    public init(id: String, startedAt: WireTime? = nil, checks: Int, leaks: Int) {
        self.id = id
        self.startedAt = startedAt
        self.checks = checks
        self.leaks = leaks
    }
}

/// How often objects of one class were expected to go: the denominator of its leaks.
public struct ClassChecks: Hashable, Sendable {
    public var className: String
    public var count: Int

    public init(className: String, count: Int) {
        self.className = className
        self.count = count
    }
}

/// How many reports were thrown away on the device for one reason, such as `budget` or `queue_full`.
public struct DroppedReports: Hashable, Sendable {
    public var reason: String
    public var count: Int

    public init(reason: String, count: Int) {
        self.reason = reason
        self.count = count
    }
}
