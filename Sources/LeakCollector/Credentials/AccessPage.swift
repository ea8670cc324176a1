import LeakStore

/// The settings page: lists apps, ingest keys and access tokens, with forms to create, rename and revoke keys and tokens, and
/// shows the state of the backups.
struct AccessPage: Component {
    struct App: Hashable, Sendable {
        var key: AppKey
        /// `nil` if no version of the app is known yet.
        var currentRelease: String?
        /// Milliseconds since 1970.
        var lastSeen: Int64?
    }

    var context: PageContext
    /// The apps that are shown, most recently seen first.
    var apps: [App]
    /// Number of all apps.
    var appCount: Int
    /// Ingest keys, including revoked ones, oldest first.
    var keys: [Credential]
    var tokens: [Credential]
    /// The backups that the collector makes by itself; `nil` if it makes none.
    var backups: (status: BackupLoop.Status, schedule: BackupLoop.Schedule)?
    /// The channels that get messages about events; `nil` leaves them out.
    var channels: [ChannelStatus]?
    /// The rejected form that the page shows again.
    var rejected: RejectedForm?

    /// - Parameter rejected: the form to show again.
    init(from reader: any StoreReader, links: Links, now: Int64, rejected: RejectedForm? = nil)
        throws(StoreError)
    {
        let summaries = try reader.appSummaries()
        let credentials = try reader.credentials(includingEnded: true, now: now)
        self.init(
            context: PageContext(links: links, now: now, apps: Set(summaries.map(\.id)).sorted()),
            apps: summaries.prefix(Self.maxListedApps).map { app in
                App(key: app.key, currentRelease: app.currentRelease, lastSeen: app.lastSeen)
            }, appCount: summaries.count, keys: credentials.filter { $0.purpose == .ingest },
            tokens: credentials.filter { CredentialKind.tokens.includes($0.purpose) }, rejected: rejected)
    }

    init(
        context: PageContext, apps: [App], appCount: Int, keys: [Credential], tokens: [Credential],
        rejected: RejectedForm? = nil, channels: [ChannelStatus]? = nil
    ) {
        self.channels = channels
        self.context = context
        self.apps = apps
        self.appCount = appCount
        self.keys = keys
        self.tokens = tokens
        self.rejected = rejected
    }

    /// Maximum number of apps that the page lists. The filter of the summary offers all apps.
    static let maxListedApps = 100

    var html: HTML {
        PageLayout(
            title: rejected == nil ? "Settings" : "Could not save", section: .access,
            context: context,
            main: #"""
                <h1>Settings: apps, keys and tokens</h1>
                <p><a href="\#(context.links.to(.audit(cursor: nil)))">Audit log</a>: who changed what</p>
                <p><a href="\#(context.links.to(.retention))">Retention</a>: what is deleted at which age</p>
                <p><a href="\#(context.links.to(.rules(AppScope(nil))))">Grouping rules</a>: which reports of an app are one leak</p>
                \#(Card("Ingest keys", keyContent, id: CredentialKind.keys.rawValue))
                \#(Card("Access tokens", tokenContent, id: CredentialKind.tokens.rawValue))
                \#(Card("Apps", appContent, id: "apps"))
                \#(channels.map { Card("Notifications", content(of: $0), id: "notifications").html })\#(backupCard)
                """#,
            footer: CredentialKind.allCases.map { kind in
                let form = CredentialForm(kind: kind, action: .create)
                return
                    #"<a href="\#(context.links.json(of: form.target))">JSON of the \#(kind.rawValue)</a>"#
            }
        ).html
    }

    private var backupCard: HTML? {
        guard let (status, schedule) = backups else { return nil }
        let last: HTML =
            status.lastBackup.map { time -> HTML in
                "The newest was made \(context.relativeTime(time)). The folder has \(Count(status.count).text(noun: "backup", plural: "backups"))."
            } ?? "There is none yet."
        let failure: HTML? = status.failure.map { reason -> HTML in
            #"<p class="alert">The last backup failed: \#(reason)</p>"#
        }
        return Card(
            "Backups",
            """
            <p>Every \(Count(schedule.intervalHours).text(noun: "hour", plural: "hours")) in <code>\(schedule.folder)</code>. \
            \(last)</p>\(failure)
            """, id: "backups"
        ).html
    }

    private func content(of channels: [ChannelStatus]) -> HTML {
        guard !channels.isEmpty else {
            return """
                <p>Events are sent nowhere. Set <code>COLLECTOR_NOTIFY</code> to the address of a webhook of Slack, Microsoft Teams, \
                Discord, Mattermost, Telegram, ntfy, or of a program, or to a mail server.</p>
                """
        }
        let rows = channels.map { channel -> HTML in
            let last: HTML = channel.lastSent.map { "\(context.relativeTime($0))" } ?? "none yet"
            let problem: HTML? = channel.failure.map { "<p class=\"alert\">\($0)</p>" }
            return #"""
                <tr><th scope="row">\#(channel.name)\#(problem)</th><td>\#(Count(channel.sentCount))</td><td>\#(last)</td>\#
                <td>\#(Count(channel.failureCount))</td></tr>
                """#
        }
        return #"""
            <p>Messages about events since this collector started. A failed message is sent again until it arrives.</p>
            <table class="small"><thead><tr><th scope="col">Channel</th><th scope="col">Sent</th><th scope="col">Last</th>\#
            <th scope="col">Failed attempts</th></tr></thead><tbody>\#(rows)</tbody></table>
            """#
    }

    private var keyContent: HTML {
        #"""
        <p>An app sends reports with a key; a key can do nothing else. Anyone can extract it from your app: restrict it to \#
        one app.</p>\#(CredentialTable(context: context, kind: .keys, credentials: keys, rejected: rejected))\#
        \#(createForm(.keys, buttonTitle: "Create key"))
        """#
    }

    private var tokenContent: HTML {
        #"""
        <p>People sign in with a token, and programs send it. Its role says what it may do. Give each person a token of their own: \#
        the history of a leak shows the token's name. If a token is revoked, the tokens that were created with it stay valid.</p>\#(CredentialTable(context: context, kind: .tokens, credentials: tokens, rejected: rejected))\#
        \#(createForm(.tokens, buttonTitle: "Create token"))
        """#
    }

    private func createForm(_ kind: CredentialKind, buttonTitle: String) -> HTML {
        let form = CredentialForm(kind: kind, action: .create)
        let typedFields = RejectedForm.fields(of: form, in: rejected)
        let appField: HTML? =
            kind == .keys
            ? #"""
            <label>App (optional) <input name="app" autocomplete="off" spellcheck="false" \#
            placeholder="com.example.shop"\#(Self.valueAttribute(typedFields?.app))></label>
            <label>Environments (optional) <input name="environments" autocomplete="off" spellcheck="false" \#
            placeholder="production,testflight"\#(Self.valueAttribute(typedFields?.environments))></label>
            """#
            : #"""
            <label>Role <select name="role">\#(Credential.Role.allCases.map { role in
                #"<option value="\#(role.rawValue)"\#(typedFields?.role == role.rawValue ? " selected" : "")>\#(role.rawValue): \#(role.summary)</option>"# as HTML
            })</select></label>
            <label>App (optional) <input name="app" autocomplete="off" spellcheck="false" \#
            placeholder="com.example.shop"\#(Self.valueAttribute(typedFields?.app))></label>
            """#
        return #"""
            <form class="filters" method="post" action="\#(context.links.to(form.target))" aria-label="\#(buttonTitle)">\#
            \#(RejectedForm.alert(of: form, in: rejected))<label>Name <input name="name" required maxlength="\#(Credentials.maxNameBytes / TriageForm.maxBytesPerUnit)" autocomplete="off"\#(Self.valueAttribute(typedFields?.name))\#(typedFields == nil ? "" : " autofocus")></label>\#(appField)\#
            <button class="main">\#(buttonTitle)</button></form>
            """#
    }

    private static func valueAttribute(_ text: String?) -> HTML? {
        text.map { #" value="\#($0)""# }
    }

    private var appContent: HTML {
        guard !apps.isEmpty else {
            return "<p>No app has reported yet. Create a key: the next page shows how to send a report.</p>"
        }
        let rows = apps.map { app -> HTML in
            #"""
            <tr><th scope="row"><a href="\#(context.links.to(.summary(app: app.key.scope)))">\#(IsolatedText(app.key.name))</a></th>\#
            <td>\#(IsolatedText(app.key.environment))</td><td>\#(app.currentRelease.map { version in
                #"<a href="\#(context.links.to(.releases(app: app.key.scope)))">\#(IsolatedText(version))</a>"# as HTML
            })</td><td>\#(app.lastSeen.map { context.relativeTime($0).html })</td></tr>
            """#
        }
        let unlistedCount = appCount - apps.count
        return #"""
            <table class="small access"><thead><tr><th scope="col">App</th><th scope="col">Environment</th><th scope="col">Current release</th>\#
            <th scope="col">Last seen</th></tr></thead><tbody>\#(rows)</tbody></table>\#
            \#(unlistedCount > 0 ? "<p>and \(Count(unlistedCount).text(noun: "more app", plural: "more apps")) last seen earlier</p>" : nil as HTML?)
            """#
    }
}
