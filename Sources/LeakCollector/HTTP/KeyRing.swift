internal import LeakStore

/// The credentials that were handed out, found by the secret's hash. A value: whoever owns it decides who may look.
struct KeyRing: Sendable {
    /// By the first eight bytes of the hash. What the time of this look-up could tell an attacker are bits of the hash
    /// of his own guess; the rest is compared in constant time.
    private var byPrefix: [UInt64: [Credential]] = [:]

    init(_ credentials: [Credential]) {
        for credential in credentials { add(credential) }
    }

    /// What a presented secret is worth.
    enum Verdict: Sendable {
        case valid(Credential)
        case revoked
        case unknown
    }

    /// - Parameters:
    ///   - hash: SHA-256 of what was presented.
    ///   - purposes: what it may have been made for.
    ///   - now: milliseconds since 1970; what has expired is unknown.
    func find(_ hash: [UInt8], for purposes: Set<Credential.Purpose>, now: Int64) -> Verdict {
        for credential in byPrefix[Self.prefix(hash)] ?? []
        where ConstantTime.areEqual(credential.hash, hash) && purposes.contains(credential.purpose) {
            if credential.revokedAt != nil { return .revoked }
            if let end = credential.expiresAt, end <= now { return .unknown }
            return .valid(credential)
        }
        return .unknown
    }

    mutating func add(_ credential: Credential) {
        byPrefix[Self.prefix(credential.hash), default: []].append(credential)
    }

    mutating func remove(_ hash: [UInt8]) {
        byPrefix[Self.prefix(hash)]?.removeAll { ConstantTime.areEqual($0.hash, hash) }
    }

    private static func prefix(_ hash: [UInt8]) -> UInt64 {
        hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
