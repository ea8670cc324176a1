internal import LeakMessage

/// The fields of an event that are read; all other fields are skipped.
///
/// Only the id of `user` is read, and of `threads` only the calls of one thread, if possible of the thread that crashed or was
/// running. `request`, `server_name` and the variables of frames are never read.
/// https://develop.sentry.dev/sdk/foundations/transport/event-payloads/
struct SentryEvent {
    var id: String?
    /// The type of the event; `nil` if it names none. Events that are not errors, such as `transaction`, may also arrive at
    /// `/store/`.
    var type: String?
    var at: WireTime?
    var level: String?
    var release: String?
    var dist: String?
    var environment: String?
    var fingerprint = SentryFingerprint()
    /// The field `message`. Current SDKs send ``logEntry`` instead.
    var message = LogEntry()
    /// The field `logentry`.
    var logEntry = LogEntry()
    /// The last exception of the list: the exception that was caught. The exceptions before it are its causes.
    var exception: SentryException?
    /// `true` if any exception of the list is unhandled.
    var isUnhandled = false
    /// The loaded images that have an address, at most ``imageLimit``.
    var images: [BinaryImage] = []
    /// Tags, except `leak.class`.
    var tags = FirstValues<String>()
    /// The last value of the tag `leak.class`.
    var classTag: String?
    /// The last value of the tag `leak.kind`.
    var kindTag: String?
    var extra = FirstValues<CustomKey.Value>()
    /// The first text in ``extra`` under a key such as `class` or `leaked_class`.
    var extraClass: String?
    /// The calls of the thread that crashed, else of the current thread, else of the only thread.
    var threadFrames: FrameList?
    /// The last breadcrumbs, as lines of a report's log.
    var breadcrumbs = LastElements<String>(WireLimits.logLineCount)
    var userID: String?
    var contexts = EventContexts()

    /// Maximum number of bytes of a decompressed event: Sentry's own limit.
    /// https://docs.sentry.io/concepts/data-management/size-limits/
    static let byteLimit = 1 << 20
    /// Maximum number of images: four times as many as a large app loads.
    static let imageLimit = 4_096
    static let classTagName = "leak.class"
    static let kindTagName = "leak.kind"

    /// A text, before and after its parameters were inserted.
    struct LogEntry {
        /// The text with its parameters, if the SDK inserted them.
        var formatted: String?
        /// The text with placeholders for its parameters.
        var message: String?
        var parameters = LogParameters()

        /// ``formatted``, or else ``message`` with the parameters that name a type.
        var text: String? {
            if let formatted, !formatted.isEmpty { return formatted }
            guard let message, !message.isEmpty else { return nil }
            return parameters.put(into: message)
        }
    }

    /// `true` for an error or a message, unlike a transaction.
    var isError: Bool { type.map { $0 == "error" || $0 == "default" || $0 == "event" || $0.isEmpty } ?? true }

    /// `false` for crashes, uncaught errors, and events that sentry-cocoa records by itself: they are not leaks.
    var mayBeLeak: Bool { level != "fatal" && !isUnhandled && !(exception?.mechanism.isAutomatic ?? false) }

    /// The text of the message, from ``logEntry`` or else from ``message``.
    var text: String? { logEntry.text ?? message.text }
}

/// One exception, and the frames from the outermost call to the call that threw.
struct SentryException {
    var type: String?
    var value: String?
    var frames = FrameList()
    var mechanism = SentryMechanism()
}

/// The way in which an exception was caught.
struct SentryMechanism {
    var type: String?
    var isHandled: Bool?
    /// `meta.ns_error`: sentry-cocoa sends it for every `NSError`.
    var error: (domain: String, code: Int)?
    /// `data.NSLocalizedDescription`: the description from the error's user info.
    var localizedDescription: String?

    /// `true` if sentry-cocoa recorded the event by itself: a hang, a failed request, or a diagnostic of MetricKit.
    /// https://github.com/getsentry/sentry-cocoa (SentryANRTrackingIntegration.m, SentryNetworkTracker.m,
    /// SentryMetricKitIntegration.h)
    var isAutomatic: Bool {
        guard let type else { return false }
        return type == "AppHang" || type == "HTTPClientError" || type.hasPrefix("mx_") || type.hasPrefix("MX")
    }
}

/// One call. Its variables and its source are not read.
struct SentryFrame {
    var function: String?
    var module: String?
    /// The path of the image that contains the call.
    var package: String?
    var isInApp = false
    /// The address of the call in memory.
    var address: UInt64?
    /// The address at which the image is loaded.
    var imageAddress: UInt64?
}

/// One loaded image.
struct BinaryImage {
    var name: String?
    var address: UInt64?
    var size: UInt64?
}

/// The fields that are read from an event's contexts.
struct EventContexts {
    var os: String?
    var osVersion: String?
    var model: String?
    var app = AppInfo()
    /// The context `leak`, which an app writes for this collector.
    var leak = LeakReport()
    /// The description of the event's error. sentry-cocoa puts the user info of an error into the context `user info`.
    var errorDescription: String?
}
