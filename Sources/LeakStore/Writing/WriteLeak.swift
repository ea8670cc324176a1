extension Writer {
    /// Counts the reports of a leak in its row, its builds and its releases, and stores samples. Inserts a new leak.
    ///
    /// - Parameter existingEntry: `nil` for a leak that the database does not have.
    func write(
        _ leak: SubmissionAggregate.Leak, to existingEntry: LeakEntry?, aggregate: SubmissionAggregate,
        rows: ResolvedRows,
        of submissions: [Submission], changed: inout ChangedCounts, now: Int64
    ) throws(StoreError) -> LeakEntry {
        let entry: LeakEntry
        if let existingEntry {
            entry = existingEntry
            if let module = leak.claimedModule { try write(module, to: existingEntry) }
        } else {
            // Only sightings create a leak, so a new leak has at least one cell.
            let release = rows.releases[aggregate.releases[aggregate.release(ofCell: leak.cells[0])].number]
            entry = try insert(
                leak, seen: leak.span ?? SubmissionAggregate.TimeSpan(now),
                app: rows.apps[aggregate.apps[leak.app].number],
                release: LeakEntry.ReleaseMark(release), now: now)
        }
        if !entry.isShared, leak.hasOtherKeys || leak.key != entry.madeBy {
            entry.isShared = true
            try connection.run("update leak set is_shared = 1 where id = ?", entry.id)
        }
        entry.reports.addBounded(leak.reports)
        entry.freed.addBounded(leak.freed)
        let formerFirstSeen = entry.firstSeen
        if let span = leak.span {
            entry.firstSeen = min(entry.firstSeen, span.first)
            entry.lastSeen = max(entry.lastSeen, span.last)
        }
        if let alive = leak.maxAlive { entry.maxAlive = max(entry.maxAlive ?? 0, alive) }
        let formerReleases = (entry.firstRelease.id, entry.lastRelease.id)
        let formerFirstBuild = entry.firstBuild?.id
        for cell in leak.cells {
            entry.widen(to: rows.releases[aggregate.releases[aggregate.release(ofCell: cell)].number])
        }
        try countReleases(
            of: leak, entry: entry, aggregate: aggregate, rows: rows, changed: &changed, now: now)
        if !leak.lived.isEmpty { try writeLived(leak.lived, of: entry) }
        try keepSamples(
            of: leak, entry, app: rows.apps[aggregate.apps[leak.app].number], from: submissions, in: &changed,
            day: rows.day, now: now)
        changed.add(entry)
        // These columns change seldom, so they are written without the log.
        if entry.firstSeen != formerFirstSeen {
            try connection.run("update leak set first_seen = ? where id = ?", entry.firstSeen, entry.id)
        }
        if (entry.firstRelease.id, entry.lastRelease.id) != formerReleases {
            try connection.run(
                """
                update leak set first_release = ?1, last_release = ?2,
                  first_order = case first_release when ?1 then first_order end where id = ?3
                """, entry.firstRelease.id, entry.lastRelease.id, entry.id)
        }
        if entry.firstBuild?.id != formerFirstBuild {
            try connection.run("update leak set first_build = ? where id = ?", entry.firstBuild?.id, entry.id)
        }
        let formerFirstRelease = existingEntry == nil ? nil : formerReleases.0
        if formerFirstRelease != entry.firstRelease.id {
            if let formerFirstRelease {
                try connection.run(
                    "update release set new_leaks = new_leaks - 1 where id = ?", formerFirstRelease)
            }
            try connection.run(
                "update release set new_leaks = new_leaks + 1 where id = ?", entry.firstRelease.id)
        }
        return entry
    }

    /// Counts values of explanations. Explanations are rare, so their values are written without ``ValueLog``.
    ///
    /// - Parameter day: the day for which the bytes of new values are counted.
    func writeValues(
        _ values: [SubmissionAggregate.Value], of leak: Int64, app: AppEntry, day: Int
    ) throws(StoreError) {
        var leftOutCount = 0
        for value in values {
            try connection.run(
                """
                update leak_value set reports = min(reports + 1, LARGEST_TOTAL)
                where leak = ? and kind = ? and value = ?
                """, leak, value.kind.rawValue, value.text)
            guard connection.changes == 0 else { continue }
            var isAdmitted = false
            if !value.text.isEmpty, try canAddValue(value.kind, to: leak) {
                isAdmitted = try admitDetail(
                    bytes: DetailBytes.ofValue(value.text), key: value.key, day: day)
                leftOutCount += isAdmitted ? 0 : 1
            }
            try connection.run(
                """
                insert into leak_value (leak, kind, value, reports) values (?, ?, ?, 1)
                on conflict (leak, kind, value) do update set reports = min(reports + 1, LARGEST_TOTAL)
                """, leak, value.kind.rawValue, isAdmitted ? value.text : "")
        }
        if leftOutCount > 0 { try addOverLimitCount(leftOutCount, of: .details, to: app) }
        if values.contains(where: { $0.kind == .retainedBytes }) { try writeRetainedBytes(of: leak) }
    }

    /// Returns `true` if the leak has fewer values of the kind than ``ValueKind/limit``.
    private func canAddValue(_ kind: ValueKind, to leak: Int64) throws(StoreError) -> Bool {
        let count = try connection.statement(
            "select count(*) < ? from leak_value where leak = ? and kind = ? and value <> ''")
        defer { count.reset() }
        try count.bind(ValueKind.limit, leak, kind.rawValue)
        return try count.step() && count.int(0) == 1
    }

    /// Recomputes the median of the retained bytes from the counts.
    func writeRetainedBytes(of leak: Int64) throws(StoreError) {
        let write = try connection.statement(
            composed:
                "update leak set retained_bytes = \(RetainedBytes.medianSQL(ofLeak: "?1")) where id = ?1")
        defer { write.reset() }
        try write.bind(leak)
        _ = try write.step()
    }

    private func write(_ module: String, to entry: LeakEntry) throws(StoreError) {
        try connection.run("update leak_text set module = ? where leak = ?", module, entry.id)
        entry.module = module
    }

    /// Inserts the hashes by which similar leaks are found.
    func insertElements(of key: GroupingKey, leak: Int64, app: Int64) throws(StoreError) {
        for element in GroupingKeyElements.hashes(of: key) {
            try connection.run(
                "insert or ignore into leak_element (app, element, leak) values (?, ?, ?)", app, element, leak
            )
        }
    }

    /// Returns a leak from the log of counts or from the database; `nil` if there is no such leak.
    func storedLeak(_ id: LeakID) throws(StoreError) -> LeakEntry? {
        let select = try connection.statement(
            """
            select l.id, l.first_seen, l.last_seen, f.id, coalesce(l.first_order, f.order_key), n.id, n.order_key, l.reports, l.freed,
              l.installs, l.sightings, l.alive_at_most,
              (select at from sample where id = l.id), (select at from sample where id = 1 << 40 | l.id),
              (select count(*) from leak_build where leak = l.id), l.is_unindexed, l.app,
              (select module from leak_text where leak = l.id), b.id, b.release, b.order_key, l.made_by, l.is_shared
            from leak l join release f on f.id = l.first_release join release n on n.id = l.last_release
            left join build b on b.id = l.first_build
            where l.key = ?
            """)
        defer { select.reset() }
        try select.bind(id.bytes)
        guard try select.step() else { return nil }
        if let entry = caches.logs?.counts.leaks[select.int64(0)] { return entry }
        var span = SubmissionAggregate.TimeSpan(select.time(1))
        span.widen(to: select.time(2))
        let entry = LeakEntry(
            id: select.int64(0), app: select.int64(16), span: span,
            release: LeakEntry.ReleaseMark(id: select.int64(3), order: select.bytes(4)))
        entry.lastRelease = LeakEntry.ReleaseMark(id: select.int64(5), order: select.bytes(6))
        entry.firstBuild = select.optionalInt64(18).map {
            LeakEntry.BuildMark(id: $0, release: select.int64(19), order: select.bytes(20))
        }
        entry.reports = select.int(7)
        entry.freed = select.int(8)
        entry.installs = select.int(9)
        entry.samples.sightings = select.int(10)
        entry.maxAlive = select.optionalInt(11)
        // If the sample of the first report may have expired, no later report becomes the first sample.
        let isFirstExpired =
            entry.samples.sightings > 0
            && clock.map {
                entry.firstSeen < RetentionRule.Times(retention, now: $0.expiryTime).samplesBefore
            }
                ?? true
        entry.samples.firstReportedAt = select.optionalTime(12) ?? (isFirstExpired ? entry.firstSeen : nil)
        entry.samples.newestReportedAt = select.optionalTime(13)
        entry.buildCount = select.int(14)
        entry.module = select.optionalText(17)
        entry.madeBy = select.optionalInt64(21)
        // A leak from before schema 25 has no `made_by`, so undoing a key never deletes it, and it needs no flag.
        entry.isShared = entry.madeBy == nil || select.int(22) == 1
        if select.int(15) == 1 { entry.deferredIn = caches.deferredIndexing.period }
        return entry
    }

    private func insert(
        _ leak: SubmissionAggregate.Leak, seen span: SubmissionAggregate.TimeSpan, app: AppEntry,
        release: LeakEntry.ReleaseMark, now: Int64
    ) throws(StoreError) -> LeakEntry {
        let identity = leak.identity
        try connection.run(
            """
            insert into leak (key, app, kind, class, quality, first_seen, last_seen, first_release, last_release, is_unindexed,
              made_by, made_at)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
            """, identity.id.bytes, app.id, identity.kind, identity.className, identity.quality.rawValue,
            span.first, span.last, release.id, release.id, leak.key, now)
        let rowID = connection.lastInsertedRowID
        let entry = LeakEntry(id: rowID, app: app.id, span: span, release: release)
        entry.module = leak.claimedModule ?? identity.module
        entry.madeBy = leak.key
        try connection.run(
            """
            insert into leak_text (leak, title, module, stack, children, cycle, grouped_version, grouped_class,
              grouped_stack, search)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, rowID, identity.title, entry.module, PackedWriter.pack(identity.stack),
            PackedWriter.pack(identity.children), PackedWriter.pack(identity.cycle),
            identity.groupingKey.version,
            identity.groupingKey.className, identity.packedGroupedStack, SearchText.of(identity)
        )
        try insertElements(of: identity.groupingKey, leak: rowID, app: app.id)
        try connection.run("update app set leaks = leaks + 1 where id = ?", app.id)
        caches.deferredIndexing.add(entry)
        entry.sampleBytes = .none
        caches.leaks.insert(entry, for: identity.id)
        return entry
    }
}
