/// One ingest request after parsing and grouping. The writer counts the whole submission in one transaction, or nothing of it.
public struct Submission: Sendable {
    /// The ingest key of the request. The same idempotency key of two ingest keys counts as two different keys.
    public var keyID: Int64
    /// The idempotency key of the request; `nil` if it has none.
    public var idempotency: Idempotency?
    /// Time of arrival, in milliseconds since 1970.
    public var receivedAt: Int64
    /// The app, build and device of the reports. A batch has one origin, unless its reports override it.
    public var origins: [Origin]
    /// The reports, of leaked objects and of objects that were freed later.
    public var sightings: [Sighting]
    /// Explanations: the reasons why leaked objects stay in memory. An explanation of a leak that is neither stored nor in
    /// ``sightings`` is dropped.
    public var explanations: [Explanation]
    /// Sessions and checks by version and build.
    public var usageCounts: [UsageCounts]
    /// Counts of reports that devices dropped, by app and reason.
    public var dropped: [Dropped]
    /// `true` if origins without ``sightings`` are not counted, because their reports were removed: ``DiscardedIDs``.
    package var countsOnlyReportingOrigins = false
    /// The bytes that ``Sighting/jsonRange`` refers to.
    public var body: [UInt8]
    /// The response body that is stored, and sent again if the request is repeated.
    public var response: [UInt8]

    public init(keyID: Int64, receivedAt: Int64) {
        self.keyID = keyID
        self.receivedAt = receivedAt
        idempotency = nil
        origins = []
        sightings = []
        explanations = []
        usageCounts = []
        dropped = []
        body = []
        response = []
    }

    /// Indices of the ``origins`` that are counted; `nil` if all are counted. An origin that only has explanations is not
    /// counted: it creates no app, version or build.
    package var countedOrigins: Set<Int>? {
        explanations.isEmpty && !countsOnlyReportingOrigins ? nil : Set(sightings.map(\.originIndex))
    }

    /// All apps that are counted; an app may occur more than once.
    package var countedApps: [AppKey] {
        let counted = countedOrigins
        let reporting = origins.indices.filter { counted?.contains($0) ?? true }
        return reporting.map { origins[$0].appKey } + usageCounts.map(\.appKey)
            + dropped.filter { $0.count > 0 }.map(\.appKey)
    }

    /// The idempotency key of a request, and a hash of its content. A request with a key may be repeated, and counts once.
    public struct Idempotency: Hashable, Sendable {
        public var key: String
        /// A hash of the decoded body and of the parameters of the address. If the sender uses the same key with other content, the
        /// request is rejected.
        public var bodyHash: [UInt8]

        public init(key: String, bodyHash: [UInt8]) {
            self.key = key
            self.bodyHash = bodyHash
        }

        /// Returns `true` if the hash that is stored with the key is the hash of this body.
        ///
        /// Keys that were stored before version 0.3 have a hash of another length, which cannot be compared. The body then
        /// counts as the same.
        package func hasSameBody(as stored: [UInt8]) -> Bool {
            stored.count != bodyHash.count || stored == bodyHash
        }
    }

    /// One build of one app on one device.
    public struct Origin: Hashable, Sendable {
        public var app: String
        /// ``AppKey/environment``
        public var environment: String
        public var version: String
        public var build: String?
        /// Name and version: `iOS 19.1`.
        public var system: String?
        public var model: String?
        /// A 64-bit hash of the install's id, for counting installs.
        public var installHash: UInt64?
        /// The id of the install as sent; kept only in samples.
        public var install: String?
        /// The id of the user that the app passes; kept only in samples.
        public var user: String?

        public init(
            app: String, environment: String = AppKey.production, version: String, build: String? = nil,
            system: String? = nil, model: String? = nil, installHash: UInt64? = nil, install: String? = nil,
            user: String? = nil
        ) {
            self.app = app
            self.environment = environment
            self.version = version
            self.build = build
            self.system = system
            self.model = model
            self.installHash = installHash
            self.install = install
            self.user = user
        }

        package var appKey: AppKey { AppKey(app, environment: environment) }
    }

    /// One report: of leaked objects, or of reported objects that were freed.
    public struct Sighting: Sendable {
        public var leak: LeakIdentity
        /// Index in ``Submission/origins``.
        public var originIndex: Int
        /// `true` if the report is of type `freed`, `false` if it is of type `leak`.
        public var isFreed: Bool
        /// The point in time to which the report is counted, in milliseconds since 1970. Already limited to the past 30 days.
        public var at: Int64
        /// Number of equal sightings that the sender merged into this report.
        public var count: Int
        /// Number of instances that were alive at the time of the report; `nil` if the report does not name it.
        public var alive: Int?
        /// Time from the leak until the object was freed, for reports of type `freed`; `nil` if the report does not name it.
        public var livedMilliseconds: Int?
        /// The range of the report's JSON in ``Submission/body``.
        public var jsonRange: Range<Int>

        public init(
            leak: LeakIdentity, originIndex: Int, isFreed: Bool, at: Int64, count: Int, alive: Int?,
            livedMilliseconds: Int?, jsonRange: Range<Int>
        ) {
            self.leak = leak
            self.originIndex = originIndex
            self.isFreed = isFreed
            self.at = at
            self.count = count
            self.alive = alive
            self.livedMilliseconds = livedMilliseconds
            self.jsonRange = jsonRange
        }
    }

    /// The reason why an object of one leak stays on one device.
    public struct Explanation: Sendable {
        public var leak: LeakIdentity
        /// Index in ``Submission/origins``.
        public var originIndex: Int
        /// The point in time to which the explanation is counted, in milliseconds since 1970. Already limited to the past 30
        /// days, like ``Sighting/at``.
        public var at: Int64
        /// Text that is equal for equal reasons; at most ``maxReasonBytes`` bytes.
        public var reason: String
        /// The closures on the path; at most ``maxReasonBytes`` bytes. The store counts each set of closures of a path.
        public var closures: String?
        /// Bytes that would be freed with the object.
        public var bytes: Int?

        /// Maximum length in bytes: with the other columns of its index, safely below the 2,704 bytes that a row of a
        /// PostgreSQL B-tree can have.
        public static let maxReasonBytes = 2_000

        public init(
            leak: LeakIdentity, originIndex: Int, at: Int64, reason: String, closures: String? = nil,
            bytes: Int?
        ) {
            self.leak = leak
            self.originIndex = originIndex
            self.at = at
            self.reason = reason
            self.closures = closures
            self.bytes = bytes
        }
    }

    /// Sessions and checks of one app version: the denominators of leak rates.
    public struct UsageCounts: Hashable, Sendable {
        public var app: String
        /// ``AppKey/environment``
        public var environment: String
        public var version: String
        public var build: String?
        /// A 64-bit hash of the install's id; `nil` if the install is not known.
        public var installHash: UInt64?
        public var sessions: Int
        /// Sessions with at least one leak.
        public var leakySessions: Int
        /// Number of the ``sessions`` that began in an earlier hour than the hour of arrival, by hour since 1970.
        public var earlierSessions: [Int: Int] = [:]
        /// Number of checks by class, in the form of ``LeakIdentity/className``: without module.
        public var checks: [String: Int]

        public init(
            app: String, environment: String = AppKey.production, version: String, build: String?,
            installHash: UInt64? = nil, sessions: Int, leakySessions: Int, checks: [String: Int]
        ) {
            self.app = app
            self.environment = environment
            self.version = version
            self.build = build
            self.installHash = installHash
            self.sessions = sessions
            self.leakySessions = leakySessions
            self.checks = checks
        }

        package var appKey: AppKey { AppKey(app, environment: environment) }
    }

    /// A number of reports that devices of an app dropped for one reason.
    public struct Dropped: Hashable, Sendable {
        public var app: String
        /// ``AppKey/environment``
        public var environment: String
        public var reason: String
        public var count: Int

        public init(app: String, environment: String = AppKey.production, reason: String, count: Int) {
            self.app = app
            self.environment = environment
            self.reason = reason
            self.count = count
        }

        package var appKey: AppKey { AppKey(app, environment: environment) }
    }
}

/// The outcome of one submission.
public enum Receipt: Hashable, Sendable {
    /// The submission is on disk and counted.
    case counted
    /// The submission was counted before under the same idempotency key. `response` is the stored response body of the first
    /// request, empty if it is not stored.
    case repeated(response: [UInt8])
    /// The idempotency key was used before with another body; nothing was counted.
    case keyReused
}
