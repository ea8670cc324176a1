extension SQLiteReader {
    func leakClass(_ name: String, app: AppScope, now: Int64) throws(StoreError) -> LeakClass? {
        try snapshot { () throws(StoreError) in
            guard var leakClass = try totals(ofClass: name, app: app) else { return nil }
            leakClass.modules = try modules(ofClass: name, app: app)
            leakClass.leaks = try leaks(ofClass: name, app: app, now: now)
            leakClass.lived = try readLifetimes(ofClass: name, app: app)
            leakClass.installs = min(try installs(ofClass: name, app: app), leakClass.reports)
            leakClass.related = try related(toClass: name, app: app)
            return leakClass
        }
    }

    private func totals(ofClass name: String, app: AppScope) throws(StoreError) -> LeakClass? {
        let select = try connection.statement(
            """
            select count(*), cast(min(total(l.reports), LARGEST_TOTAL) as integer),
              cast(min(total(l.freed), LARGEST_TOTAL) as integer), min(l.first_seen), max(l.last_seen)
            from app a cross join leak l on l.app = a.id and l.class = ?1
            where a.environment = ?3 and (?2 is null or a.name = ?2)
            """)
        defer { select.reset() }
        try select.bind(name, app.app, app.environment)
        guard try select.step(), select.int(0) > 0 else { return nil }
        return LeakClass(
            name: name, modules: [], leaks: [], total: select.int(0), reports: select.int(1),
            freed: select.int(2), installs: 0, lived: nil, firstSeen: select.time(3),
            lastSeen: select.time(4),
            related: [])
    }

    private func modules(ofClass name: String, app: AppScope) throws(StoreError) -> [String] {
        try texts(
            connection.statement(
                """
                select distinct t.module from app a cross join leak l on l.app = a.id and l.class = ?1
                join leak_text t on t.leak = l.id
                where a.environment = ?4 and (?2 is null or a.name = ?2) and t.module is not null order by 1 limit ?3
                """), [name, app.app, LeakClass.maxNamesShown, app.environment])
    }

    private func leaks(ofClass name: String, app: AppScope, now: Int64) throws(StoreError) -> [LeakRow] {
        let select = try connection.statement(
            """
            select l.id from app a cross join leak l on l.app = a.id and l.class = ?1
            where a.environment = ?4 and (?2 is null or a.name = ?2) order by +l.reports desc, l.id limit ?3
            """)
        defer { select.reset() }
        try select.bind(name, app.app, LeakClass.maxLeaksShown, app.environment)
        var numbers: [Int64] = []
        while try select.step() { numbers.append(select.int64(0)) }
        let rows = try rows(numbers)
        let leakStates = LeakStates(
            known: knownLeaks.namesClass(name) ? try knownRows(app: app) : KnownLeakRows(),
            decided: try findDecisionStatuses(of: numbers), now: now)
        let foundNumbers = numbers.filter { rows[$0] != nil }
        var leaks = foundNumbers.compactMap { rows[$0] }
        try addStatesAndTrends(to: &leaks, rowIDs: foundNumbers, leakStates: leakStates, now: now)
        return leaks
    }

    private func readLifetimes(ofClass name: String, app: AppScope) throws(StoreError) -> Percentiles? {
        let select = try connection.statement(
            """
            select d.histogram from app a cross join leak l on l.app = a.id and l.class = ?1
            join leak_lived d on d.leak = l.id where a.environment = ?3 and (?2 is null or a.name = ?2)
            """)
        defer { select.reset() }
        try select.bind(name, app.app, app.environment)
        var mergedHistogram = DurationHistogram()
        while try select.step() {
            guard let histogram = DurationHistogram(bytes: select.bytes(0)) else {
                throw .unreadable("a histogram", in: connection.path)
            }
            mergedHistogram.merge(histogram)
        }
        return mergedHistogram.percentiles
    }

    /// Returns the number of installs with a leak of the class. A leak that was seen in only one build has no set of its own,
    /// so the set of the build is read.
    private func installs(ofClass name: String, app: AppScope) throws(StoreError) -> Int {
        let select = try connection.statement(
            """
            with found as (
              select l.id as id from app a cross join leak l on l.app = a.id and l.class = ?1
              where a.environment = ?3 and (?2 is null or a.name = ?2)
            )
            select i.id, i.members from found cross join install_set i on i.id = found.id << 3
            union all
            select i.id, i.members from found cross join leak_build b on b.leak = found.id
            cross join install_set i on i.id = b.id << 3 | 1
            where not exists (select 1 from install_set o where o.id = found.id << 3)
            """)
        defer { select.reset() }
        try select.bind(name, app.app, app.environment)
        var union = InstallSet()
        var setRowIDs: Set<Int64> = []
        while try select.step() {
            guard let set = InstallSet(bytes: select.bytes(1)) else {
                throw .unreadable("a set of installs", in: connection.path)
            }
            setRowIDs.insert(select.int64(0))
            union.merge(set)
        }
        for (rowID, hash) in try connection.readLoggedInstalls() where setRowIDs.contains(rowID) {
            _ = union.insert(hash)
        }
        return union.count
    }

    private func related(toClass name: String, app: AppScope) throws(StoreError) -> [LeakClass.Related] {
        // The expression for the innermost name is the same as in the index. Without `indexed by`, SQLite would read all
        // classes in order.
        let select = try connection.statement(
            """
            select l.class, count(*), cast(min(total(l.reports), LARGEST_TOTAL) as integer)
            from app a cross join leak l indexed by leak_by_innermost_class on l.app = a.id
              and substr(l.class, length(rtrim(l.class, replace(l.class, '.', ''))) + 1) = ?1
            where a.environment = ?4 and (?2 is null or a.name = ?2) and l.class <> ?3 group by l.class order by l.class
            """)
        defer { select.reset() }
        try select.bind(LeakClass.innermost(of: name), app.app, name, app.environment)
        var relatedClasses: [LeakClass.Related] = []
        while try select.step(), relatedClasses.count < LeakClass.maxNamesShown {
            let otherName = select.text(0)
            guard LeakClass.areRelated(name, otherName) else { continue }
            relatedClasses.append(
                LeakClass.Related(name: otherName, leaks: select.int(1), reports: select.int(2)))
        }
        return relatedClasses
    }
}
