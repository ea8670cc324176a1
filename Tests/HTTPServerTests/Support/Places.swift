import HTTPServer
import HTTPVectors

/// Limits with so few places that a test can take them all.
func limits(connections: Int) -> Limits {
    var limits = Limits()
    limits.connections = connections
    return limits
}

/// Longer than a connection keeps its place for certain.
func letTimePass() { for _ in 0..<16 { Client.pause() } }
