import LeakStore

/// A secret just made, with what to paste: the one page that ever has it.
struct NewSecretPage: Component {
    var context: PageContext
    var kind: HandoutKind
    var credential: Credential
    var secret: String
    /// Where the collector is reached, without a slash at the end.
    var address: String

    var html: HTML {
        PageFrame(
            title: "New \(kind.noun)", section: .access, context: context,
            main: #"""
                <div class="narrow"><h1>New \#(kind.noun): \#(Isolated(credential.name))</h1>
                <p class="notice">Copy it now. It is not stored, and no page shows it again.</p>
                \#(Card(kind == .keys ? "Ingest key" : "Access token", "<pre>\(secret)</pre>"))
                \#(snippets.map { Card("\($0.title)", "<pre>\($0.code)</pre>") as Card }.map(\.html))
                <p><a class="button" href="\#(context.links.to(.access))">Back to keys and tokens</a></p></div>
                """#
        ).html
    }

    private var snippets: [Snippet] {
        switch kind {
        case .keys: Snippet.sending(to: address, key: secret, app: credential.app)
        case .tokens: Snippet.reading(from: address, token: secret)
        }
    }
}

/// Lines to paste, as text: the page escapes them.
struct Snippet: Hashable, Sendable {
    var title: String
    var code: String

    /// One for each way in that this collector has.
    ///
    /// - Parameter app: the only app that the key writes for; `nil`: any.
    static func sending(to address: String, key: String, app: String?) -> [Snippet] {
        let app = app ?? "com.example.shop"
        return [
            Snippet(
                title: "From an app",
                code: #"""
                    import LeakReporter

                    let reporter = LeakReporter(.init(
                        endpoint: \#(swift(address)), key: \#(swift(key)),
                        app: .init(id: \#(swift(app)), version: "1.0.0")))
                    """#),
            Snippet(
                title: "From a shell",
                code: #"""
                    curl '\#(address)/api/v1/reports?app=\#(Percent.encode(app))&version=1.0.0' \
                      --header 'Authorization: Bearer \#(key)' --header 'Content-Type: text/plain' \
                      --data 'VIEWCONTROLLER STILL IN MEMORY <Shop.CartController: 0x7f88acc69260>'
                    """#),
        ]
    }

    static func reading(from address: String, token: String) -> [Snippet] {
        [
            Snippet(
                title: "From a shell",
                code: #"curl '\#(address)/api/v1/leaks' --header 'Authorization: Bearer \#(token)'"#),
            Snippet(
                title: "As a gate before a release",
                code: #"""
                    export COLLECTOR_URL='\#(address)' COLLECTOR_ACCESS_TOKEN='\#(token)'
                    collector check --app com.example.shop --version 1.0.0
                    """#),
        ]
    }

    /// A literal of Swift: an app's id may hold whatever is no control character.
    private static func swift(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
