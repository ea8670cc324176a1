import LeakStore
import Testing

/// Ingest keys, access tokens, sign-in links and sign-in sessions in every store.
@Suite struct StoreCredentialTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func add(
        _ purpose: Credential.Purpose, _ hash: UInt8, expiresAt: Int64? = nil, openedBy: Int64? = nil
    ) throws -> Credential {
        try store.add(
            Credential(
                purpose: purpose, name: "n", hash: [hash], createdAt: noon, expiresAt: expiresAt,
                openedBy: openedBy))
    }

    private func stored(all: Bool = true) throws -> [Credential] {
        try store.makeReader().credentials(includingEnded: all, now: noon)
    }

    @Test func `a credential is added, listed, used and revoked`() throws {
        let key = try store.add(
            Credential(purpose: .ingest, name: "app", hash: [1], app: "shop", createdAt: noon))
        let link = try store.add(
            Credential(purpose: .signIn, name: "link", hash: [2], createdAt: noon, expiresAt: noon + 10))
        let reader = try store.makeReader()
        #expect(try reader.credentials(includingEnded: false, now: noon) == [key, link])
        #expect(try !store.useOnce(hash: [1], now: noon))
        #expect(try !store.useOnce(hash: [2], now: noon + 10))
        #expect(try store.useOnce(hash: [2], now: noon + 9))
        #expect(try !store.useOnce(hash: [2], now: noon + 9))
        #expect(try reader.credentials(includingEnded: false, now: noon).map(\.id) == [key.id])
        #expect(try store.revoke(credential: key.id, now: noon))
        #expect(try !store.revoke(credential: key.id, now: noon))
        #expect(try reader.credentials(includingEnded: false, now: noon).isEmpty)
        #expect(try reader.credentials(includingEnded: true, now: noon).count == 2)
        try store.expire(now: noon + 10)
        #expect(try reader.credentials(includingEnded: true, now: noon).map(\.id) == [key.id])
    }

    @Test(arguments: Credential.Role.allCases)
    func `an access token keeps its role and the app that limits it`(role: Credential.Role) throws {
        let token = try store.add(
            Credential(purpose: .access, name: "ann", hash: [1], role: role, app: "shop", createdAt: noon))
        #expect(try store.setName(ofCredential: token.id, to: "bob"))
        let found = try #require(try stored().first)
        #expect(found.role == role && found.app == "shop" && found.name == "bob")
    }

    @Test func `a credential with the secret of another credential is refused`() throws {
        let key = try add(.ingest, 1)
        #expect {
            _ = try add(.access, 1)
        } throws: { error in
            (error as? StoreError)
                == StoreError(.invalidArgument, "this secret was used before; choose another")
        }
        #expect(try stored() == [key])
        #expect(try add(.access, 2).id != key.id)
    }

    @Test func `sign-in sessions end when the access token that opened them is revoked`() throws {
        let (token, other) = (try add(.access, 1), try add(.access, 2))
        let opened = try [3, 4].map { try add(.session, $0, openedBy: token.id) }
        let kept = [try add(.session, 5, openedBy: other.id), try add(.session, 6)]
        #expect(try stored() == [token, other] + opened + kept)
        #expect(try store.revoke(credential: token.id, now: noon + 1))
        #expect(try stored(all: false) == [other] + kept)
        #expect(try stored()[2].revokedAt == noon + 1)
        #expect(try !store.revoke(credential: token.id, now: noon + 2))
        #expect(try stored(all: false) == [other] + kept)
    }

    @Test func `a revoked or missing access token opens no sign-in session`() throws {
        let token = try add(.access, 1)
        #expect(try store.revoke(credential: token.id, now: noon))
        for opener in [token.id, token.id + 1] {
            #expect {
                _ = try add(.session, 2, openedBy: opener)
            } throws: { error in
                (error as? StoreError)
                    == StoreError(.invalidArgument, "this access token was revoked; use another")
            }
        }
        #expect(try stored().map(\.id) == [token.id])
    }

    @Test func `expiry deletes used links and ended sessions, and keeps ingest keys and access tokens`()
        throws
    {
        let stays = [
            try add(.ingest, 1), try add(.access, 2), try add(.access, 3, expiresAt: noon + 1),
            try add(.signIn, 4, expiresAt: noon + 9), try add(.session, 5, expiresAt: noon + 9),
        ]
        let goes = [
            try add(.signIn, 6, expiresAt: noon + 9), try add(.signIn, 7, expiresAt: noon + 1),
            try add(.session, 8, expiresAt: noon + 9), try add(.session, 9, expiresAt: noon + 1),
        ]
        #expect(try store.useOnce(hash: [6], now: noon))
        for credential in [stays[0], stays[1], goes[2]] {
            #expect(try store.revoke(credential: credential.id, now: noon))
        }
        try store.expire(now: noon + 1)
        #expect(try stored().map(\.id) == stays.map(\.id))
        #expect(try add(.session, 6).id > goes[3].id, "no number names two credentials")
    }

    @Test func `a credential can be renamed unless it is revoked`() throws {
        let key = try store.add(
            Credential(purpose: .ingest, name: "app", hash: [1], app: "shop", createdAt: noon))
        #expect(try store.setName(ofCredential: key.id, to: "Größe"))
        #expect(try store.makeReader().credentials(includingEnded: true, now: noon).map(\.name) == ["Größe"])
        #expect(try !store.setName(ofCredential: key.id + 1, to: "other"))
        for name in ["", "a\nb", String(repeating: "a", count: 129)] {
            #expect(throws: StoreError.self) { try store.setName(ofCredential: key.id, to: name) }
        }
        #expect(try store.revoke(credential: key.id, now: noon))
        #expect(try !store.setName(ofCredential: key.id, to: "again"))
        #expect(try store.makeReader().credentials(includingEnded: true, now: noon).map(\.name) == ["Größe"])
    }
}
