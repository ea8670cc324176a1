internal import LeakHTTPServer
internal import LeakStore

/// The rights of people whom a trusted proxy has authenticated, such as oauth2-proxy. The proxy names the person in
/// `X-Forwarded-User`. The field counts only on a connection from an address in ``Settings/trustedProxies``, because any client
/// can send it.
struct ProxyUsers: Hashable, Sendable {
    /// The role of each person who is not in ``admins``.
    var role: Credential.Role
    /// The names of people with the role admin.
    var admins: Set<String> = []

    /// Returns the credential of the person; `nil` if the request came from another address, names no person or several, or a
    /// name that is not valid.
    func credential(of request: borrowing Request) -> Credential? {
        guard request.cameThroughTrustedProxy, request.fieldCount("x-forwarded-user") == 1,
            let name = request.field("x-forwarded-user"), Self.isValid(name)
        else { return nil }
        return Credential(
            purpose: .proxy, name: name, hash: [], role: admins.contains(name) ? .admin : role, createdAt: 0)
    }

    /// Returns `true` for a name that can be shown in the history of a leak, and that the collector does not use itself. A token
    /// may have the same name. Only an audit log entry about a change with the token has the id of the token.
    private static func isValid(_ name: String) -> Bool {
        (1...Decision.maxNameBytes).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
            && !name.contains(",") && name != SignIn.linkName && !name.hasPrefix(SignIn.sessionPrefix)
            && !ChangeOrigin.reservedActors.contains(name)
    }
}

extension Settings {
    /// Returns the rights of people whom a trusted proxy names; `nil` if names are ignored.
    ///
    /// - Throws: ``SettingError`` without a trusted proxy, or if there are admins and no role for all others.
    func proxyUsers() throws(SettingError) -> ProxyUsers? {
        guard let proxyRole else {
            guard proxyAdmins.isEmpty else {
                throw SettingError(
                    source: Setting.proxyAdmins.variable,
                    problem: "needs \(Setting.proxyRole.variable), the role of all other people")
            }
            return nil
        }
        guard !trustedProxies.isEmpty else {
            throw SettingError(
                source: Setting.proxyRole.variable,
                problem: "needs \(Setting.trustedProxies.variable): only these proxies may name people")
        }
        return ProxyUsers(role: proxyRole, admins: Set(proxyAdmins))
    }
}
