internal import LeakGrammar
internal import LeakMessage
internal import LeakStore
internal import LeakPlatform

/// Rate limit per ingest key: a bucket of tokens for each key, which fills at a constant rate.
///
/// The cost of a request is known only after it was read, so a key may go into debt by one request. While a key is in debt, its
/// requests are rejected before their body is read. Requests that were accepted at the same time are checked again after they
/// were read: if the debt exceeds one bucket, they are rejected before they are counted.
///
/// A configured limit is always enforced. On average it holds for requests of any size, because a key must pay each debt in
/// full. The default limit holds only while the store is behind (``CommitQueue/isBehind``: many accepted reports wait to be
/// written), because a machine with time to spare has no reason to reject requests. Under the default limit, a debt is at most
/// one bucket.
final class RateLimit: Sendable {
    /// Seconds in which an empty bucket becomes full. A full bucket admits the burst of many phones that reconnect at the
    /// same time, after a tunnel or after the collector's restart.
    static let burstSeconds = 10
    /// Default limit in reports per second: a share of what one writer counts on a small machine.
    static let defaultReportsPerSecond = 10_000

    /// Maximum dropped reports of one ingest key that are counted per second in the long run. The limit exists because a key is
    /// in every copy of an app, so anyone who has the app can send made-up counts of dropped reports.
    private static let maxDropsPerSecond = 10_000.0
    /// Maximum dropped reports of one ingest key that are counted in one burst.
    private static let maxDropsAtOnce = 1_000_000.0
    /// Number of unseen objects (objects that a detector did not watch) that cost as much as one dropped report, because
    /// objects far outnumber reports. Unseen objects have a bucket of their own, so that they and dropped reports do not use up
    /// each other's tokens.
    private static let unseenPerDrop = 10

    private struct Bucket {
        var tokens: Double
        /// Milliseconds since 1970.
        var filledAt: Int64
    }

    /// Tokens per second; `nil` for no limit.
    private let rate: Double?
    /// `true` for a configured limit; the default limit holds only while the store is behind.
    private let isAlwaysApplied: Bool
    /// Buckets by the id of the ingest key.
    private let buckets = Guarded<[Int64: Bucket]>([:])
    /// Buckets for dropped reports, by the id of the ingest key. They apply even without a rate limit.
    private let droppedReportBuckets = Guarded<[Int64: Bucket]>([:])
    /// Buckets for unseen objects, by the id of the ingest key. They apply even without a rate limit.
    private let unseenBuckets = Guarded<[Int64: Bucket]>([:])

    /// - Parameter reportsPerSecond: 0 for no limit; `nil` for ``defaultReportsPerSecond``, but only while the store is behind.
    init(reportsPerSecond: Int?) {
        let number = reportsPerSecond ?? Self.defaultReportsPerSecond
        rate = number > 0 ? Double(number) : nil
        isAlwaysApplied = reportsPerSecond != nil
    }

    /// Returns the seconds that a key must wait before its next request. Called before the body is read.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - isBehind: ``CommitQueue/isBehind``.
    /// - Returns: `nil` if the key may send now; otherwise the seconds to wait, at least 1.
    func secondsToWait(of key: Int64, now: Int64, isBehind: Bool) -> Int? {
        guard let rate, isAlwaysApplied || isBehind else { return nil }
        let tokens = buckets.with { Self.refillBucket(of: key, in: &$0, rate: rate, now: now) }
        return tokens > 0 ? nil : Self.secondsUntilToken(from: tokens, rate)
    }

    /// Charges a key for a request that was read, or rejects the request.
    ///
    /// - Parameter cost: in tokens: ``cost(of:)``.
    /// - Returns: `nil` if the request may be counted; otherwise the seconds after which it may be sent again. A
    ///   rejected request is charged one token.
    func charge(_ key: Int64, cost: Int, now: Int64, isBehind: Bool) -> Int? {
        guard let rate else { return nil }
        return buckets.with { buckets in
            let tokens = Self.refillBucket(of: key, in: &buckets, rate: rate, now: now)
            let fullBucket = rate * Double(Self.burstSeconds)
            let isRejected = (isAlwaysApplied || isBehind) && tokens <= -fullBucket
            let remainingTokens = tokens - Double(isRejected ? 1 : cost)
            // Under the default limit the debt is bounded, so that requests that were accepted while the store was not
            // behind count against a key only for a short time.
            buckets[key]?.tokens = isAlwaysApplied ? remainingTokens : max(remainingTokens, -fullBucket)
            return isRejected ? Self.secondsUntilToken(from: remainingTokens, rate) : nil
        }
    }

    /// Returns the dropped reports and unseen objects of a request that are counted, and charges the key for them. If the tokens
    /// run out, the drops that the request names last are left out.
    ///
    /// If some are left out, the result contains one count with the reason ``SubmissionBuilder/droppedOverLimitReason``.
    func countableDrops(_ dropped: [Submission.Dropped], of key: Int64, now: Int64) -> [Submission.Dropped] {
        guard let first = dropped.first else { return dropped }
        var (counted, isReduced) = Self.chargeableDrops(
            dropped.filter { $0.reason != SubmissionBuilder.unseenReason }, perToken: 1,
            from: droppedReportBuckets,
            of: key,
            now: now)
        let objects = Self.chargeableDrops(
            dropped.filter { $0.reason == SubmissionBuilder.unseenReason }, perToken: Self.unseenPerDrop,
            from: unseenBuckets, of: key, now: now)
        counted += objects.counted
        isReduced = isReduced || objects.isReduced
        if isReduced, !counted.contains(where: { $0.reason == SubmissionBuilder.droppedOverLimitReason }) {
            counted.append(
                Submission.Dropped(
                    app: first.app, environment: first.environment,
                    reason: SubmissionBuilder.droppedOverLimitReason,
                    count: 1))
        }
        return counted
    }

    /// Returns the dropped reports for which the key has tokens left, and charges the key for them.
    ///
    /// - Parameter perToken: number of dropped reports or unseen objects that cost one token.
    /// - Returns: `isReduced` is `true` if some were left out.
    private static func chargeableDrops(
        _ drops: [Submission.Dropped], perToken: Int, from buckets: borrowing Guarded<[Int64: Bucket]>,
        of key: Int64, now: Int64
    ) -> (counted: [Submission.Dropped], isReduced: Bool) {
        guard !drops.isEmpty else { return ([], false) }
        return buckets.with { buckets in
            var remainingTokens = refillBucket(
                of: key, in: &buckets, rate: maxDropsPerSecond, now: now, capacity: maxDropsAtOnce)
            defer { buckets[key]?.tokens = remainingTokens }
            var counted: [Submission.Dropped] = []
            var isReduced = false
            for drop in drops {
                let count = min(drop.count, Int(remainingTokens) * perToken)
                isReduced = isReduced || count < drop.count
                remainingTokens -= Double(count) / Double(perToken)
                if count > 0 {
                    var countedDrop = drop
                    countedDrop.count = count
                    counted.append(countedDrop)
                }
            }
            return (counted, isReduced)
        }
    }

    /// Returns the seconds until there is a token.
    private static func secondsUntilToken(from tokens: Double, _ rate: Double) -> Int {
        Int((1 - tokens) / rate) + 1
    }

    /// Returns the tokens for a request. A request costs the sum of:
    ///
    /// - one for the request;
    /// - one for each report, rejected ones included, and for each explanation;
    /// - one for each ten sessions, checks and reasons of dropped reports, rounded up;
    /// - one for each thousand dropped reports and unseen objects that are counted.
    static func cost(of document: WireDocument) -> Int {
        let others = document.sessions.count + document.checks.count + document.dropped.count
        let dropped = SubmissionBuilder.drops(of: document).reduce(0) { $0 + $1.count }
        let explanations = document.explanations.count + document.reports.count { $0.why.isPresent }
        return unreadableCost + document.reportCount + explanations + (others + 9) / 10 + dropped / 1_000
    }

    /// Tokens that each request costs, even if its body cannot be read.
    static let unreadableCost = 1

    /// Adds the tokens for the time since the last refill to the bucket of a key, and returns the bucket's tokens.
    ///
    /// - Parameter capacity: tokens of a full bucket; `nil` for the tokens that ``burstSeconds`` seconds add.
    private static func refillBucket(
        of key: Int64, in buckets: inout [Int64: Bucket], rate: Double, now: Int64, capacity: Double? = nil
    ) -> Double {
        let capacity = capacity ?? rate * Double(burstSeconds)
        guard var bucket = buckets[key] else {
            buckets[key] = Bucket(tokens: capacity, filledAt: now)
            return capacity
        }
        // If the clock is set back, the bucket gets no tokens, and loses none.
        let elapsed = max(0, now - bucket.filledAt)
        bucket.tokens = min(capacity, bucket.tokens + Double(elapsed) / 1000 * rate)
        bucket.filledAt = now
        buckets[key] = bucket
        return bucket.tokens
    }
}
