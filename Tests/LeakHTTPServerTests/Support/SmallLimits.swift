import LeakHTTPServer
import LeakHTTPVectors

/// Returns limits with so few connections that a test can open all of them.
func limits(connections: Int) -> Limits {
    var limits = Limits()
    limits.connections = connections
    // On a busy machine, opening all connections takes longer than the default time of a head.
    limits.headTime = .seconds(600)
    return limits
}

/// Waits longer than the time for which a connection is safe from eviction.
func waitPastGraceTime() { for _ in 0..<16 { Client.pause() } }
