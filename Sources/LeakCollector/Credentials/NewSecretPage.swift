import LeakStore

/// The page after a key or token was created. Only this page shows the secret. It also has code snippets that contain the secret.
struct NewSecretPage: Component {
    var context: PageContext
    var kind: CredentialKind
    var credential: Credential
    var secret: String
    /// Address of the collector, without a slash at the end.
    var address: String

    var html: HTML {
        PageLayout(
            title: "New \(kind.noun)", section: .access, context: context,
            main: #"""
                <div class="narrow"><h1>New \#(kind.noun): \#(IsolatedText(credential.name))</h1>
                <p class="notice">Copy it now: you will not see it again.</p>
                \#(Card(kind == .keys ? "Ingest key" : "Access token", "<pre>\(secret)</pre>"))
                \#(snippets.map(\.card.html))
                <p><a class="button" href="\#(context.links.to(.access))">Back to settings</a></p></div>
                """#
        ).html
    }

    private var snippets: [Snippet] {
        switch kind {
        case .keys:
            Snippet.snippetsForSending(
                to: address, key: secret, app: credential.app, environment: credential.environments.first,
                project: credential.id)
        case .tokens:
            Snippet.snippetsForReading(from: address, token: secret, role: credential.role)
        }
    }
}
