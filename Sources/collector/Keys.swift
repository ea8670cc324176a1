import LeakCollector
import LeakStore

/// `collector key …`, on the database file; a server that runs on it learns of the change within a second or two.
struct Keys {
    let credentials: Credentials

    init(settings: Settings) throws {
        credentials = Credentials(store: try Program.openStore(settings, isServer: false))
    }

    func create(name: String, app: String?) throws {
        let (credential, secret) = try credentials.createKey(
            name: name, app: app, now: WallClock.milliseconds())
        let bound = app.map { ", for \($0) only" } ?? ", for any app"
        Output.line("key \(credential.id) (\(name)\(bound)), shown once:\n\(secret)")
    }

    func list() throws {
        let keys = try credentials.keys(now: WallClock.milliseconds())
        guard !keys.isEmpty else {
            Output.line("no ingest key yet; collector key create makes one")
            return
        }
        for key in keys {
            let state = key.revokedAt.map { "revoked \(WallClock.day($0))" } ?? "valid"
            Output.line(
                "\(key.id)\t\(state)\t\(key.app ?? "any app")\tmade \(WallClock.day(key.createdAt))\t\(key.name)"
            )
        }
    }

    func revoke(_ id: Int64) throws {
        guard try credentials.revokeKey(id, now: WallClock.milliseconds()) else {
            throw NoSuchKey(id: id)
        }
        Output.line("key \(id) is refused from now on")
    }

    struct NoSuchKey: Error, CustomStringConvertible {
        let id: Int64
        var description: String { "there is no valid key \(id); collector key list shows them" }
    }
}
