#if PostgreSQL
    import LeakStore
    import Testing

    @testable import LeakPostgreSQL

    /// A database of an earlier version of the collector, opened by later versions.
    @Suite struct SchemaTests {
        let schema: DatabaseSchema

        init() throws {
            schema = try DatabaseSchema()
        }

        /// Stores reports of today, and reports of three days ago that arrived too late for a ten-minute slot. Then changes the
        /// schema to its first version.
        private func fillSchema1() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let today = (0..<5).map { Report(leak: leak("L\($0)"), version: "1.\($0)", install: UInt64($0)) }
            let late = (0..<3).map { Report(leak: leak("L\($0)"), at: noon - 3 * day, count: 2) }
            _ = try store.count([submission(today + late)], now: noon)
            try schema.downgradeToFirstVersion()
        }

        /// Changes the database back to an earlier schema version.
        private func goBack(
            to version: Int, by statements: String..., on connection: PostgreSQLConnection
        ) throws {
            for statement in PastSchema.without20 + statements + [
                PastSchema.createReleaseCheckSQL, "update schema_version set version = \(version)",
            ] {
                try connection.run(Query(statement))
            }
        }

        private func version() throws -> Int? {
            try PostgreSQLConnection(to: schema.address).run(Migration.versionQuery).first?.int(0)
        }

        @Test func `after a migration, a version that only one device has used is not the current release`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let reports = [("1.0", 1), ("1.0", 2), ("9.0", 3)].map { version, install in
                Report(leak: leak("Page"), version: version, install: install)
            }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
            _ = try PostgreSQLConnection(to: schema.address).run(
                [
                    Query("update app set newest_release = (select max(id) from release)"),
                    Query("update leak set impact = 1"), Query("update schema_version set version = 2"),
                    Query(PastSchema.createReleaseCheckSQL),
                ] + PastSchema.without20.map { Query($0) })
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try version() == Migration.newestVersion)
            #expect(try migrated.verify() == [])
            #expect(try migrated.makeReader().appSummaries().map(\.currentRelease) == ["1.0"])
        }

        @Test(arguments: [17, 18])
        func `a migration chooses the current release by the adoption in the last hours that are known`(
            version: Int
        ) throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            for (version, reports, sessions) in [
                ("5.1", 0, 30), ("5.2", 50, 150), ("6.0", 50, 90), ("999.0-dev", 1, 1), ("unknown", 1, 0),
            ] {
                #expect(
                    try store.count([usage(of: version, reports: reports, sessions: sessions)], now: noon)
                        == [.counted])
            }
            _ = try PostgreSQLConnection(to: schema.address).run(
                [
                    Query("update app set newest_release = (select max(id) from release)"),
                    Query("update leak set impact = 1"),
                    Query("alter table app drop column pinned_by, drop column pinned_at"),
                    Query(
                        version == 18
                            ? "alter table release_hour drop column bucket"
                            : "alter table app drop column pinned_release"),
                    Query(version == 18 ? "select 1" : "drop table release_hour"),
                    Query("update schema_version set version = \(version)"),
                ] + PastSchema.without20.map { Query($0) })
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try self.version() == Migration.newestVersion)
            #expect(try migrated.verify() == [])
            let releases = try migrated.makeReader().releases(app: "shop")
            #expect(releases.map(\.isCurrent) == [false, false, true, false, false])
            #expect(releases.map(\.adoption?.count) == [1, 90, 150, 30, 0])
        }

        @Test func `a migration stores once each text that earlier schemas stored three times`() throws {
            let long = (0..<100).map { "Frame\($0)" + String(repeating: "x", count: 280) }
            let leaks = [leak("Page", stack: ["Root"]), leak("Größe", stack: long)]
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try store.count([submission(leaks.map { Report(leak: $0) }, key: "k")], now: noon)
            let connection = try PostgreSQLConnection(to: schema.address)
            for leak in leaks {
                try connection.run(
                    Query(
                        "update leak_text set grouped_stack = $1::bytea, search = $2::text where title = $3::text",
                        .bytes(PackedWriter.pack(leak.groupingKey.stack)),
                        .text((leak.title + "\n" + leak.stack.joined(separator: " › ")).lowercased()),
                        .text(leak.title)))
            }
            try goBack(
                to: 5, by: "alter table idempotency_use drop column text_bytes",
                "update app set text_bytes = 200000", on: connection)
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try version() == Migration.newestVersion)
            let reader = try migrated.makeReader()
            for leak in leaks {
                let read = try #require(try reader.leak(leak.id, now: noon)).row.identity
                #expect(read.stack == leak.stack && read.groupingKey == leak.groupingKey)
            }
            let bytes = try connection.run(
                Query(
                    """
                    select sum(octet_length(stack) + octet_length(grouped_stack) + octet_length(search))::bigint,
                      (select text_bytes from app) from leak_text
                    """)
            ).first
            #expect(
                (29_000..<32_000).contains(bytes?.int(0) ?? 0)
                    && (29_000..<32_000).contains(bytes?.int(1) ?? 0))
            #expect(try migrated.count([submission(leaks.map { Report(leak: $0) })], now: noon) == [.counted])
            #expect(try migrated.verify() == [])
        }

        @Test
        func `a migration adds the count of bytes of samples and other details, and new reports are counted`()
            throws
        {
            let report = Report(leak: leak("Page"), body: #"{"m":"0123456789"}"#)
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try store.count([submission([report], key: "a")], now: noon)
            let connection = try PostgreSQLConnection(to: schema.address)
            try goBack(
                to: 14, by: "alter table idempotency_use drop column detail_bytes", on: connection)
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try version() == Migration.newestVersion)
            _ = try migrated.count([submission([report], key: "b")], now: noon)
            let bytes = try connection.run(Query("select sum(detail_bytes)::bigint from idempotency_use"))
            // The second report is also stored as a random sample.
            #expect((82..<200).contains(bytes.first?.int(0) ?? 0))
        }

        @Test func `a migration adds the last hour with reports of each leak`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let reports = [
                Report(leak: leak("Late"), at: noon), Report(leak: leak("Late"), at: noon - 9 * day),
                Report(leak: leak("Old"), at: noon - 300 * day),
                Report(leak: leak("Old"), isFreed: true, at: noon),
                Report(leak: leak("Freed"), isFreed: true, at: noon),
            ]
            _ = try store.count([submission(reports)], now: noon)
            try store.expire(now: noon)
            let connection = try PostgreSQLConnection(to: schema.address)
            let lastHours = Query(
                "select title || ' ' || coalesce(last_hour, 0) from leak join leak_text on leak = id order by title"
            )
            let expected = ["Freed 0", "Late \(noon / hour)", "Old \((noon - 300 * day) / day * 24)"]
            #expect(try connection.run(lastHours).map { $0.text(0) } == expected)
            try goBack(
                to: 6, by: "drop index leak_by_last_seen", "alter table leak drop column last_hour",
                on: connection)
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try version() == Migration.newestVersion)
            // The hourly counts of the old leak have expired, so its last hour is the first hour of its last day.
            let oldDay = (noon - 300 * day) / day * 24
            #expect(
                try connection.run(lastHours).map { $0.text(0) }
                    == ["Freed 0", "Late \(noon / hour)", "Old \(oldDay)"])
            #expect(try migrated.verify() == [])
        }

        @Test
        func
            `a migration counts reports before the start of each period, and leaks by the hour they were last seen`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            for days in [100, 60, 20, 10, 3, 0] as [Int64] {
                let reports = [
                    Report(leak: leak("Page"), at: noon - days * day),
                    Report(leak: leak("Freed"), isFreed: true),
                ]
                _ = try store.count([submission(reports)], now: noon)
            }
            let connection = try PostgreSQLConnection(to: schema.address)
            let columns = Period.allCases.map(PeriodColumns.beforeColumn).joined(separator: ", ")
            let before = Query("select array[\(columns)]::text from leak order by class desc")
            let hours = Query(
                "select hour || ' ' || seen || ' ' || reported from app_last_hour where seen > 0 order by 1")
            let expected = try connection.run(before).map { $0.text(0) }
            #expect(try connection.run(hours).map { $0.text(0) } == ["\(noon / hour) 2 1"])
            #expect(expected == ["{5,4,3,2,1}", "{0,0,0,0,0}"])
            let drops = Period.allCases.map { "drop column \(PeriodColumns.beforeColumn($0))" }
            try goBack(
                to: 7, by: "alter table leak \(drops.joined(separator: ", "))", "drop table app_last_hour",
                on: connection)
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try version() == Migration.newestVersion)
            #expect(try connection.run(before).map { $0.text(0) } == expected)
            #expect(try connection.run(hours).map { $0.text(0) } == ["\(noon / hour) 2 1"])
            #expect(try migrated.verify() == [])
        }

        @Test func `a migration adds the columns that lists of a version and searches use`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            for days in [100, 60, 20, 10, 3, 0] as [Int64] {
                let reports = [
                    Report(
                        leak: leak("Page"), version: days < 20 ? "2" : "1", at: noon - days * day,
                        body: #"{"message":"Still HERE"}"#),
                    Report(leak: leak("Freed"), isFreed: true),
                ]
                _ = try store.count([submission(reports)], now: noon)
            }
            let connection = try PostgreSQLConnection(to: schema.address)
            let columns = PeriodColumns.names.joined(separator: ", ")
            let stored = [
                Query("select array[\(columns)]::text from leak order by class desc"),
                Query("select array[last_hour, \(columns)]::text from leak_release order by release, leak"),
                Query("select coalesce(message, '') from leak_text order by title"),
            ]
            let expected = try stored.map { try connection.run($0).map { $0.text(0) } }
            let today = noon / day
            let hours = noon / hour
            #expect(
                expected[0].first
                    == "{5,\(hours),4,\(today - 3),3,\(today - 10),2,\(today - 20),1,\(today - 60)}")
            #expect(
                expected[1].contains(
                    "{\(hours),2,\(hours),1,\(today - 3),0,\(today - 10),0,\(today - 10),0,\(today - 10)}"))
            #expect(expected[2] == ["", "still here"])
            let oldest = Period.allCases.map { "drop column \(PeriodColumns.oldestColumn($0))" }
            let drops = ["drop column last_hour"] + PeriodColumns.names.map { "drop column \($0)" }
            try goBack(
                to: 11, by: "alter table leak \(oldest.joined(separator: ", "))",
                "alter table leak_release \(drops.joined(separator: ", "))",
                "alter table leak_text drop column message", "alter table sample add column message text",
                on: connection)
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try version() == Migration.newestVersion)
            #expect(try stored.map { try connection.run($0).map { $0.text(0) } } == expected)
            #expect(try migrated.verify() == [])
        }

        @Test func `a migration adds the indexes of slow and explained leaks`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try store.count([submission([Report(leak: leak("Page"))])], now: noon)
            let connection = try PostgreSQLConnection(to: schema.address)
            let indexes = Query(
                "select indexdef from pg_indexes where schemaname = current_schema() and tablename = 'leak' order by 1"
            )
            let expected = try connection.run(indexes).map { $0.text(0) }
            try goBack(
                to: 13, by: "drop index leak_slow", "drop index leak_explained", on: connection)
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try version() == Migration.newestVersion)
            #expect(try connection.run(indexes).map { $0.text(0) } == expected)
            #expect(try migrated.verify() == [])
        }

        @Test
        func
            `a migration moves the checks of a version to its first build, and new checks are added to them`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            var batch = submission([Report(leak: leak("Page"), build: "7")])
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: "1.0", build: "7", sessions: 1, leakySessions: 0,
                    checks: ["Page": 3])
            ]
            _ = try store.count([batch], now: noon)
            let connection = try PostgreSQLConnection(to: schema.address)
            try goBack(
                to: 15, by: "drop table build_check", "alter table leak_build drop column buckets",
                "alter table build drop column session_buckets, drop column leaky_buckets", on: connection)
            try connection.run(Query("insert into release_check select id, 'Page', 3 from release"))
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try migrated.count([batch], now: noon) == [.counted])
            #expect(try migrated.verify() == [])
            let rows = try connection.run(Query("select checks, buckets from build_check"))
            #expect(rows.map { $0.int(0) } == [6])
            #expect(rows.compactMap { BucketCountsNumeric.counts($0.bytes(1)) }.map(\.total) == [3])
        }

        @Test func `late reports do not contradict a decision that was stored with schema 20`() throws {
            let page = leak("Page")
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            _ = try store.count([submission([Report(leak: page, count: 5)])], now: noon)
            #expect(
                try store.decide(Decision(.resolve(.newestVersion), by: "a"), about: page.id, now: noon)
                    != nil)
            _ = try PostgreSQLConnection(to: schema.address).run(
                PastSchema.without21.map { Query($0) } + [Query("update schema_version set version = 20")])
            let migrated = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try version() == Migration.newestVersion)
            #expect(try migrated.verify() == [])
            for (age, state) in [(3 * day, LeakState.resolved), (-day, .regressed)] {
                let report = Report(leak: page, at: noon - age, count: 2)
                _ = try migrated.count([submission([report], at: noon + day)], now: noon + day)
                #expect(try migrated.makeReader().leak(page.id, now: noon + day)?.row.state == state)
            }
            #expect(try migrated.verify() == [])
        }

        @Test func `a decision that was stored with schema 21 holds for all builds of its version`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try MigratedDecision.testDecisionAboutVersion(in: store) {
                try migrate(from: 21, by: PastSchema.without22)
            }
        }

        /// Brings the database back to an earlier schema, and opens it again.
        private func migrate(from version: Int, by statements: [String]) throws -> any Store {
            _ = try PostgreSQLConnection(to: schema.address).run(
                statements.map { Query($0) } + [Query("update schema_version set version = \(version)")])
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try self.version() == Migration.newestVersion)
            return store
        }

        @Test func `a regression of a decision that was stored with schema 22 has no known build`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try MigratedDecision.testDecisionAboutBuild(in: store) {
                try migrate(from: 22, by: PastSchema.without23)
            }
        }

        @Test func `a migration finds the build in which each leak was first seen`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try MigratedLeak.testFirstBuild(in: store) { try migrate(from: 23, by: PastSchema.without24) }
        }

        @Test func `a migration gives access tokens their roles`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try MigratedRoles.test(in: store) {
                try migrate(from: 24, by: [MigratedRoles.checkPurposeSQL] + PastSchema.without25)
            }
        }

        @Test func `undoing an ingest key keeps apps, versions and leaks that were stored without keys`()
            throws
        {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try MigratedIngestKeys.test(in: store) { try migrate(from: 26, by: PastSchema.without27) }
        }

        @Test func `the first events of apps from before events were stored are not listed`() throws {
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            try MigratedEvents.test(in: store) {
                try migrate(from: 30, by: ["drop table channel, event, event_mark"])
            }
        }

        @Test func `a migration adds up the newest 91 days of an app, and no earlier days`() throws {
            let late = (0..<5).map { Report(leak: leak("L\($0)"), at: noon - 3 * day) }
            _ = try PostgreSQLStore(address: schema.address, clock: .unguarded).count(
                [submission(late)], now: noon)
            let connection = try PostgreSQLConnection(to: schema.address)
            let today = noon / day
            for before in [90, 91, 500] as [Int64] {
                try connection.run(
                    Query(
                        """
                        insert into leak_day (leak, day, release, reports)
                        select min(id), $1::bigint, min(first_release), $2::bigint from leak
                        """, .integer(today - before), .integer(before)))
            }
            try schema.downgradeToFirstVersion()
            _ = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            let days = try connection.run(Query("select day, reports from app_day order by day"))
            #expect(days.map { [$0.int64(0), $0.int64(1)] } == [[today - 90, 90], [today - 3, 5]])
        }

        @Test func `only one of many collectors that open a schema 1 database upgrades it`() throws {
            try fillSchema1()
            let address = schema.address
            _ = try runTogether(4) { number in
                let store = try PostgreSQLStore(address: address, clock: .unguarded)
                _ = try store.count(
                    [submission([Report(leak: leak("L0"), install: UInt64(number))])], now: noon)
            }
            #expect(try version() == Migration.newestVersion)
            let store = try PostgreSQLStore(address: schema.address, clock: .unguarded)
            #expect(try store.verify() == [])
            let reader = try store.makeReader()
            #expect(try reader.overview(app: "shop", period: .day, now: noon).recentReports == 9)
            #expect(try reader.overview(app: "shop", period: .week, now: noon).recentReports == 15)
            #expect(try reader.leak(leak("L0").id, now: noon)?.row.state == .open)
            _ = try store.decide(Decision(.ignore(nil), by: "ada"), about: leak("L0").id, now: noon)
            #expect(try reader.leak(leak("L0").id, now: noon)?.row.state == .ignored)
        }
    }

    extension DatabaseSchema {
        /// Changes the schema to that of a collector that knew only the first schema version.
        func downgradeToFirstVersion() throws {
            _ = try PostgreSQLConnection(to: address).run(
                PastSchema.without20.map { Query($0) } + [
                    Query("drop table decision, decision_release, app_day"),
                    Query("alter table leak drop column state"),
                    Query("delete from install_set where scope = 5"),
                    Query("update schema_version set version = 1"), Query(PastSchema.createReleaseCheckSQL),
                ])
        }
    }
#endif
