extension Event {
    /// Columns of a new event, in the order of ``values``.
    package static let insertedColumnsSQL = """
        at, kind, app, environment, version, build, key, leak, title, text, details, is_silent
        """

    /// SQL for the condition that the leak of an event `d` has an event of the same kind and version under the id of a leak that was
    /// merged into it.
    ///
    /// Finds the merged leaks before their events. As a join, PostgreSQL may begin with all events of the kind and version.
    package static let isKnownByMergedLeakSQL = """
        exists (select 1 from leak l join merged_leak m on m.leak = l.id where l.key = d.leak
          and (select e.id from event e where e.leak = m.key and e.kind = d.kind and e.version = d.version limit 1)
            is not null)
        """

    /// SQL that deletes the oldest events of the app `$1` in the environment `$2` beyond ``maxPerApp``, without those of
    /// ``neededSQL``. The limits on names bound the number of these.
    package static let trimSQL: SQLText = .composed(
        """
        delete from event where id in (select e.id from event e
          where e.app = $1::text and e.environment = $2::text and e.id <= (select id from event
            where app = $1::text and environment = $2::text order by id desc limit 1 offset \(maxPerApp))
            and not \(neededSQL))
        """)
}

extension MergeConnection {
    /// Deletes the events of leaks that are deleted. Must run before the rows of the leaks are deleted.
    package func deleteEvents(ofLeaks leaks: [Int64]) throws(StoreError) {
        try change(
            """
            delete from event where leak in (select key from leak where id = any($1::bigint[])
              union all select key from merged_leak where leak = any($1::bigint[]))
            """, .integers(leaks))
    }

    /// Deletes the events of releases that are deleted. Must run before the rows of the releases are deleted.
    package func deleteEvents(ofReleases releases: [Int64]) throws(StoreError) {
        try change(
            """
            delete from event where (app, environment, version) in (select a.name, a.environment, r.version
              from release r join app a on a.id = r.app where r.id = any($1::bigint[]))
            """, .integers(releases))
    }

    /// Deletes the events of an app that is deleted. Must run before the row of the app is deleted.
    package func deleteEvents(ofApp app: Int64) throws(StoreError) {
        try change(
            """
            delete from event where (app, environment) in (select name, environment from app where id = $1::bigint)
            """, .integer(app))
        try change("delete from event_mark where app = $1::bigint", .integer(app))
    }
}

extension Writer {
    /// Adds events: ``Store/record(_:mark:)``.
    func addEvents(_ events: [Event], mark: EventMark?) throws(StoreError) -> Int {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) -> Int in
                try clearCachesIfOthersWrote()
                var isSilent = false
                if let mark {
                    let row = try numbers(
                        "select id from app where id = ? and name = ? and environment = ?", mark.appRowID,
                        mark.app.name, mark.app.environment)
                    guard !row.isEmpty else { return 0 }
                    isSilent = try !numbers(
                        "select app from event_mark where app = ? and state = ''", mark.appRowID
                    ).isEmpty
                }
                var addedCount = 0
                for event in events {
                    try insert(event.storable, isSilent: isSilent)
                    addedCount += connection.changes
                }
                if addedCount > 0 {
                    for app in Set(events.compactMap(\.storable.app)) {
                        try connection.change(Event.trimSQL, .text(app.name), .text(app.environment))
                    }
                }
                if let mark {
                    try connection.run(
                        "insert or replace into event_mark (app, state) values (?, ?)", mark.appRowID,
                        mark.state)
                }
                return addedCount
            }
        } catch {
            clearCaches()
            throw error
        }
    }

    private func insert(_ event: Event, isSilent: Bool) throws(StoreError) {
        let insert = try connection.statement(
            composed: """
                insert into event (\(Event.insertedColumnsSQL))
                select * from (select ?1 as at, ?2 as kind, ?3 as app, ?4 as environment, ?5 as version, ?6 as build,
                  ?7 as key, ?8 as leak, ?9 as title, ?10 as text, ?11 as details, ?12 as is_silent) d
                where not \(Event.isKnownByMergedLeakSQL)
                on conflict (kind, app, environment, version, build, key) do nothing
                """)
        defer { insert.reset() }
        try insert.bind(
            event.at, event.kind.rawValue, event.app?.name ?? "", event.app?.environment ?? "",
            event.version ?? "", event.build ?? "", event.key, event.leak?.bytes, event.title, event.text,
            event.details, isSilent ? 1 : 0)
        while try insert.step() {}
    }
}
