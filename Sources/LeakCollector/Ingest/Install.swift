/// An install's id, as the store tells installs apart.
enum Install {
    /// The first 64 bits of SHA-256: even over ten million installs two meet with a chance of 1 in 370,000.
    static func hash(_ install: String) -> UInt64 {
        SHA256.hash(Array(install.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
