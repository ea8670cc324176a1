/// Everything that one device sends at once: the object `batch` of the wire format, version 1.
public struct LeakBatch: Hashable, Sendable {
    public var app = AppInfo()
    public var device = DeviceInfo()
    public var install: String?
    public var user: String?
    public var sentAt: WireTime?
    /// Sessions that have ended, each sent once.
    public var sessions: [EndedSession] = []
    /// Checks since the last batch, with or without a leak.
    public var checks: [ClassChecks] = []
    /// Numbers of reports that the device had to throw away, by reason.
    public var dropped: [DroppedReports] = []
    /// Leaks that were reported before, each with its ``LeakReport/explanation``. They count no sighting.
    public var explanations: [LeakReport] = []
    public var reports: [LeakReport] = []

    public init() {}
}

/// One run of an app, for leak-free sessions per version.
public struct EndedSession: Hashable, Sendable {
    public var id: String
    public var startedAt: WireTime?
    public var checks: Int
    public var leaks: Int
    /// The number of objects that were expected to be deallocated and not looked at, because too many waited. With such objects, a
    /// session without a leak is not leak-free but unknown.
    public var unseen: Int

    public init(id: String, startedAt: WireTime? = nil, checks: Int, leaks: Int, unseen: Int = 0) {
        self.id = id
        self.startedAt = startedAt
        self.checks = checks
        self.leaks = leaks
        self.unseen = unseen
    }
}

/// Number of objects of one class that were expected to be deallocated: the denominator of its leaks.
public struct ClassChecks: Hashable, Sendable {
    public var className: String
    public var count: Int
    /// The number of objects of the class that were expected to be deallocated and not looked at, because too many waited. Not sent
    /// by class: the reporter adds them to the session (``EndedSession/unseen``).
    public var unseen: Int

    public init(className: String, count: Int, unseen: Int = 0) {
        self.className = className
        self.count = count
        self.unseen = unseen
    }
}

/// Number of reports that the device threw away for one reason, such as `budget` or `queue_full`.
public struct DroppedReports: Hashable, Sendable {
    public var reason: String
    public var count: Int

    public init(reason: String, count: Int) {
        self.reason = reason
        self.count = count
    }
}
