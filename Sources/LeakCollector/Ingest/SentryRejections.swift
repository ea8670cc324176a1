internal import LeakHTTPServer
internal import LeakPlatform

/// Number of reports that the rate limit rejected, by ingest key. A request that was rejected before its body was
/// read counts as one report. An SDK that gets 429 drops the data that it sent and leaves the counting to the server:
/// https://develop.sentry.dev/sdk/telemetry/client-reports/
///
/// The number is stored with the next accepted request of the key, so that a rejection costs no transaction. It is
/// lost when the process ends.
final class SentryRejections: Sendable {
    /// The reason under which the summary counts these reports, beside the reasons of SDKs for dropped events.
    static let reason = "sentry_rate_limit"

    private let counts = Guarded<[Int64: Int]>([:])

    /// Counts reports if `problem` is 429. Other problems are ignored.
    func record(_ problem: Problem, _ count: Int, of key: Int64) {
        if problem.status == .tooManyRequests { add(count, of: key) }
    }

    func add(_ count: Int, of key: Int64) {
        guard count > 0 else { return }
        counts.with { $0[key, default: 0] += count }
    }

    /// Returns the number of rejected reports of a key since the last call, and resets it to zero.
    func takeCount(of key: Int64) -> Int {
        counts.with { $0.removeValue(forKey: key) ?? 0 }
    }
}
