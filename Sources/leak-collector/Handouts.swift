import LeakCollector
import LeakStore

/// `collector key …` and `collector token …`, on the database file; a server that runs on it learns of the change within
/// a second or two.
struct Handouts {
    private let credentials: Credentials
    private let kind: Handout

    init(_ kind: Handout, settings: Settings) throws {
        self.kind = kind
        credentials = Credentials(store: try Program.openStore(settings, isServer: false))
    }

    private var purpose: Credential.Purpose { kind == .key ? .ingest : .access }

    func create(name: String, app: String?) throws {
        let (credential, secret) = try credentials.create(
            purpose, name: name, app: app, now: WallClock.milliseconds())
        let bound = kind == .key ? ", for \(app.map { "\($0) only" } ?? "any app")" : ""
        Output.line(
            "\(kind.rawValue) \(credential.id) (\(name)\(bound)), taken by a running collector within two seconds, shown once:\n\(secret)"
        )
    }

    func list() throws {
        let handouts = try credentials.list(purpose, now: WallClock.milliseconds())
        guard !handouts.isEmpty else {
            Output.line("no \(kind.rawValue) yet; collector \(kind.rawValue) create makes one")
            return
        }
        for handout in handouts {
            let state = handout.revokedAt.map { "revoked \(WallClock.day($0))" } ?? "valid"
            let bound = kind == .key ? "\t\(handout.app ?? "any app")" : ""
            Output.line(
                "\(handout.id)\t\(state)\(bound)\tmade \(WallClock.day(handout.createdAt))\t\(handout.name)")
        }
    }

    func revoke(_ id: Int64) throws {
        guard try credentials.revoke(purpose, id, now: WallClock.milliseconds()) else {
            throw NoSuchHandout(kind: kind, id: id)
        }
        Output.line(
            "\(kind.rawValue) \(id) is refused from now on, by a running collector within two seconds")
    }

    struct NoSuchHandout: Error, CustomStringConvertible {
        let kind: Handout
        let id: Int64

        var description: String {
            "there is no valid \(kind.rawValue) \(id); collector \(kind.rawValue) list shows them"
        }
    }
}
