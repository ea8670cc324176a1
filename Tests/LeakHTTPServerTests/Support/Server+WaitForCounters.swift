import LeakHTTPServer
import LeakHTTPVectors

extension Server {
    /// Returns `true` if the counters fulfil `holds` within a minute.
    ///
    /// A peer can read its answer before the event loop ends the turn in which it sent the answer. The loop updates its
    /// counters at the end of the turn.
    func waitForCounters(_ holds: (Counters) -> Bool) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < .seconds(60) {
            if holds(counters) { return true }
            Client.pause()
        }
        return holds(counters)
    }
}
