#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func check(
            app: String, version: String, baseline: String?, now: Int64
        ) throws(StoreError) -> ReleaseCheck? {
            try snapshot { connection throws(StoreError) in
                let floor = ReleaseCheck.floor(baseline: baseline, of: version)
                let answers = try connection.run([
                    Self.totals(ofRelease: version, app: app),
                    Self.versionBefore(version, from: floor, app: app),
                ])
                guard let release = answers[0].first else { return nil }
                let base = try baseline.map { text throws(StoreError) in
                    try ReleaseCheck.bound(baseline: text, of: version)
                }
                let before = base == nil ? answers[1].first?.text(0) : nil
                let bound = base ?? before.map { VersionOrder($0).above } ?? floor
                let leakStates = try leakStates(app: app, now: now, on: connection)
                let number = release.int64(0)
                let found = try connection.run([
                    Self.seen(in: number, since: bound, floor: floor),
                    Self.returns(of: leakStates.regressed),
                ])
                let checked = ReleaseCheckLeaks(
                    found[0].map {
                        ReleaseCheckLeaks.Seen(row: $0.int64(0), reports: $0.int(1), isNew: $0.bool(2))
                    }, in: version, leakStates,
                    regressed: Set(found[1].filter { $0.int64(1) == number }.map { $0.int64(0) }))
                return ReleaseCheck(
                    app: app, version: version, baseline: baseline ?? before,
                    new: try Self.rows(checked.new, of: number, leakStates, now: now, on: connection),
                    newCount: checked.new.count,
                    regressed: try Self.rows(
                        checked.regressed, of: number, leakStates, now: now, on: connection),
                    regressedCount: checked.regressed.count, setAside: checked.setAside,
                    leaks: release.int(1), reports: release.int(2))
            }
        }

        private static func totals(ofRelease version: String, app: String) -> Query {
            Query(
                """
                select r.id, r.leaks, r.reports from app a join release r on r.app = a.id and r.version = $1::text
                where a.name = $2::text
                """, .text(version), .text(app))
        }

        /// Selects the newest version that ranks lower than the given one.
        private static func versionBefore(_ version: String, from floor: [UInt8], app: String) -> Query {
            Query(
                """
                select r.version from app a join release r on r.app = a.id and r.order_key < $1::bytea
                  and r.order_key >= $2::bytea
                where a.name = $3::text order by r.order_key desc limit 1
                """, .bytes(VersionOrder(version).atOrAbove), .bytes(floor), .text(app))
        }

        /// Selects the leaks with reports in a release, their reports, and whether no release from the floor up to the bound has
        /// them.
        private static func seen(in release: Int64, since bound: [UInt8], floor: [UInt8]) -> Query {
            // If the first release decides, the other releases are not read.
            Query(
                """
                select c.leak, c.reports,
                  case when f.order_key >= $2::bytea then true when f.order_key >= $3::bytea then false else
                    not exists (select 1 from leak_release p join release r on r.id = p.release
                      where p.leak = c.leak and r.order_key >= $3::bytea and r.order_key < $2::bytea) end
                from leak_release c join leak l on l.id = c.leak
                join release f on f.id = l.first_release where c.release = $1::bigint and c.reports > 0
                """, .integer(release), .bytes(bound), .bytes(floor))
        }

        /// Reads the rows of the first of these leaks, as they are in a release.
        private static func rows(
            _ leaks: [Int64], of release: Int64, _ leakStates: LeakStates, now: Int64,
            on connection: PostgreSQLConnection
        ) throws(StoreError) -> [LeakRow] {
            let first = leaks.prefix(ReleaseCheck.rowLimit)
            guard !first.isEmpty else { return [] }
            let answer = try connection.run(
                Query(
                    """
                    with page as (
                      select leak as id, 0 as k1, 0 as k2, reports, installs, release as looked_at
                      from leak_release where leak = any($1::bigint[]) and release = $2::bigint
                    )
                    \(LeakRow.select)
                    """, .integers(first.map { $0 }), .integer(release)))
            var found: [Int64: LeakRow] = [:]
            for row in answer { found[row.int64(0)] = try LeakRow(row, in: connection.name) }
            let numbers = first.filter { found[$0] != nil }
            var rows = numbers.compactMap { found[$0] }
            try complete(&rows, numbers: numbers, leakStates: leakStates, now: now, on: connection)
            return rows
        }
    }
#endif
