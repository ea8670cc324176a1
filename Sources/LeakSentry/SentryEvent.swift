internal import LeakMessage

/// The fields of an event that are read; all others are passed over.
///
/// `user` gives its id alone, and `threads` the calls of the one that crashed or was running. `request`, `server_name` and the variables
/// of frames are never read.
/// https://develop.sentry.dev/sdk/foundations/transport/event-payloads/
struct SentryEvent {
    var id: String?
    /// `transaction` and others came through `/store/` too.
    var type: String?
    var at: WireTime?
    var level: String?
    var release: String?
    var dist: String?
    var environment: String?
    var fingerprint = SentryFingerprint()
    /// `message`, and `logentry`, in which SDKs of today put it.
    var message = LogEntry()
    var logEntry = LogEntry()
    /// The last of the list: the one that was caught, others are its causes.
    var exception: SentryException?
    /// Of any exception of the list.
    var isUnhandled = false
    /// Those that say where they are, at most ``imageLimit``.
    var images: [BinaryImage] = []
    /// Those that are read as what names the leak have places of their own: of these the last counts.
    var tags = FirstValues<String>()
    var classTag: String?
    var kindTag: String?
    var extra = FirstValues<CustomKey.Value>()
    /// The class under a key of ``extra`` such as `class`.
    var extraClass: String?
    /// The calls of the thread that crashed, else of the one that sent the event, else of the only one.
    var threadFrames: FrameList?
    /// As a report's log has them.
    var breadcrumbs = LastElements<String>(WireLimits.logCount)
    var userID: String?
    var contexts = EventContexts()

    /// Sentry's own bound for one event, decompressed. https://docs.sentry.io/concepts/data-management/size-limits/
    static let byteLimit = 1 << 20
    /// Four times as many as a large app loads.
    static let imageLimit = 4_096
    static let classTagName = "leak.class"
    static let kindTagName = "leak.kind"

    /// A text, as it was before its parameters were put in and as it is then.
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

    /// An error or a message, as against a transaction.
    var isError: Bool { type.map { $0 == "error" || $0 == "default" || $0 == "event" || $0.isEmpty } ?? true }

    /// Crashes, and what ended a program because nobody caught it, are no leaks.
    var mayBeLeak: Bool { level != "fatal" && !isUnhandled && !(exception?.mechanism.isAutomatic ?? false) }

    /// The message, whichever of its fields has it.
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

    /// Whether sentry-cocoa saw by itself what an app did: hangs, failed requests and the diagnostics of MetricKit.
    /// https://github.com/getsentry/sentry-cocoa (SentryANRTrackingIntegration.m, SentryNetworkTracker.m,
    /// SentryMetricKitIntegration.h)
    var isAutomatic: Bool {
        guard let type else { return false }
        return type == "AppHang" || type == "HTTPClientError" || type.hasPrefix("mx_") || type.hasPrefix("MX")
    }
}

/// One call. Of its variables and its source nothing is read.
struct SentryFrame {
    var function: String?
    var module: String?
    /// The path of the image that it is in.
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
    /// Written by an app for us.
    var leak = LeakReport()
    /// Where sentry-cocoa puts the user info of an error.
    var errorDescription: String?
}
