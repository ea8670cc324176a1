/// The limits within which a store accepts the system clock without a confirmation.
public struct ClockRule: Sendable {
    /// The largest lead of the system clock over the last known time that is accepted without a confirmation, in milliseconds.
    /// Idempotency keys outlive a reporter's batches by one day, so a clock that is wrong by at most this lead deletes no key
    /// that is still needed.
    public var maxLeadMilliseconds: Int64 = 86_400_000
    /// Milliseconds of running time after which a system clock with a larger lead is accepted, if it has kept this lead.
    public var confirmationMilliseconds: Int64 = 86_400_000
    /// Milliseconds since any fixed moment, independent of the system clock.
    public var uptime: @Sendable () -> Int64 = ClockRule.systemUptime

    public init() {}

    private static let start = ContinuousClock.now

    /// Returns the milliseconds since the first call in this process, time asleep included.
    @Sendable private static func systemUptime() -> Int64 {
        let elapsed = (ContinuousClock.now - start).components
        return elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
    }
}

/// The times by which rows and idempotency keys expire, protected against a wrong system clock.
///
/// A wrong system clock must not delete rows or idempotency keys that are still needed. So they do not expire by the system
/// clock itself: rows expire by ``expiryTime``, which is never more than ``ClockRule/maxLeadMilliseconds`` ahead of the last
/// known time, and keys expire by ``keyTime``, which never goes back.
package struct StoreClock {
    /// The state that is stored between two runs, as one row of the table `clock`.
    package struct Stored: Hashable, Sendable {
        /// The last system time that was accepted, in milliseconds since 1970.
        package var acceptedTime: Int64
        /// ``StoreClock/keyTime``.
        package var keyTime: Int64
        /// Milliseconds of running time during which the system clock has been ahead by more than
        /// ``ClockRule/maxLeadMilliseconds``.
        package var waitedMilliseconds: Int64

        package init(acceptedTime: Int64, keyTime: Int64, waitedMilliseconds: Int64) {
            self.acceptedTime = acceptedTime
            self.keyTime = keyTime
            self.waitedMilliseconds = waitedMilliseconds
        }
    }

    package private(set) var state: Stored
    /// Milliseconds by which the system clock is ahead of the expected time; `nil` if the system clock is accepted.
    private var aheadMilliseconds: Int64?
    /// The system time at the last call of ``advance(to:)``.
    private var now: Int64
    /// ``ClockRule/uptime`` at the last call of ``advance(to:)``.
    private var uptime: Int64
    private let rule: ClockRule
    /// The stored state as this process last wrote or read it.
    private var storedState: Stored?

    /// - Parameters:
    ///   - stored: the state that an earlier run stored; `nil` for a new database, which accepts the system clock.
    ///   - now: the system clock, in milliseconds since 1970.
    package init(_ stored: Stored?, now: Int64, rule: ClockRule) {
        state = stored ?? Stored(acceptedTime: now, keyTime: now, waitedMilliseconds: 0)
        storedState = stored
        self.now = now
        self.rule = rule
        uptime = rule.uptime()
        advance(to: now)
    }

    /// The time by which rows with a time of the system clock expire. Never ahead of the system clock.
    package var expiryTime: Int64 { min(now, state.acceptedTime) }

    /// The time by which idempotency keys expire. Never goes back.
    package var keyTime: Int64 { state.keyTime }

    /// The time that a new idempotency key is stored with.
    ///
    /// During a ``wait``, this is the later one of the system time and ``keyTime``. Otherwise the key would expire too early if
    /// the system clock is accepted later and ``keyTime`` jumps ahead. If the system clock is corrected instead, the key is
    /// kept for longer than needed.
    package var newKeyTime: Int64 { aheadMilliseconds == nil ? keyTime : max(keyTime, now) }

    /// The time up to which idempotency keys have expired: keys that were stored at this time or earlier.
    package var keyStart: Int64 { Retention.startTime(ofLastDays: Retention.idempotencyDays, now: keyTime) }

    /// Set while the system clock is too far ahead to be accepted. Until it is accepted, rows do not expire by the system
    /// clock. `nil` if the system clock is accepted.
    package var wait: ClockWait? {
        aheadMilliseconds.map {
            ClockWait(
                aheadMilliseconds: $0, lastKnownTime: state.acceptedTime,
                remainingMilliseconds: max(0, rule.confirmationMilliseconds - state.waitedMilliseconds))
        }
    }

    /// Sets ``expiryTime`` to the system time, even if this moves it back. ``keyTime`` advances by the elapsed running time, or
    /// to the system time if that is later. While the system clock is ahead by more than ``ClockRule/maxLeadMilliseconds`` and
    /// not confirmed, both only advance by the elapsed running time.
    package mutating func advance(to now: Int64) {
        let uptime = rule.uptime()
        let elapsed = max(0, uptime - self.uptime)
        self.uptime = uptime
        self.now = now
        let expected = state.acceptedTime + elapsed
        if now > expected, now - expected > rule.maxLeadMilliseconds {
            state.waitedMilliseconds += elapsed
            let isConfirmed = state.waitedMilliseconds >= rule.confirmationMilliseconds
            state.acceptedTime = isConfirmed ? now : expected
            if isConfirmed { state.waitedMilliseconds = 0 }
            aheadMilliseconds = isConfirmed ? nil : now - expected
        } else {
            (state.acceptedTime, state.waitedMilliseconds, aheadMilliseconds) = (now, 0, nil)
        }
        state.keyTime = max(state.keyTime + elapsed, state.acceptedTime)
    }

    /// Adopts the state that another process has stored since the last call, and advances it to the system time.
    ///
    /// - Parameter stored: the state that is stored now.
    package mutating func advance(to now: Int64, adopting stored: Stored?) {
        if let stored, stored != storedState {
            uptime = rule.uptime()
            state.acceptedTime = stored.acceptedTime
            state.waitedMilliseconds = stored.waitedMilliseconds
            state.keyTime = max(state.keyTime, stored.keyTime)
        }
        advance(to: now)
        storedState = state
    }
}

/// The state of a store while the system clock is too far ahead to be accepted immediately. The clock is accepted if it stays
/// ahead for long enough; until then, rows expire by ``lastKnownTime``.
public struct ClockWait: Hashable, Sendable {
    /// Milliseconds by which the system clock is ahead of the expected time.
    public var aheadMilliseconds: Int64
    /// The time by which rows expire until the system clock is accepted, in milliseconds since 1970.
    public var lastKnownTime: Int64
    /// Milliseconds of running time until the system clock is accepted, if it stays ahead.
    public var remainingMilliseconds: Int64

    public init(aheadMilliseconds: Int64, lastKnownTime: Int64, remainingMilliseconds: Int64) {
        self.aheadMilliseconds = aheadMilliseconds
        self.lastKnownTime = lastKnownTime
        self.remainingMilliseconds = remainingMilliseconds
    }
}
