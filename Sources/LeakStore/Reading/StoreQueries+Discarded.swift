extension QueryReader {
    package func discardedLeaks(app: AppScope) throws(StoreError) -> [DiscardedLeak] {
        try read(StoreQueries.discardedLeaks(app: app))
    }
}

extension StoreQueries {
    fileprivate static func discardedLeaks(app: AppScope) -> StoreRead<[DiscardedLeak]> {
        enum Column: Int32, QueryColumn { case leak, name, environment, title, by, at, dropped }
        return StoreRead(
            .composed(
                """
                select d.leak, a.name, a.environment, d.title, d.by, d.at,
                  BOUNDED_SUM(d.dropped) as dropped
                from discarded_leak d join app a on a.id = d.app where \(isInScopeSQL)
                group by d.leak, a.name, a.environment, d.title, d.by, d.at order by d.at desc, d.leak
                """), .text(app.app), .text(app.environment)
        ) { (row: NamedRow<Column>) throws(StoreError) in
            DiscardedLeak(
                id: try row.id(.leak),
                app: AppKey(row.text(.name), environment: row.text(.environment)),
                title: row.text(.title), by: row.text(.by), at: row.time(.at), dropped: row.int(.dropped))
        }
    }
}
