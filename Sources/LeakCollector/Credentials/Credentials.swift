internal import LeakMessage
public import LeakStore

/// Creation and changes of ingest keys and access tokens: at the start from settings, later from the command line,
/// pages and JSON.
public struct Credentials: Sendable {
    private let store: any Store
    /// The author of the changes, for the audit log.
    private let origin: ChangeOrigin

    public init(store: any Store, by origin: ChangeOrigin = .commandLine) {
        self.store = store
        self.origin = origin
    }

    /// Name of the ingest key that an environment variable sets. A key with a new value replaces the previous key.
    private static let configuredKeyName = Setting.ingestKey.variable
    /// Name of the access token that an environment variable sets.
    private static let configuredTokenName = Setting.accessToken.variable

    /// Result of ``prepare(settings:storedCredentials:now:)``: the new secrets, and flags for secrets that are missing.
    struct CreatedSecrets: Sendable {
        var ingestKey: Secret?
        var accessToken: Secret?
        /// True if there is no ingest key, and none was created because ``Settings/showsSecrets`` is off.
        var lacksIngestKey = false
        /// True if there is no access token, and none was created because ``Settings/showsSecrets`` is off.
        var lacksAccessToken = false
    }

    /// Makes sure that there is an ingest key and an access token: the secret of the settings, or else an existing secret, or
    /// else a new secret. No new secret is created if ``Settings/showsSecrets`` is off, because it could not be printed.
    func prepare(settings: Settings, storedCredentials: [Credential], now: Int64) throws -> CreatedSecrets {
        var created = CreatedSecrets(
            ingestKey: try prepare(
                .ingest, configuredSecret: settings.ingestKey, settings: settings,
                storedCredentials: storedCredentials, now: now),
            accessToken: try prepare(
                .access, configuredSecret: settings.accessToken, settings: settings,
                storedCredentials: storedCredentials, now: now))
        guard !settings.showsSecrets else { return created }
        func hasNone(for purpose: Credential.Purpose) -> Bool {
            !storedCredentials.contains { $0.purpose == purpose && $0.revokedAt == nil }
        }
        created.lacksIngestKey = settings.ingestKey == nil && hasNone(for: .ingest)
        created.lacksAccessToken = settings.accessToken == nil && hasNone(for: .access)
        return created
    }

    /// Prepares one of the two credentials.
    ///
    /// - Returns: the new secret; `nil` if none was created.
    private func prepare(
        _ purpose: Credential.Purpose, configuredSecret: String?, settings: Settings,
        storedCredentials: [Credential], now: Int64
    ) throws -> Secret? {
        let validCredentials = storedCredentials.filter { $0.purpose == purpose && $0.revokedAt == nil }
        let name = purpose == .ingest ? Self.configuredKeyName : Self.configuredTokenName
        // Messages name the variable that the operator set.
        let source = settings.variable(of: purpose == .ingest ? .ingestKey : .accessToken)
        guard let configuredSecret else {
            // A secret that is not printed would be lost.
            guard validCredentials.isEmpty, settings.showsSecrets else { return nil }
            let secret = try Secret.random()
            _ = try add(
                Credential(
                    purpose: purpose, name: "first", hash: secret.hash, role: Self.firstRole(for: purpose),
                    createdAt: now))
            return secret
        }
        let secret = try Secret(chosen: configuredSecret)
        let existing = storedCredentials.first { $0.hash == secret.hash }
        if let existing { try validate(existing, for: purpose, source) }
        for replaced in validCredentials where replaced.name == name && replaced.hash != secret.hash {
            _ = try revoke(replaced, now: now)
        }
        if existing == nil {
            do throws(StoreError) {
                _ = try add(
                    Credential(
                        purpose: purpose, name: name, hash: secret.hash, role: Self.firstRole(for: purpose),
                        createdAt: now))
            } catch {
                // Another collector with the same variables and the same database may have been quicker.
                let currentCredentials = try store.makeReader().credentials(includingEnded: true, now: now)
                guard let existing = currentCredentials.first(where: { $0.hash == secret.hash }) else {
                    throw error
                }
                try validate(existing, for: purpose, source)
            }
        }
        return nil
    }

    /// The role of a credential that is created at the start: the first token creates all others.
    private static func firstRole(for purpose: Credential.Purpose) -> Credential.Role? {
        purpose == .access ? .admin : nil
    }

    /// Checks that a setting may contain the secret of an existing credential: the credential must be valid, and of the same
    /// purpose. A revoked secret stays revoked, whether it was revoked by hand or replaced by another value, because there may
    /// have been a reason to revoke it.
    ///
    /// - Parameter variable: the environment variable with the secret, for the error.
    private func validate(_ existing: Credential, for purpose: Credential.Purpose, _ variable: String)
        throws(SettingError)
    {
        if let revokedAt = existing.revokedAt {
            throw SettingError(
                source: variable,
                problem: "holds a secret that was revoked on \(WallClock.day(revokedAt)); set another")
        }
        guard existing.purpose == purpose else {
            throw SettingError(
                source: variable,
                problem:
                    "has the value of another secret; choose a different value, because an ingest key must not be able to read"
            )
        }
        guard existing.role == Self.firstRole(for: purpose), purpose == .ingest || existing.app == nil else {
            throw SettingError(
                source: variable,
                problem:
                    "has the value of a token with fewer rights than the role admin; choose a different value"
            )
        }
    }

    /// Creates an ingest key or an access token.
    ///
    /// - Parameters:
    ///   - role: the role of a token; `nil` for a key.
    ///   - app: the only app that a key may write for, or that a token may read and change; `nil` for any app.
    ///   - environments: names of the only environments that a key may write for, separated by commas; `nil` for any
    ///     environment.
    /// - Returns: the credential as it is listed, and the secret, which is not stored.
    /// - Throws: ``SettingError`` for an invalid or reserved name, a token without a role, a role that cannot be limited to an
    ///   app, an invalid app or invalid environments, ``DuplicateNameError``, or ``StoreError``.
    public func create(
        _ kind: CredentialKind, name: String, role: Credential.Role? = nil, app: String? = nil,
        environments: String? = nil,
        now: Int64
    ) throws -> (credential: Credential, secret: String) {
        let purpose = kind.purpose
        try Self.validate(name, purpose)
        if kind == .tokens { try Self.validate(role, app: app) }
        try requireNameIsFree(name, purpose, except: nil, now: now)
        if let app { try Self.validate(app, flag: "--app", maxBytes: WireLimits.appIDBytes) }
        let names = try environments.map(Self.environmentNames(in:)) ?? []
        let secret = try Secret.random()
        let credential = try add(
            Credential(
                purpose: purpose, name: name, hash: secret.hash, role: role, app: app, environments: names,
                createdAt: now))
        return (credential, secret.text)
    }

    /// Checks that a token has a role, and that the role may be limited if `app` is not `nil`. There is no default role, so that
    /// no token has more rights than its creator has named.
    private static func validate(_ role: Credential.Role?, app: String?) throws(SettingError) {
        guard let role else {
            throw SettingError(
                source: "--role", problem: "is missing: a token has the role \(Credential.Role.list)")
        }
        guard app == nil || role.canBeLimitedToApp else {
            throw SettingError(
                source: "--app", problem: "cannot limit a token of the role \(role.rawValue)")
        }
    }

    /// Maximum number of environments of a key.
    private static let maxEnvironments = 16

    /// Parses names of environments that are separated by commas.
    private static func environmentNames(in list: String) throws(SettingError) -> [String] {
        var names: [String] = []
        for part in list.split(separator: ",") {
            let name = AppKey.environment(named: part.trimmed)
            try validate(name, flag: "--environments", maxBytes: WireLimits.environmentBytes)
            if !names.contains(name) { names.append(name) }
        }
        guard (1...maxEnvironments).contains(names.count) else {
            throw SettingError(
                source: "--environments",
                problem:
                    "is “\(list)”, must be 1 to \(maxEnvironments) names separated by commas, such as production,testflight"
            )
        }
        return names
    }

    /// Maximum bytes of a name. The name is shown with the decisions that are made with the token.
    static let maxNameBytes = Decision.maxNameBytes

    private static func validate(_ name: String, _ purpose: Credential.Purpose) throws(SettingError) {
        try validate(name, flag: "--name", maxBytes: maxNameBytes)
        let kind = CredentialKind.allCases.first { $0.includes(purpose) }
        guard let kind, name == kind.setting.variable else { return }
        // The next start would revoke the new credential, because the variable holds another secret.
        throw SettingError(
            source: "--name",
            problem:
                "is reserved for the \(kind.noun) in the environment variable of that name; choose another")
    }

    /// Checks that no other valid token has the name, and that the name is not reserved for signed-in browsers. The history
    /// of a leak shows the token's name for each decision, even after the token was revoked. Ingest keys may share names.
    private func requireNameIsFree(
        _ name: String, _ purpose: Credential.Purpose, except id: Int64?, now: Int64
    ) throws {
        guard CredentialKind.tokens.includes(purpose) else { return }
        guard name != SignIn.linkName, !name.hasPrefix(SignIn.sessionPrefix),
            !ChangeOrigin.reservedActors.contains(name)
        else {
            throw SettingError(
                source: "--name",
                problem:
                    "is reserved for another author in the history of leaks and in the audit log; choose another"
            )
        }
        let others = try list(.tokens, now: now).filter { $0.revokedAt == nil && $0.id != id }
        if let other = others.first(where: { $0.name == name }) {
            throw DuplicateNameError(name: name, id: other.id)
        }
    }

    /// Checks a name or an app's id: its length, and that it has no control characters. Names are listed on a terminal, one
    /// per line, and reports can have only such ids.
    private static func validate(_ text: String, flag: String, maxBytes: Int) throws(SettingError) {
        guard (1...maxBytes).contains(text.utf8.count) else {
            throw SettingError(source: flag, problem: "is \(text.utf8.count) bytes, must be 1 to \(maxBytes)")
        }
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }) else {
            throw SettingError(source: flag, problem: "contains a control character")
        }
    }

    /// Returns the credentials of one kind, including revoked ones, oldest first.
    public func list(_ kind: CredentialKind, now: Int64) throws -> [Credential] {
        try store.makeReader().credentials(includingEnded: true, now: now).filter {
            kind.includes($0.purpose)
        }
    }

    /// Renames an ingest key or an access token.
    ///
    /// - Returns: `true` if there is such a credential that is not revoked.
    /// - Throws: ``SettingError`` for an invalid or reserved name, ``ReservedNameError`` for the credential that an environment
    ///   variable sets, which the next start finds by its name, ``DuplicateNameError``, or ``StoreError``.
    func rename(_ kind: CredentialKind, _ id: Int64, to name: String, now: Int64) throws -> Bool {
        try Self.validate(name, kind.purpose)
        guard let credential = try list(kind, now: now).first(where: { $0.id == id }) else { return false }
        if credential.name == kind.setting.variable { throw ReservedNameError(name: credential.name) }
        try requireNameIsFree(name, kind.purpose, except: id, now: now)
        let entry = AuditEntry(
            kind == .keys ? .renameKey : .renameToken, of: "\(kind.noun) \(id)",
            details: "\(credential.name), now \(name)", by: origin, at: now)
        return try store.setName(ofCredential: id, to: name, audit: entry)
    }

    /// Revokes an ingest key or an access token.
    ///
    /// - Returns: `true` if there was such a credential and it was not revoked already.
    public func revoke(_ kind: CredentialKind, _ id: Int64, now: Int64) throws -> Bool {
        guard let credential = try list(kind, now: now).first(where: { $0.id == id }) else { return false }
        return try revoke(credential, now: now)
    }

    // MARK: Changes with their entries in the audit log

    private func add(_ credential: Credential) throws(StoreError) -> Credential {
        let isKey = credential.purpose == .ingest
        let environments = credential.environmentList.map { " in \($0)" } ?? ""
        let details = [
            credential.name, credential.role.map { "role \($0.rawValue)" },
            credential.app.map { "only \($0)\(environments)" }
                ?? (environments.isEmpty ? nil : "only\(environments)"),
        ]
        let entry = AuditEntry(
            isKey ? .createKey : .createToken, of: isKey ? "key" : "token",
            details: details.compactMap(\.self).joined(separator: ", "), by: origin, at: credential.createdAt)
        return try store.add(credential, audit: entry)
    }

    private func revoke(_ credential: Credential, now: Int64) throws(StoreError) -> Bool {
        let isKey = credential.purpose == .ingest
        let entry = AuditEntry(
            isKey ? .revokeKey : .revokeToken, of: "\(isKey ? "key" : "token") \(credential.id)",
            details: credential.name, by: origin, at: now)
        return try store.revoke(credential: credential.id, audit: entry, now: now)
    }
}

/// Error for a token name that another valid token has. The history of a leak shows only the token's name for each
/// decision, so readers could not tell the two tokens apart.
struct DuplicateNameError: Error, Hashable, Sendable, CustomStringConvertible {
    var name: String
    /// The id of the token that already has the name.
    var id: Int64

    var description: String {
        "\(name) is the name of token \(id), and the history of leaks would not tell the two apart: choose another name, or revoke "
            + "that token first"
    }
}

/// Error for an attempt to rename the key or token that an environment variable sets. The next start finds it by its name.
struct ReservedNameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the credential. It is also the name of the environment variable that sets the credential.
    var name: String

    var description: String {
        "\(name) cannot be renamed: its name is that of the environment variable that sets it"
    }
}

extension Substring {
    /// The text without spaces at its ends.
    fileprivate var trimmed: String {
        let text = drop { $0 == " " }
        return String(
            text.prefix(
                (text.lastIndex { $0 != " " }).map { text.distance(from: text.startIndex, to: $0) + 1 } ?? 0))
    }
}
