import LeakPlatform

/// The earliest time of the next attempt after failures.
struct DeliverySchedule: Sendable {
    /// The delay after a key was rejected as unknown or not authorized for the app, an hour: only a person can change that.
    private static let unauthorizedMilliseconds = 3_600_000

    let backoff: Backoff
    private var failureCount = 0
    /// The end of the reporter's own back-off, which a flush skips; `nil` if there is none.
    private var retryAt: MonotonicTime?
    /// The time that the collector asked to wait for, or the time of the next attempt with a key that it does not know. A flush
    /// waits for it, too. `nil` if there is none.
    private var collectorRetryAt: MonotonicTime?
    private var wasUnauthorized = false
    /// `true` if the collector rejected the key as unknown at least twice, and no response in between showed that it knows the
    /// key.
    private(set) var wasUnauthorizedTwice = false
    /// `true` if nothing is sent until the next start.
    private(set) var isStopped = false
    private(set) var failedAttempts = 0
    private(set) var lastFailure: String?

    init(_ backoff: Backoff) { self.backoff = backoff }

    /// The earliest time of the next attempt; `nil` if an attempt may be made now.
    var nextAttemptAt: MonotonicTime? { [retryAt, collectorRetryAt].compactMap(\.self).max() }

    /// Ends the reporter's own back-off, but not a delay that the collector requested.
    mutating func retryAllNow() { retryAt = nil }

    /// Returns the time of the next attempt for an app that the key may not write for.
    func retryTimeIfForbidden(at now: MonotonicTime) -> MonotonicTime {
        now.advanced(byMilliseconds: Self.unauthorizedMilliseconds)
    }

    mutating func stop(_ reason: String) {
        isStopped = true
        lastFailure = reason
    }

    /// Records the result of an attempt.
    ///
    /// - Parameters:
    ///   - jitter: a random number from 0 up to 1.
    ///   - isCausedByBatch: `true` if the batch caused the failure, so that the other batches wait only for the shortest time.
    mutating func finish(
        _ delivery: DeliveryResult, at now: MonotonicTime, jitter: Double, isCausedByBatch: Bool = false
    ) {
        (retryAt, collectorRetryAt) = (nil, nil)
        lastFailure = delivery.problem ?? lastFailure
        switch delivery {
        case .postponed(let wait, _):
            postpone(at: now, jitter)
            collectorRetryAt = wait.map { now.advanced(byMilliseconds: $0) }
            return
        case .failed, .notCounted:
            if isCausedByBatch { failureCount = 0 }
            return postpone(at: now, jitter)
        case .unauthorized(let reason):
            failedAttempts += 1
            // A collector process may not know a new key yet, because each process reads new keys only once per second.
            let firstDelay = min(backoff.firstMilliseconds * 3 / 2, 1_500)
            // After that, an unknown key stays unknown until a person changes it.
            collectorRetryAt = now.advanced(
                byMilliseconds: wasUnauthorized ? Self.unauthorizedMilliseconds : firstDelay)
            if wasUnauthorized { lastFailure = Self.advice(reason) }
            wasUnauthorizedTwice = wasUnauthorized
            wasUnauthorized = true
            return
        case .forbidden(let reason):
            failedAttempts += 1
            lastFailure = Self.advice(reason)
        case .accepted, .tooLong, .rejected: break
        }
        failureCount = 0
        (wasUnauthorized, wasUnauthorizedTwice) = (false, false)
    }

    private static func advice(_ reason: String) -> String {
        "\(reason). The next attempt is in an hour: check the ingest key"
    }

    private mutating func postpone(at now: MonotonicTime, _ jitter: Double) {
        failureCount += 1
        failedAttempts += 1
        retryAt = now.advanced(
            byMilliseconds: backoff.milliseconds(afterFailures: failureCount, jitter: jitter))
    }
}
