import LeakPlatform

/// When the next attempt may be made, after those that failed.
struct DeliverySchedule: Sendable {
    /// A key that is unknown, or may not write for the app, stays so until a person does something about it.
    private static let unauthorizedMilliseconds = 3_600_000

    let backoff: Backoff
    private var failures = 0
    /// Our own patience, which a flush may cut short, and the collector's wish, which it may not.
    private var retryAt: Moment?
    private var notBefore: Moment?
    private var wasUnauthorized = false
    private(set) var wasUnauthorizedTwice = false
    /// Nothing is sent any more before the next start.
    private(set) var isStopped = false
    private(set) var failedAttempts = 0
    private(set) var lastFailure: String?

    init(_ backoff: Backoff) { self.backoff = backoff }

    var earliest: Moment? { [retryAt, notBefore].compactMap(\.self).max() }

    mutating func retryAllNow() { retryAt = nil }

    /// When an app is tried again that the key may not write for.
    func whenForbidden(at now: Moment) -> Moment {
        now.advanced(byMilliseconds: Self.unauthorizedMilliseconds)
    }

    mutating func stop(_ why: String) {
        isStopped = true
        lastFailure = why
    }

    /// - Parameters:
    ///   - jitter: a random number from 0 up to 1.
    ///   - isOfBatch: whether the failure is the batch's, so that the others wait for the shortest time only.
    mutating func finish(_ delivery: Delivery, at now: Moment, jitter: Double, isOfBatch: Bool = false) {
        (retryAt, notBefore) = (nil, nil)
        lastFailure = delivery.trouble ?? lastFailure
        switch delivery {
        case .postponed(let wait, _):
            postpone(at: now, jitter)
            notBefore = wait.map { now.advanced(byMilliseconds: $0) }
            return
        case .failed, .declined:
            if isOfBatch { failures = 0 }
            return postpone(at: now, jitter)
        case .unauthorized(let why):
            failedAttempts += 1
            // A key that was made a moment ago is not known to every collector yet, which looks for new ones each second.
            let first = min(backoff.firstMilliseconds * 3 / 2, 1_500)
            // Later, one that is unknown stays so until a person does something about it.
            notBefore = now.advanced(
                byMilliseconds: wasUnauthorized ? Self.unauthorizedMilliseconds : first)
            if wasUnauthorized { lastFailure = Self.advice(why) }
            wasUnauthorizedTwice = wasUnauthorized
            wasUnauthorized = true
            return
        case .forbidden(let why):
            failedAttempts += 1
            lastFailure = Self.advice(why)
        case .accepted, .tooLong, .refused: break
        }
        failures = 0
        (wasUnauthorized, wasUnauthorizedTwice) = (false, false)
    }

    private static func advice(_ why: String) -> String {
        "\(why). The next attempt is in an hour: check the ingest key"
    }

    private mutating func postpone(at now: Moment, _ jitter: Double) {
        failures += 1
        failedAttempts += 1
        retryAt = now.advanced(byMilliseconds: backoff.milliseconds(afterFailures: failures, jitter: jitter))
    }
}
