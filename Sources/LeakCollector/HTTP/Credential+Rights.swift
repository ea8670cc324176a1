internal import LeakHTTPServer
internal import LeakStore

extension Credential {
    /// Checks that the credential has a right.
    ///
    /// - Throws: ``Problem`` 403 that names the roles with the right.
    func require(_ permission: Permission) throws(Problem) {
        guard !permissions.contains(permission) else { return }
        let noun =
            switch purpose {
            case .session: "session"
            case .proxy: "person"
            case .access, .ingest, .signIn: "access token"
            }
        var detail =
            "this needs the role \(Role.orList(permission.roles)); this \(noun) has "
            + (role.map { "the role \($0.rawValue)" } ?? "no role that this collector knows")
        if let app, !permission.isWithinApp { detail += ", and is limited to the app \(app)" }
        throw Problem(.forbidden, detail, kind: .missingRole)
    }

    /// Checks that a request names no app, or an app that the credential may read.
    ///
    /// - Throws: ``Problem`` 403.
    func requireApp(_ name: String?) throws(Problem) {
        guard let app, let name, !name.isEmpty, ByteText(name) != ByteText(app) else { return }
        throw Problem(
            .forbidden,
            "this \(purpose == .session ? "session" : "access token") is limited to the app \(app); leave out the app, or name that one",
            kind: .otherApp)
    }
}
