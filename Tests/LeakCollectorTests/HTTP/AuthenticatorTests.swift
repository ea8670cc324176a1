import LeakStore
import Testing

@testable import LeakCollector

@Suite struct AuthenticatorTests {
    private func session(_ secret: String) -> Credential {
        Credential(purpose: .session, name: "s", hash: Secret.hash(of: secret), createdAt: 0)
    }

    private func isKnown(_ secret: String, to authenticator: Authenticator) -> Bool {
        if case .valid = authenticator.find(secret, for: [.session], now: 0) { true } else { false }
    }

    @Test func `credentials that were read before a sign-in do not end the new session`() {
        let authenticator = Authenticator([session("old")])
        let edits = authenticator.editCount
        let readMeanwhile = [session("old")]
        authenticator.add(session("new"))
        #expect(authenticator.replace(readMeanwhile, since: edits) == false)
        #expect(isKnown("new", to: authenticator))
        #expect(authenticator.replace([session("new")], since: authenticator.editCount))
        #expect(isKnown("new", to: authenticator) && !isKnown("old", to: authenticator))
    }

    @Test func `credentials that were read before a sign-out do not restore the session`() {
        let authenticator = Authenticator([session("old")])
        let edits = authenticator.editCount
        authenticator.remove(hash: Secret.hash(of: "old"))
        #expect(authenticator.replace([session("old")], since: edits) == false)
        #expect(!isKnown("old", to: authenticator))
    }

    @Test func `older credentials that are read late do not replace newer credentials`() {
        let authenticator = Authenticator([session("old")])
        let edits = authenticator.editCount
        #expect(authenticator.replace([], since: authenticator.editCount))
        #expect(authenticator.replace([session("old")], since: edits) == false)
        #expect(!isKnown("old", to: authenticator))
    }
}
