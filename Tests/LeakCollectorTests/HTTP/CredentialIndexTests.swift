import LeakStore
import Testing

@testable import LeakCollector

@Suite struct CredentialIndexTests {
    private static func credential(
        _ secret: String, _ purpose: Credential.Purpose, expires: Int64? = nil, revoked: Int64? = nil
    ) -> Credential {
        Credential(
            id: 1, purpose: purpose, name: "n", hash: Secret.hash(of: secret), createdAt: 0,
            expiresAt: expires,
            revokedAt: revoked)
    }

    private static func lookup(
        _ credentialIndex: CredentialIndex, _ secret: String, _ purposes: Set<Credential.Purpose>,
        now: Int64 = 100
    ) -> String {
        switch credentialIndex.find(Secret.hash(of: secret), for: purposes, now: now) {
        case .valid: "valid"
        case .revoked: "revoked"
        case .unknown: "unknown"
        }
    }

    @Test func `a secret gives only the access for which it was created`() {
        let credentialIndex = CredentialIndex([
            Self.credential("write", .ingest), Self.credential("read", .access),
            Self.credential("see", .session),
            Self.credential("link", .signIn),
        ])
        let secrets: [(String, Credential.Purpose)] = [
            ("write", .ingest), ("read", .access), ("see", .session), ("link", .signIn),
        ]
        for (secret, purpose) in secrets {
            for (_, other) in secrets {
                #expect(
                    Self.lookup(credentialIndex, secret, [other]) == (purpose == other ? "valid" : "unknown"))
            }
            #expect(Self.lookup(credentialIndex, secret + " ", [purpose]) == "unknown")
        }
        #expect(Self.lookup(credentialIndex, "", [.ingest, .access, .session, .signIn]) == "unknown")
    }

    @Test func `a revoked secret is distinguished from an unknown secret`() {
        let credentialIndex = CredentialIndex([Self.credential("old", .ingest, revoked: 5)])
        #expect(Self.lookup(credentialIndex, "old", [.ingest]) == "revoked")
        #expect(Self.lookup(credentialIndex, "odl", [.ingest]) == "unknown")
    }

    @Test(arguments: [(99, "valid"), (100, "unknown"), (101, "unknown")])
    func `a session is valid until its expiration time`(now: Int64, lookup: String) {
        let credentialIndex = CredentialIndex([Self.credential("s", .session, expires: 100)])
        #expect(Self.lookup(credentialIndex, "s", [.session], now: now) == lookup)
    }

    @Test func `a secret that was removed from the index is unknown`() {
        var credentialIndex = CredentialIndex([Self.credential("s", .session)])
        credentialIndex.remove(Secret.hash(of: "s"))
        #expect(Self.lookup(credentialIndex, "s", [.session]) == "unknown")
    }
}

@Suite struct SecretTests {
    @Test func `new secrets are different, and have 40 ASCII letters and digits`() throws {
        let secrets = try (0..<100).map { _ in try Secret.random().text }
        #expect(Set(secrets).count == 100)
        for secret in secrets {
            #expect(secret.utf8.count == 40)
            #expect(secret.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        }
        // A given character of the 62 is missing from 4,000 random characters once in 10^28 runs.
        #expect(Set(secrets.joined()).count == 62)
    }

    @Test func `the hash of a secret is its SHA-256`() throws {
        // The expected hash is the output of: printf 0123456789abcdef | sha256sum
        let hash = try Secret(chosen: "0123456789abcdef").hash
        #expect(
            hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                == "9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f")
    }
}
