/// When the next attempt may be made, after those that failed.
struct DeliverySchedule: Sendable {
    private let backoff: Backoff
    private var failures = 0
    /// Our own patience, which a flush may cut short, and the collector's wish, which it may not.
    private var retryAt: Moment?
    private var notBefore: Moment?
    private var wasUnauthorized = false
    /// Nothing is sent any more before the next start.
    private(set) var isStopped = false
    private(set) var failedAttempts = 0
    private(set) var lastFailure: String?

    init(_ backoff: Backoff) { self.backoff = backoff }

    var earliest: Moment? { [retryAt, notBefore].compactMap(\.self).max() }

    mutating func hurry() { retryAt = nil }

    mutating func stop(_ why: String) {
        isStopped = true
        lastFailure = why
    }

    /// - Parameter jitter: a random number from 0 up to 1.
    mutating func finish(_ delivery: Delivery, at now: Moment, jitter: Double) {
        (retryAt, notBefore) = (nil, nil)
        lastFailure = delivery.trouble ?? lastFailure
        switch delivery {
        case .postponed(let wait, _):
            postpone(at: now, jitter)
            notBefore = wait.map { now.advanced(byMilliseconds: $0) }
            return
        case .unauthorized(let why) where wasUnauthorized:
            return stop("\(why). Nothing more is sent before the next start: check the ingest key")
        case .unauthorized:
            // A key that was made a moment ago is not known to every collector yet.
            wasUnauthorized = true
            postpone(at: now, max(jitter, 0.5))
            // At the least a second, since a collector looks for new keys each second.
            notBefore = now.advanced(byMilliseconds: min(backoff.firstMilliseconds * 3 / 2, 1_500))
            return
        case .accepted, .tooLong, .refused: break
        }
        failures = 0
        wasUnauthorized = false
    }

    private mutating func postpone(at now: Moment, _ jitter: Double) {
        failures += 1
        failedAttempts += 1
        retryAt = now.advanced(byMilliseconds: backoff.milliseconds(afterFailures: failures, jitter: jitter))
    }
}
