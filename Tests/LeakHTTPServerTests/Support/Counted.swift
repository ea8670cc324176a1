import LeakHTTPServer
import LeakHTTPVectors

extension Server {
    /// Whether the counters come to hold what `holds` says, within a minute.
    ///
    /// A peer can read its answer before the loop has ended the turn in which it sent it, and with it told its counters.
    func comesToCount(_ holds: (Counters) -> Bool) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < .seconds(60) {
            if holds(counters) { return true }
            Client.pause()
        }
        return holds(counters)
    }
}
