/// The content of one request of a device: the object `batch` of the wire format, version 1.
public struct LeakBatch: Hashable, Sendable {
    /// The app that sends the batch. A report may name another app: ``LeakReport/app``.
    public var app = AppInfo()
    /// The device that sends the batch.
    public var device = DeviceInfo()
    /// A random name of the copy of the app on this device, by which the collector counts devices.
    public var install: String?
    /// A name of the user, if the app sets one. The collector shows it with samples.
    public var user: String?
    /// The time at which the batch was sent, by the clock of the device.
    public var sentAt: WireTime?
    /// Sessions that have ended. Each session is sent once.
    public var sessions: [EndedSession] = []
    /// The number of objects of each class that were checked since the last batch, including objects that did not leak.
    public var checks: [ClassChecks] = []
    /// The number of reports that the device discarded for each reason.
    public var dropped: [DroppedReports] = []
    /// Explanations of leaks that were reported before: reports with an ``LeakReport/explanation``. They do not count as sightings.
    public var explanations: [LeakReport] = []
    /// The sightings of leaks and of freed objects.
    public var reports: [LeakReport] = []

    /// Creates a batch without any reports.
    public init() {}
}

/// One run of an app that has ended. The collector computes the rate of leak-free sessions per version from these sessions.
public struct EndedSession: Hashable, Sendable {
    /// A text that no other session of the app has, of at most ``WireLimits/sessionIDBytes`` bytes.
    public var id: String
    /// The time at which the session began; `nil` if it is not known.
    public var startedAt: WireTime?
    /// The number of objects that were checked.
    public var checks: Int
    /// The number of leaks that were seen.
    public var leaks: Int
    /// The number of objects that were expected to be deallocated but were never checked, because too many objects were waiting. A
    /// session with such objects and without a leak counts as unknown, not as leak-free.
    public var unseen: Int

    /// Creates a session; see the properties of the same names.
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
    /// The class, qualified with its module: `Shop.CheckoutViewController`.
    public var className: String
    /// The number of objects of the class that were checked.
    public var count: Int
    /// The number of objects of the class that were expected to be deallocated but were never checked, because too many objects were
    /// waiting. The number is not sent by class: the reporter adds it to the session (``EndedSession/unseen``).
    public var unseen: Int

    /// Creates a count; see the properties of the same names.
    public init(className: String, count: Int, unseen: Int = 0) {
        self.className = className
        self.count = count
        self.unseen = unseen
    }
}

/// The number of reports that the device discarded for one reason, such as `budget` or `queue_full`.
public struct DroppedReports: Hashable, Sendable {
    /// The reason, of at most ``WireLimits/droppedReasonBytes`` bytes.
    public var reason: String
    /// The number of reports that were discarded.
    public var count: Int

    /// Creates a count; see the properties of the same names.
    public init(reason: String, count: Int) {
        self.reason = reason
        self.count = count
    }
}
