/// The statements that read for ``MergeConnection``.
enum MergeQueries {
    /// - Parameter sql: the table of the samples, and the condition for its rows.
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

    /// Returns for some rows of `leak_merge` if their saved values can be parsed.
    static func mergeReadability(
        after last: Int64, limit: Int
    ) -> StoreRead<[(number: Int64, isReadable: Bool)]> {
        enum Column: Int32, QueryColumn { case id, sourceBody, targetBody }
        return StoreRead(
            "select id, source_body, target_body from leak_merge where id > $1::bigint order by id limit $2::bigint",
            .integer(last), .int(limit)
        ) { (row: NamedRow<Column>) in
            let isReadable = [row.bytes(.sourceBody), row.bytes(.targetBody)].allSatisfy {
                $0.isEmpty || LeakContents.Leak(bytes: $0) != nil
            }
            return (row.int64(.id), isReadable)
        }
    }

    /// Returns for some rows of `leak_merge_release` if their saved counts can be parsed.
    static func releaseReadability(
        after last: SavedReleaseKey, limit: Int
    ) -> StoreRead<[(key: SavedReleaseKey, isReadable: Bool)]> {
        enum Column: Int32, QueryColumn { case merge, side, release, body }
        return StoreRead(
            """
            select merge, side, release, body from leak_merge_release
            where (merge, side, release) > ($1::bigint, $2::bigint, $3::bigint)
            order by merge, side, release limit $4::bigint
            """, .integer(last.merge), .int(last.side), .integer(last.release), .int(limit)
        ) { (row: NamedRow<Column>) in
            let key = SavedReleaseKey(
                merge: row.int64(.merge), side: row.int(.side), release: row.int64(.release))
            return (key, LeakContents.Release(bytes: row.bytes(.body)) != nil)
        }
    }
}

// MARK: Rows

/// The two leaks that a merge by hand saves: the values of the column `side`.
enum MergeSide: Int, CaseIterable {
    case source = 0
    case target = 1
}

/// A leak that takes part in a merge by hand.
struct LeakOfMerge {
    var row: Int64
    var id: LeakID
    var app: Int64
    var appKey: AppKey
    var title: String
    var reports: Int
}

/// A row of `leak_merge`: a merge by hand, with the values of both leaks that are not stored by release.
struct SavedMerge {
    var merge: ManualMerge
    var app: Int64
    var leak: Int64
    var sourceBody: [UInt8]
    var targetBody: [UInt8]
}

/// A row of `leak_merge_release`: the counts in one release of a leak that a merge saved.
struct SavedRelease {
    var merge: Int64
    var side: Int
    var release: Int64
    var contents: LeakContents.Release

    var key: SavedReleaseKey { SavedReleaseKey(merge: merge, side: side, release: release) }
}

/// The key of a row of `leak_merge_release`.
package struct SavedReleaseKey: Hashable, Sendable {
    /// A key before the first row.
    package static let start = SavedReleaseKey(merge: -1, side: 0, release: 0)
    /// Maximum number of rows that one step of a search reads.
    package static let maxPerStep = 100

    package var merge: Int64
    package var side: Int
    package var release: Int64
}

extension LeakContents.Sample {
    /// The values of a row of `sample` or `leak_merge_sample`, without the columns that identify the leak.
    var columns: [PortableValue] {
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
