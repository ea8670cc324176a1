extension Writer {
    /// Merges leaks into another leak of their app, in a transaction of its own.
    func merge(
        _ sources: [LeakID], into target: LeakIdentity, by author: String, audit entry: AuditEntry?,
        now: Int64,
        note: @Sendable (LeakMerge) -> String
    ) throws(StoreError) -> LeakMerge? {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) -> LeakMerge? in
                try clearCachesIfOthersWrote()
                guard try discardedIDs().id(of: target) == nil else { return nil }
                // The leak that has the reports of the target, if the target was merged by hand.
                let target = try mergedIDs().target(of: target.id) ?? target
                // Rows in the logs may refer to leaks that are deleted below.
                try flushLogs()
                var parts: [MergePart] = []
                for id in Set(sources).subtracting([target.id]).sorted() {
                    if let part = try readMergePart(id, app: target.appKey) { parts.append(part) }
                }
                guard !parts.isEmpty else { return nil }
                parts.sort { ($1.reports, $0.leakRowID) < ($0.reports, $1.leakRowID) }
                let storedTarget = try readMergePart(target.id, app: target.appKey)
                let allParts = parts + [storedTarget].compactMap(\.self)
                let summary = allParts.mergeResult(sources: parts, isTargetNew: storedTarget == nil)
                let noteDecision = try Decision(.note, note: note(summary), by: author).validated(now: now)

                let reportsAtDecision = try countReportsAtDecision(of: allParts)
                let rowID = storedTarget?.leakRowID ?? parts[0].leakRowID
                try redirect(parts, to: rowID, at: now)
                _ = try connection.redirectMerges(of: parts.map(\.leakRowID), to: rowID)
                if storedTarget == nil { try rename(rowID, to: target) }
                var sightings = (storedTarget ?? parts[0]).sightings
                for part in parts where part.leakRowID != rowID {
                    try merge(part, into: rowID, targetReceivedReports: sightings)
                    sightings.addBounded(part.sightings)
                }
                try setDecision(of: allParts, reportsAtDecision, in: rowID)
                try connection.run(
                    "insert into decision (leak, at, by, kind, note) values (?, ?, ?, 'note', ?)", rowID, now,
                    noteDecision.by, noteDecision.note)
                try deleteOldDecisions(about: rowID)
                try record(entry)
                try reindexAll()
                // Cached entries refer to leaks that do not exist any more.
                caches.removeAll()
                return summary
            }
        } catch {
            clearCaches()
            throw error
        }
    }

    /// Returns a number that grows with each merge of leaks and each undone merge, and when leaks are deleted or evicted; 0 before
    /// the first of these changes.
    func lastMerge() throws(StoreError) -> Int64 {
        try connection.number("select seq from sqlite_sequence where name = 'merged_leak'") ?? 0
    }

    /// Increments the number that ``lastMerge()`` returns, so that readers and erasures notice that leaks were deleted or changed.
    func recordDeletion() throws(StoreError) {
        try connection.run("update sqlite_sequence set seq = seq + 1 where name = 'merged_leak'")
        guard connection.changes == 0 else { return }
        try connection.run("insert into sqlite_sequence (name, seq) values ('merged_leak', 1)")
    }

    // MARK: Parts

    func readMergePart(_ id: LeakID, app: AppKey) throws(StoreError) -> MergePart? {
        let select = try connection.statement(
            """
            select l.id, l.reports, l.sightings, a.name, d.id, d.kind, d.version, d.is_after, d.until_at,
              d.until_reports, d.note, d.by, d.at, a.environment, d.build
            from leak l join app a on a.id = l.app
            left join decision d on d.id = (select max(id) from decision where leak = l.id and kind <> 'note')
            where l.key = ?
            """)
        defer { select.reset() }
        try select.bind(id.bytes)
        guard try select.step() else { return nil }
        guard AppKey(select.text(3), environment: select.text(13)) == app else {
            throw StoreError(
                .invalidArgument,
                "leaks of different apps or environments cannot be merged: \(id) belongs to another one")
        }
        var part = MergePart(
            leakRowID: select.int64(0), id: id, reports: select.int(1), sightings: select.int(2),
            lastDecision: nil)
        if let rowID = select.optionalInt64(4) {
            guard
                let action = PastDecision.Action(
                    kind: select.text(5), version: select.optionalText(6),
                    build: select.optionalText(14), isAfter: select.int(7) == 1,
                    untilAt: select.optionalTime(8), untilReports: select.optionalInt(9))
            else { throw .unreadable("a decision", in: connection.path) }
            part.lastDecision = MergePart.StateDecision(
                rowID: rowID,
                decision: PastDecision(
                    action, note: select.optionalText(10), by: select.text(11), at: select.time(12)))
        }
        return part
    }

    /// Stores redirects from the old ids of leaks to the merged leak.
    func redirect(_ parts: [MergePart], to rowID: Int64, at now: Int64) throws(StoreError) {
        for part in parts {
            try connection.run("update merged_leak set leak = ? where leak = ?", rowID, part.leakRowID)
            try connection.run("delete from merged_leak where key = ?", part.id.bytes)
            try connection.run(
                "insert into merged_leak (key, leak, at) values (?, ?, ?)", part.id.bytes, rowID, now)
        }
    }

    /// Gives a leak another id, and the class and path that belong to the new id.
    func rename(_ rowID: Int64, to identity: LeakIdentity) throws(StoreError) {
        try deleteElements(of: rowID)
        try addTextBytes(of: rowID, sign: -1)
        try connection.run("delete from merged_leak where key = ?", identity.id.bytes)
        try connection.run(
            "update leak set key = ?, kind = ?, class = ?, quality = ? where id = ?", identity.id.bytes,
            identity.kind, identity.className, identity.quality.rawValue, rowID)
        try connection.run(
            """
            update leak_text set title = ?, module = ?, stack = ?, children = ?, cycle = ?, grouped_version = ?,
              grouped_class = ?, grouped_stack = ?, search = ?
            where leak = ?
            """, identity.title, identity.module, PackedWriter.pack(identity.stack),
            PackedWriter.pack(identity.children), PackedWriter.pack(identity.cycle),
            identity.groupingKey.version, identity.groupingKey.className, identity.packedGroupedStack,
            SearchText.of(identity), rowID)
        try addTextBytes(of: rowID, sign: 1)
        try insertElements(
            of: identity.groupingKey, leak: rowID,
            app: self.singleNumber("select app from leak where id = ?", rowID))
    }

    func deleteElements(of leak: Int64) throws(StoreError) {
        let select = try connection.statement(
            """
            select l.app, t.grouped_version, t.grouped_class, t.grouped_stack, t.stack, t.children, t.cycle
            from leak l join leak_text t on t.leak = l.id where l.id = ?
            """)
        defer { select.reset() }
        try select.bind(leak)
        guard try select.step() else { return }
        guard
            let key = GroupingKey(
                version: select.int(1), className: select.text(2), packed: select.bytes(3),
                stack: select.bytes(4), children: select.bytes(5), cycle: select.bytes(6))
        else { throw .unreadable("a leak", in: connection.path) }
        for element in GroupingKeyElements.hashes(of: key) {
            try connection.run(
                "delete from leak_element where app = ? and element = ? and leak = ?", select.int64(0),
                element,
                leak)
        }
    }

    /// Adds the bytes of a leak's texts to the sum of its app, or subtracts them if `sign` is -1.
    func addTextBytes(of leak: Int64, sign: Int) throws(StoreError) {
        try connection.run(
            """
            update app set text_bytes = text_bytes + ?2 * (
                select length(cast(title as blob)) + length(stack) + length(children) + length(cycle)
                  + length(cast(grouped_class as blob)) + length(grouped_stack) + length(cast(search as blob))
                from leak_text where leak = ?1)
            where id = (select app from leak where id = ?1)
            """, leak, sign)
    }

    // MARK: Counts

    /// Adds all data of one leak to another leak, and deletes the first.
    func merge(
        _ part: MergePart, into target: Int64, targetReceivedReports: Int
    ) throws(StoreError) {
        let source = part.leakRowID
        try mergeTimes(source, into: target)
        try mergeSamples(of: part, into: target, targetReceivedReports: targetReceivedReports)
        try mergeValues(of: source, into: target)
        try mergeLived(of: source, into: target)
        let installs = try unionOfInstalls(ofLeaks: source, target)
        let releases = try readUnionsByRelease(source, target)
        try mergeBuilds(of: source, into: target)
        try mergeReleases(of: source, into: target, releases)
        let builds = try number(by: "select count(*) from leak_build where leak = ?", of: target)
        try put(builds > 1 ? installs : InstallSet(), in: InstallScope.leak.rowID(ownerRowID: target))
        try put(InstallSet(), in: InstallScope.leak.rowID(ownerRowID: source))
        try mergeRow(of: source, into: target, installs: installs.count)
        try connection.run("update decision set leak = ? where leak = ?", target, source)
        try deleteElements(of: source)
        try addTextBytes(of: source, sign: -1)
        try connection.run(
            "update app set leaks = leaks - 1 where id = (select app from leak where id = ?)", target)
        try connection.run("delete from leak where id = ?", source)
    }

    private func mergeRow(of source: Int64, into target: Int64, installs: Int) throws(StoreError) {
        try connection.run(
            """
            update release set new_leaks = new_leaks - (select count(*) from leak
              where id in (?1, ?2) and first_release = release.id)
            where id in (select first_release from leak where id in (?1, ?2))
            """, source, target)
        try connection.run(
            """
            update leak as l set is_unindexed = 1, installs = ?3,
              reports = min(l.reports + s.reports, LARGEST_TOTAL),
              freed = min(l.freed + s.freed, LARGEST_TOTAL),
              sightings = min(l.sightings + s.sightings, LARGEST_TOTAL),
              alive_at_most = nullif(max(coalesce(l.alive_at_most, -1), coalesce(s.alive_at_most, -1)), -1),
              first_seen = min(l.first_seen, s.first_seen), last_seen = max(l.last_seen, s.last_seen),
              is_shared = case when l.made_by is s.made_by then max(l.is_shared, s.is_shared) else 1 end,
              made_at = min(l.made_at, s.made_at),
              (first_release, first_order) = (
                select f.first_release, f.first_order from leak f join release r on r.id = f.first_release
                where f.id in (?1, ?2)
                order by coalesce(f.first_order, r.order_key), f.first_order is not null limit 1),
              last_release = (select id from release where id in (l.last_release, s.last_release)
                order by order_key desc limit 1),
              impact = coalesce((select i.installs from leak_release c join recent_install_set i on i.id = c.id
                where c.leak = l.id and c.release = (select newest_release from app where id = l.app)), 0)
            from leak s where s.id = ?1 and l.id = ?2
            """, source, target, installs)
        try compute(.firstBuild, of: target)
        try connection.run(
            """
            update release set new_leaks = new_leaks + 1 where id = (select first_release from leak where id = ?)
            """, target)
    }

    /// Merges the counts by hour and by day. If counts by hour of one of the leaks have expired, deletes the merged leak's counts
    /// by hour up to the last day with expired counts, because a day must have the counts of all its hours or of none.
    private func mergeTimes(_ source: Int64, into target: Int64) throws(StoreError) {
        let lastIncompleteDay = try [
            self.lastIncompleteDay(of: source), self.lastIncompleteDay(of: target),
        ].compactMap(\.self).max()
        try connection.run(
            """
            insert into leak_hour (leak, hour, release, reports)
            select ?2, hour, release, reports from leak_hour where leak = ?1
            on conflict (leak, hour, release) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
            """, source, target)
        try connection.run(
            """
            insert into leak_day (leak, day, release, reports)
            select ?2, day, release, reports from leak_day where leak = ?1
            on conflict (leak, day, release) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
            """, source, target)
        if let lastIncompleteDay {
            try connection.run(
                "delete from leak_hour where leak = ? and hour < ?", target, (lastIncompleteDay + 1) * 24)
        }
    }

    /// Returns the last day of a leak for which counts by hour have expired. Searches the newest days first, because the leak
    /// `other` has many old days without counts by hour.
    private func lastIncompleteDay(of leak: Int64) throws(StoreError) -> Int? {
        let select = try connection.statement(
            """
            select day from leak_day d where leak = ? group by day having total(reports) > (
              select total(reports) from leak_hour h
              where h.leak = d.leak and h.hour between d.day * 24 and d.day * 24 + 23)
            order by day desc limit 1
            """)
        defer { select.reset() }
        try select.bind(leak)
        return try select.step() ? select.int(0) : nil
    }

    private func mergeValues(of source: Int64, into target: Int64) throws(StoreError) {
        for kind in ValueKind.allCases {
            let merged = ValueMerge.merged(
                try values(kind, of: target), try values(kind, of: source))
            for row in merged {
                try connection.run(
                    "insert or replace into leak_value (leak, kind, value, reports) values (?, ?, ?, ?)",
                    target, kind.rawValue, row.value, row.reports)
            }
        }
        try writeRetainedBytes(of: target)
    }

    func values(
        _ kind: ValueKind, of leak: Int64
    ) throws(StoreError) -> [(value: String, reports: Int)] {
        let select = try connection.statement(
            "select value, reports from leak_value where leak = ? and kind = ?")
        defer { select.reset() }
        try select.bind(leak, kind.rawValue)
        var values: [(value: String, reports: Int)] = []
        while try select.step() { values.append((select.text(0), select.int(1))) }
        return values
    }

    private func mergeLived(of source: Int64, into target: Int64) throws(StoreError) {
        guard let theirs = try histogram(of: source) else { return }
        var ours = try histogram(of: target) ?? DurationHistogram()
        ours.merge(theirs)
        try connection.run(
            "insert or replace into leak_lived (leak, histogram) values (?, ?)", target, ours.bytes)
    }

    func histogram(of leak: Int64) throws(StoreError) -> DurationHistogram? {
        let select = try connection.statement("select histogram from leak_lived where leak = ?")
        defer { select.reset() }
        try select.bind(leak)
        guard try select.step() else { return nil }
        guard let histogram = DurationHistogram(bytes: select.bytes(0)) else {
            throw .unreadable("a histogram", in: connection.path)
        }
        return histogram
    }

    // MARK: Samples

    /// Merges samples. Moves their rows to unused sample slots first, because a sample may get the former slot of another
    /// sample.
    private func mergeSamples(
        of part: MergePart, into target: Int64, targetReceivedReports: Int
    ) throws(StoreError) {
        let slotOffsets = (target: 100, source: 200)
        let merge = SampleMerge(
            target: try moveSamplesAside(of: target, to: target, by: slotOffsets.target),
            targetReceivedReports: targetReceivedReports,
            source: try moveSamplesAside(of: part.leakRowID, to: target, by: slotOffsets.source),
            sourceReceivedReports: part.sightings, seed: reservoir.seed ^ part.id.low)
        for move in merge.moves {
            try connection.run(
                "update sample set id = ?, ordinal = ? where id = ?",
                SampleSlot.rowID(leakRowID: target, slot: move.slot), move.ordinal,
                SampleSlot.rowID(
                    leakRowID: target,
                    slot: move.from + (move.isSource ? slotOffsets.source : slotOffsets.target))
            )
        }
        for slot in 0..<SampleSlot.count {
            for offset in [slotOffsets.target, slotOffsets.source] {
                try connection.run(
                    "delete from sample where id = ?",
                    SampleSlot.rowID(leakRowID: target, slot: slot + offset))
            }
        }
    }

    /// Moves the samples of a leak to sample slots of the target leak that are not in use: each slot number grows by `offset`.
    private func moveSamplesAside(
        of leak: Int64, to target: Int64, by offset: Int
    ) throws(StoreError) -> [SampleMerge.KeptSample] {
        var samples: [SampleMerge.KeptSample] = []
        for slot in 0..<SampleSlot.count {
            let select = try connection.statement("select ordinal, at from sample where id = ?")
            try select.bind(SampleSlot.rowID(leakRowID: leak, slot: slot))
            let hasSample = try select.step()
            if hasSample {
                samples.append(
                    SampleMerge.KeptSample(slot: slot, ordinal: select.int(0), reportedAt: select.time(1)))
            }
            select.reset()
            guard hasSample else { continue }
            try connection.run(
                "update sample set id = ? where id = ?",
                SampleSlot.rowID(leakRowID: target, slot: slot + offset),
                SampleSlot.rowID(leakRowID: leak, slot: slot))
        }
        return samples
    }
}
