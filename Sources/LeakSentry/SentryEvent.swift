internal import LeakMessage

/// The fields of an event that are read; all others are skipped.
///
/// Only the id of `user` is read, and only the calls of the thread in `threads` that crashed or was running. `request`,
/// `server_name` and the variables of frames are never read.
/// https://develop.sentry.dev/sdk/foundations/transport/event-payloads/
struct SentryEvent {
    var id: String?
    /// `transaction` and other types came through `/store/` too.
    var type: String?
    var at: WireTime?
    var level: String?
    var release: String?
    var dist: String?
    var environment: String?
    var fingerprint = SentryFingerprint()
    /// `message`, and `logentry`, into which current SDKs put it.
    var message = LogEntry()
    var logEntry = LogEntry()
    /// The last exception of the list: the one that was caught. Others are its causes.
    var exception: SentryException?
    /// `true` if any exception of the list is unhandled.
    var isUnhandled = false
    /// Images with an address, at most ``imageLimit``.
    var images: [BinaryImage] = []
    /// Tags, except those that name the leak. They have properties of their own, where the last value counts.
    var tags = FirstValues<String>()
    var classTag: String?
    var kindTag: String?
    var extra = FirstValues<CustomKey.Value>()
    /// The class under a key of ``extra`` such as `class`.
    var extraClass: String?
    /// The calls of the thread that crashed, else of the current thread, else of the only thread.
    var threadFrames: FrameList?
    /// Breadcrumbs in the form of a report's log.
    var breadcrumbs = LastElements<String>(WireLimits.logCount)
    var userID: String?
    var contexts = EventContexts()

    /// Sentry's own bound for one event, decompressed. https://docs.sentry.io/concepts/data-management/size-limits/
    static let byteLimit = 1 << 20
    /// Limit of images: four times as many as a large app loads.
    static let imageLimit = 4_096
    static let classTagName = "leak.class"
    static let kindTagName = "leak.kind"

    /// A text before and after its parameters were inserted.
    struct LogEntry {
        var formatted: String?
        var message: String?
        var parameters = LogParameters()

        var text: String? {
            if let formatted, !formatted.isEmpty { return formatted }
            guard let message, !message.isEmpty else { return nil }
            return parameters.put(into: message)
        }
    }

    /// `true` for an error or a message, unlike a transaction.
    var isError: Bool { type.map { $0 == "error" || $0 == "default" || $0 == "event" || $0.isEmpty } ?? true }

    /// `false` for crashes, and for uncaught errors that ended a program: they are no leaks.
    var mayBeLeak: Bool { level != "fatal" && !isUnhandled && !(exception?.mechanism.isAutomatic ?? false) }

    /// The message, from the field that has it.
    var text: String? { logEntry.text ?? message.text }
}

/// One exception, and the frames from the outermost call to the one that threw.
struct SentryException {
    var type: String?
    var value: String?
    var frames = FrameList()
    var mechanism = SentryMechanism()
}

/// How an exception was caught.
struct SentryMechanism {
    var type: String?
    var isHandled: Bool?
    /// `meta.ns_error`: sentry-cocoa sends it for every `NSError`.
    var error: (domain: String, code: Int)?
    /// `data.NSLocalizedDescription`: the user info of that error.
    var localizedDescription: String?

    /// `true` if sentry-cocoa recorded the event by itself: hangs, failed requests and the diagnostics of MetricKit.
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
    var address: UInt64?
    var imageAddress: UInt64?
}

/// One loaded image.
struct BinaryImage {
    var name: String?
    var address: UInt64?
    var size: UInt64?
}

/// The contexts that are read.
struct EventContexts {
    var os: String?
    var osVersion: String?
    var model: String?
    var app = AppInfo()
    /// The leak that an app wrote for this collector.
    var leak = LeakReport()
    /// The user info of an error, where sentry-cocoa puts it.
    var errorDescription: String?
}
