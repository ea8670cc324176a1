/// The content of one request of a device: the object `batch` of the wire format, version 1.
public struct LeakBatch: Hashable, Sendable {
    public var app = AppInfo()
    public var device = DeviceInfo()
    public var install: String?
    public var user: String?
    public var sentAt: WireTime?
    /// Sessions that have ended. Each session is sent once.
    public var sessions: [EndedSession] = []
    /// The number of objects of each class that were checked since the last batch, including objects that did not leak.
    public var checks: [ClassChecks] = []
    /// The number of reports that the device discarded for each reason.
    public var dropped: [DroppedReports] = []
    /// Explanations of leaks that were reported before: reports with an ``LeakReport/explanation``. They do not count as sightings.
    public var explanations: [LeakReport] = []
    public var reports: [LeakReport] = []

    public init() {}
}

/// One run of an app that has ended. The collector computes the rate of leak-free sessions per version from these sessions.
public struct EndedSession: Hashable, Sendable {
    public var id: String
    public var startedAt: WireTime?
    public var checks: Int
    public var leaks: Int
    /// The number of objects that were expected to be deallocated but were never checked, because too many objects were waiting. A
    /// session with such objects and without a leak counts as unknown, not as leak-free.
    public var unseen: Int

    public init(id: String, startedAt: WireTime? = nil, checks: Int, leaks: Int, unseen: Int = 0) {
        self.id = id
        self.startedAt = startedAt
        self.checks = checks
        self.leaks = leaks
        self.unseen = unseen
    }
}

/// The number of objects of one class that were expected to be deallocated: the denominator of the class's leak rate.
public struct ClassChecks: Hashable, Sendable {
    public var className: String
    public var count: Int
    /// The number of objects of the class that were expected to be deallocated but were never checked, because too many objects were
    /// waiting. The number is not sent by class: the reporter adds it to the session (``EndedSession/unseen``).
    public var unseen: Int

    public init(className: String, count: Int, unseen: Int = 0) {
        self.className = className
        self.count = count
        self.unseen = unseen
    }
}

/// The number of reports that the device discarded for one reason, such as `budget` or `queue_full`.
public struct DroppedReports: Hashable, Sendable {
    public var reason: String
    public var count: Int

    public init(reason: String, count: Int) {
        self.reason = reason
        self.count = count
    }
}
