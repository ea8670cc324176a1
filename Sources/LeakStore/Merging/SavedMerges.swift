/// A connection on which a transaction merges leaks by hand, undoes such merges, and changes the contents that they keep.
///
/// Most of the statements are the same in both stores. A store adds the statements about its sets of installs, and the columns
/// that it derives from other rows.
package protocol MergeConnection: ChangeConnection {
    /// Inserts rows into a table, with the columns of its ``PortableTable``.
    func insert(_ rows: [[PortableValue]], into table: PortableTable) throws(StoreError)

    /// SQL for the builds of the leak `$1`: the row ID of the build, its release, the counts, and the set of installs.
    static var buildCountsSQL: String { get }
    /// SQL for the recent installs of the leak `$1`: the release, the day of the count, and the set.
    static var recentInstallsSQL: String { get }

    /// Deletes the counts, sets of installs and samples of a leak, and all that is derived from them outside of its row.
    func deleteCounts(of leak: Int64) throws(StoreError)
    /// Stores the sets of installs of a leak whose counts by build and release are stored.
    func insertInstalls(of contents: LeakContents, leak: Int64) throws(StoreError)
    /// Computes the columns of leaks that are derived from their counts, and what is derived from those outside of their rows.
    func deriveColumns(ofLeaks leaks: [Int64]) throws(StoreError)
}

extension PortableTable {
    /// Returns the table with a name.
    fileprivate static func named(_ name: String) -> PortableTable {
        guard let table = all.first(where: { $0.name == name }) else {
            preconditionFailure("no table \(name)")
        }
        return table
    }

    fileprivate static let leakText = named("leak_text")
    fileprivate static let leakRelease = named("leak_release")
    fileprivate static let leakBuild = named("leak_build")
    fileprivate static let leakHour = named("leak_hour")
    fileprivate static let leakDay = named("leak_day")
    fileprivate static let leakElement = named("leak_element")
    fileprivate static let leakValue = named("leak_value")
    fileprivate static let leakLived = named("leak_lived")
    fileprivate static let sample = named("sample")
    fileprivate static let decisionRelease = named("decision_release")
    fileprivate static let mergeRelease = named("leak_merge_release")
    fileprivate static let mergeSample = named("leak_merge_sample")
}

extension PortableValue {
    fileprivate static func int(_ number: Int) -> PortableValue { .integer(Int64(number)) }
    fileprivate static func optional(_ text: String?) -> PortableValue { text.map { .text($0) } ?? .null }
}

extension LeakContents.Sample {
    /// The columns of a row of a table of samples after those that identify the row.
    fileprivate var columns: [PortableValue] {
        [
            .int(slot), .int(ordinal), .integer(at), .text(version), .optional(build), .optional(system),
            .optional(model),
            installHash.map { .integer($0) } ?? .null, .optional(install), .optional(user), .bytes(body),
        ]
    }

    fileprivate enum Column: Int32, QueryColumn {
        case slot, ordinal, at, version, build, system, model, installHash, install, user, body

        static let sql =
            #"slot, ordinal, at, version, build, system, model, install_hash, install, "user", body"#
    }

    fileprivate init(_ row: NamedRow<Column>) {
        self.init()
        (slot, ordinal, at) = (row.int(.slot), row.int(.ordinal), row.time(.at))
        (version, build) = (row.text(.version), row.optionalText(.build))
        (system, model) = (row.optionalText(.system), row.optionalText(.model))
        (installHash, install) = (row.optionalInt64(.installHash), row.optionalText(.install))
        (user, body) = (row.optionalText(.user), row.bytes(.body))
    }
}

/// The two leaks of which a merge by hand keeps the contents: the column `side`.
private enum MergeSide: Int, CaseIterable {
    case source = 0
    case target = 1
}

/// A leak that takes part in a merge by hand.
private struct LeakOfMerge {
    var row: Int64
    var id: LeakID
    var app: Int64
    var appKey: AppKey
    var title: String
    var reports: Int
}

/// A row of `leak_merge`.
private struct SavedMerge {
    var merge: ManualMerge
    var app: Int64
    var leak: Int64
    var sourceBody: [UInt8]
    var targetBody: [UInt8]
}

/// A row of `leak_merge_release`.
private struct SavedRelease {
    var merge: Int64
    var side: Int
    var release: Int64
    var contents: LeakContents.Release
}

/// The statements that read for ``MergeConnection``.
private enum SavedQueries {
    /// - Parameter sql: the table of the samples, and the condition.
    static func samples(_ sql: String, _ values: StoreValue...) -> StoreRead<[LeakContents.Sample]> {
        StoreRead(
            .composed("select \(LeakContents.Sample.Column.sql) from \(sql) order by slot"), values, into: []
        ) { (row: NamedRow<LeakContents.Sample.Column>, samples) in samples.append(LeakContents.Sample(row)) }
    }

    static func leak(_ leak: StoreValue) -> StoreRead<LeakContents.Leak?> {
        enum Column: Int32, QueryColumn {
            case kind, className, quality, title, module, stack, children, cycle, groupedStack, groupedVersion
            case groupedClass, search, reports, freed, sightings, maxAlive, firstSeen, lastSeen, madeBy,
                madeAt, isShared
            case lived, decision, reportsThen, firstOrder
        }
        return StoreRead(
            """
            select l.kind, l.class as class_name, l.quality, t.title, t.module, t.stack, t.children, t.cycle,
              t.grouped_stack, t.grouped_version, t.grouped_class, t.search, l.reports, l.freed, l.sightings,
              l.alive_at_most as max_alive, l.first_seen, l.last_seen, l.made_by, l.made_at, l.is_shared,
              v.histogram as lived, d.id as decision, d.reports_then, coalesce(l.first_order, f.order_key) as first_order
            from leak l join leak_text t on t.leak = l.id join release f on f.id = l.first_release left join leak_lived v on v.leak = l.id
            left join decision d on d.id = l.state where l.id = $1::bigint
            """, leak
        ) { (row: NamedRow<Column>) throws(StoreError) in
            var leak = LeakContents.Leak()
            (leak.kind, leak.className, leak.quality) = (
                row.text(.kind), row.optionalText(.className), row.text(.quality)
            )
            (leak.title, leak.module) = (row.text(.title), row.optionalText(.module))
            leak.paths = [
                row.bytes(.stack), row.bytes(.children), row.bytes(.cycle), row.bytes(.groupedStack),
            ]
            (leak.groupedVersion, leak.groupedClass) = (row.int(.groupedVersion), row.text(.groupedClass))
            (leak.search, leak.reports, leak.freed) = (row.text(.search), row.int(.reports), row.int(.freed))
            (leak.sightings, leak.maxAlive) = (row.int(.sightings), row.optionalInt(.maxAlive))
            (leak.firstSeen, leak.lastSeen) = (row.time(.firstSeen), row.time(.lastSeen))
            (leak.madeBy, leak.madeAt) = (row.optionalInt64(.madeBy), row.optionalInt64(.madeAt))
            leak.isShared = row.bool(.isShared)
            leak.firstOrder = row.bytes(.firstOrder)
            if !row.isNull(.lived) { leak.lived = try row.histogram(.lived) }
            leak.decisionInForce = row.optionalInt64(.decision).map {
                LeakContents.Leak.DecisionInForce(row: $0, reportsThen: row.optionalInt(.reportsThen))
            }
            return leak
        }
    }

    static func values(_ leak: StoreValue) -> StoreRead<[LeakContents.Leak.Value]> {
        enum Column: Int32, QueryColumn { case kind, value, reports }
        return StoreRead(
            "select kind, value, reports from leak_value where leak = $1::bigint order by kind, value", leak
        ) { (row: NamedRow<Column>) in
            LeakContents.Leak.Value(kind: row.int(.kind), value: row.text(.value), reports: row.int(.reports))
        }
    }

    static func builds(_ leak: StoreValue, _ sql: String) -> StoreRead<[Int64: LeakContents.Release]> {
        enum Column: Int32, QueryColumn { case build, release, reports, freed, buckets, members }
        return StoreRead(.composed(sql), [leak], into: [:]) {
            (row: NamedRow<Column>, releases) throws(StoreError) in
            releases[row.int64(.release), default: LeakContents.Release()].builds[row.int64(.build)] =
                LeakContents.Release.Build(
                    reports: row.int(.reports), freed: row.int(.freed),
                    buckets: try row.bucketCounts(.buckets),
                    installs: try row.isNull(.members) ? InstallSet() : row.installSet(.members))
        }
    }

    static func times(
        ofTable table: String, _ column: String, _ leak: StoreValue
    ) -> StoreRead<[(time: Int, release: Int64, reports: Int)]> {
        enum Column: Int32, QueryColumn { case time, release, reports }
        return StoreRead(
            .composed("select \(column) as time, release, reports from \(table) where leak = $1::bigint"),
            leak
        ) { (row: NamedRow<Column>) in (row.int(.time), row.int64(.release), row.int(.reports)) }
    }

    static func recentInstalls(
        _ leak: StoreValue, _ sql: String
    ) -> StoreRead<[(release: Int64, day: Int, installs: RecentInstalls)]> {
        enum Column: Int32, QueryColumn { case release, day, members }
        return StoreRead(.composed(sql), leak) { (row: NamedRow<Column>) in
            // A set that cannot be read is complete again after a week.
            (
                row.int64(.release), row.int(.day),
                RecentInstalls(bytes: row.bytes(.members)) ?? RecentInstalls()
            )
        }
    }

    static func atDecision(
        _ leak: StoreValue
    ) -> StoreRead<[(release: Int64, counts: LeakContents.Release.AtDecision)]> {
        enum Column: Int32, QueryColumn { case release, reports, hourReports }
        return StoreRead(
            """
            select s.release, s.reports, s.hour_reports from leak l join decision_release s on s.decision = l.state
            where l.id = $1::bigint
            """, leak
        ) { (row: NamedRow<Column>) in
            (row.int64(.release), .init(reports: row.int(.reports), hourReports: row.int(.hourReports)))
        }
    }

    static func leak(withID id: LeakID) -> StoreRead<LeakOfMerge?> {
        enum Column: Int32, QueryColumn { case row, id, app, name, environment, title, reports }
        return StoreRead(
            """
            select l.id as row, l.key as id, l.app, a.name, a.environment, t.title, l.reports
            from leak l join app a on a.id = l.app join leak_text t on t.leak = l.id
            where l.key = $1::uuid
            """, .id(id)
        ) { (row: NamedRow<Column>) throws(StoreError) in
            LeakOfMerge(
                row: row.int64(.row), id: try row.id(.id), app: row.int64(.app),
                appKey: AppKey(row.text(.name), environment: row.text(.environment)), title: row.text(.title),
                reports: row.int(.reports))
        }
    }

    static func savedMerge(_ number: Int64) -> StoreRead<SavedMerge?> {
        enum Column: Int32, QueryColumn {
            case source, title, reports, by, at, leak, app, name, environment, target, sourceBody, targetBody
        }
        return StoreRead(
            """
            select m.source, m.title, m.reports, m.by, m.at, m.leak, m.app, a.name, a.environment, l.key as target,
              m.source_body, m.target_body
            from leak_merge m join leak l on l.id = m.leak join app a on a.id = m.app where m.id = $1::bigint
            """, .integer(number)
        ) { (row: NamedRow<Column>) throws(StoreError) in
            SavedMerge(
                merge: ManualMerge(
                    number: number, app: AppKey(row.text(.name), environment: row.text(.environment)),
                    source: try row.id(.source), sourceTitle: row.text(.title), target: try row.id(.target),
                    reports: row.int(.reports), by: row.text(.by), at: row.time(.at)),
                app: row.int64(.app), leak: row.int64(.leak), sourceBody: row.bytes(.sourceBody),
                targetBody: row.bytes(.targetBody))
        }
    }

    static func states(of leaks: [Int64]) -> StoreRead<[(leak: Int64, state: Int64)]> {
        enum Column: Int32, QueryColumn { case id, state }
        return StoreRead("select id, state from leak where id = any($1::bigint[])", .integers(leaks)) {
            (row: NamedRow<Column>) in (row.int64(.id), row.int64(.state))
        }
    }

    /// - Parameter sql: the condition for the rows, and their order.
    static func savedReleases(_ sql: String, _ values: StoreValue...) -> StoreRead<[SavedRelease]> {
        enum Column: Int32, QueryColumn { case merge, side, release, body }
        return StoreRead(
            .composed("select merge, side, release, body from leak_merge_release where \(sql)"), values,
            into: []
        ) { (row: NamedRow<Column>, releases) throws(StoreError) in
            guard let contents = LeakContents.Release(bytes: row.bytes(.body)) else {
                throw row.unreadable("a merge")
            }
            releases.append(
                SavedRelease(
                    merge: row.int64(.merge), side: row.int(.side), release: row.int64(.release),
                    contents: contents))
        }
    }

    /// Reads whether each row of `leak_merge` can be read.
    static var areLeaksReadable: StoreRead<[Bool]> {
        enum Column: Int32, QueryColumn { case sourceBody, targetBody }
        return StoreRead("select source_body, target_body from leak_merge") {
            (row: NamedRow<Column>) -> Bool in
            [row.bytes(.sourceBody), row.bytes(.targetBody)].allSatisfy {
                $0.isEmpty || LeakContents.Leak(bytes: $0) != nil
            }
        }
    }

    /// Reads whether each row of `leak_merge_release` can be read.
    static var areReleasesReadable: StoreRead<[Bool]> {
        StoreRead("select body from leak_merge_release") { (row: NamedRow<OnlyColumn>) -> Bool in
            LeakContents.Release(bytes: row.bytes(.value)) != nil
        }
    }
}

// MARK: Contents

extension MergeConnection {
    /// Returns all counts and samples of a leak; `nil` if there is no such leak.
    private func contents(of leak: Int64) throws(StoreError) -> LeakContents? {
        let row = StoreValue.integer(leak)
        guard var result = try read(SavedQueries.leak(row)) else { return nil }
        var contents = LeakContents()
        result.values = try read(SavedQueries.values(row))
        result.decisions = try read(
            StoreRead<[Int64]>.numbers("select id from decision where leak = $1::bigint order by id", row))
        result.redirects = try read(
            StoreRead<[LeakID]>("select key from merged_leak where leak = $1::bigint order by id", row) {
                (row: NamedRow<OnlyColumn>) throws(StoreError) -> LeakID in try row.id(.value)
            })
        contents.leak = result
        contents.releases = try read(SavedQueries.builds(row, Self.buildCountsSQL))
        for (time, release, reports) in try read(SavedQueries.times(ofTable: "leak_hour", "hour", row)) {
            contents.releases[release]?.hours[time] = reports
        }
        for (time, release, reports) in try read(SavedQueries.times(ofTable: "leak_day", "day", row)) {
            contents.releases[release]?.days[time] = reports
        }
        for (release, day, installs) in try read(SavedQueries.recentInstalls(row, Self.recentInstallsSQL)) {
            contents.releases[release]?.recentInstalls = installs
            contents.releases[release]?.recentDay = day
        }
        for (release, counts) in try read(SavedQueries.atDecision(row)) {
            contents.releases[release]?.atDecision = counts
        }
        contents.samples = try read(
            SavedQueries.samples("SAMPLES($1::bigint) as s", row))
        return contents
    }

    /// Stores the contents of a leak that has no counts.
    private func insertCounts(of contents: LeakContents, leak: Int64) throws(StoreError) {
        let row = PortableValue.integer(leak)
        var (releases, builds, hours, days):
            ([[PortableValue]], [[PortableValue]], [[PortableValue]], [[PortableValue]])
        (releases, builds, hours, days) = ([], [], [], [])
        for (id, release) in contents.releases.sorted(by: { $0.key < $1.key }) {
            releases.append([
                row, .integer(id), .int(release.reports), .int(release.freed), .int(release.installs.count),
            ])
            for (build, counts) in release.builds.sorted(by: { $0.key < $1.key }) {
                builds.append([
                    row, .integer(build), .int(counts.reports), .int(counts.freed),
                    .int(counts.installs.count),
                    .bytes(counts.buckets.bytes),
                ])
            }
            for (hour, reports) in release.hours {
                hours.append([row, .int(hour), .integer(id), .int(reports)])
            }
            for (day, reports) in release.days { days.append([row, .int(day), .integer(id), .int(reports)]) }
        }
        try insert(releases, into: .leakRelease)
        try insert(builds, into: .leakBuild)
        try insert(hours, into: .leakHour)
        try insert(days, into: .leakDay)
        try insert(
            contents.leak.values.map { [row, .int($0.kind), .text($0.value), .int($0.reports)] },
            into: .leakValue)
        if !contents.leak.lived.isEmpty {
            try insert([[row, .bytes(contents.leak.lived.bytes)]], into: .leakLived)
        }
        try insert(contents.samples.map { [row] + $0.columns }, into: .sample)
        try insertInstalls(of: contents, leak: leak)
        try change(
            .composed(
                """
                update leak set reports = $2::bigint, freed = $3::bigint, sightings = $4::bigint, alive_at_most = $5::bigint,
                  first_seen = $6::bigint, last_seen = $7::bigint, made_at = $8::bigint, installs = $9::bigint,
                  retained_bytes = \(RetainedBytes.medianSQL(ofLeak: "leak.id")),
                  (first_release, first_order) = (
                    select r.id, case when r.version = 'other' and r.order_key <> $10::bytea then $10::bytea end
                    from leak_release c join release r on r.id = c.release where c.leak = leak.id
                    order by case r.version when 'other' then $10::bytea else r.order_key end, r.version = 'other', r.id limit 1),
                  last_release = (select r.id from leak_release c join release r on r.id = c.release
                    where c.leak = leak.id order by r.order_key desc, r.id limit 1)
                where id = $1::bigint
                """), .integer(leak), .int(contents.leak.reports), .int(contents.leak.freed),
            .int(contents.leak.sightings), .integer(contents.leak.maxAlive.map(Int64.init)),
            .integer(contents.leak.firstSeen), .integer(contents.leak.lastSeen),
            .integer(contents.leak.madeAt),
            .int(contents.installs.count), .bytes(contents.leak.firstOrder))
        try change(
            """
            update leak set first_build = (select b.id from leak_build p join build b on b.id = p.build
              where p.leak = leak.id and b.release = leak.first_release order by b.order_key limit 1)
            where id = $1::bigint
            """, .integer(leak))
    }
}

// MARK: Merging

/// The leaks of a merge by hand, as they are stored.
package struct MergedPair: Sendable {
    /// Row IDs in `leak`.
    package var source: Int64
    package var target: Int64
    package var sourceID: LeakID
    package var targetID: LeakID
    /// Row ID in `app`.
    package var app: Int64
    package var appKey: AppKey
    package var title: String
    package var reports: Int
}

extension MergeConnection {
    /// Returns the id of the leak that a leak was merged into.
    private func target(ofMerged id: LeakID) throws(StoreError) -> LeakID? {
        try read(
            StoreRead<LeakID?>(
                "select l.key from merged_leak m join leak l on l.id = m.leak where m.key = $1::uuid", .id(id)
            ) {
                (row: NamedRow<OnlyColumn>) throws(StoreError) -> LeakID in try row.id(.value)
            })
    }

    /// Checks that two leaks may be merged by hand.
    ///
    /// - Parameter target: the id of the target, or of a leak that was merged into it.
    /// - Returns: `nil` if there is no leak with the id of the source.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if they may not be merged.
    package func pair(merging source: LeakID, into target: LeakID) throws(StoreError) -> MergedPair? {
        guard let from = try read(SavedQueries.leak(withID: source)) else { return nil }
        var found = try read(SavedQueries.leak(withID: target))
        if found == nil, let other = try self.target(ofMerged: target) {
            found = try read(SavedQueries.leak(withID: other))
        }
        guard let into = found else { throw .missingMergeTarget(target) }
        guard from.row != into.row else { throw .mergeOfItself(source) }
        guard from.app == into.app else { throw .mergeAcrossApps }
        for leak in [from, into] {
            guard !LeakIdentity.isOverLimit(leak.id), leak.appKey.name != StoreLimits.other else {
                throw .collectiveLeakMerged
            }
            guard try !isDiscarded(leak.id) else { throw .discardedLeakMerged(leak.id) }
        }
        let count = try read(
            StoreRead<[Int64]>.numbers(
                "select count(*) from leak_merge where app = $1::bigint", .integer(from.app))
        ).first
        guard count ?? 0 < ManualMerge.maxPerApp else { throw .tooManyMerges(of: from.appKey.description) }
        return MergedPair(
            source: from.row, target: into.row, sourceID: from.id, targetID: into.id, app: from.app,
            appKey: from.appKey,
            title: from.title, reports: from.reports)
    }

    private func isDiscarded(_ id: LeakID) throws(StoreError) -> Bool {
        try !read(
            StoreRead<[Int64]>.numbers("select 1 from discarded_leak where key = $1::uuid limit 1", .id(id))
        ).isEmpty
    }

    /// Keeps the contents of two leaks before they are merged, so that the merge can be undone. Merges into the source go on
    /// with the target.
    ///
    /// - Returns: the number of the merge.
    package func save(_ pair: MergedPair, by author: String, at now: Int64) throws(StoreError) -> Int64 {
        guard let source = try contents(of: pair.source), var target = try contents(of: pair.target) else {
            throw .unreadable("a leak", in: database)
        }
        try change(
            "update leak_merge set leak = $2::bigint where leak = $1::bigint", .integer(pair.source),
            .integer(pair.target))
        // Only the sets of the target are needed, and what cannot be computed by a subtraction.
        target.leak.values = []
        target.leak.lived = DurationHistogram()
        for id in target.releases.keys {
            target.releases[id]?.hours = [:]
            target.releases[id]?.days = [:]
        }
        try change(
            """
            insert into leak_merge (app, source, module, title, leak, reports, by, at, made_by, made_at, is_shared,
              source_body, target_body)
            values ($1::bigint, $2::uuid, $3::text, $4::text, $5::bigint, $6::bigint, $7::text, $8::bigint, $9::bigint,
              $10::bigint, $11::bigint, $12::bytea, $13::bytea)
            """, .integer(pair.app), .id(pair.sourceID), .text(source.leak.module ?? ""), .text(pair.title),
            .integer(pair.target), .int(pair.reports), .text(author), .integer(now),
            .integer(source.leak.madeBy),
            .integer(source.leak.madeAt), .int(source.leak.isShared ? 1 : 0), .bytes(source.leak.bytes),
            .bytes(target.leak.bytes))
        guard
            let number = try read(
                StoreRead<[Int64]>.numbers(
                    "select id from leak_merge where source = $1::uuid", .id(pair.sourceID))
            ).first
        else { throw .unreadable("a merge", in: database) }
        for (side, contents) in [(MergeSide.source, source), (.target, target)] {
            let key: [PortableValue] = [.integer(number), .int(side.rawValue)]
            try insert(
                contents.releases.sorted { $0.key < $1.key }.map {
                    key + [.integer($0.key), .bytes($0.value.bytes)]
                },
                into: .mergeRelease)
            try insert(contents.samples.map { key + $0.columns }, into: .mergeSample)
        }
        return number
    }

    /// Lets the merges into some leaks go on with the leak into which a rule merges them.
    ///
    /// - Returns: `true` if there are merges into the target now.
    package func redirectMerges(of leaks: [Int64], to target: Int64) throws(StoreError) -> Bool {
        try change(
            "update leak_merge set leak = $2::bigint where leak = any($1::bigint[]) and leak <> $2::bigint",
            .integers(leaks), .integer(target))
        let merges = try read(
            StoreRead<[Int64]>.numbers(
                "select id from leak_merge where leak = $1::bigint limit 1", .integer(target)))
        return !merges.isEmpty
    }
}

// MARK: Undoing

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
            SavedQueries.savedReleases(
                "merge = $1::bigint and side = $2::bigint", .integer(number), .int(side.rawValue)))
        for saved in releases { contents.releases[saved.release] = saved.contents }
        contents.samples = try read(
            SavedQueries.samples(
                "leak_merge_sample where merge = $1::bigint and side = $2::bigint", .integer(number),
                .int(side.rawValue)))
        return contents
    }

    /// Undoes a merge by hand: gives the source back what it had, and leaves the rest to the target.
    ///
    /// - Returns: `nil` if there is no such merge.
    /// - Throws: ``StoreError/Reason/invalidArgument`` if another merge must be undone before, if the target is discarded, and
    ///   if nothing would be left of the target.
    package func undoMerge(_ number: Int64, today: Int) throws(StoreError) -> (
        result: UndoneMerge, target: Int64
    )? {
        guard let saved = try read(SavedQueries.savedMerge(number)) else { return nil }
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
        try change("delete from merged_leak where key = $1::uuid", .id(saved.merge.source))
        try deleteMerges(where: "id = $1::bigint", .integer(number))
        guard var restored = undo.source else {
            return (UndoneMerge(merge: saved.merge, reports: 0), saved.leak)
        }
        guard !undo.target.releases.isEmpty else { throw .emptyMergeTarget(saved.merge.target) }
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
        return (UndoneMerge(merge: saved.merge, reports: restored.leak.reports), saved.leak)
    }

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

    /// Gives the source its decisions back, and computes which decisions are in force.
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
        let states = try read(SavedQueries.states(of: [source, target]))
        for (leak, state) in states where state != 0 {
            if leak == source {
                guard let decision = restored.leak.decisionInForce, decision.row == state else { continue }
                try restore(decision, counts: restored.releases)
            } else if var decision = former.decisionInForce, decision.row == state {
                // Reports of the target may have been deleted since.
                decision.reportsThen = decision.reportsThen.map { min($0, undo.target.leak.reports) }
                try restore(decision, counts: undo.target.releases)
            } else if var decision = merged.leak.decisionInForce, decision.row == state {
                // Made since the merge. The reports that the source had then are those that it has now. The lowest possible
                // number never hides that the leak came back.
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

// MARK: Deleting

extension MergeConnection {
    /// Deletes what merges by hand keep about leaks that are deleted, completely or in one release. Without it, undoing a merge
    /// would bring deleted counts back.
    ///
    /// - Parameter release: the row ID of the release; `nil` for all releases. Then the merges end, and later reports of the
    ///   merged leaks make them again.
    package func deleteFromMerges(leaks: [Int64], release: Int64?) throws(StoreError) {
        guard let release else {
            return try deleteMerges(where: "leak = any($1::bigint[])", .integers(leaks))
        }
        let merges = "merge in (select id from leak_merge where leak = any($1::bigint[]))"
        try change(
            .composed("delete from leak_merge_release where release = $2::bigint and \(merges)"),
            .integers(leaks),
            .integer(release))
        try change(
            .composed(
                """
                delete from leak_merge_sample where \(merges) and (
                  version = (select version from release where id = $2::bigint)
                  or exists (select 1 from release where id = $2::bigint and version = '\(StoreLimits.other)')
                    and not exists (select 1 from release r join release o on o.app = r.app
                      where o.id = $2::bigint and r.version = leak_merge_sample.version))
                """), .integers(leaks), .integer(release))
        try change(
            """
            update leak_merge set source_body = ''::bytea where leak = any($1::bigint[])
              and not exists (select 1 from leak_merge_release r where r.merge = leak_merge.id and r.side = 0)
            """, .integers(leaks))
    }

    /// Deletes what merges by hand keep about leaks that an ingest key made, and that no other key has reported. Undoing such a
    /// merge restores nothing.
    package func deleteSavedSources(madeBy key: Int64, since: Int64) throws(StoreError) {
        let condition = "made_by = $1::bigint and made_at >= $2::bigint and is_shared = 0"
        for table in ["leak_merge_release", "leak_merge_sample"] {
            try change(
                .composed(
                    "delete from \(table) where merge in (select id from leak_merge where \(condition))"),
                .integer(key), .integer(since))
        }
        try change(
            .composed("update leak_merge set source_body = ''::bytea where \(condition)"), .integer(key),
            .integer(since))
    }

    private func deleteMerges(where condition: String, _ value: StoreValue) throws(StoreError) {
        for table in ["leak_merge_release", "leak_merge_sample"] {
            try change(
                .composed(
                    "delete from \(table) where merge in (select id from leak_merge where \(condition))"),
                value)
        }
        try change(.composed("delete from leak_merge where \(condition)"), value)
    }

    private func update(_ release: SavedRelease) throws(StoreError) {
        try change(
            """
            update leak_merge_release set body = $4::bytea
            where merge = $1::bigint and side = $2::bigint and release = $3::bigint
            """, .integer(release.merge), .int(release.side), .integer(release.release),
            .bytes(release.contents.bytes))
    }

    /// Moves what merges by hand keep about leaks in a release to a build of another release.
    package func moveInMerges(leaks: [Int64], from release: Int64, to other: Int64, build: Int64)
        throws(StoreError)
    {
        let saved = try read(
            SavedQueries.savedReleases(
                """
                release in ($2::bigint, $3::bigint) and merge in (select id from leak_merge where leak = any($1::bigint[]))
                """, .integers(leaks), .integer(release), .integer(other)))
        for moved in saved where moved.release == release {
            try change(
                """
                delete from leak_merge_release where merge = $1::bigint and side = $2::bigint and release = $3::bigint
                """, .integer(moved.merge), .int(moved.side), .integer(release))
            if var present = saved.first(where: {
                $0.release == other && $0.merge == moved.merge && $0.side == moved.side
            }) {
                present.contents.add(moved.contents, to: build)
                try update(present)
            } else {
                var contents = LeakContents.Release()
                contents.add(moved.contents, to: build)
                try insert(
                    [[.integer(moved.merge), .int(moved.side), .integer(other), .bytes(contents.bytes)]],
                    into: .mergeRelease)
            }
        }
    }

    /// Removes an install from some of the sets that merges by hand keep.
    ///
    /// - Returns: the last release that was searched; `nil` if none was left.
    package func erase(
        install: UInt64, fromMergesAfter last: SavedReleaseKey, limit: Int
    ) throws(StoreError) -> (last: SavedReleaseKey, erasedSets: Int)? {
        let releases = try read(
            SavedQueries.savedReleases(
                """
                (merge, side, release) > ($1::bigint, $2::bigint, $3::bigint) order by merge, side, release
                limit $4::bigint
                """, .integer(last.merge), .int(last.side), .integer(last.release), .int(limit)))
        guard let end = releases.last else { return nil }
        var count = 0
        for var release in releases where release.contents.remove(install: install) {
            try update(release)
            count += 1
        }
        return (SavedReleaseKey(merge: end.merge, side: end.side, release: end.release), count)
    }

    /// Deletes the samples of an install that merges by hand keep.
    ///
    /// - Returns: the number of samples.
    package func eraseSamplesOfMerges(install: UInt64) throws(StoreError) -> Int {
        try change(
            "delete from leak_merge_sample where install_hash = $1::bigint",
            .integer(Int64(bitPattern: install)))
    }

    /// Returns the number of rows that merges by hand keep and that cannot be read.
    package func countUnreadableMerges() throws(StoreError) -> Int {
        let (leaks, releases) = try (
            read(SavedQueries.areLeaksReadable), read(SavedQueries.areReleasesReadable)
        )
        return (leaks + releases).count { !$0 }
    }
}

/// The key of a row of `leak_merge_release`.
package struct SavedReleaseKey: Hashable, Sendable {
    package static let start = SavedReleaseKey(merge: -1, side: 0, release: 0)
    /// Maximum number of rows that one step of an erasure searches.
    package static let maxPerStep = 100

    package var merge: Int64
    package var side: Int
    package var release: Int64
}
