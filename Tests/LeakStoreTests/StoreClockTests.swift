import LeakStore
import Testing

/// If the system clock is set wrong, no batch is counted twice, and no rows that are still needed are deleted.
@Suite struct StoreClockTests {
    let place = StoreLocation()
    let uptime = TestUptime()

    private func store() throws -> any Store { try place.store(clock: uptime.rule) }

    private static let minute: Int64 = 60_000
    /// Midnight UTC.
    private static let midnight = noon + day / 2

    @Test(arguments: [2 * minute, day, 5 * day, 7 * day, 8 * day, 400 * day])
    func `a batch with a repeated idempotency key is counted once if the clock is set back`(step: Int64)
        throws
    {
        let store = try store()
        let batch = submission([Report(leak: leak("Page"))], key: "a")
        let repeated = Receipt.repeated(response: batch.response)
        let now = Self.midnight + Self.minute
        #expect(try store.count([batch], now: now) == [.counted])
        #expect(try store.count([batch], now: now - step) == [repeated])
        // The batch is also a repeat after a restart.
        try store.expire(now: now - step)
        #expect(try self.store().count([batch], now: now - step) == [repeated])
        // The batch is also a repeat after the clock is right again.
        #expect(try store.count([batch], now: now) == [repeated])
    }

    @Test(arguments: [2 * minute, 5 * day, 400 * day])
    func `an idempotency key that was stored while the clock was too early is known after the correction`(
        step: Int64
    ) throws {
        let store = try store()
        let now = Self.midnight + Self.minute
        #expect(try store.count([submission(key: "first")], now: now) == [.counted])
        try store.expire(now: now)
        let batch = submission([Report(leak: leak("Page"))], key: "a")
        #expect(try store.count([batch], now: now - step) == [.counted])
        uptime.run(for: 10 * Self.minute)
        try store.expire(now: now - step)
        for time in [now + 10 * Self.minute, now + 6 * day] {
            try store.expire(now: time)
            #expect(try store.count([batch], now: time) == [.repeated(response: batch.response)])
        }
    }

    @Test func `the first idempotency keys are known after a restart, even if no expiry has run`() throws {
        let batch = submission([Report(leak: leak("Page"))], key: "a")
        #expect(try store().count([batch], now: noon - 100 * day) == [.counted])
        #expect(try store().count([batch], now: noon) == [.repeated(response: batch.response)])
    }

    /// Sends a batch, and opens the store again while the clock is far ahead.
    private func startAhead(by step: Int64) throws -> (
        store: any Store, batch: Submission, page: LeakIdentity
    ) {
        let page = leak("Page")
        let batch = submission([Report(leak: page, install: 1)], key: "a")
        do {
            let store = try store()
            #expect(try store.count([batch], now: noon) == [.counted])
            #expect(try store.add(session).id > 0)
            #expect(try store.expire(now: noon) == nil)
        }
        let next = try store()
        let wait = try #require(try next.expire(now: noon + step))
        #expect(
            wait.aheadMilliseconds == step && wait.remainingMilliseconds == day && wait.lastKnownTime == noon)
        return (next, batch, page)
    }

    private var session: Credential {
        Credential(
            purpose: .session, name: "s", hash: [UInt8](repeating: 1, count: 32), app: nil, createdAt: noon,
            expiresAt: noon + day)
    }

    @Test(arguments: [2 * day, 120 * day, 4_000 * day])
    func `a start with the clock far ahead deletes nothing, and no idempotency key expires`(step: Int64)
        throws
    {
        let (store, batch, page) = try startAhead(by: step)
        #expect(try store.count([batch], now: noon + step) == [.repeated(response: batch.response)])
        let reader = try store.makeReader()
        #expect(try reader.samples(of: page.id)?.isEmpty == false)
        #expect(try reader.trend(of: page.id, by: .hour, now: noon)?.versions.isEmpty == false)
        #expect(try reader.overview(app: "shop", now: noon).recentReports == 1)
        #expect(try reader.overview(app: "shop", now: noon).recentInstalls == 1)
        #expect(try reader.credentials(includingEnded: true, now: noon).count == 1)
        // The clock is right again: the store continues normally.
        #expect(try store.expire(now: noon + hour) == nil)
        #expect(try store.count([batch], now: noon + hour) == [.repeated(response: batch.response)])
    }

    @Test func `a clock that stays ahead is accepted after the collector has run for a day`() throws {
        var (store, batch, page) = try startAhead(by: 120 * day)
        for hours in 1...23 {
            uptime.run(for: hour)
            let wait = try #require(try store.expire(now: noon + 120 * day + Int64(hours) * hour))
            #expect(wait.remainingMilliseconds == day - Int64(hours) * hour)
            // The elapsed waiting time survives restarts.
            guard hours % 5 == 0 else { continue }
            store = try self.store()
            #expect(try store.expire(now: noon + 120 * day + Int64(hours) * hour) == wait)
        }
        #expect(try store.makeReader().samples(of: page.id)?.isEmpty == false)
        uptime.run(for: hour)
        #expect(try store.expire(now: noon + 121 * day) == nil)
        #expect(try store.makeReader().samples(of: page.id)?.isEmpty == true)
        #expect(try store.count([batch], now: noon + 121 * day) == [.counted])
    }

    /// A clock that jumps ahead is accepted only after the collector has run for a day. The new time may be right: the
    /// collector was off, or the clock was behind until it jumped. Keys stored on that day of waiting must still be known
    /// afterwards.
    @Test(arguments: [8 * day, 120 * day])
    func `an idempotency key that was stored while the clock was ahead is known after the clock is accepted`(
        step: Int64
    ) throws {
        let (store, _, _) = try startAhead(by: step)
        // The leak of the batch is new: the bytes of its texts count for the same day as the idempotency key.
        let batch = submission([Report(leak: leak("Cart"))], key: "b")
        let repeated = Receipt.repeated(response: batch.response)
        #expect(try store.count([batch], now: noon + step) == [.counted])
        #expect(try self.store().count([batch], now: noon + step) == [repeated])
        for hours in 1...23 {
            uptime.run(for: hour)
            #expect(try store.expire(now: noon + step + Int64(hours) * hour) != nil)
        }
        #expect(try store.count([batch], now: noon + step + 23 * hour) == [repeated])
        uptime.run(for: hour)
        #expect(try store.expire(now: noon + step + day) == nil)
        #expect(try store.count([batch], now: noon + step + day) == [repeated])
        uptime.run(for: 5 * day)
        #expect(try store.expire(now: noon + step + 6 * day) == nil)
        #expect(try self.store().count([batch], now: noon + step + 6 * day) == [repeated])
        uptime.run(for: 2 * day)
        #expect(try store.expire(now: noon + step + 8 * day) == nil)
        #expect(try store.count([batch], now: noon + step + 8 * day) == [.counted])
    }

    @Test
    func
        `an idempotency key that was stored while the clock was ahead is known after the clock is corrected`()
        throws
    {
        let (store, _, _) = try startAhead(by: 120 * day)
        let batch = submission([Report(leak: leak("Page"))], key: "b")
        #expect(try store.count([batch], now: noon + 120 * day) == [.counted])
        for days in 0...6 {
            #expect(try store.expire(now: noon + Int64(days) * day) == nil)
            let receipts = try store.count([batch], now: noon + Int64(days) * day)
            #expect(receipts == [.repeated(response: batch.response)])
            uptime.run(for: day)
        }
    }

    @Test
    func `while the clock is not accepted, the last known time advances by the time that the collector runs`()
        throws
    {
        let (store, batch, _) = try startAhead(by: 120 * day)
        uptime.run(for: 20 * hour)
        let wait = try #require(try store.expire(now: noon + 120 * day + 20 * hour))
        #expect(wait.lastKnownTime == noon + 20 * hour && wait.aheadMilliseconds == 120 * day)
        #expect(try store.count([batch], now: noon + 121 * day) == [.repeated(response: batch.response)])
    }

    @Test func `a clock that jumps ahead by at most a day is accepted immediately`() throws {
        let store = try store()
        #expect(try store.count([submission(key: "a")], now: noon) == [.counted])
        for days in 1...10 { #expect(try store.expire(now: noon + Int64(days) * day) == nil) }
        #expect(try store.count([submission(key: "a")], now: noon + 10 * day) == [.counted])
    }

    @Test func `a clock that advances as long as the collector runs is accepted, even after 100 days`()
        throws
    {
        let store = try store()
        #expect(try store.count([submission(key: "a")], now: noon) == [.counted])
        uptime.run(for: 100 * day)
        #expect(try store.expire(now: noon + 100 * day) == nil)
        #expect(try store.count([submission(key: "a")], now: noon + 100 * day) == [.counted])
    }
}
