#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        /// Maximum number of values of one kind that are named; all other values are counted as `other`.
        private static let maxValuesShown = 20
        private static let maxSiblingsShown = 20

        func leak(_ id: LeakID, now: Int64) throws(StoreError) -> LeakDetail? {
            let first = Calendar.day(of: now) - LeakRow.trendDays + 1
            return try snapshot { connection throws(StoreError) in
                let answer = try connection.run(
                    Query(
                        """
                        with page as (
                          select id, 0 as k1, 0 as k2, reports, installs,
                            \(LeakRow.rateReleaseSQL(of: "leak")) as rate_release
                          from leak where key = any($1::uuid[])
                        )
                        \(LeakRow.selectSQL)
                        """, .uuids([id])))
                guard let found = answer.first else { return nil }
                var row = try LeakRow(found, in: connection.name)
                let number = found.int64(0)
                let answers = try connection.run([
                    Self.versions(of: number), Self.values(.system, of: number),
                    Self.values(.model, of: number),
                    Self.days(of: number, from: first), Self.siblings(of: number),
                    Query(
                        "select count(distinct ordinal) from sample where leak = $1::bigint", .integer(number)
                    ), Self.history(of: number),
                    Query("select histogram from leak_lived where leak = $1::bigint", .integer(number)),
                    Self.values(.reason, of: number), Self.values(.retainedBytes, of: number),
                    Self.values(.closures, of: number),
                    Query(
                        """
                        select r.version, (\(BucketCountsNumeric.newestBuildSQL)) from leak l join app a on a.id = l.app
                        join release r on r.id = (\(CurrentRelease.referenceReleaseSQL)) where l.id = $1::bigint
                        """, .integer(number)),
                ])
                let trend = Self.trend(answers[3], .day, from: first, count: LeakRow.trendDays)
                row.trendFrom = first
                row.trend = (0..<LeakRow.trendDays).map { day in
                    trend.versions.reduce(into: 0) { $0.addBounded($1.counts[day]) }
                }
                row.mark(
                    try knownMatch(of: row, number, on: connection),
                    try decidedLeaks(among: [number], on: connection).first?.decisionStatus, now: now)
                var rows = [row]
                try Self.addFixes(to: &rows, rowIDs: [number], on: connection)
                row = rows[0]
                let reference = answers[11].first.map {
                    ReleaseBuild(current: $0.text(0), newestBuild: $0.optionalText(1))
                }
                var detail = LeakDetail(
                    row: row, versions: answers[0].map { Self.version($0) },
                    systems: Self.values(answers[1]), models: Self.values(answers[2]), trend: trend,
                    siblings: try Self.siblings(answers[4], connection),
                    samples: answers[5].first?.int(0) ?? 0,
                    lived: answers[7].first.flatMap { DurationHistogram(bytes: $0.bytes(0)) }?.ranges ?? [],
                    reasons: LeakDetail.sortedCounts(answers[8].map { ($0.text(0), $0.int(1)) }),
                    closures: LeakDetail.sortedCounts(answers[10].map { ($0.text(0), $0.int(1)) }),
                    retainedBytes: LeakDetail.retainedBytes(answers[9].map { ($0.text(0), $0.int(1)) }),
                    referenceVersion: reference?.version, referenceBuild: reference?.build)
                try Self.addHistory(answers[6], to: &detail, of: number, on: connection)
                return detail
            }
        }

        func trend(of id: LeakID, by step: Trend.Step, now: Int64) throws(StoreError) -> Trend? {
            let firstDay = Calendar.day(of: now) - LeakRow.trendDays + 1
            return try snapshot { connection throws(StoreError) in
                guard let number = try Self.rowID(of: id, on: connection) else { return nil }
                switch step {
                case .day:
                    return Self.trend(
                        try connection.run(Self.days(of: number, from: firstDay)), .day, from: firstDay,
                        count: LeakRow.trendDays)
                case .hour:
                    return Self.trend(
                        try connection.run(Self.hours(of: number, from: firstDay * 24)), .hour,
                        from: firstDay * 24, count: LeakRow.trendDays * 24)
                }
            }
        }

        func samples(of id: LeakID) throws(StoreError) -> [SampleReport]? {
            try snapshot { connection throws(StoreError) in
                guard let number = try Self.rowID(of: id, on: connection) else { return nil }
                return Self.samples(
                    try connection.run(
                        Query(
                            """
                            select s.slot, s.ordinal, s.at, a.name, s.version, s.build, s.system, s.model,
                              s.install_hash, s.install, s."user", s.body, a.environment
                            from sample s join leak l on l.id = s.leak join app a on a.id = l.app
                            where s.leak = $1::bigint
                            order by case s.slot when 1 then 0 when 0 then 1 else 2 end, s.at desc, s.ordinal desc
                            """, .integer(number))))
            }
        }

        private static func rowID(of id: LeakID, on connection: PostgreSQLConnection) throws(StoreError)
            -> Int64?
        {
            try connection.run(Query("select id from leak where key = any($1::uuid[])", .uuids([id])))
                .first?.int64(0)
        }

        private static func versions(of leak: Int64) -> Query {
            Query(
                """
                select r.version, b.name, c.reports, least(c.installs, c.reports), least(v.installs, v.reports)
                from leak_build c join build b on b.id = c.build join release r on r.id = b.release
                join leak_release v on v.leak = c.leak and v.release = r.id
                where c.leak = $1::bigint order by r.order_key desc, b.order_key desc
                """, .integer(leak))
        }

        private static func version(_ row: Row) -> LeakDetail.VersionCount {
            let build = row.text(1)
            return LeakDetail.VersionCount(
                version: row.text(0), build: build.isEmpty ? nil : build, reports: row.int(2),
                installs: row.int(3), versionInstalls: row.int(4))
        }

        private static func values(_ kind: ValueKind, of leak: Int64) -> Query {
            Query(
                """
                select value, reports from leak_value where leak = $1::bigint and kind = $2::bigint
                order by reports desc, value
                """, .integer(leak), .integer(kind.rawValue))
        }

        private static func values(_ rows: Rows) -> [LeakDetail.ValueCount] {
            var values: [LeakDetail.ValueCount] = []
            var other = 0
            for row in rows {
                let value = row.text(0)
                if value.isEmpty || values.count == maxValuesShown {
                    other.addBounded(row.int(1))
                } else {
                    values.append(LeakDetail.ValueCount(value: value, reports: row.int(1)))
                }
            }
            if other > 0 { values.append(LeakDetail.ValueCount(value: "other", reports: other)) }
            return values
        }

        private static func siblings(of leak: Int64) -> Query {
            Query(
                """
                select l.key, t.stack, l.reports
                from (select l.id, l.key, l.reports
                  from leak this join leak l on l.app = this.app and l.class = this.class and l.id <> this.id
                  where this.id = $1::bigint order by l.reports desc, l.id limit $2::bigint) as l
                join leak_text t on t.leak = l.id order by l.reports desc, l.id
                """, .integer(leak), .integer(maxSiblingsShown))
        }

        private static func siblings(
            _ rows: Rows, _ connection: PostgreSQLConnection
        ) throws(StoreError) -> [LeakDetail.Sibling] {
            var siblings: [LeakDetail.Sibling] = []
            for row in rows {
                guard let id = LeakID(blob: row.bytes(0)), let stack = PackedReader.texts(row.bytes(1)) else {
                    throw .unreadable("a leak", in: connection.name)
                }
                siblings.append(LeakDetail.Sibling(id: id, stack: stack, reports: row.int(2)))
            }
            return siblings
        }

        private static func days(of leak: Int64, from first: Int) -> Query {
            Query(
                """
                select r.version, d.day, d.reports from leak_day d join release r on r.id = d.release
                where d.leak = $1::bigint and d.day between $2::bigint and $3::bigint
                order by r.order_key desc, d.day
                """, .integer(leak), .integer(first), .integer(first + LeakRow.trendDays - 1))
        }

        private static func hours(of leak: Int64, from first: Int) -> Query {
            Query(
                """
                select r.version, h.hour, h.reports from leak_hour h join release r on r.id = h.release
                where h.leak = $1::bigint and h.hour between $2::bigint and $3::bigint
                order by r.order_key desc, h.hour
                """, .integer(leak), .integer(first), .integer(first + LeakRow.trendDays * 24 - 1))
        }

        private static func trend(
            _ rows: Rows, _ step: Trend.Step, from first: Int, count: Int
        ) -> Trend {
            var series: [Trend.Series] = []
            for row in rows {
                let version = row.text(0)
                if series.last.map({ ByteText($0.version) }) != ByteText(version) {
                    series.append(
                        Trend.Series(version: version, counts: [Int](repeating: 0, count: count)))
                }
                series[series.count - 1].counts[row.int(1) - first].addBounded(row.int(2))
            }
            return Trend(step: step, from: first, versions: series)
        }

        /// Returns the samples. One report may be in several sample slots; it is returned once: as the newest, else as the first,
        /// else as a random one.
        private static func samples(_ rows: Rows) -> [SampleReport] {
            var seenOrdinals: Set<Int> = []
            var samples: [SampleReport] = []
            for row in rows where seenOrdinals.insert(row.int(1)).inserted {
                let reason: SampleReport.Reason =
                    switch row.int(0) {
                    case SampleSlot.first: .first
                    case SampleSlot.newest: .newest
                    default: .random
                    }
                let origin = Submission.Origin(
                    app: row.text(3), environment: row.text(12), version: row.text(4),
                    build: row.optionalText(5), system: row.optionalText(6), model: row.optionalText(7),
                    installHash: row.optionalInt64(8).map { UInt64(bitPattern: $0) },
                    install: row.optionalText(9), user: row.optionalText(10))
                samples.append(
                    SampleReport(reason: reason, at: row.int64(2), origin: origin, body: row.bytes(11)))
            }
            if samples.count > 1, samples[1].reason == .first { samples.swapAt(0, 1) }
            return samples
        }
    }
#endif
