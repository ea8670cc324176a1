import Testing

@testable import LeakStore

/// Positions of notification channels in SQLite or in PostgreSQL.
@Suite struct StoreChannelTests {
    let place = StoreLocation()
    let store: any Store

    init() throws { store = try place.store() }

    private func record(_ count: Int) throws {
        let first = try store.makeReader().events(EventQuery(.before(.max), limit: 1)).first?.id ?? 0
        let events = (0..<count).map {
            Event(at: noon, kind: .diskLow, app: nil, key: "\(first) \($0)", title: "Disk", text: "Full")
        }
        #expect(try store.record(events, mark: nil) == count)
    }

    @Test
    func `a new channel begins after the newest event, and goes on where it was, also in another process`()
        throws
    {
        try record(3)
        #expect(try store.claim(channel: "a", by: 1, now: noon) == ChannelPosition(lastEvent: 3))
        try record(2)
        #expect(try store.claim(channel: "b", by: 1, now: noon) == ChannelPosition(lastEvent: 5))
        let moved = ChannelPosition(lastEvent: 4, hour: 12, messageCount: 7)
        #expect(try store.move(channel: "a", to: moved, by: 1))
        #expect(try store.claim(channel: "a", by: 1, now: noon + 5_000) == moved)
        let later = noon + 5_000 + ChannelPosition.claimMilliseconds + 1
        #expect(try place.store().claim(channel: "a", by: 2, now: later) == moved)
    }

    @Test func `only one process has a channel, until its claim has ended`() throws {
        let other = try place.store()
        #expect(try store.claim(channel: "a", by: 1, now: noon) != nil)
        #expect(try other.claim(channel: "a", by: 2, now: noon + 1) == nil)
        #expect(try other.claim(channel: "b", by: 2, now: noon + 1) != nil)
        #expect(try !other.move(channel: "a", to: ChannelPosition(lastEvent: 9), by: 2))
        let end = noon + ChannelPosition.claimMilliseconds
        #expect(try other.claim(channel: "a", by: 2, now: end) == nil)
        #expect(try other.claim(channel: "a", by: 2, now: end + 1) == ChannelPosition(lastEvent: 0))
        #expect(try !store.move(channel: "a", to: ChannelPosition(lastEvent: 9), by: 1))
        #expect(try store.claim(channel: "a", by: 1, now: end + 2) == nil)
    }

    @Test func `a claim from a clock that was far ahead does not last`() throws {
        #expect(try store.claim(channel: "a", by: 1, now: noon + 1_000 * day) != nil)
        #expect(try store.claim(channel: "a", by: 2, now: noon) != nil)
    }

    @Test func `the position of a channel that was not used for 400 days is deleted`() throws {
        try record(1)
        #expect(try store.claim(channel: "old", by: 1, now: noon) != nil)
        #expect(try store.claim(channel: "new", by: 1, now: noon + 402 * day) != nil)
        #expect(try place.rowCount(of: "channel") == 1)
    }
}
