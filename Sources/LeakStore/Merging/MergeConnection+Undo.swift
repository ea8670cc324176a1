/// The result of ``MergeConnection/undoNewestMerge(intoTargetOf:at:)``.
package enum NewestMergeUndo {
    /// - leaks: the row IDs in `leak` of the target and, if it was restored, of the source.
    case undone(UndoneMerge, leaks: [Int64])
    /// The merge stays, because the undoing would leave no reports to the target, or because the target is discarded.
    case rejected(target: Int64)
}

extension MergeConnection {
    private func savedContents(
        of number: Int64, _ side: MergeSide, _ body: [UInt8]
    ) throws(StoreError) -> LeakContents {
        let database = database
        var contents = LeakContents()
        // The body of a source whose counts were all deleted is empty.
        if !body.isEmpty {
            guard let leak = LeakContents.Leak(bytes: body) else {
                throw .unreadable("a merge", in: database)
            }
            contents.leak = leak
        }
        let releases = try read(
            MergeQueries.savedReleases(
                "merge = $1::bigint and side = $2::bigint", .integer(number), .int(side.rawValue)))
        for saved in releases { contents.releases[saved.release] = saved.contents }
        contents.samples = try read(
            MergeQueries.samples(
                "leak_merge_sample where merge = $1::bigint and side = $2::bigint", .integer(number),
                .int(side.rawValue)))
        return contents
    }

    /// Undoes a merge by hand: restores the source with the counts that it had, and leaves all other counts to the target.
    ///
    /// - Parameter today: the day since 1970 by which the recent installs of the source expire.
    /// - Returns: the result, and the row IDs of the target and, if it was restored, of the source; `nil` if there is no such
    ///   merge.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if a newer merge into the same leak must be undone first, if the target is
    ///   discarded, and if nothing would be left of the target.
    package func undoMerge(_ number: Int64, today: Int) throws(StoreError) -> (
        result: UndoneMerge, leaks: [Int64]
    )? {
        guard let saved = try read(MergeQueries.savedMerge(number)) else { return nil }
        let newest = try read(
            StoreRead<[Int64]>.numbers(
                "select max(id) from leak_merge where leak = $1::bigint", .integer(saved.leak))
        ).first
        if let newest, newest != number { throw .newerMerge(newest, than: number) }
        for id in [saved.merge.target, saved.merge.source] where try isDiscarded(id) {
            throw .discardedLeakMerged(saved.merge.target)
        }
        let source = try savedContents(of: number, .source, saved.sourceBody)
        let former = try savedContents(of: number, .target, saved.targetBody)
        guard let merged = try contents(of: saved.leak) else { throw .unreadable("a leak", in: database) }
        let undo = MergeUndo(of: merged, source: source, target: former)
        guard undo.source == nil || !undo.target.releases.isEmpty else {
            throw .emptyMergeTarget(saved.merge.target)
        }
        try change("delete from merged_leak where key = $1::uuid", .id(saved.merge.source))
        try deleteMerges(where: "id = $1::bigint", .integer(number))
        guard var restored = undo.source else {
            return (UndoneMerge(merge: saved.merge, reports: 0), [saved.leak])
        }
        for id in restored.releases.keys {
            restored.releases[id]?.recentInstalls.removeInstalls(notCountedOn: today)
        }
        let row = try write(
            undo, restored: restored, merged: merged, merge: saved.merge, leak: saved.leak, app: saved.app)
        for id in restored.leak.redirects {
            try change(
                "update merged_leak set leak = $3::bigint where key = $1::uuid and leak = $2::bigint",
                .id(id),
                .integer(saved.leak), .integer(row))
            try change(
                "update leak_merge set leak = $3::bigint where source = $1::uuid and leak = $2::bigint",
                .id(id),
                .integer(saved.leak), .integer(row))
        }
        try separateDecisions(
            undo, restored, former: former.leak, merged: merged, source: row, target: saved.leak)
        return (UndoneMerge(merge: saved.merge, reports: restored.leak.reports), [saved.leak, row])
    }

    /// Undoes the newest merge by hand into the same leak as the merge `number`. If this is a newer merge, a later call undoes the
    /// merge `number`.
    ///
    /// - Parameter time: the time of the change in milliseconds since 1970; `nil` for the time of the merge.
    /// - Returns: `nil` if there is no merge `number`, or if a leak of the newest merge is discarded.
    package func undoNewestMerge(
        intoTargetOf number: Int64, at time: Int64?
    ) throws(StoreError) -> NewestMergeUndo? {
        let newest = try read(
            StoreRead<[Int64]>.numbers(
                "select max(id) from leak_merge where leak = (select leak from leak_merge where id = $1::bigint)",
                .integer(number))
        ).first
        guard let newest, let saved = try read(MergeQueries.savedMerge(newest)),
            try !isDiscarded(saved.merge.target), try !isDiscarded(saved.merge.source)
        else { return nil }
        if newest != number, let older = try read(MergeQueries.savedMerge(number)), older.sourceBody.isEmpty {
            // All counts of the source were deleted since, so that there is nothing to subtract.
            try change("delete from merged_leak where key = $1::uuid", .id(older.merge.source))
            try deleteMerges(where: "id = $1::bigint", .integer(number))
            return .undone(UndoneMerge(merge: older.merge, reports: 0), leaks: [older.leak])
        }
        do throws(StoreError) {
            guard
                let (undone, leaks) = try undoMerge(
                    newest, today: Calendar.day(of: time ?? saved.merge.at))
            else { return nil }
            return .undone(undone, leaks: leaks)
        } catch {
            guard error.reason == .invalidArgument else { throw error }
            // Without the reports of a newer merge nothing would be left of the target, so that these reports stay.
            guard newest == number else { return nil }
            return .rejected(target: saved.leak)
        }
    }

    /// Stores both leaks as they are after a merge is undone, except their decisions.
    ///
    /// - Parameters:
    ///   - restored: the source.
    ///   - merged: the target before the merge is undone.
    ///   - leak: the row ID of the target.
    /// - Returns: the row ID of the restored source.
    private func write(
        _ undo: MergeUndo, restored: LeakContents, merged: LeakContents, merge: ManualMerge, leak: Int64,
        app: Int64
    ) throws(StoreError) -> Int64 {
        let source = restored.leak
        try change(
            "delete from decision_release where decision = (select state from leak where id = $1::bigint)",
            .integer(leak))
        try deleteCounts(of: leak)
        try change(
            """
            insert into leak (key, app, kind, class, quality, first_seen, last_seen, first_release, last_release, made_by,
              made_at, is_shared)
            values ($1::uuid, $2::bigint, $3::text, $4::text, $5::text, $6::bigint, $7::bigint, $8::bigint, $8::bigint,
              $9::bigint, $10::bigint, $11::bigint)
            """, .id(merge.source), .integer(app), .text(source.kind), .text(source.className),
            .text(source.quality),
            .integer(source.firstSeen), .integer(source.lastSeen), .integer(restored.releases.keys.min()),
            .integer(source.madeBy), .integer(source.madeAt), .int(source.isShared ? 1 : 0))
        guard
            let row = try read(
                StoreRead<[Int64]>.numbers("select id from leak where key = $1::uuid", .id(merge.source))
            )
            .first,
            let key = GroupingKey(
                version: source.groupedVersion, className: source.groupedClass, packed: source.paths[3],
                stack: source.paths[0], children: source.paths[1], cycle: source.paths[2])
        else { throw .unreadable("a merge", in: database) }
        try insert(
            [
                [
                    .integer(row), .text(source.title), .optional(source.module), .bytes(source.paths[0]),
                    .bytes(source.paths[1]), .bytes(source.paths[2]), .int(source.groupedVersion),
                    .text(source.groupedClass), .bytes(source.paths[3]), .text(source.search),
                ]
            ], into: .leakText)
        try insert(
            Set(GroupingKeyElements.hashes(of: key)).sorted().map {
                [.integer(app), .integer($0), .integer(row)]
            },
            into: .leakElement)
        try insertCounts(of: restored, leak: row)
        try insertCounts(of: undo.target, leak: leak)
        let textBytes =
            source.title.utf8.count + source.groupedClass.utf8.count + source.search.utf8.count
            + source.paths.reduce(0) { $0 + $1.count }
        try change(
            """
            update app set cells = cells + $2::bigint, text_bytes = text_bytes + $3::bigint,
              leaks = (select count(*) from leak l where l.app = app.id),
              reports = (select BOUNDED_SUM(l.reports) from leak l where l.app = app.id),
              freed = (select BOUNDED_SUM(l.freed) from leak l where l.app = app.id)
            where id = $1::bigint
            """, .integer(app), .int(restored.buildCount + undo.target.buildCount - merged.buildCount),
            .int(textBytes))
        let releases = Set(merged.releases.keys).union(restored.releases.keys).sorted()
        try change(
            """
            update release set leaks = (select count(*) from leak_release c where c.release = release.id),
              new_leaks = (select count(*) from leak l where l.first_release = release.id),
              reports = (select BOUNDED_SUM(c.reports) from leak_release c where c.release = release.id),
              freed = (select BOUNDED_SUM(c.freed) from leak_release c where c.release = release.id)
            where id = any($1::bigint[])
            """, .integers(releases))
        try deriveColumns(ofLeaks: [row, leak])
        return row
    }

    /// Moves the decisions of the source back to it, and chooses the decision in force of each leak.
    private func separateDecisions(
        _ undo: MergeUndo, _ restored: LeakContents, former: LeakContents.Leak, merged: LeakContents,
        source: Int64,
        target: Int64
    ) throws(StoreError) {
        try change(
            "update decision set leak = $1::bigint where leak = $2::bigint and id = any($3::bigint[])",
            .integer(source),
            .integer(target), .integers(restored.leak.decisions))
        try change(
            """
            update leak set state = coalesce((select case when d.kind in ('resolve', 'ignore') then d.id else 0 end
              from decision d where d.leak = leak.id and d.kind <> 'note' order by d.id desc limit 1), 0)
            where id = any($1::bigint[])
            """, .integers([source, target]))
        let states = try read(MergeQueries.states(of: [source, target]))
        for (leak, state) in states where state != 0 {
            if leak == source {
                guard let decision = restored.leak.decisionInForce, decision.row == state else { continue }
                try restore(decision, counts: restored.releases)
            } else if var decision = former.decisionInForce, decision.row == state {
                // Reports of the target may have been deleted since.
                decision.reportsThen = decision.reportsThen.map { min($0, undo.target.leak.reports) }
                try restore(decision, counts: undo.target.releases)
            } else if var decision = merged.leak.decisionInForce, decision.row == state {
                // The decision was made after the merge. The reports of the source are subtracted from the reports at that time.
                // The result is the lowest possible number, which never hides that the leak came back.
                decision.reportsThen = decision.reportsThen.map { max(0, $0 - restored.leak.reports) }
                var releases = undo.target.releases
                for id in releases.keys {
                    releases[id]?.atDecision = merged.releases[id]?.atDecision.map { counts in
                        .init(
                            reports: max(0, counts.reports - (restored.releases[id]?.reports ?? 0)),
                            hourReports: counts.hourReports)
                    }
                }
                try restore(decision, counts: releases)
            }
        }
    }

    private func restore(
        _ decision: LeakContents.Leak.DecisionInForce, counts releases: [Int64: LeakContents.Release]
    ) throws(StoreError) {
        try change(
            "update decision set reports_then = $2::bigint where id = $1::bigint", .integer(decision.row),
            .integer(decision.reportsThen.map(Int64.init)))
        try insert(
            releases.sorted { $0.key < $1.key }.compactMap { id, release in
                guard let counts = release.atDecision, release.reports > 0 else { return nil }
                return [
                    .integer(decision.row), .integer(id), .int(min(counts.reports, release.reports)),
                    .int(min(counts.hourReports, release.reports)),
                ]
            }, into: .decisionRelease)
    }
}
