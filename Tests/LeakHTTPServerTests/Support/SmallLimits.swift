import LeakHTTPServer
import LeakHTTPVectors

/// Limits with so few places that a test can take them all.
func limits(connections: Int) -> Limits {
    var limits = Limits()
    limits.connections = connections
    // On a busy machine the places take longer to fill than a head may take.
    limits.headTime = .seconds(600)
    return limits
}

/// Waits longer than the time for which a connection is safe from eviction.
func letTimePass() { for _ in 0..<16 { Client.pause() } }
