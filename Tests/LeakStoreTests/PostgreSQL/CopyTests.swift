import LeakSeededRandom

#if PostgreSQL
    import Foundation
    import Testing
    import LeakPlatform

    @testable import LeakStore
    @testable import LeakPostgreSQL

    /// Copies of an SQLite file into a PostgreSQL database, which then gives the same results.
    @Suite struct CopyTests {
        let directory = TemporaryDirectory(isInMemory: true)
        let schema: DatabaseSchema

        /// Fails without a server, because then nothing would be tested.
        init() throws {
            schema = try DatabaseSchema()
        }

        private func copy(
            _ source: SQLiteStore, now: Int64 = noon, progress: (CopyProgress) -> Void = { _ in }
        ) throws -> PostgreSQLStore {
            _ = try PostgreSQLStore.copy(
                from: source, to: schema.address, now: now, progress: progress)
            return try PostgreSQLStore(address: schema.address, seed: 7, clock: .unguarded)
        }

        /// One seed by default; `make soak` runs more (`DATABASE_SEEDS`).
        private static let seeds =
            1...(unsafe getenv("DATABASE_SEEDS").flatMap { unsafe UInt64(String(cString: $0)) } ?? 1)

        @Test func `a merge by hand can be undone in a copy, with the same result`() throws {
            let source = try directory.store()
            let leaks = ["A", "B"].map { leak($0) }
            for (number, leak) in leaks.enumerated() {
                let reports = (0..<30).map {
                    Report(
                        leak: leak, version: "\($0 % 3).0", install: UInt64($0 + number * 9),
                        at: noon - Int64($0) * hour,
                        body: "{\"message\":\"\(String(repeating: "long ", count: 300))\"}")
                }
                _ = try source.count([submission(reports)], now: noon)
            }
            let merge = try #require(
                try source.mergeByHand(leaks[0].id, into: leaks[1].id, by: "ada", audit: nil, now: noon))
            let copy = try copy(source)
            #expect(try copy.verify() == [])
            for store in [source, copy] as [any Store] {
                #expect(try store.makeReader().manualMerges(app: "shop") == [merge])
                _ = try store.count([submission([Report(leak: leaks[0], install: 99)])], now: noon)
                #expect(try store.undoMerge(merge.number, by: "ada", audit: nil, now: noon)?.reports == 30)
            }
            #expect(try copy.verify() == [])
            try compare(copy, source, now: noon)
        }

        @Test func `a copy has the rules of apps, and continues with the next version`() throws {
            let source = try directory.store()
            _ = try source.count([submission([Report(leak: leak("A"))])], now: noon)
            for text in ["one", "two"] {
                _ = try source.saveRules(text, of: "shop", basedOn: nil, by: .commandLine, now: noon)
            }
            let copy = try copy(source)
            for store in [source, copy] as [any Store] {
                let rules = try store.makeReader().rules(of: "shop", limit: 9)
                #expect(rules.map(\.text) == ["two", "one"])
                let outcome = try store.saveRules(
                    "three", of: "shop", basedOn: 2, by: .commandLine, now: noon)
                #expect(
                    outcome
                        == .saved(
                            AppRules(app: "shop", version: 3, text: "three", by: "command line", at: noon)))
            }
            #expect(try copy.verify() == [])
        }

        @Test(arguments: seeds)
        func `a copy gives the same results as its source, even after both count the same reports`(
            seed: UInt64
        )
            throws
        {
            let script = StoreScript(seed: seed, length: 60)
            var play = StorePlay(in: directory)
            for (step, now) in script.steps { try play.play(step, now: now) }
            var now = play.now
            // Adds a second app, dropped reports, samples with messages that a search finds, and a sign-in session that a token
            // opened.
            play.close()
            var source = try directory.store()
            let token = try source.add(
                Credential(
                    purpose: .access, name: "token", hash: [UInt8](repeating: 200, count: 32),
                    role: .triager, createdAt: now)
            )
            _ = try source.add(
                Credential(
                    purpose: .session, name: "session", hash: [UInt8](repeating: 201, count: 32), app: "mail",
                    createdAt: now, expiresAt: now + hour, openedBy: token.id))
            var random = SeededRandom(seed: seed)
            var sent: [Submission] = []
            for number in 0..<30 {
                var batch = mixed(&random, number: number, now: now)
                batch.dropped = [Submission.Dropped(app: "mail", reason: "queue full", count: 3)]
                sent.append(batch)
                _ = try source.count([batch], now: now)
            }

            let leaks = play.model.leaks.keys.sorted()
            for leak in leaks {
                for action in Self.decisions(&random, now: now) {
                    _ = try source.decide(Decision(action, note: "why", by: "ada"), about: leak, now: now)
                }
            }
            for mark in try source.makeReader().eventMarks(after: 0, limit: 10) {
                let event = Event(
                    at: now, kind: .newLeak, app: mark.app, version: "1.0", leak: leaks.first,
                    key: "key", title: "Leak", text: "It leaks.", details: #"{"reports":1}"#)
                _ = try source.record([event], mark: mark)
            }
            #expect(try source.discard(#require(leaks.first), by: "ada", audit: nil, now: now))
            for (image, body) in [("A", [1, 0, 255]), ("B", []), ("A", [2])] as [(String, [UInt8])] {
                _ = try source.put(Self.symbols(image, at: now), body: body)
            }
            // Some of the leaks are reported again after the decisions.
            _ = try source.count([mixed(&random, number: 0, now: now)], now: now)
            try source.expire(now: now)

            let copy = try copy(source, now: now)
            // Opens the store again, because the memory of a process is not part of the copy.
            source = try directory.store()
            try compare(copy, source, now: now)
            #expect(try play.model.leaks.keys.allSatisfy { try copy.makeReader().leak($0, now: now) != nil })

            // Sends earlier submissions again, and new reports of the same and other leaks, versions and apps.
            for number in 30..<50 {
                now += Int64.random(in: 0..<hour, using: &random)
                let batches = [
                    mixed(&random, number: number, now: now), randomSubmission(&random, now: now),
                    sent[Int.random(in: 0..<sent.count, using: &random)],
                ]
                #expect(try copy.count(batches, now: now) == source.count(batches, now: now))
            }
            for leak in leaks {
                for action in Self.decisions(&random, now: now) {
                    let decision = Decision(action, by: "bo")
                    #expect(
                        try copy.decide(decision, about: leak, now: now)
                            == source.decide(decision, about: leak, now: now))
                }
            }
            let symbols = Self.symbols("C", at: now)
            #expect(try copy.put(symbols, body: [7]) == source.put(symbols, body: [7]))
            let link = StorePlay.link([UInt8](repeating: 202, count: 32))
            #expect(try copy.add(link) == source.add(link))
            #expect(
                try copy.revoke(credential: token.id, now: now)
                    == source.revoke(credential: token.id, now: now))
            // PostgreSQL has sets of installs that SQLite does not need, so only the number of erased samples is compared.
            #expect(try copy.erase(install: 7).samples == source.erase(install: 7).samples)
            // Some of the last day's ten-minute slots are merged into their days, others stay.
            now += 14 * hour
            try copy.expire(now: now)
            try source.expire(now: now)
            try compare(copy, source, now: now)
        }

        private static func symbols(_ image: String, at now: Int64) -> StoredSymbols {
            StoredSymbols(
                kind: .image, image: image, name: "Shop", uploadedAt: now, usedAt: now, bytes: 0)
        }

        private func compare(_ copy: PostgreSQLStore, _ source: SQLiteStore, now: Int64) throws {
            #expect(try copy.verify() == [])
            #expect(try source.verify() == [])
            let apps = ["shop", "mail"]
            let differences = try StoreContents(of: copy, apps: apps, now: now).differences(
                from: try StoreContents(of: source, apps: apps, now: now))
            #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
        }

        private static func decisions(_ random: inout SeededRandom, now: Int64) -> [Decision.Action] {
            let all: [Decision.Action] = [
                .resolve(.newestVersion), .resolve(.nextVersion), .resolve(.version("2.0")), .ignore(nil),
                .resolve(.version("2.0", build: "7")), .ignore(.until(milliseconds: now + hour)),
                .ignore(.nextReports(2)), .reopen,
            ]
            return Array(all.shuffled(using: &random).prefix(Int.random(in: 0..<3, using: &random)))
        }

        private func mixed(_ random: inout SeededRandom, number: Int, now: Int64) -> Submission {
            let reports = (0..<5).map { _ in
                Report(
                    leak: leak(
                        "L\(Int.random(in: 0..<6, using: &random))",
                        app: ["shop", "mail"].randomElement(using: &random) ?? ""),
                    version: ["1.0", "2.0", "3.0"].randomElement(using: &random) ?? "",
                    build: [nil, "6", "7", "10"].randomElement(using: &random) ?? nil,
                    install: UInt64.random(in: 0..<900, using: &random),
                    isFreed: Int.random(in: 0..<5, using: &random) == 0, at: now, lived: 12,
                    body: #"{"message":"message \#(number)"}"#)
            }
            return submission(reports, key: "mixed \(number)", at: now)
        }

        @Test func `sets of installs that only estimate, and all system versions of a leak, are copied`()
            throws
        {
            let source = try directory.store()
            for start in stride(from: 0, to: 900, by: 300) {
                let reports = (start..<start + 300).map {
                    Report(
                        leak: leak("Page"), version: ["1.0", "1.1"][$0 % 2], system: "OS \($0)",
                        install: UInt64($0))
                }
                _ = try source.count([submission(reports)], now: noon)
            }
            try compare(try copy(source), source, now: noon)
        }

        /// For a leak that was seen in only one build, SQLite stores one set of installs, and PostgreSQL stores three.
        @Test func `a copy counts the installs of a leak with one build as its source does`() throws {
            let source = try directory.store()
            func report(_ build: String, _ installs: UInt64...) -> Submission {
                submission(
                    installs.map { Report(leak: leak("Page"), version: "1.0", build: build, install: $0) })
            }
            _ = try source.count([report("1", 1, 2, 3)], now: noon)
            let copy = try copy(source)
            for batch in [report("1", 3, 4), report("2", 1, 5)] {
                _ = try copy.count([batch], now: noon)
                _ = try source.count([batch], now: noon)
                try compare(copy, source, now: noon)
            }
            let page = try copy.makeReader().leaks(LeakQuery(), now: noon)
            #expect(page.leaks.map(\.installs) == [5])
        }

        @Test
        func
            `names that differ only in characters that PostgreSQL cannot store are still different after a copy`()
            throws
        {
            let source = try directory.store()
            let versions = ["1", "zero", "1\u{2400}", "1\u{2400}\u{2400}"]
            let reports = versions.map { Report(leak: leak("Page"), version: $0, system: $0) }
            _ = try source.count([submission(reports)], now: noon)
            // Stores a version with U+0000, as earlier versions of the collector did.
            try source.writer.with { writer throws(StoreError) in
                try writer.connection.execute(
                    "update release set version = '1' || char(0) where version = 'zero'")
            }
            let copy = try copy(source)
            #expect(try copy.verify() == [])
            #expect(
                Set(try copy.makeReader().versions(app: "shop")) == [
                    "1", "1\u{2400}", "1\u{2400}\u{2400}", "1\u{2400}\u{2400}\u{2400}",
                ])
        }

        @Test func `an empty database file can be copied too`() throws {
            let copy = try copy(try directory.store())
            #expect(try copy.count([submission([Report(leak: leak("Page"))])], now: noon) == [.counted])
        }

        @Test
        func `a copy into a PostgreSQL database with content is refused, and does not change that database`()
            throws
        {
            let there = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try there.add(StorePlay.link([UInt8](repeating: 1, count: 32)))
            let source = try directory.store()
            let failure = try #require(throws: StoreError.self) { try copy(source) }
            #expect(
                failure.reason == .invalidArgument && failure.description.contains("createdb"), "\(failure)")
            #expect(try there.makeReader().credentials(includingEnded: true, now: noon).count == 1)
        }

        @Test func `while a database file is copied, reports are refused with the reason locked`() throws {
            let source = try directory.store()
            _ = try source.count([submission([Report(leak: leak("Page"))])], now: noon)
            let beside = try directory.store()
            try beside.setBusyTimeout(milliseconds: 1)
            var refusals: Set<StoreError.Reason> = []
            _ = try copy(source) { _ in
                do throws(StoreError) {
                    _ = try beside.count([submission([Report(leak: leak("Page"))])], now: noon)
                } catch { refusals.insert(error.reason) }
            }
            #expect(refusals == [.locked])
            #expect(try beside.count([submission([Report(leak: leak("Page"))])], now: noon) == [.counted])
        }

        /// A process that ends during a copy leaves the PostgreSQL database empty, and the next copy is complete.
        @Test(arguments: [1, 9, 17])
        func `an interrupted copy leaves nothing in the PostgreSQL database`(tables: Int) async throws {
            let source = try directory.store()
            _ = try source.count(
                [
                    submission(
                        (0..<50).map { Report(leak: leak("L\($0)"), install: UInt64($0), count: $0 + 1) },
                        key: "k")
                ],
                now: noon)
            _ = try source.add(StorePlay.link([UInt8](repeating: 1, count: 32)))
            let (path, url) = (directory.database, schema.url)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, url = url as String, tables = tables as Int] in
                var finished: Set<String> = []
                _ = try PostgreSQLStore.copy(
                    from: SQLiteStore(path: path, exclusive: true), to: DatabaseAddress(url), now: noon
                ) { progress in
                    finished.insert(progress.table)
                    if finished.count == tables { kill(getpid(), SIGKILL) }
                }
            }
            let copy = try copy(source)
            try compare(copy, source, now: noon)
        }
    }
#endif
