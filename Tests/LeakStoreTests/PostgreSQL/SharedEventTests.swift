#if PostgreSQL
    import LeakPlatform
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// Several collectors that add events to one database, and readers that poll.
    @Suite struct SharedEventTests {
        let schema: DatabaseSchema

        /// Fails without a server, because then nothing would be tested.
        init() throws { schema = try DatabaseSchema() }

        @Test func `a reader with a cursor misses no event while several collectors add events`() throws {
            let writers = 3
            let batches = 40
            let stores = try (0..<writers).map { _ in try PostgreSQLStore(address: schema.address) }
            let runningWriters = Guarded(writers)
            let read = Guarded<[Int64]>([])
            _ = try runTogether(writers + 1) { number in
                guard number < writers else {
                    let reader = try stores[0].makeReader()
                    var cursor: Int64 = 0
                    while true {
                        // Read before the events, so that the last pass sees all of them.
                        let isLast = runningWriters.with { $0 == 0 }
                        let events = try reader.events(EventQuery(.after(cursor), limit: 7))
                        read.with { $0 += events.map(\.id) }
                        if let last = events.last { cursor = last.id } else if isLast { return }
                    }
                }
                defer { runningWriters.with { $0 -= 1 } }
                for batch in 0..<batches {
                    let events = (0..<5).map { index in
                        Event(
                            at: noon, kind: .worse, app: AppKey("shop"), version: "1.0",
                            // The last event of each batch is the same for all writers.
                            key: index == 4 ? "shared \(batch)" : "\(number) \(batch) \(index)", title: "",
                            text: "")
                    }
                    _ = try stores[number].record(events, mark: nil)
                }
            }
            let all = try stores[0].makeReader().events(EventQuery(.after(0), limit: 10_000)).map(\.id)
            #expect(all.count == writers * batches * 4 + batches)
            #expect(read.with { $0 } == all)
        }

        @Test func `an app that is deleted while its events are recorded leaves no event behind`() throws {
            let stores = try (0..<2).map { _ in
                try PostgreSQLStore(address: schema.address, clock: .unguarded)
            }
            for round in 0..<10 {
                _ = try stores[0].count([submission([Report(leak: leak("Page"))])], now: noon)
                let mark = try #require(
                    try stores[0].makeReader().eventMarks(after: 0, limit: 10).first { $0.app.name == "shop" }
                )
                let events = (0..<20).map {
                    Event(
                        at: noon, kind: .worse, app: mark.app, version: "1.0", leak: leak("Page").id,
                        key: "\(round) \($0)", title: "", text: "")
                }
                _ = try runTogether(2) { number in
                    if number == 0 {
                        _ = try stores[0].record(events, mark: mark)
                    } else {
                        _ = try stores[1].forget(.app("shop"))
                    }
                }
                #expect(try stores[0].makeReader().events(EventQuery(.after(0), limit: 100)).isEmpty)
            }
        }
    }
#endif
