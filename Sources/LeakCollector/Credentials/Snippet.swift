import LeakStore

/// Code to paste, as plain text. The page escapes it.
struct Snippet: Hashable, Sendable {
    var title: String
    var code: String

    var card: Card { Card("\(title)", "<pre>\(code)</pre>") }

    /// Returns a snippet for each way to send reports. The one for a Sentry SDK is missing if the key cannot be part
    /// of a DSN.
    ///
    /// - Parameters:
    ///   - app: the only app that the key may write for; `nil` for any app.
    ///   - environment: an environment that the key may write for; `nil` for any environment.
    ///   - project: the number in a DSN.
    static func snippetsForSending(
        to address: String, key: String, app: String?, environment: String? = nil, project: Int64
    ) -> [Snippet] {
        let app = app ?? "com.example.shop"
        let environmentArgument = environment.map { ", environment: \(swiftLiteral($0))" } ?? ""
        let environmentParameter = environment.map { "&environment=\(PercentEncoder.encode($0))" } ?? ""
        return [
            Snippet(
                title: "From an app",
                code: #"""
                    import LeakReporter

                    let reporter = LeakReporter(.init(
                        endpoint: \#(swiftLiteral(address)), key: \#(swiftLiteral(key)),
                        app: .init(id: \#(swiftLiteral(app))\#(environmentArgument), version: "1.0.0")))
                    reporter.record(message: "VIEWCONTROLLER STILL IN MEMORY <Shop.CartController: 0x7f88acc69260>")
                    """#),
            Snippet(
                title: "From a shell",
                code: #"""
                    curl '\#(address)/api/v1/reports?app=\#(PercentEncoder.encode(app))&version=1.0.0\#(environmentParameter)' \
                      --header 'Authorization: Bearer \#(key)' --header 'Content-Type: text/plain' \
                      --data 'VIEWCONTROLLER STILL IN MEMORY <Shop.CartController: 0x7f88acc69260>'
                    """#),
        ] + (SentryDSN(address: address, key: key, project: project).map { [sentrySnippet($0)] } ?? [])
    }

    /// Returns code that creates a second Sentry client. Events of the app's own client still go only to Sentry.
    ///
    /// `SentryClient(options:)` and `capture(event:)` are in sentry-cocoa 8 and 9.
    private static func sentrySnippet(_ dsn: SentryDSN) -> Snippet {
        Snippet(
            title: "From a Sentry SDK",
            code: #"""
                import Sentry

                let options = Options()
                options.dsn = \#(swiftLiteral(dsn.description))
                let leaks = SentryClient(options: options)

                let event = Event(level: .warning)
                event.message = SentryMessage(formatted: "Shop.CartController is still in memory")
                event.context = ["leak": ["class": "Shop.CartController", "kind": "view_controller"]]
                leaks?.capture(event: event)
                """#)
    }

    static func snippetsForReading(from address: String, token: String, role: Credential.Role?) -> [Snippet] {
        let list = Snippet(
            title: "From a shell",
            code: #"curl '\#(address)/api/v1/leaks' --header 'Authorization: Bearer \#(token)'"#)
        let check = Snippet(
            title: "In CI, before a release",
            code: #"""
                export COLLECTOR_URL='\#(address)' COLLECTOR_ACCESS_TOKEN='\#(token)'
                collector check --app com.example.shop --version 1.0.0
                """#)
        let upload = Snippet(
            title: "In CI, after a release build",
            code: #"""
                export COLLECTOR_URL='\#(address)' COLLECTOR_ACCESS_TOKEN='\#(token)'
                collector symbols upload MyApp.app.dSYM
                """#)
        return switch role {
        case .viewer, .triager, .admin: [list, check]
        case .check: [check]
        case .symbols: [upload]
        case nil: []
        }
    }

    /// Returns a string literal of Swift. An app's id may contain any characters except control characters.
    private static func swiftLiteral(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
