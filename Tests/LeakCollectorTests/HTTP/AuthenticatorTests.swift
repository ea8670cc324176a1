import LeakStore
import Testing

@testable import LeakCollector

@Suite struct AuthenticatorTests {
    private func session(_ secret: String) -> Credential {
        Credential(purpose: .session, name: "s", hash: Secret.hash(of: secret), createdAt: 0)
    }

    private func isKnown(_ secret: String, to gate: Authenticator) -> Bool {
        if case .valid = gate.find(secret, for: [.session], now: 0) { true } else { false }
    }

    @Test func `credentials that were read before a sign-in do not end the new session`() {
        let gate = Authenticator([session("old")])
        let edits = gate.editCount
        let readMeanwhile = [session("old")]
        gate.add(session("new"))
        #expect(gate.replace(readMeanwhile, since: edits) == false)
        #expect(isKnown("new", to: gate))
        #expect(gate.replace([session("new")], since: gate.editCount))
        #expect(isKnown("new", to: gate) && !isKnown("old", to: gate))
    }

    @Test func `credentials that were read before a sign-out do not restore the session`() {
        let gate = Authenticator([session("old")])
        let edits = gate.editCount
        gate.remove(hash: Secret.hash(of: "old"))
        #expect(gate.replace([session("old")], since: edits) == false)
        #expect(!isKnown("old", to: gate))
    }

    @Test func `older credentials that are read late do not replace newer credentials`() {
        let gate = Authenticator([session("old")])
        let edits = gate.editCount
        #expect(gate.replace([], since: gate.editCount))
        #expect(gate.replace([session("old")], since: edits) == false)
        #expect(!isKnown("old", to: gate))
    }
}
