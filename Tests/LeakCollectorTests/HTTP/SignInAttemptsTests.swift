import LeakHTTPServer
import Testing

@testable import LeakCollector

@Suite struct SignInAttemptsTests {
    private let guesser = IPAddress("203.0.113.7")
    private let other = IPAddress("198.51.100.9")

    private func fail(_ attempts: SignInAttempts, _ client: IPAddress?, times: Int, now: Int64) {
        for _ in 0..<times { _ = attempts.recordFailure(client, by: .form, now: now) }
    }

    @Test func `after ten wrong tokens from an address only that address has to wait`() {
        let attempts = SignInAttempts()
        fail(attempts, guesser, times: 9, now: 0)
        #expect(attempts.secondsToWait(guesser, now: 0) == nil)
        fail(attempts, guesser, times: 1, now: 0)
        #expect(attempts.secondsToWait(guesser, now: 0) == 7)
        #expect(attempts.secondsToWait(guesser, now: 5_999) == 1)
        #expect(attempts.secondsToWait(guesser, now: 6_000) == nil)
        #expect(attempts.secondsToWait(other, now: 0) == nil)
        fail(attempts, guesser, times: 1, now: 6_000)
        #expect(attempts.secondsToWait(guesser, now: 6_000) != nil)
        // The clock is set back, and then forward by years.
        #expect(attempts.secondsToWait(guesser, now: -1_000_000) == 7)
        #expect(attempts.secondsToWait(guesser, now: .max / 2) == nil)
    }

    @Test func `IPv6 addresses with the same first 64 bits are counted together`() {
        let attempts = SignInAttempts()
        for number in 0..<10 { fail(attempts, IPAddress("2001:db8::\(number)"), times: 1, now: 0) }
        #expect(attempts.secondsToWait(IPAddress("2001:db8::ffff:1"), now: 0) != nil)
        #expect(attempts.secondsToWait(IPAddress("2001:db8:0:1::1"), now: 0) == nil)
    }

    @Test func `the table of attempts is limited, and further addresses share one count`() {
        let attempts = SignInAttempts()
        for number in 0..<(SignInAttempts.addressLimit + 100) {
            fail(attempts, IPAddress("10.1.\(number / 256).\(number % 256)"), times: 10, now: 0)
        }
        #expect(attempts.addressCount == SignInAttempts.addressLimit)
        #expect(attempts.secondsToWait(guesser, now: 0) != nil)
        #expect(attempts.secondsToWait(IPAddress("10.1.0.0"), now: 0) != nil)
        // Once the other addresses may fail ten times again, they need no entry, so the table has room.
        fail(attempts, guesser, times: 1, now: 60_000)
        #expect(attempts.addressCount == 1)
        #expect(attempts.secondsToWait(guesser, now: 60_000) == nil)
    }

    @Test func `many addresses with one failure each do not lock out further addresses`() {
        let attempts = SignInAttempts()
        for number in 0..<SignInAttempts.addressLimit {
            fail(attempts, IPAddress("10.1.\(number / 256).\(number % 256)"), times: 1, now: 0)
        }
        fail(attempts, guesser, times: 10, now: 0)
        #expect(attempts.secondsToWait(guesser, now: 0) != nil)
        #expect(attempts.secondsToWait(other, now: 0) == nil)
    }

    @Test
    func `the log names at most one failed sign-in a second, with its address and the number of others`() {
        let attempts = SignInAttempts()
        #expect(
            attempts.recordFailure(guesser, by: .form, now: 0)
                == "sign-in failed: an access token that is not valid, from 203.0.113.7")
        #expect(attempts.recordFailure(other, by: .form, now: 999) == nil)
        attempts.recordRejection()
        #expect(
            attempts.recordFailure(other, by: .link, now: 1_000)
                == "sign-in failed: a sign-in link that does not work, from 198.51.100.9; 2 more attempts failed since "
                + "the last line like this")
        fail(attempts, guesser, times: 9, now: 1_000)
        #expect(
            attempts.recordFailure(guesser, by: .form, now: 2_000)?.contains(
                "further tokens from this address have to wait") == true)
        #expect(
            attempts.recordFailure(guesser, by: .bearer, now: 4_000)
                == "request rejected: an access token that is not valid, from 203.0.113.7; each further such request from this address "
                + "closes its connection")
        #expect(attempts.recordFailure(nil, by: .form, now: -5)?.contains("an unknown address") == true)
    }
}
