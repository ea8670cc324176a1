internal import LeakPlatform

// Merging leaks by hand, and undoing it, in SQLite.
extension SQLiteConnection: MergeConnection {
    @discardableResult
    func change(_ sql: SQLText, _ values: StoreValue...) throws(StoreError) -> Int {
        let statement =
            switch sql {
            case .literal(let text): try self.statement(text)
            case .composed(let text): try self.statement(composed: text)
            }
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
        return changes
    }

    func insert(_ rows: [[PortableValue]], into table: PortableTable) throws(StoreError) {
        guard !rows.isEmpty else { return }
        var columns = table.columns.map { "\"\($0.name)\"" }
        let isSample = table.name == "sample"
        if isSample { columns.replaceSubrange(0..<2, with: ["id"]) }
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try statement(
            composed: "insert into \(table.name) (\(columns.joined(separator: ", "))) values (\(places))")
        for var row in rows {
            if isSample, case .integer(let leak) = row[0], case .integer(let slot) = row[1] {
                row.replaceSubrange(
                    0..<2, with: [.integer(SampleSlot.rowID(leakRowID: leak, slot: Int(slot)))])
            }
            defer { statement.reset() }
            for (index, value) in row.enumerated() {
                switch value {
                case .null: try statement.bind(Int64?.none, at: index + 1)
                case .integer(let number): try statement.bind(number, at: index + 1)
                case .text(let text): try statement.bind(text, at: index + 1)
                case .bytes(let bytes): try statement.bind(bytes, at: index + 1)
                }
            }
            while try statement.step() {}
        }
    }

    static var buildCountsSQL: String {
        """
        select p.build, b.release, p.reports, p.freed, p.buckets, i.members
        from leak_build p join build b on b.id = p.build left join install_set i on i.id = p.id << 3 | 1
        where p.leak = $1
        """
    }

    static var recentInstallsSQL: String {
        """
        select c.release, s.day, s.members from leak_release c join recent_install_set s on s.id = c.id where c.leak = $1
        """
    }

    func deleteCounts(of leak: Int64) throws(StoreError) {
        for statement: StaticString in [
            "delete from install_set where id = ?1 << 3",
            "delete from install_set where id in (select id << 3 | 1 from leak_build where leak = ?)",
            "delete from install_set where id in (select id << 3 | 4 from leak_release where leak = ?)",
            "delete from recent_install_set where id in (select id from leak_release where leak = ?)",
            "delete from leak_build where leak = ?", "delete from leak_release where leak = ?",
            "delete from leak_hour where leak = ?", "delete from leak_day where leak = ?",
            "delete from leak_value where leak = ?", "delete from leak_lived where leak = ?",
        ] { try run(statement, leak) }
        for slot in 0..<SampleSlot.count {
            try run("delete from sample where id = ?", SampleSlot.rowID(leakRowID: leak, slot: slot))
        }
    }

    func insertInstalls(of contents: LeakContents, leak: Int64) throws(StoreError) {
        func put(_ set: InstallSet, _ scope: InstallScope, ofRow row: Int64) throws(StoreError) {
            guard !set.isEmpty else { return }
            try run(
                "insert into install_set (id, members) values (?, ?)", scope.rowID(ownerRowID: row), set.bytes
            )
        }
        func row(_ sql: StaticString, _ part: Int64) throws(StoreError) -> Int64 {
            let select = try statement(sql)
            defer { select.reset() }
            try select.bind(leak, part)
            guard try select.step() else { throw .unreadable("the counts of a leak", in: path) }
            return select.int64(0)
        }
        for (id, release) in contents.releases.sorted(by: { $0.key < $1.key }) {
            for (build, counts) in release.builds.sorted(by: { $0.key < $1.key }) {
                try put(
                    counts.installs, .leakBuild,
                    ofRow: row("select id from leak_build where leak = ? and build = ?", build))
            }
            let releaseRow = try row("select id from leak_release where leak = ? and release = ?", id)
            // A release with only one build has no set of its own: it uses the set of the build.
            if release.builds.count > 1 { try put(release.installs, .leakRelease, ofRow: releaseRow) }
            try self.put(
                RecentInstallSet(
                    leakReleaseRowID: releaseRow, installs: release.recentInstalls, day: release.recentDay))
        }
        if contents.buildCount > 1 { try put(contents.installs, .leak, ofRow: leak) }
    }

    func deriveColumns(ofLeaks leaks: [Int64]) throws(StoreError) {
        for leak in leaks {
            if let update = RowCheck.impact.rowUpdateSQL { try statement(composed: update).run(leak) }
            try run("update leak set is_unindexed = 1 where id = ?", leak)
        }
    }
}

extension Writer {
    /// Merges a leak into another leak by hand, in a transaction of its own: ``Store/mergeByHand(_:into:by:audit:now:)``.
    func mergeByHand(
        _ source: LeakID, into target: LeakID, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> ManualMerge? {
        try changeMerges { () throws(StoreError) -> ManualMerge? in
            guard let pair = try connection.pair(merging: source, into: target) else { return nil }
            let number = try connection.save(pair, by: author, at: now)
            guard let part = try readMergePart(pair.sourceID, app: pair.appKey),
                let into = try readMergePart(pair.targetID, app: pair.appKey)
            else { throw .unreadable("a leak", in: connection.path) }
            let reportsAtDecision = try countReportsAtDecision(of: [part, into])
            try redirect([part], to: into.leakRowID, at: now)
            try merge(part, into: into.leakRowID, targetReceivedReports: into.sightings)
            try setDecision(of: [part, into], reportsAtDecision, in: into.leakRowID)
            let merge = ManualMerge(
                number: number, app: pair.appKey, source: pair.sourceID, sourceTitle: pair.title,
                target: pair.targetID,
                reports: pair.reports, by: author, at: now)
            try addNote(merge.note, to: into.leakRowID, by: author, now: now)
            try record(entry)
            return merge
        }
    }

    /// Undoes a merge by hand, in a transaction of its own: ``Store/undoMerge(_:by:audit:now:)``.
    func undoMerge(
        _ number: Int64, by author: String, audit entry: AuditEntry?, now: Int64
    ) throws(StoreError) -> UndoneMerge? {
        try changeMerges { () throws(StoreError) -> UndoneMerge? in
            let today = Calendar.day(of: try clock(at: now).expiryTime)
            guard let (undone, leaks) = try connection.undoMerge(number, today: today) else { return nil }
            for leak in leaks { try addNote(undone.note, to: leak, by: author, now: now) }
            try record(entry)
            // The restored counts by day may be older than days that were combined since the merge.
            combinedDaysBefore = nil
            // Makes readers and erasures notice that counts were moved.
            try recordDeletion()
            return undone
        }
    }

    private func changeMerges<Result>(
        _ body: () throws(StoreError) -> Result?
    ) throws(StoreError) -> Result? {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) -> Result? in
                try clearCachesIfOthersWrote()
                // Counts in the logs may belong to the leaks.
                try flushLogs()
                guard let result = try body() else { return nil }
                try reindexAll()
                caches.removeAll()
                return result
            }
        } catch {
            clearCaches()
            throw error
        }
    }

    func addNote(_ text: String, to leak: Int64, by author: String, now: Int64) throws(StoreError) {
        let note = try Decision(.note, note: text, by: author).validated(now: now)
        try connection.run(
            "insert into decision (leak, at, by, kind, note) values (?, ?, ?, 'note', ?)", leak, now, note.by,
            note.note)
        try deleteOldDecisions(about: leak)
    }
}

extension ManualMerge {
    /// The text of the note in the history of the target.
    package var note: String {
        "Merged the leak \(source) (\(countText(reports, of: "report"))) into this leak by hand: merge \(number)."
    }
}

extension UndoneMerge {
    /// The text of the note in the history of the target and of the source.
    package var note: String {
        reports > 0
            ? "Undid merge \(merge.number): the leak \(merge.source) has \(countText(reports, of: "report")) again."
            : "Undid merge \(merge.number): all counts of the leak \(merge.source) were deleted before."
    }
}
