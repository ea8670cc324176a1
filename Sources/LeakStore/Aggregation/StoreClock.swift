/// The limits within which a store follows the system clock without a confirmation.
public struct ClockRule: Sendable {
    /// The largest distance of the clock ahead of the last known time, in milliseconds. Idempotency keys outlive a
    /// reporter's batches by one day, so a wrong clock within this distance forgets no key that is still needed.
    public var step: Int64 = 86_400_000
    /// Milliseconds of running time after which a clock that stays further ahead is followed.
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

/// The guarded time that everything expires by.
///
/// A system clock that is set wrong must neither delete rows that are still needed nor make a store forget idempotency
/// keys. So two times stand between the clock and the rows that expire: ``expiryTime`` is never more than a step ahead of
/// the time known before, and ``keyTime`` never goes back.
package struct StoreClock {
    /// The state that is stored between two runs, as one row of the table `clock`.
    package struct Stored: Hashable, Sendable {
        /// The last system time that was followed, in milliseconds since 1970.
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
    /// Milliseconds by which the system clock is ahead of the guarded time; `nil` while the clock is followed.
    private var ahead: Int64?
    private var now: Int64
    private var uptime: Int64
    private let rule: ClockRule
    /// The row as this process wrote or read it last.
    private var row: Stored?

    /// - Parameters:
    ///   - stored: the state that an earlier run stored; `nil` for a new database, whose clock is followed.
    ///   - now: the system clock, in milliseconds since 1970.
    package init(_ stored: Stored?, now: Int64, rule: ClockRule) {
        state = stored ?? Stored(wall: now, keys: now, waited: 0)
        row = stored
        self.now = now
        self.rule = rule
        uptime = rule.uptime()
        advance(to: now)
    }

    /// The time by which rows expire that were written with the system clock. Never ahead of the clock.
    package var expiryTime: Int64 { min(now, state.wall) }

    /// The time that idempotency keys are recognised and forgotten by. Never goes back.
    package var keyTime: Int64 { state.keys }

    /// The time that a new idempotency key is stored with.
    ///
    /// While the system clock is not followed, this is the later one of system time and ``keyTime``, because ``keyTime`` would jump
    /// past the key when the clock is followed at last. If the clock is set right instead, the key is remembered for longer than
    /// needed.
    package var newKeyTime: Int64 { ahead == nil ? keyTime : max(keyTime, now) }

    /// Keys stored at this time or before are forgotten.
    package var keyStart: Int64 { Retention.start(Retention.idempotencyDays, now: keyTime) }

    /// The reason why rows that seem old are not deleted; `nil` while the system clock is followed.
    package var wait: ClockWait? {
        ahead.map {
            ClockWait(ahead: $0, lastKnown: state.wall, left: max(0, rule.confirmation - state.waited))
        }
    }

    /// Follows the system clock, unless it is further ahead than a step; then time goes on at its real pace.
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
            ahead = isConfirmed ? nil : now - expected
        } else {
            (state.wall, state.waited, ahead) = (now, 0, nil)
        }
        state.keys = max(state.keys + elapsed, state.wall)
    }

    /// Takes over the row that another process has written since, and follows the system clock from there.
    ///
    /// - Parameter stored: the row as it is now.
    package mutating func advance(to now: Int64, past stored: Stored?) {
        if let stored, stored != row {
            uptime = rule.uptime()
            state.wall = stored.wall
            state.waited = stored.waited
            state.keys = max(state.keys, stored.keys)
        }
        advance(to: now)
        row = state
    }
}

/// A system clock that is further ahead than a store follows without a confirmation. Nothing expires by it meanwhile.
public struct ClockWait: Hashable, Sendable {
    /// Milliseconds by which the system clock is ahead of the expected time.
    public var ahead: Int64
    /// The time that rows expire by meanwhile, in milliseconds since 1970.
    public var lastKnown: Int64
    /// Milliseconds of running time that are left until the clock is followed, if it stays as it is.
    public var left: Int64

    public init(ahead: Int64, lastKnown: Int64, left: Int64) {
        self.ahead = ahead
        self.lastKnown = lastKnown
        self.left = left
    }
}
