internal import LeakHTTPServer
internal import LeakPlatform

/// Reports that the rate limit rejected, by ingest key; of requests that were rejected before they were read, the requests. An SDK
/// that gets 429 drops what it sent and leaves the counting to the server:
/// https://develop.sentry.dev/sdk/telemetry/client-reports/
///
/// They wait here for the next request of their key that is taken, so that a rejection costs no transaction, and are forgotten
/// with the process.
final class SentryRejections: Sendable {
    /// As the summary names them, beside what SDKs say that they dropped.
    static let reason = "sentry_rate_limit"

    private let counts = Guarded<[Int64: Int]>([:])

    /// Counts what was refused for coming too soon.
    func note(_ problem: Problem, _ count: Int, of key: Int64) {
        if problem.status == .tooManyRequests { add(count, of: key) }
    }

    func add(_ count: Int, of key: Int64) {
        guard count > 0 else { return }
        counts.with { $0[key, default: 0] += count }
    }

    /// - Returns: how many there were since they were taken last.
    func take(of key: Int64) -> Int {
        counts.with { $0.removeValue(forKey: key) ?? 0 }
    }
}
