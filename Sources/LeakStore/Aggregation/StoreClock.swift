/// The limits within which a store accepts the system clock without a confirmation.
public struct ClockRule: Sendable {
    /// The largest distance of the clock ahead of the last known time, in milliseconds. Idempotency keys outlive a
    /// reporter's batches by one day, so a wrong clock within this distance forgets no key that is still needed.
    public var step: Int64 = 86_400_000
    /// Milliseconds of running time after which a system clock that is further ahead, and has stayed ahead, is accepted.
    public var confirmation: Int64 = 86_400_000
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

/// The guarded time by which rows and idempotency keys expire.
///
/// A wrong system clock must not delete rows or idempotency keys that are still needed. So rows do not expire by the system clock
/// itself, but by two guarded times: ``expiryTime`` is never more than a step ahead of the last known time, and ``keyTime`` never
/// goes back.
package struct StoreClock {
    /// The state that is stored between two runs, as one row of the table `clock`.
    package struct Stored: Hashable, Sendable {
        /// The last system time that was accepted, in milliseconds since 1970.
        package var wall: Int64
        /// ``StoreClock/keyTime``.
        package var keys: Int64
        /// Milliseconds of running time during which the system clock has been ahead by more than a step.
        package var waited: Int64

        package init(wall: Int64, keys: Int64, waited: Int64) {
            self.wall = wall
            self.keys = keys
            self.waited = waited
        }
    }

    package private(set) var state: Stored
    /// Milliseconds by which the system clock is ahead of the guarded time; `nil` if the guarded time is equal to the system clock.
    private var aheadMilliseconds: Int64?
    private var now: Int64
    private var uptime: Int64
    private let rule: ClockRule
    /// The stored state as this process last wrote or read it.
    private var storedState: Stored?

    /// - Parameters:
    ///   - stored: the state that an earlier run stored; `nil` for a new database, which accepts the system clock.
    ///   - now: the system clock, in milliseconds since 1970.
    package init(_ stored: Stored?, now: Int64, rule: ClockRule) {
        state = stored ?? Stored(wall: now, keys: now, waited: 0)
        storedState = stored
        self.now = now
        self.rule = rule
        uptime = rule.uptime()
        advance(to: now)
    }

    /// The time by which rows with a time of the system clock expire. Never ahead of the system clock.
    package var expiryTime: Int64 { min(now, state.wall) }

    /// The time by which idempotency keys expire. Never goes back.
    package var keyTime: Int64 { state.keys }

    /// The time that a new idempotency key is stored with.
    ///
    /// During a ``wait``, this is the later one of the system time and ``keyTime``. Otherwise the key would expire too early if the
    /// system clock is accepted later and ``keyTime`` jumps ahead. If the system clock is corrected instead, the key is kept for longer
    /// than needed.
    package var newKeyTime: Int64 { aheadMilliseconds == nil ? keyTime : max(keyTime, now) }

    /// Keys stored at this time or before are forgotten.
    package var keyStart: Int64 { Retention.start(Retention.idempotencyDays, now: keyTime) }

    /// The state of the wait that begins when the system clock jumps ahead. Rows do not expire by the system clock until the wait ends.
    /// `nil` if there is no wait.
    package var wait: ClockWait? {
        aheadMilliseconds.map {
            ClockWait(
                aheadMilliseconds: $0, lastKnownTime: state.wall,
                remainingMilliseconds: max(0, rule.confirmation - state.waited))
        }
    }

    /// Sets the guarded time to the system time. If the system clock is ahead by more than a step, the guarded time advances by the
    /// elapsed running time instead, until the clock is confirmed.
    package mutating func advance(to now: Int64) {
        let uptime = rule.uptime()
        let elapsed = max(0, uptime - self.uptime)
        self.uptime = uptime
        self.now = now
        let expected = state.wall + elapsed
        if now > expected, now - expected > rule.step {
            state.waited += elapsed
            let isConfirmed = state.waited >= rule.confirmation
            state.wall = isConfirmed ? now : expected
            if isConfirmed { state.waited = 0 }
            aheadMilliseconds = isConfirmed ? nil : now - expected
        } else {
            (state.wall, state.waited, aheadMilliseconds) = (now, 0, nil)
        }
        state.keys = max(state.keys + elapsed, state.wall)
    }

    /// Adopts the state that another process has stored since the last call, and advances it to the system time.
    ///
    /// - Parameter stored: the state that is stored now.
    package mutating func advance(to now: Int64, past stored: Stored?) {
        if let stored, stored != storedState {
            uptime = rule.uptime()
            state.wall = stored.wall
            state.waited = stored.waited
            state.keys = max(state.keys, stored.keys)
        }
        advance(to: now)
        storedState = state
    }
}

/// The wait for the confirmation of a system clock that is further ahead than a store accepts at once. Until it ends, rows expire by
/// ``lastKnownTime``.
public struct ClockWait: Hashable, Sendable {
    /// Milliseconds by which the system clock is ahead of the expected time.
    public var aheadMilliseconds: Int64
    /// The guarded time by which rows expire meanwhile, in milliseconds since 1970.
    public var lastKnownTime: Int64
    /// Milliseconds of running time until the system clock is accepted, if it stays ahead.
    public var remainingMilliseconds: Int64

    public init(aheadMilliseconds: Int64, lastKnownTime: Int64, remainingMilliseconds: Int64) {
        self.aheadMilliseconds = aheadMilliseconds
        self.lastKnownTime = lastKnownTime
        self.remainingMilliseconds = remainingMilliseconds
    }
}
