internal import LeakMessage

/// What of an event is read; everything else in it is passed over.
///
/// Of `user` the id alone, of `threads`, `request`, `server_name` and the variables of frames nothing.
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
    var fingerprint: [String] = []
    /// `message`, and `logentry`, in which SDKs of today put it.
    var message = LogEntry()
    var logEntry = LogEntry()
    /// The last of the list: the one that was caught, others are its causes.
    var exception: SentryException?
    /// Of any exception of the list.
    var isUnhandled = false
    var images: [BinaryImage] = []
    var tags: [(name: String, value: String)] = []
    var extra: [CustomKey] = []
    var breadcrumbs: [Breadcrumb] = []
    var userID: String?
    var contexts = EventContexts()

    /// A text, as it was before its parameters were put in and as it is then.
    struct LogEntry {
        var formatted: String?
        var message: String?

        var text: String? { [formatted, message].compactMap(\.self).first { !$0.isEmpty } }
    }

    struct Breadcrumb {
        var category: String?
        var message: String?
    }

    /// An error or a message, as against a transaction.
    var isError: Bool { type.map { $0 == "error" || $0 == "default" || $0 == "event" || $0.isEmpty } ?? true }

    /// Crashes, and what ended a program because nobody caught it, are no leaks.
    var mayBeLeak: Bool { level != "fatal" && !isUnhandled && !(exception?.mechanism.isAutomatic ?? false) }

    func tag(_ name: String) -> String? { tags.last { $0.name == name }?.value }

    /// The message, whichever of its fields has it.
    var text: String? { logEntry.text ?? message.text }
}

/// One exception, and the frames from the outermost call to the one that threw.
struct SentryException {
    var type: String?
    var value: String?
    var frames: [SentryFrame] = []
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
