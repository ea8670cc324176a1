extension QueryReader {
    package func leak(_ id: LeakID, now: Int64) throws(StoreError) -> LeakDetail? {
        let firstDay = Calendar.day(of: now) - LeakRow.trendDays + 1
        return try snapshot { connection throws(StoreError) in
            guard let (storedRow, rowID) = try connection.read(StoreQueries.row(of: id)) else { return nil }
            let (versions, trend, siblings, samples, lifetimes, reference, history, storedValues) =
                try connection.readAll(
                    StoreQueries.versions(of: rowID), StoreQueries.trend(of: rowID, by: .day, from: firstDay),
                    StoreQueries.siblings(of: rowID), StoreQueries.sampleCount(of: rowID),
                    StoreQueries.lifetimes(of: rowID), StoreQueries.referenceBuild(of: rowID),
                    StoreQueries.history(of: rowID), StoreQueries.values(of: [rowID]))
            var leakValues = storedValues
            try connection.addLoggedValues(to: &leakValues, of: [rowID])
            let values = leakValues[rowID] ?? [:]
            var row = storedRow
            row.trendFrom = firstDay
            row.trend = (0..<LeakRow.trendDays).map { day in
                trend.versions.reduce(into: 0) { $0.addBounded($1.counts[day]) }
            }
            row.mark(
                try knownMatch(of: row, rowID, on: connection),
                try decidedLeaks(among: [rowID], on: connection).first?.decisionStatus, now: now)
            var rows = [row]
            try connection.addFixes(to: &rows, rowIDs: [rowID])
            func counts(_ kind: ValueKind) -> [(text: String, count: Int)] {
                (values[kind] ?? [:]).map { ($0.key.text, $0.value) }
            }
            var detail = LeakDetail(
                row: rows[0], versions: versions,
                systems: LeakDetail.ranked(values[.system] ?? [:]),
                models: LeakDetail.ranked(values[.model] ?? [:]),
                trend: trend, siblings: siblings, samples: samples ?? 0, lived: lifetimes ?? [],
                reasons: LeakDetail.sortedCounts(counts(.reason)),
                closures: LeakDetail.sortedCounts(counts(.closures)),
                retainedBytes: LeakDetail.retainedBytes(counts(.retainedBytes)),
                referenceVersion: reference?.version, referenceBuild: reference?.build)
            try connection.add(history, to: &detail, of: rowID)
            return detail
        }
    }

    package func trend(of id: LeakID, by step: Trend.Step, now: Int64) throws(StoreError) -> Trend? {
        let firstDay = Calendar.day(of: now) - LeakRow.trendDays + 1
        return try snapshot { connection throws(StoreError) in
            guard let rowID = try connection.read(StoreQueries.rowID(of: id)).first else { return nil }
            let first = step == .day ? firstDay : firstDay * 24
            return try connection.read(StoreQueries.trend(of: rowID, by: step, from: first))
        }
    }

    package func samples(of id: LeakID) throws(StoreError) -> [SampleReport]? {
        try snapshot { connection throws(StoreError) in
            guard let rowID = try connection.read(StoreQueries.rowID(of: id)).first else { return nil }
            var samples = try connection.read(StoreQueries.samples(of: rowID)).samples
            if samples.count > 1, samples[1].reason == .first { samples.swapAt(0, 1) }
            return samples
        }
    }

    /// Returns the known leak that explains a leak; `nil` if there is none.
    ///
    /// - Parameter rowID: the row ID of the leak.
    private func knownMatch(
        of row: LeakRow, _ rowID: Int64, on connection: Connection
    ) throws(StoreError) -> KnownMatch? {
        guard let className = row.identity.className, knownLeaks.namesClass(className) else { return nil }
        var observedLeaks = [
            rowID: ObservedLeak(
                className: className, kind: row.identity.kind, stack: [], reports: row.reports, systems: [])
        ]
        try connection.addStacksAndSystems(to: &observedLeaks)
        return observedLeaks[rowID].flatMap { knownLeaks.match($0) }
    }
}

extension StoreConnection {
    /// Adds the stacks and systems of leaks, by row ID in `leak`.
    package func addStacksAndSystems(to leaks: inout [Int64: ObservedLeak]) throws(StoreError) {
        guard !leaks.isEmpty else { return }
        let rowIDs = leaks.keys.sorted()
        let (stacks, storedValues) = try readAll(
            StoreQueries.stacks(of: rowIDs), StoreQueries.values(of: rowIDs, kind: .system))
        for (rowID, stack) in stacks { leaks[rowID]?.stack = stack }
        var values = storedValues
        try addLoggedValues(to: &values, of: rowIDs)
        for (rowID, kinds) in values {
            leaks[rowID]?.systems = (kinds[.system] ?? [:]).map { ($0.key.text, $0.value) }
        }
    }

    /// Returns the rows of leaks, by row ID in `leak`.
    package func rows(_ leaks: [Int64]) throws(StoreError) -> [Int64: LeakRow] {
        try read(StoreQueries.rows(leaks))
    }
}

extension LeakDetail {
    /// Maximum number of values of one kind that are named; all other values are counted as `other`.
    private static let maxValuesShown = 20

    /// Returns the ``maxValuesShown`` values with the most reports, followed by the sum of all other values.
    fileprivate static func ranked(_ values: [ByteText: Int]) -> [ValueCount] {
        var counts: [ValueCount] = []
        var otherReports = 0
        let sortedValues = values.sorted {
            $0.value == $1.value
                ? $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) : $0.value > $1.value
        }
        for (value, reports) in sortedValues {
            if value.text.isEmpty || counts.count == maxValuesShown {
                otherReports.addBounded(reports)
            } else {
                counts.append(ValueCount(value: value.text, reports: reports))
            }
        }
        if otherReports > 0 { counts.append(ValueCount(value: "other", reports: otherReports)) }
        return counts
    }
}

extension StoreQueries {
    private static let maxSiblingsShown = 20

    fileprivate static func rowID(of id: LeakID) -> StoreRead<[Int64]> {
        StoreRead<[Int64]>.numbers("select id from leak where key = $1::uuid", .id(id))
    }

    fileprivate static func row(of id: LeakID) -> StoreRead<(row: LeakRow, rowID: Int64)?> {
        StoreRead(
            .composed(
                """
                with page as (
                  select id, 0 as k1, 0 as k2, reports, installs, \(LeakRow.rateReleaseSQL(of: "leak")) as rate_release
                  from leak where key = $1::uuid
                )
                \(LeakRow.selectSQL)
                """), .id(id)
        ) { (row: NamedRow<LeakRow.Column>) throws(StoreError) in (try LeakRow(row), row.int64(.row)) }
    }

    /// Reads the rows of leaks, by row ID in `leak`.
    fileprivate static func rows(_ leaks: [Int64]) -> StoreRead<[Int64: LeakRow]> {
        StoreRead(
            .composed(
                """
                with page as (
                  select l.id, 0 as k1, 0 as k2, l.reports, l.installs, \(LeakRow.rateReleaseSQL(of: "l")) as rate_release
                  from \(listedSQL) leak l on l.id = j.value
                )
                \(LeakRow.selectSQL)
                """), [.integers(leaks)], into: [:]
        ) { (row: NamedRow<LeakRow.Column>, rows) throws(StoreError) in
            rows[row.int64(.row)] = try LeakRow(row)
        }
    }

    /// Reads ``LeakDetail/referenceVersion``, with its newest build.
    fileprivate static func referenceBuild(of leak: Int64) -> StoreRead<ReleaseBuild?> {
        enum Column: Int32, QueryColumn { case version, newestBuild }
        return StoreRead(
            .composed(
                """
                select r.version, (\(CurrentRelease.newestBuildSQL)) as newest_build
                from leak l join app a on a.id = l.app
                join release r on r.id = (\(CurrentRelease.referenceReleaseSQL)) where l.id = $1::bigint
                """), .integer(leak)
        ) { (row: NamedRow<Column>) in
            ReleaseBuild(current: row.text(.version), newestBuild: row.optionalText(.newestBuild))
        }
    }

    fileprivate static func versions(of leak: Int64) -> StoreRead<[LeakDetail.VersionCount]> {
        enum Column: Int32, QueryColumn { case version, build, reports, installs, versionInstalls }
        return StoreRead(
            """
            select r.version, b.name as build, c.reports, least(c.installs, c.reports) as installs,
              least(v.installs, v.reports) as version_installs
            from leak_build c join build b on b.id = c.build join release r on r.id = b.release
            join leak_release v on v.leak = c.leak and v.release = r.id
            where c.leak = $1::bigint order by r.order_key desc, b.order_key desc
            """, .integer(leak)
        ) { (row: NamedRow<Column>) in
            let build = row.text(.build)
            return LeakDetail.VersionCount(
                version: row.text(.version), build: build.isEmpty ? nil : build, reports: row.int(.reports),
                installs: row.int(.installs), versionInstalls: row.int(.versionInstalls))
        }
    }

    fileprivate static func lifetimes(of leak: Int64) -> StoreRead<[LeakDetail.LivedRange]?> {
        StoreRead("select histogram from leak_lived where leak = $1::bigint", .integer(leak)) {
            (row: NamedRow<OnlyColumn>) throws(StoreError) in try row.histogram(.value).ranges
        }
    }

    fileprivate static func stacks(of leaks: [Int64]) -> StoreRead<[(rowID: Int64, stack: [String])]> {
        enum Column: Int32, QueryColumn { case leak, stack }
        return StoreRead(
            .composed("select t.leak, t.stack from \(listedSQL) leak_text t on t.leak = j.value"),
            .integers(leaks)
        ) { (row: NamedRow<Column>) throws(StoreError) in (row.int64(.leak), try row.texts(.stack)) }
    }

    /// Reads the values that are in `leak_value`.
    ///
    /// - Parameter kind: the only kind to read; `nil` for all.
    fileprivate static func values(of leaks: [Int64], kind: ValueKind? = nil) -> StoreRead<LeakValues> {
        enum Column: Int32, QueryColumn { case leak, kind, value, reports }
        func read(_ sql: SQLText, _ values: [StoreValue]) -> StoreRead<LeakValues> {
            StoreRead(sql, values, into: [:]) { (row: NamedRow<Column>, values: inout LeakValues) in
                guard let kind = ValueKind(rawValue: row.int(.kind)) else { return }
                values[row.int64(.leak), default: [:]][kind, default: [:]][
                    ByteText(row.text(.value)), default: 0
                ].addBounded(row.int(.reports))
            }
        }
        let select =
            "select v.leak, v.kind, v.value, v.reports from \(listedSQL) leak_value v on v.leak = j.value"
        guard let kind else { return read(.composed(select), [.integers(leaks)]) }
        return read(
            .composed(select + " and v.kind = $2::bigint"), [.integers(leaks), .int(kind.rawValue)])
    }

    /// Reads the other leaks of the class of a leak with the most reports.
    fileprivate static func siblings(of leak: Int64) -> StoreRead<[LeakDetail.Sibling]> {
        enum Column: Int32, QueryColumn { case key, stack, reports }
        // The plus prevents SQLite from using the index of reports. In that index, it would read all leaks to find those of the
        // class.
        return StoreRead(
            """
            select l.key, t.stack, l.reports
            from (select l.id, l.key, l.reports
              from leak this join leak l on l.app = this.app and l.class = this.class and l.id <> this.id
              where this.id = $1::bigint order by /*! + */ l.reports desc, l.id limit $2::bigint) as l
            join leak_text t on t.leak = l.id order by l.reports desc, l.id
            """, .integer(leak), .int(maxSiblingsShown)
        ) { (row: NamedRow<Column>) throws(StoreError) in
            LeakDetail.Sibling(
                id: try row.id(.key), stack: try row.texts(.stack), reports: row.int(.reports))
        }
    }

    /// Reads the reports of a leak by version, and by hour or day, in ``LeakRow/trendDays`` days.
    ///
    /// - Parameter first: the first hour or day.
    fileprivate static func trend(of leak: Int64, by step: Trend.Step, from first: Int) -> StoreRead<Trend> {
        enum Column: Int32, QueryColumn { case version, time, reports }
        func read(_ sql: SQLText, count: Int) -> StoreRead<Trend> {
            let values: [StoreValue] = [.integer(leak), .int(first), .int(first + count - 1)]
            return StoreRead(sql, values, into: Trend(step: step, from: first, versions: [])) {
                (row: NamedRow<Column>, trend) throws(StoreError) in
                let version = row.text(.version)
                if trend.versions.last.map({ ByteText($0.version) }) != ByteText(version) {
                    trend.versions.append(
                        Trend.Series(version: version, counts: [Int](repeating: 0, count: count)))
                }
                let time = try row.bucket(.time, from: first, count: count)
                trend.versions[trend.versions.count - 1].counts[time].addBounded(row.int(.reports))
            }
        }
        switch step {
        case .day:
            return read(
                """
                select r.version, d.day as time, d.reports from leak_day d join release r on r.id = d.release
                where d.leak = $1::bigint and d.day between $2::bigint and $3::bigint order by r.order_key desc, d.day
                """, count: LeakRow.trendDays)
        case .hour:
            return read(
                """
                select r.version, h.hour as time, h.reports from leak_hour h join release r on r.id = h.release
                where h.leak = $1::bigint and h.hour between $2::bigint and $3::bigint order by r.order_key desc, h.hour
                """, count: LeakRow.trendDays * 24)
        }
    }

    fileprivate static func sampleCount(of leak: Int64) -> StoreRead<Int?> {
        StoreRead("select count(distinct ordinal) from SAMPLES($1::bigint) as s", .integer(leak)) {
            (row: NamedRow<OnlyColumn>) in row.int(.value)
        }
    }

    fileprivate struct Samples {
        var samples: [SampleReport] = []
        var ordinals: Set<Int> = []
    }

    /// Reads the samples of a leak. A report in several sample slots is read once: as the newest, else as the first, else as a
    /// random one.
    fileprivate static func samples(of leak: Int64) -> StoreRead<Samples> {
        enum Column: Int32, QueryColumn {
            case slot, ordinal, at, name, version, build, system, model, installHash, install, user, body,
                environment
        }
        return StoreRead(
            """
            select s.slot, s.ordinal, s.at, a.name, s.version, s.build, s.system, s.model, s.install_hash, s.install,
              s."user", s.body, a.environment
            from SAMPLES($1::bigint) as s join leak l on l.id = $1::bigint join app a on a.id = l.app
            order by case s.slot when 1 then 0 when 0 then 1 else 2 end, s.at desc, s.ordinal desc
            """, [.integer(leak)], into: Samples()
        ) { (row: NamedRow<Column>, samples) throws(StoreError) in
            guard samples.ordinals.insert(row.int(.ordinal)).inserted else { return }
            let reason: SampleReport.Reason =
                switch row.int(.slot) {
                case SampleSlot.first: .first
                case SampleSlot.newest: .newest
                default: .random
                }
            let origin = Submission.Origin(
                app: row.text(.name), environment: row.text(.environment), version: row.text(.version),
                build: row.optionalText(.build), system: row.optionalText(.system),
                model: row.optionalText(.model),
                installHash: row.optionalInt64(.installHash).map { UInt64(bitPattern: $0) },
                install: row.optionalText(.install), user: row.optionalText(.user))
            samples.samples.append(
                SampleReport(
                    reason: reason, at: row.time(.at), origin: origin, body: try row.sampleJSON(.body)))
        }
    }
}
