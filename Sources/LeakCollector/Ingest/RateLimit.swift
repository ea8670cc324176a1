internal import Threads

/// How much each ingest key may send: a bucket of tokens for each, which fills evenly.
///
/// A request costs one token and one for each report. What it costs is known only once it was read, so a key may go
/// into debt by one request; whoever is in debt is refused by the head alone.
final class RateLimit: Sendable {
    /// Seconds' worth of tokens in a full bucket: phones that come back from a tunnel, or from the collector's restart,
    /// come together.
    static let burstSeconds = 10

    private struct Bucket {
        var tokens: Double
        /// Milliseconds since 1970.
        var filledAt: Int64
    }

    /// Tokens a second; `nil` for no limit.
    private let rate: Double?
    /// By the key's id; as many as there are keys.
    private let buckets = Guarded<[Int64: Bucket]>([:])

    /// - Parameter reportsPerSecond: 0 for no limit.
    init(reportsPerSecond: Int) {
        rate = reportsPerSecond > 0 ? Double(reportsPerSecond) : nil
    }

    /// Whether a key may send a request now.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: `nil` when it may, else in how many seconds, from 1.
    func secondsToWait(of key: Int64, now: Int64) -> Int? {
        guard let rate else { return nil }
        let tokens = buckets.with { filled(&$0, key, rate, now) }
        return tokens > 0 ? nil : Int((1 - tokens) / rate) + 1
    }

    /// Charges a key for a request that was read.
    func charge(_ key: Int64, reports: Int, now: Int64) {
        guard let rate else { return }
        buckets.with { buckets in
            let tokens = filled(&buckets, key, rate, now)
            buckets[key]?.tokens = tokens - Double(1 + reports)
        }
    }

    private func filled(_ buckets: inout [Int64: Bucket], _ key: Int64, _ rate: Double, _ now: Int64)
        -> Double
    {
        let full = rate * Double(Self.burstSeconds)
        guard var bucket = buckets[key] else {
            buckets[key] = Bucket(tokens: full, filledAt: now)
            return full
        }
        // A clock that is set back fills nothing, and takes nothing away.
        let elapsed = max(0, now - bucket.filledAt)
        bucket.tokens = min(full, bucket.tokens + Double(elapsed) / 1000 * rate)
        bucket.filledAt = now
        buckets[key] = bucket
        return bucket.tokens
    }
}
