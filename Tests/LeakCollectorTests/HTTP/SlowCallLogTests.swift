import LeakHTTPServer
import Testing
import LeakPlatform

@testable import LeakCollector

@Suite struct SlowCallLogTests {
    @Test
    func
        `at most one slow request a second is logged, with the number of slow requests that were not logged`()
    {
        let time = Guarded<Int64>(0)
        let calls = SlowCallLog(log: Log(format: .text), now: { time.with { $0 } })
        func line(at milliseconds: Int64) -> String? {
            time.with { $0 = milliseconds }
            return calls.line(for: SlowCall(method: .post, path: "/a", duration: .microseconds(80_700)))
        }
        #expect(line(at: 5000) == "slow request: POST /a took 80 ms")
        #expect(line(at: 5999) == nil)
        #expect(line(at: 5000) == nil)
        #expect(line(at: 6000) == "slow request: POST /a took 80 ms; 2 more since the last line like this")
        #expect(line(at: 7000) == "slow request: POST /a took 80 ms")
        // The clock was set back.
        #expect(line(at: -90_000) != nil)
    }

    @Test func `the log line of a slow erasure does not name the install`() {
        let calls = SlowCallLog(log: Log(format: .text), now: { 0 })
        let call = SlowCall(method: .delete, path: "/api/v1/installs/phone", duration: .milliseconds(90))
        #expect(calls.line(for: call) == "slow request: DELETE /api/v1/installs/*** took 90 ms")
    }
}
