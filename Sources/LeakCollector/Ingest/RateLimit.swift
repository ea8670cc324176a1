internal import LeakGrammar
internal import LeakMessage
internal import LeakStore
internal import LeakPlatform

/// How much each ingest key may send: a bucket of tokens for each, which fills evenly.
///
/// What a request costs is known only once it was read, so a key may go into debt by one request; whoever is in debt is
/// refused by the head alone. Requests that were let in together are asked again once they were read: beyond a bucket
/// of debt they are refused as well, before they are counted.
///
/// A limit that was named holds always, and on average whatever the size of requests: each debt is paid in full. One
/// that nobody named holds only while the store is behind, since a machine with time to spare has no reason to refuse;
/// its debts end at a bucket.
final class RateLimit: Sendable {
    /// Seconds' worth of tokens in a full bucket: phones that come back from a tunnel, or from the collector's restart,
    /// come together.
    static let burstSeconds = 10
    /// The limit where none is named: a share of what one writer counts on a small machine.
    static let usual = 10_000

    /// Lost reports of one key that count in a second, and those that count at once. A key is in every copy of an app, so that
    /// anybody can invent losses.
    private static let lossesPerSecond = 10_000.0
    private static let lossesAtOnce = 1_000_000.0
    /// Unseen objects that cost as much as one lost report: objects outnumber reports by far. They have a bucket of their own, so
    /// that neither takes room from the other.
    private static let unseenPerLoss = 10

    private struct Bucket {
        var tokens: Double
        /// Milliseconds since 1970.
        var filledAt: Int64
    }

    /// Tokens a second; `nil` for no limit.
    private let rate: Double?
    private let holdsAlways: Bool
    /// By the key's id; as many as there are keys.
    private let buckets = Guarded<[Int64: Bucket]>([:])
    /// The same for losses, which hold whatever the limit.
    private let losses = Guarded<[Int64: Bucket]>([:])
    private let unseen = Guarded<[Int64: Bucket]>([:])

    /// - Parameter reportsPerSecond: 0 for no limit; `nil` for ``usual`` while the store is behind.
    init(reportsPerSecond: Int?) {
        let number = reportsPerSecond ?? Self.usual
        rate = number > 0 ? Double(number) : nil
        holdsAlways = reportsPerSecond != nil
    }

    /// Whether a key may send a request now: asked before its body is read.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - isBehind: whether the store is.
    /// - Returns: `nil` when it may, else in how many seconds, from 1.
    func secondsToWait(of key: Int64, now: Int64, isBehind: Bool) -> Int? {
        guard let rate, holdsAlways || isBehind else { return nil }
        let tokens = buckets.with { Self.filled(&$0, key, rate, now) }
        return tokens > 0 ? nil : Self.seconds(from: tokens, rate)
    }

    /// Charges a key for a request that was read, or refuses it.
    ///
    /// - Parameter cost: in tokens: ``cost(of:)``.
    /// - Returns: `nil` when it may be counted, else in how many seconds it may come again; it was charged one token then.
    func charge(_ key: Int64, cost: Int, now: Int64, isBehind: Bool) -> Int? {
        guard let rate else { return nil }
        return buckets.with { buckets in
            let tokens = Self.filled(&buckets, key, rate, now)
            let bucket = rate * Double(Self.burstSeconds)
            let isRefused = (holdsAlways || isBehind) && tokens <= -bucket
            let rest = tokens - Double(isRefused ? 1 : cost)
            // What was taken while there was time is not held against a key for long.
            buckets[key]?.tokens = holdsAlways ? rest : max(rest, -bucket)
            return isRefused ? Self.seconds(from: rest, rate) : nil
        }
    }

    /// Returns the losses of a request that count, the first ones first, and charges the key for them.
    ///
    /// A request of which losses do not count has one loss under ``Reception/droppedOverLimit``.
    func counted(_ dropped: [Submission.Dropped], of key: Int64, now: Int64) -> [Submission.Dropped] {
        guard let first = dropped.first else { return dropped }
        var (counted, isCut) = Self.affordable(
            dropped.filter { $0.reason != Reception.unseenReason }, perToken: 1, from: losses, of: key,
            now: now)
        let objects = Self.affordable(
            dropped.filter { $0.reason == Reception.unseenReason }, perToken: Self.unseenPerLoss,
            from: unseen, of: key, now: now)
        counted += objects.counted
        isCut = isCut || objects.isCut
        if isCut, !counted.contains(where: { $0.reason == Reception.droppedOverLimit }) {
            counted.append(Submission.Dropped(app: first.app, reason: Reception.droppedOverLimit, count: 1))
        }
        return counted
    }

    /// Returns the losses for which the key has tokens left, and whether that is less than all.
    private static func affordable(
        _ losses: [Submission.Dropped], perToken: Int, from buckets: borrowing Guarded<[Int64: Bucket]>,
        of key: Int64, now: Int64
    ) -> (counted: [Submission.Dropped], isCut: Bool) {
        guard !losses.isEmpty else { return ([], false) }
        return buckets.with { buckets in
            var left = filled(&buckets, key, lossesPerSecond, now, full: lossesAtOnce)
            defer { buckets[key]?.tokens = left }
            var counted: [Submission.Dropped] = []
            var isCut = false
            for loss in losses {
                let count = min(loss.count, Int(left) * perToken)
                isCut = isCut || count < loss.count
                left -= Double(count) / Double(perToken)
                if count > 0 {
                    counted.append(Submission.Dropped(app: loss.app, reason: loss.reason, count: count))
                }
            }
            return (counted, isCut)
        }
    }

    /// Until there is a token.
    private static func seconds(from tokens: Double, _ rate: Double) -> Int { Int((1 - tokens) / rate) + 1 }

    /// Tokens for a request: one, one for each report that it gives, refused ones too, and for each explanation, one for each
    /// ten of its sessions, checks and reasons of dropped reports, which cost less, and one for each thousand dropped reports
    /// and unseen objects that are counted.
    static func cost(of document: WireDocument) -> Int {
        let others = document.sessions.count + document.checks.count + document.dropped.count
        let dropped = Reception.losses(of: document).reduce(0) { $0 + $1.count }
        let explanations = document.explanations.count + document.reports.count { $0.why.isPresent }
        return unreadableCost + document.givenCount + explanations + (others + 9) / 10 + dropped / 1_000
    }

    /// Of a body that cannot be read.
    static let unreadableCost = 1

    /// - Parameter full: tokens of a full bucket; `nil` for ``burstSeconds`` of them.
    private static func filled(
        _ buckets: inout [Int64: Bucket], _ key: Int64, _ rate: Double, _ now: Int64, full: Double? = nil
    ) -> Double {
        let full = full ?? rate * Double(burstSeconds)
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
