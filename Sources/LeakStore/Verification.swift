internal import LeakPlatform

/// The result of checking a database.
public struct Verification: Hashable, Sendable {
    /// Faults in the file's structure, one line each. Only a backup can replace a file with such faults.
    public var damage: [String]
    /// Totals that are not the sums of their parts, one line each: ``SQLiteStore/repair(path:)`` repairs most.
    public var inconsistentTotals: [String]
    /// The schema version of the file.
    public var schema: Int

    /// All problems; empty if there are none.
    public var problems: [String] { damage + inconsistentTotals }

    /// `true` if this version of the collector knows the schema, so that all totals were checked.
    public var isOfKnownSchema: Bool { schema <= Migration.newestVersion }
}

extension SQLiteStore {
    /// Checks the structure of the file, and then what ``Store/verify()`` checks. Takes seconds for a large file.
    public func verify() throws(StoreError) -> [String] { try Self.verify(path: path).problems }

    /// Checks a file of any schema, such as a backup, without changing it. Checks only the structure if this version of the
    /// collector does not know the schema.
    ///
    /// - Throws: ``StoreError`` for a folder, for an empty file, for a file of another program, and for a file of a collector
    ///   that lacks a table, an index or a column.
    public static func verify(path: String) throws(StoreError) -> Verification {
        try DatabaseFile.requireNoFolder(at: path)
        let reader = try SQLiteReader(path: path)
        let schema = try Migration.schema(of: reader.connection)
        return try reader.snapshot { _ throws(StoreError) in
            let damage = try reader.findStructuralProblems(of: schema)
            let isKnown = schema <= Migration.newestVersion
            return Verification(
                damage: damage,
                inconsistentTotals: isKnown ? try reader.connection.findInconsistentTotals(of: schema) : [],
                schema: schema)
        }
    }

    /// Returns the faults of the structure: ``Verification/damage``.
    static func damage(of path: String) throws(StoreError) -> [String] {
        let reader = try SQLiteReader(path: path)
        let schema = try Migration.schema(of: reader.connection)
        return try reader.snapshot { _ throws(StoreError) in try reader.findStructuralProblems(of: schema) }
    }
}

extension SQLiteReader {
    /// Returns problems of the structure: integrity errors, rows that refer to missing rows, and damaged logs.
    fileprivate func findStructuralProblems(of schema: Int) throws(StoreError) -> [String] {
        let structure = try connection.read(StoreRead<[String]>.texts("pragma integrity_check")).filter {
            $0 != "ok"
        }
        let orphans = try connection.read(StoreRead<[String]>.texts("pragma foreign_key_check"))
        let logs = (7...Migration.newestVersion).contains(schema) ? try connection.logDamage(of: schema) : []
        return structure + orphans.map { "a row of \($0) refers to nothing" } + logs
    }
}

extension SQLiteConnection {
    /// Returns a line for each rule that some rows do not follow.
    ///
    /// - Parameter schema: the schema version of the file.
    func findInconsistentTotals(of schema: Int) throws(StoreError) -> [String] {
        if schema >= 12, try hasLoggedCounts {
            // A log that cannot be flushed is reported as damage instead.
            guard try canFlushCounts() else { return [] }
            try copyCounts()
        }
        var problems: [String] = []
        for check in RowCheck.all where check.firstSchema <= schema {
            let wrongCount = try singleCount(of: check.countSQL)
            if wrongCount > 0 {
                problems.append(VerificationRule.problem(check.sentence, rowCount: wrongCount))
            }
        }
        if schema >= 7 { problems += try logProblems() }
        if schema >= 18 {
            let wrongSets = try wrongRecentInstallSets()
            if !wrongSets.isEmpty {
                problems.append(
                    VerificationRule.problem(
                        "the number of recent installs is the size of its set", rowCount: wrongSets.count))
            }
        }
        if schema >= 27 {
            let unreadableCount = try unreadableMerges().count
            if unreadableCount > 0 {
                problems.append(
                    VerificationRule.problem(VerificationRule.readableMerges, rowCount: unreadableCount))
            }
        }
        return problems + (try findInstallProblems(of: schema))
    }

    /// Returns the number that a query selects.
    private func singleCount(of query: String) throws(StoreError) -> Int {
        let select = try statement(composed: query)
        defer { select.reset() }
        return try select.step() ? select.int(0) : 0
    }

    /// Returns a line for each log with rows that cannot be written to their tables.
    fileprivate func logDamage(of schema: Int) throws(StoreError) -> [String] {
        var damage: [String] = []
        if try nilIfCorrupt({ () throws(StoreError) in try loadKeyLog() }) == nil {
            damage.append("the log of idempotency keys cannot be read")
        }
        if schema >= 12 {
            if let counts = try nilIfCorrupt({ () throws(StoreError) in try loadCountLog() }) {
                if try !refersToRows(counts) { damage.append("a row of the log of counts refers to nothing") }
            } else {
                damage.append("the log of counts cannot be read")
            }
        }
        guard let values = try nilIfCorrupt({ () throws(StoreError) in try loadValueLog() }) else {
            return damage + ["the log of systems and models cannot be read"]
        }
        let select = try statement("select 1 from leak where id = ?")
        for leak in Set(values.rows.map(\.leak)).sorted() {
            defer { select.reset() }
            try select.bind(leak)
            guard try select.step() else {
                return damage + ["a row of the log of systems and models refers to nothing"]
            }
        }
        return damage
    }

    /// Returns `true` if the log of counts can be read and refers to existing rows.
    func canFlushCounts() throws(StoreError) -> Bool {
        guard let counts = try nilIfCorrupt({ () throws(StoreError) in try loadCountLog() }) else {
            return false
        }
        return try refersToRows(counts)
    }

    /// Returns `true` if all rows that the log changes exist.
    private func refersToRows(_ log: LoggedCounts) throws(StoreError) -> Bool {
        let leaks = try statement("select 1 from leak where id = ?")
        for leak in log.leaks {
            defer { leaks.reset() }
            try leaks.bind(leak.id)
            guard try leaks.step() else { return false }
        }
        let builds = try statement("select 1 from leak_build where id = ?")
        for build in log.builds {
            defer { builds.reset() }
            try builds.bind(build.id)
            guard try builds.step() else { return false }
        }
        let releases = try statement("select 1 from leak_release where id = ? and leak = ? and release = ?")
        for release in log.releases {
            defer { releases.reset() }
            try releases.bind(release.part.id, release.leak, release.release)
            guard try releases.step() else { return false }
        }
        let recentReleases = try statement("select 1 from leak_release where id = ?")
        for rowID in Set(log.recentInstalls.map(\.leakReleaseRowID)) {
            defer { recentReleases.reset() }
            try recentReleases.bind(rowID)
            guard try recentReleases.step() else { return false }
        }
        return true
    }

    /// Returns a line for each rule that rows in the logs do not follow. ``RowCheck`` does not read the logs.
    private func logProblems() throws(StoreError) -> [String] {
        var problems: [String] = []
        func add(_ sentence: String, _ count: Int) {
            if count > 0 { problems.append(VerificationRule.problem(sentence, rowCount: count)) }
        }
        let keys = try nilIfCorrupt { () throws(StoreError) in try loadKeyLog() } ?? KeyLog()
        add("an idempotency key in the log has its answer", try countMissingAnswers(of: keys))
        let values = try nilIfCorrupt { () throws(StoreError) in try loadValueLog() } ?? ValueLog()
        add(
            "reports of a leak by system and by model, with those in the log, are no more than all its reports",
            try countExcessiveValues(of: values))
        return problems
    }

    /// Returns the number of responses that keys in the log refer to, but that do not exist.
    private func countMissingAnswers(of log: KeyLog) throws(StoreError) -> Int {
        let select = try statement("select 1 from answer where id = ?")
        var missingCount = 0
        for answer in Set(log.entries.values.map(\.answer)) {
            defer { select.reset() }
            try select.bind(answer)
            if !(try select.step()) { missingCount += 1 }
        }
        return missingCount
    }

    /// Returns the number of leaks that have more reports by system, or by model, than reports in total.
    private func countExcessiveValues(of log: ValueLog) throws(StoreError) -> Int {
        let select = try statement(
            """
            select l.reports, (select coalesce(sum(reports), 0) from leak_value where leak = l.id and kind = ?2)
            from leak l where l.id = ?1
            """)
        var leaks: Set<Int64> = []
        for row in CountRow.summed(
            log.rows.map {
                CountRow(
                    leak: $0.leak, periodOrKind: $0.periodOrKind, releaseOrValue: 0, reports: $0.reports)
            })
        {
            defer { select.reset() }
            try select.bind(row.leak, row.periodOrKind)
            guard try select.step() else { continue }
            var sum = select.int(1)
            sum.addBounded(row.reports)
            if sum > select.int(0) { leaks.insert(row.leak) }
        }
        return leaks.count
    }

    /// Returns the result of `read`; `nil` if the stored bytes are corrupt.
    private func nilIfCorrupt<Log>(_ read: () throws(StoreError) -> Log) throws(StoreError) -> Log? {
        do throws(StoreError) {
            return try read()
        } catch {
            guard error.reason == .corrupt else { throw error }
            return nil
        }
    }

    /// Returns the sets of recent installs whose number of installs differs from the stored number. A set that cannot be read
    /// is returned empty.
    func wrongRecentInstallSets() throws(StoreError) -> [RecentInstallSet] {
        let select = try statement("select id, day, members, installs from recent_install_set order by id")
        defer { select.reset() }
        var wrongSets: [RecentInstallSet] = []
        while try select.step() {
            let installs = RecentInstalls(bytes: select.bytes(2))
            if let installs, !installs.isEmpty, installs.count(on: select.int(1)) == select.int(3) {
                continue
            }
            wrongSets.append(
                RecentInstallSet(
                    leakReleaseRowID: select.int64(0), installs: installs ?? RecentInstalls(),
                    day: select.int(1)))
        }
        return wrongSets
    }

    /// Compares each stored number of installs with its set. Returns a line if some differ.
    private func findInstallProblems(of schema: Int) throws(StoreError) -> [String] {
        var log: [Int64: [UInt64]] = [:]
        for (rowID, hash) in try readLoggedInstalls() { log[rowID, default: []].append(hash) }
        let day = schema < 3 ? "null" : "(select -1 from app_day where id = i.id >> 3)"
        let select = try statement(
            composed: """
                select i.id, i.members, case i.id & 7
                    when 0 then (select installs from leak where id = i.id >> 3)
                    when 1 then (select installs from leak_build where id = i.id >> 3)
                    when 2 then (select installs from release where id = i.id >> 3)
                    when 3 then (select -1 from app_slot where id = i.id >> 3)
                    when 4 then (select installs from leak_release where id = i.id >> 3)
                    when 5 then \(day) end
                from install_set i
                """)
        defer { select.reset() }
        var wrong = 0
        while try select.step() {
            let counted = select.optionalInt64(2)
            var set = InstallSet(bytes: select.bytes(1))
            for hash in log.removeValue(forKey: select.int64(0)) ?? [] { _ = set?.insert(hash) }
            guard let set, let counted, counted == -1 || counted == Int64(set.count) else {
                wrong += 1
                continue
            }
        }
        wrong += log.count
        return wrong == 0
            ? []
            : [VerificationRule.problem("the number of installs is the size of its set", rowCount: wrong)]
    }
}

/// A rule that stored data must follow.
package enum VerificationRule {
    package static let readableMerges = "contents that a merge by hand keeps can be read"

    /// Returns a line that says for how many rows a rule is not true.
    package static func problem(_ rule: String, rowCount: Int) -> String {
        "\(rule): not true for \(countText(rowCount, of: "row"))"
    }
}
