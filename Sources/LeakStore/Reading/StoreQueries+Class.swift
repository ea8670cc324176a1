extension QueryReader {
    package func leakClass(_ name: String, app: AppScope, now: Int64) throws(StoreError) -> LeakClass? {
        try snapshot { connection throws(StoreError) in
            let (totals, modules, rowIDs, lifetimes, storedInstalls, related) = try connection.readAll(
                StoreQueries.totals(ofClass: name, app), StoreQueries.modules(ofClass: name, app),
                StoreQueries.leaks(ofClass: name, app), StoreQueries.lifetimes(ofClass: name, app),
                Connection.installs(ofClass: name, app), StoreQueries.related(toClass: name, app))
            guard var leakClass = totals, leakClass.total > 0 else { return nil }
            var installs = storedInstalls
            try connection.addLoggedInstalls(to: &installs)
            leakClass.modules = modules
            leakClass.leaks = try leaks(rowIDs, ofClass: name, app: app, now: now, on: connection)
            leakClass.lived = lifetimes.percentiles
            leakClass.installs = min(installs.union.count, leakClass.reports)
            leakClass.related = related
            return leakClass
        }
    }

    /// - Parameter rowIDs: row IDs of leaks of the class.
    private func leaks(
        _ rowIDs: [Int64], ofClass name: String, app: AppScope, now: Int64, on connection: Connection
    ) throws(StoreError) -> [LeakRow] {
        let rows = try connection.rows(rowIDs)
        let leakStates = LeakStates(
            known: knownLeaks.namesClass(name) ? try knownRows(app: app, on: connection) : KnownLeakRows(),
            decided: try decidedLeaks(among: rowIDs, on: connection), now: now)
        let foundRowIDs = rowIDs.filter { rows[$0] != nil }
        var leaks = foundRowIDs.compactMap { rows[$0] }
        try connection.addStatesAndTrends(to: &leaks, rowIDs: foundRowIDs, leakStates: leakStates, now: now)
        return leaks
    }
}

extension StoreQueries {
    /// SQL for the leaks `l` of the class `$3`.
    private static let leaksOfClassSQL =
        "app a /*! cross */ join leak l on l.app = a.id and l.class = $3::text"

    fileprivate static func totals(ofClass name: String, _ app: AppScope) -> StoreRead<LeakClass?> {
        enum Column: Int32, QueryColumn { case leaks, reports, freed, firstSeen, lastSeen }
        return StoreRead(
            .composed(
                """
                select count(*) as leaks, BOUNDED_SUM(l.reports) as reports, BOUNDED_SUM(l.freed) as freed,
                  min(l.first_seen) as first_seen, max(l.last_seen) as last_seen
                from \(leaksOfClassSQL) where \(isInScopeSQL)
                """), .text(app.app), .text(app.environment), .text(name)
        ) { (row: NamedRow<Column>) in
            LeakClass(
                name: name, modules: [], leaks: [], total: row.int(.leaks), reports: row.int(.reports),
                freed: row.int(.freed), installs: 0, lived: nil, firstSeen: row.time(.firstSeen),
                lastSeen: row.time(.lastSeen), related: [])
        }
    }

    fileprivate static func modules(ofClass name: String, _ app: AppScope) -> StoreRead<[String]> {
        StoreRead<[String]>.texts(
            .composed(
                """
                select distinct t.module collate "C" as module
                from \(leaksOfClassSQL) join leak_text t on t.leak = l.id
                where \(isInScopeSQL) and t.module is not null order by module limit $4::bigint
                """), .text(app.app), .text(app.environment), .text(name), .int(LeakClass.maxNamesShown))
    }

    /// Reads the row IDs of the leaks of a class with the most reports.
    fileprivate static func leaks(ofClass name: String, _ app: AppScope) -> StoreRead<[Int64]> {
        StoreRead<[Int64]>.numbers(
            .composed(
                """
                select l.id from \(leaksOfClassSQL)
                where \(isInScopeSQL) order by /*! + */ l.reports desc, l.id limit $4::bigint
                """), .text(app.app), .text(app.environment), .text(name), .int(LeakClass.maxLeaksShown))
    }

    fileprivate static func lifetimes(
        ofClass name: String, _ app: AppScope
    ) -> StoreRead<DurationHistogram> {
        StoreRead(
            .composed(
                """
                select d.histogram from \(leaksOfClassSQL) join leak_lived d on d.leak = l.id where \(isInScopeSQL)
                """), [.text(app.app), .text(app.environment), .text(name)], into: DurationHistogram()
        ) { (row: NamedRow<OnlyColumn>, merged) throws(StoreError) in
            merged.merge(try row.histogram(.value))
        }
    }

    /// - Parameter sql: selects the `id` and `members` of sets of installs.
    package static func installs(_ sql: String, _ values: [StoreValue]) -> StoreRead<ClassInstalls> {
        enum Column: Int32, QueryColumn { case id, members }
        return StoreRead(.composed(sql), values, into: ClassInstalls()) {
            (row: NamedRow<Column>, installs) throws(StoreError) in
            installs.setRowIDs.insert(row.int64(.id))
            installs.union.merge(try row.installSet(.members))
        }
    }

    fileprivate static func related(
        toClass name: String, _ app: AppScope
    ) -> StoreRead<[LeakClass.Related]> {
        enum Column: Int32, QueryColumn { case `class`, leaks, reports }
        // The expression for the innermost name is the same as in the index. Without `indexed by`, SQLite would read all
        // classes in order.
        return StoreRead(
            .composed(
                """
                select l.class, count(*) as leaks, BOUNDED_SUM(l.reports) as reports
                from app a /*! cross */ join leak l /*! indexed by leak_by_innermost_class */ on l.app = a.id
                  and INNERMOST_CLASS = $3::text
                where \(isInScopeSQL) and l.class <> $4::text group by l.class order by l.class
                """),
            [.text(app.app), .text(app.environment), .text(LeakClass.innermost(of: name)), .text(name)],
            into: []
        ) { (row: NamedRow<Column>, related) in
            guard related.count < LeakClass.maxNamesShown else { return }
            let otherName = row.text(.class)
            guard LeakClass.areRelated(name, otherName) else { return }
            related.append(
                LeakClass.Related(name: otherName, leaks: row.int(.leaks), reports: row.int(.reports)))
        }
    }
}
