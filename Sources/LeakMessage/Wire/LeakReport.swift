internal import LeakPlatform

/// One sighting of a leak on one device, or several equal sightings: the object `report` of the wire format, version 1.
///
/// Values of this type have no limits. The limits of the format are checked when a report is read from bytes. Longer values are
/// cut when a report is written.
public struct LeakReport: Hashable, Sendable {
    /// The event of a report: an object stayed in memory (`leak`), or an object that was reported before was deallocated or is
    /// in use again (`freed`).
    public enum Event: String, Hashable, Sendable, CaseIterable {
        case leak, freed
    }

    /// The kind of the reported object.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case viewController = "view_controller"
        case view, object, cycle
    }

    /// The event; if `nil`, the collector reads it from ``message``. A message that names no event means a leak.
    public var event: Event?
    /// A UUID of this sighting. Version 7 is recommended, because its ids sort by time.
    public var id: String?
    /// The time at which the device saw the event.
    public var at: WireTime?
    /// The kind of the object; if `nil`, the collector reads it from ``message`` or the class.
    public var kind: Kind?
    /// The leaked object's type, qualified with its module: `Shop.CheckoutViewController`.
    public var className: String?
    /// The path of owners, outermost first, which ends with the leaked object; or the frames of a call stack.
    public var stack: [String] = []
    /// The classes of the view controllers that a leaked container holds.
    public var children: [String] = []
    /// The strong references of the cycle that keeps the object, beginning with any of them.
    public var cycle: [String] = []
    /// The reason why the object was expected to be deallocated: `dismissed`, `popped`, …
    public var reason: String?
    /// The time for which the detector waited before it reported the object.
    public var waitedMilliseconds: Int?
    /// The number of leaked instances of the class that were alive when the leak was seen, as far as the detector counts them.
    public var alive: Int?
    /// For ``Event/freed``: the time from the sighting of the leak until the object was deallocated.
    public var livedMilliseconds: Int?
    /// The number of sightings on this device that this report represents.
    public var count = 1
    /// A detector's own text.
    public var message: String?
    /// A Crashlytics-style error.
    public var error: ReportedError?
    /// Custom keys, in the order in which they are sent.
    public var keys: [CustomKey] = []
    /// Breadcrumbs, newest last.
    public var log: [String] = []
    /// Texts by which reports are grouped into one leak, in place of class and stack.
    public var fingerprint: [String] = []
    /// The strong references that keep the object in memory.
    public var explanation: RetainExplanation?

    /// The app, if it is not the app of the batch.
    public var app: AppInfo?
    /// The device, if it is not the device of the batch.
    public var device: DeviceInfo?
    /// The copy of the app, if it is not that of the batch: ``LeakBatch/install``.
    public var install: String?
    /// The user, if it is not the user of the batch: ``LeakBatch/user``.
    public var user: String?

    /// Creates a report without any values.
    public init() {}
}

/// Milliseconds since 1970-01-01 00:00 UTC.
public struct WireTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC; negative before.
    public var milliseconds: Int64

    /// Creates a time from milliseconds since 1970-01-01 00:00 UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The time by the clock of the device.
    package static var now: WireTime { WireTime(milliseconds: SystemTime.wall) }

    /// Returns `true` if `one` is earlier than `other`.
    public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }
}

/// An `NSError` without Foundation, as `record(error:)` sends it.
public struct ReportedError: Hashable, Sendable {
    /// The domain of the error, of at most ``WireLimits/errorDomainBytes`` bytes.
    public var domain: String
    /// The code of the error within its domain.
    public var code: Int
    /// The values in the given order; the description has the key `NSLocalizedDescription`.
    public var userInfo: [CustomKey]

    /// Creates an error; see the properties of the same names.
    public init(domain: String, code: Int, userInfo: [CustomKey] = []) {
        self.domain = domain
        self.code = code
        self.userInfo = userInfo
    }
}

/// One custom key and its value.
public struct CustomKey: Hashable, Sendable {
    /// The value of a custom key: a string, a number, or `true` or `false`.
    public enum Value: Hashable, Sendable {
        case string(String)
        case number(Double)
        case boolean(Bool)
    }

    /// The key, of at most ``WireLimits/keyBytes`` bytes.
    public var name: String
    /// The value; a string has at most ``WireLimits/keyValueBytes`` bytes.
    public var value: Value

    /// Creates a custom key and its value.
    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

/// An app and its build.
public struct AppInfo: Hashable, Sendable {
    /// The bundle identifier of the app, such as `com.example.shop`.
    public var id: String?
    /// The module with which the names of the app's own types begin: `Shop` in `Shop.Cart`.
    public var module: String?
    /// The environment that the app ran in, such as `production`, `testflight`, `debug` or `ci`. Without an environment,
    /// reports count for `production`. The collector ignores the case of ASCII letters.
    public var environment: String?
    /// The version that users see, such as `5.2.0`: `CFBundleShortVersionString`.
    public var version: String?
    /// The build of the version, such as `812`: `CFBundleVersion`.
    public var build: String?

    /// Creates an app; see the properties of the same names.
    public init(
        id: String? = nil, module: String? = nil, environment: String? = nil, version: String? = nil,
        build: String? = nil
    ) {
        self.id = id
        self.module = module
        self.environment = environment
        self.version = version
        self.build = build
    }
}

/// The model of a device and its system.
public struct DeviceInfo: Hashable, Sendable {
    /// The name of the system: `iOS`, `macOS`, `Linux`.
    public var os: String?
    /// The version of the system, such as `17.5`.
    public var osVersion: String?
    /// The model of the device, such as `iPhone15,2`.
    public var model: String?

    /// Creates a device; see the properties of the same names.
    public init(os: String? = nil, osVersion: String? = nil, model: String? = nil) {
        self.os = os
        self.osVersion = osVersion
        self.model = model
    }
}

extension ReportedError {
    /// Foundation's `NSLocalizedDescriptionKey`.
    public static let descriptionKey = "NSLocalizedDescription"
}
