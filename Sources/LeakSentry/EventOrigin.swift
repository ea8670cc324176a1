internal import LeakMessage

/// The origin of an event: the app with its version and build, the device, and the install.
struct EventOrigin: Hashable {
    let app: AppInfo
    let device: DeviceInfo
    /// The `user.id` of the event. sentry-cocoa puts the id of the installation there, unless the app sets another id. No other
    /// field of `user` is read.
    let install: String?

    init(_ event: SentryEvent) {
        let release = SentryRelease(event.release ?? "")
        let appContext = event.contexts.app
        app = AppInfo(
            id: [appContext.id, release.bundle].firstNonBlank, module: [appContext.module].firstNonBlank,
            environment: [event.environment].firstNonBlank,
            version: release.bundle == nil
                ? [appContext.version, event.release].firstNonBlank
                : [release.version, appContext.version].firstNonBlank,
            build: [release.build, appContext.build, event.dist].firstNonBlank)
        device = DeviceInfo(
            os: [event.contexts.os].firstNonBlank, osVersion: [event.contexts.osVersion].firstNonBlank,
            model: [event.contexts.model].firstNonBlank)
        install = [event.userID].firstNonBlank
    }
}

/// A release as SDKs for mobile apps write it: `com.acme.shop@5.2.0+812`.
/// https://docs.sentry.io/product/releases/naming-releases/
struct SentryRelease: Hashable {
    /// The text before the last `@`; `nil` for a release without `@`, whose parts are unknown.
    private(set) var bundle: String?
    private(set) var version: String?
    private(set) var build: String?

    init(_ text: String) {
        guard let at = text.lastIndex(of: "@") else { return }
        bundle = String(text[..<at])
        let rest = text[text.index(after: at)...]
        let plus = rest.firstIndex(of: "+") ?? rest.endIndex
        version = String(rest[..<plus])
        build = String(rest[plus...].dropFirst())
    }
}

extension [String?] {
    /// The first text with visible characters, without white space at its ends.
    var firstNonBlank: String? {
        for case let text? in self {
            if let visible = text.visible { return visible }
        }
        return nil
    }
}
