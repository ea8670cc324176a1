import LeakCollector
import LeakStore

/// `collector key …` and `collector token …`, which work on the database. A server that runs on it notices the change
/// within two seconds.
struct CredentialCommand {
    private let credentials: Credentials
    private let kind: CredentialKind

    init(_ kind: CredentialKind, settings: Settings) throws {
        self.kind = kind
        credentials = Credentials(store: try Program.openStore(settings, isServer: false))
    }

    func create(name: String, role: Credential.Role?, app: String?, environments: String?) throws {
        let (credential, secret) = try credentials.create(
            kind, name: name, role: role, app: app, environments: environments,
            now: WallClock.milliseconds())
        let environmentText = credential.environmentList.map { " in \($0)" } ?? ""
        let appScope =
            kind == .keys
            ? ", for \(app.map { "\($0) only" } ?? "any app")\(environmentText)"
            : ", \(rights(of: credential))"
        Output.line(
            "\(kind.noun) \(credential.id) (\(name)\(appScope)), shown once; a running collector accepts it within two seconds:\n\(secret)"
        )
    }

    func list() throws {
        let list = try credentials.list(kind, now: WallClock.milliseconds())
        guard !list.isEmpty else {
            Output.line("there is no \(kind.noun) yet; create one with collector \(kind.noun) create")
            return
        }
        for credential in list {
            let state = credential.revokedAt.map { "revoked \(WallClock.day($0))" } ?? "valid"
            let environmentText = credential.environmentList.map { " in \($0)" } ?? ""
            let appScope =
                kind == .keys
                ? "\t\(credential.app ?? "any app")\(environmentText)"
                : "\t\(rights(of: credential))"
            let name = TerminalText.text(credential.name)
            Output.line(
                "\(credential.id)\t\(state)\(appScope)\tcreated \(WallClock.day(credential.createdAt))\t\(name)"
            )
        }
    }

    /// Returns the role of a token and the app that it is limited to.
    private func rights(of credential: Credential) -> String {
        (credential.role?.rawValue ?? "no role") + (credential.app.map { " of \($0) only" } ?? "")
    }

    func revoke(_ id: Int64) throws {
        guard try credentials.revoke(kind, id, now: WallClock.milliseconds()) else {
            throw NoSuchCredential(kind: kind, id: id)
        }
        Output.line(
            "revoked \(kind.noun) \(id); a running collector rejects it within two seconds")
    }

    struct NoSuchCredential: Error, CustomStringConvertible {
        let kind: CredentialKind
        let id: Int64

        var description: String {
            "there is no valid \(kind.noun) \(id); collector \(kind.noun) list shows all of them"
        }
    }
}
