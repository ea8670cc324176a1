extension SQLiteReader {
    /// Maximum number of values of one kind that are named; all other values are counted as `other`.
    private static let maxValuesShown = 20
    private static let maxSiblingsShown = 20

    func leak(_ id: LeakID, now: Int64) throws(StoreError) -> LeakDetail? {
        try snapshot { () throws(StoreError) in
            guard let storedLeak = try storedLeak(id) else { return nil }
            var row = storedLeak.row
            let firstDay = Calendar.day(of: now) - LeakRow.trendDays + 1
            let trend = try dayTrend(of: storedLeak.rowID, from: firstDay)
            row.trendFrom = firstDay
            row.trend = (0..<LeakRow.trendDays).map { day in
                trend.versions.reduce(into: 0) { $0.addBounded($1.counts[day]) }
            }
            row.mark(
                try knownMatch(of: row, storedLeak.rowID),
                try decisionStatuses(of: [storedLeak.rowID])[storedLeak.rowID],
                now: now)
            var rows = [row]
            try addFixes(to: &rows, rowIDs: [storedLeak.rowID])
            row = rows[0]
            let values = try values(of: [storedLeak.rowID])[storedLeak.rowID] ?? [:]
            let reference = try referenceBuild(of: storedLeak.rowID)
            var detail = LeakDetail(
                row: row, versions: try versions(of: storedLeak.rowID),
                systems: Self.ranked(values[.system] ?? [:]), models: Self.ranked(values[.model] ?? [:]),
                trend: trend, siblings: try siblings(of: row.identity, storedLeak.rowID),
                samples: try sampleCount(of: storedLeak.rowID),
                lived: try readLifetimes(of: storedLeak.rowID),
                reasons: LeakDetail.sortedCounts((values[.reason] ?? [:]).map { ($0.key.text, $0.value) }),
                closures: LeakDetail.sortedCounts((values[.closures] ?? [:]).map { ($0.key.text, $0.value) }),
                retainedBytes: LeakDetail.retainedBytes(
                    (values[.retainedBytes] ?? [:]).map { ($0.key.text, $0.value) }),
                referenceVersion: reference?.version, referenceBuild: reference?.build)
            try addHistory(to: &detail, of: storedLeak.rowID)
            return detail
        }
    }

    /// Returns ``LeakDetail/referenceVersion``, with its newest build.
    private func referenceBuild(of leak: Int64) throws(StoreError) -> ReleaseBuild? {
        let select = try connection.statement(
            composed: """
                select r.version, (\(newestBuildSQL)) from leak l join app a on a.id = l.app
                join release r on r.id = (\(CurrentRelease.referenceReleaseSQL)) where l.id = ?
                """)
        defer { select.reset() }
        try select.bind(leak)
        return try select.step()
            ? ReleaseBuild(current: select.text(0), newestBuild: select.optionalText(1)) : nil
    }

    func trend(of id: LeakID, by step: Trend.Step, now: Int64) throws(StoreError) -> Trend? {
        try snapshot { () throws(StoreError) in
            guard let number = try rowID(of: id) else { return nil }
            let firstDay = Calendar.day(of: now) - LeakRow.trendDays + 1
            switch step {
            case .day: return try dayTrend(of: number, from: firstDay)
            case .hour: return try hourTrend(of: number, from: firstDay * 24)
            }
        }
    }

    func samples(of id: LeakID) throws(StoreError) -> [SampleReport]? {
        try snapshot { () throws(StoreError) in
            guard let number = try rowID(of: id) else { return nil }
            return try samples(of: number)
        }
    }

    private func rowID(of id: LeakID) throws(StoreError) -> Int64? {
        let select = try connection.statement("select id from leak where key = ?")
        defer { select.reset() }
        try select.bind(id.bytes)
        return try select.step() ? select.int64(0) : nil
    }

    private func storedLeak(_ id: LeakID) throws(StoreError) -> (row: LeakRow, rowID: Int64)? {
        let select = try connection.statement(
            composed: """
                with page as (
                  select id, 0 as k1, 0 as k2, reports, installs, \(LeakRow.rateReleaseSQL(of: "leak")) as rate_release
                  from leak where key = ?
                )
                \(LeakRow.selectSQL)
                """)
        defer { select.reset() }
        try select.bind(id.bytes)
        guard try select.step() else { return nil }
        return (try LeakRow(select, in: connection.path), select.int64(0))
    }

    private func versions(of leak: Int64) throws(StoreError) -> [LeakDetail.VersionCount] {
        let select = try connection.statement(
            """
            select r.version, b.name, c.reports, min(c.installs, c.reports), min(v.installs, v.reports)
            from leak_build c join build b on b.id = c.build join release r on r.id = b.release
            join leak_release v on v.leak = c.leak and v.release = r.id
            where c.leak = ? order by r.order_key desc, b.order_key desc
            """)
        defer { select.reset() }
        try select.bind(leak)
        var versions: [LeakDetail.VersionCount] = []
        while try select.step() {
            let build = select.text(1)
            versions.append(
                LeakDetail.VersionCount(
                    version: select.text(0), build: build.isEmpty ? nil : build, reports: select.int(2),
                    installs: select.int(3), versionInstalls: select.int(4)))
        }
        return versions
    }

    private func readLifetimes(of leak: Int64) throws(StoreError) -> [LeakDetail.LivedRange] {
        let select = try connection.statement("select histogram from leak_lived where leak = ?")
        defer { select.reset() }
        try select.bind(leak)
        guard try select.step() else { return [] }
        guard let histogram = DurationHistogram(bytes: select.bytes(0)) else {
            throw .unreadable("a histogram", in: connection.path)
        }
        return histogram.ranges
    }

    /// Returns reports by value, for each leak and kind. The empty text stands for all values beyond the limit.
    func values(of leaks: Set<Int64>) throws(StoreError) -> [Int64: [ValueKind: [ByteText: Int]]] {
        var values: [Int64: [ValueKind: [ByteText: Int]]] = [:]
        func add(_ reports: Int, to text: String, _ kind: Int, of leak: Int64) {
            guard let kind = ValueKind(rawValue: kind) else { return }
            values[leak, default: [:]][kind, default: [:]][ByteText(text), default: 0].addBounded(reports)
        }
        let select = try connection.statement(
            """
            select v.leak, v.kind, v.value, v.reports from json_each(?1) j cross join leak_value v on v.leak = j.value
            """)
        defer { select.reset() }
        try select.bind(leaks.sorted().jsonArray)
        while try select.step() { add(select.int(3), to: select.text(2), select.int(1), of: select.int64(0)) }
        let log = try connection.loadValueLog(of: leaks)
        func isAdmitted(_ text: ByteText, _ kind: Int, of leak: Int64) -> Bool {
            guard let counts = ValueKind(rawValue: kind).flatMap({ values[leak]?[$0] }) else { return true }
            let namedCount = counts.count - (counts[ByteText("")] == nil ? 0 : 1)
            return namedCount < ValueKind.limit || counts[text] != nil
        }
        // A value is counted by name here if a flush of the log would count it by name.
        for row in CountRow.summed(log.rows) {
            let text = log.texts[Int(row.releaseOrValue)]
            let isNamed = isAdmitted(ByteText(text), row.periodOrKind, of: row.leak)
            add(row.reports, to: isNamed ? text : "", row.periodOrKind, of: row.leak)
        }
        return values
    }

    /// Returns the ``maxValuesShown`` values with the most reports, followed by the sum of all other values.
    private static func ranked(_ values: [ByteText: Int]) -> [LeakDetail.ValueCount] {
        var counts: [LeakDetail.ValueCount] = []
        var otherReports = 0
        let sortedValues = values.sorted {
            $0.value == $1.value
                ? $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) : $0.value > $1.value
        }
        for (value, reports) in sortedValues {
            if value.text.isEmpty || counts.count == maxValuesShown {
                otherReports.addBounded(reports)
            } else {
                counts.append(LeakDetail.ValueCount(value: value.text, reports: reports))
            }
        }
        if otherReports > 0 { counts.append(LeakDetail.ValueCount(value: "other", reports: otherReports)) }
        return counts
    }

    private func siblings(of identity: LeakIdentity, _ leak: Int64) throws(StoreError) -> [LeakDetail.Sibling]
    {
        guard let className = identity.className else { return [] }
        // The plus prevents SQLite from using the index of reports. In that index, it would read all leaks to find those of the
        // class.
        let select = try connection.statement(
            """
            select l.key, t.stack, l.reports from leak l join leak_text t on t.leak = l.id
            where l.app = (select app from leak where id = ?1) and l.class = ?2 and l.id <> ?1
            order by +l.reports desc, l.id limit ?3
            """)
        defer { select.reset() }
        try select.bind(leak, className, Self.maxSiblingsShown)
        var siblings: [LeakDetail.Sibling] = []
        while try select.step() {
            guard let id = LeakID(blob: select.bytes(0)), let stack = PackedReader.texts(select.bytes(1))
            else {
                throw .unreadable("a leak", in: connection.path)
            }
            siblings.append(LeakDetail.Sibling(id: id, stack: stack, reports: select.int(2)))
        }
        return siblings
    }

    private func dayTrend(of leak: Int64, from first: Int) throws(StoreError) -> Trend {
        try trend(
            reading: connection.statement(
                """
                select r.version, d.day, d.reports from leak_day d join release r on r.id = d.release
                where d.leak = ? and d.day between ? and ? order by r.order_key desc, d.day
                """), by: .day, ofLeak: leak, from: first, count: LeakRow.trendDays)
    }

    private func hourTrend(of leak: Int64, from first: Int) throws(StoreError) -> Trend {
        try trend(
            reading: connection.statement(
                """
                select r.version, h.hour, h.reports from leak_hour h join release r on r.id = h.release
                where h.leak = ? and h.hour between ? and ? order by r.order_key desc, h.hour
                """), by: .hour, ofLeak: leak, from: first, count: LeakRow.trendDays * 24)
    }

    private func trend(
        reading select: Statement, by step: Trend.Step, ofLeak leak: Int64, from first: Int, count: Int
    ) throws(StoreError) -> Trend {
        defer { select.reset() }
        try select.bind(leak, first, first + count - 1)
        var series: [Trend.Series] = []
        while try select.step() {
            let version = select.text(0)
            if series.last.map({ ByteText($0.version) }) != ByteText(version) {
                series.append(Trend.Series(version: version, counts: [Int](repeating: 0, count: count)))
            }
            let bucket = try select.bucket(1, from: first, count: count)
            series[series.count - 1].counts[bucket].addBounded(select.int(2))
        }
        return Trend(step: step, from: first, versions: series)
    }
}
