/// Something that happened and that people should know, such as a new leak: an entry in the list of events.
///
/// An event contains everything that a message about it needs, so it can still be read after its leak or version was deleted.
public struct Event: Hashable, Sendable {
    /// The kind of an event. Later collectors may store further kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// A leak of the current release that no earlier version had, beyond the limits of the release check.
        public static let newLeak = Kind(rawValue: "new_leak")
        /// A resolved leak that was seen in a version with the fix.
        public static let regressed = Kind(rawValue: "regressed")
        /// A leak or a class whose rate has risen in the current release.
        public static let worse = Kind(rawValue: "worse")
        /// A fix that was proven.
        public static let fixed = Kind(rawValue: "fixed")
        /// Too few sessions of the current release are leak-free.
        public static let leakFreeSessionsLow = Kind(rawValue: "leak_free_sessions_low")
        /// A class that the current release does not check any more.
        public static let noLongerChecked = Kind(rawValue: "no_longer_checked")
        /// A limit on the names or bytes of an app was reached.
        public static let limitReached = Kind(rawValue: "limit_reached")
        /// The disk of the data folder is nearly full.
        public static let diskLow = Kind(rawValue: "disk_low")
        public static let backupFailed = Kind(rawValue: "backup_failed")
        /// A release check that a program requested has failed.
        public static let gateFailed = Kind(rawValue: "gate_failed")

        public static let all: [Kind] = [
            .newLeak, .regressed, .worse, .fixed, .leakFreeSessionsLow, .noLongerChecked, .limitReached,
            .diskLow, .backupFailed, .gateFailed,
        ]
    }

    /// The number that the store assigns, higher than those of all events that a reader has seen before; 0 for an event that is
    /// not stored yet. Never used again.
    public var id: Int64
    /// Milliseconds since 1970.
    public var at: Int64
    public var kind: Kind
    /// `nil` for an event of the collector itself, such as ``Kind/diskLow``.
    public var app: AppKey?
    public var version: String?
    public var build: String?
    /// The id of the leak, which may have been deleted or merged since.
    public var leak: LeakID?
    /// Distinguishes events of the same kind, app and version: the id of a leak, a class, or the day of a problem. A store keeps
    /// only the first of several events in which all of these are equal.
    public var key: String
    /// The title of the leak, or the name of what the event is about.
    public var title: String
    /// A sentence for people, without the name of the app.
    public var text: String
    /// The numbers of the event, as a JSON object.
    public var details: String
    /// `true` if there is a leak with the id ``leak``, or a leak into which it was merged. Stores set it when they read.
    public var hasLeak = false

    public init(
        id: Int64 = 0, at: Int64, kind: Kind, app: AppKey?, version: String? = nil, build: String? = nil,
        leak: LeakID? = nil, key: String, title: String, text: String, details: String = "{}"
    ) {
        self.id = id
        self.at = at
        self.kind = kind
        self.app = app
        self.version = version
        self.build = build
        self.leak = leak
        self.key = key
        self.title = title
        self.text = text
        self.details = details
    }

    /// Number of days for which a store keeps an event.
    public static let maxDays = 400
    /// Number of events of an app in an environment that a store keeps. A release has a few hundred at most; each takes about
    /// a kilobyte.
    public static let maxPerApp = 10_000
    /// Maximum bytes of each text of an event.
    static let maxTextBytes = 600

    /// The event with texts that both SQLite and PostgreSQL can store, none longer than ``maxTextBytes``.
    package var storable: Event {
        var event = self
        event.app = app?.storable
        event.version = version?.storable
        event.build = build?.storable
        event.key = key.storable(atMost: Self.maxTextBytes)
        event.title = title.storable(atMost: Self.maxTextBytes)
        event.text = text.storable(atMost: Self.maxTextBytes)
        return event
    }
}

/// The filter of a list of events.
public struct EventFilter: Hashable, Sendable {
    /// `nil` for the events of all apps, and of the collector itself.
    public var app: String?
    /// `nil` for all environments.
    public var environment: String?
    /// `nil` for all kinds.
    public var kind: Event.Kind?

    public init(app: String? = nil, environment: String? = nil, kind: Event.Kind? = nil) {
        self.app = app
        self.environment = environment
        self.kind = kind
    }
}

/// A part of a list of events.
public struct EventQuery: Hashable, Sendable {
    public enum Range: Hashable, Sendable {
        /// Oldest first, after the event with this id.
        case after(Int64)
        /// Newest first, before the event with this id.
        case before(Int64)
    }

    public var range: Range
    public var filter: EventFilter
    public var limit: Int

    public init(_ range: Range, filter: EventFilter = EventFilter(), limit: Int) {
        self.range = range
        self.filter = filter
        self.limit = limit
    }
}

/// An app in an environment, and up to which of its data events were recorded.
public struct EventMark: Hashable, Sendable {
    /// Row ID in `app`.
    public var appRowID: Int64
    public var app: AppKey
    /// The current release; `nil` if no version of the app is known yet.
    public var currentRelease: String?
    /// Changes with each commit of reports, sessions or checks of the app.
    public var state: String
    /// ``state`` when events were last recorded; `nil` before the first time. Empty for an app that is older than the table of
    /// events: its first events are not listed.
    public var recordedState: String?

    public init(
        appRowID: Int64, app: AppKey, currentRelease: String?, state: String, recordedState: String?
    ) {
        self.appRowID = appRowID
        self.app = app
        self.currentRelease = currentRelease
        self.state = state
        self.recordedState = recordedState
    }
}

/// A resolved leak, and whether its fix worked.
public struct ResolvedLeak: Sendable {
    /// Row ID in `leak`.
    public var leakRowID: Int64
    public var id: LeakID
    public var title: String
    public var decisionStatus: DecisionStatus
    public var fix: FixStatus

    public init(
        leakRowID: Int64, id: LeakID, title: String, decisionStatus: DecisionStatus, fix: FixStatus
    ) {
        self.leakRowID = leakRowID
        self.id = id
        self.title = title
        self.decisionStatus = decisionStatus
        self.fix = fix
    }
}
