extension QueryReader {
    package func manualMerges(app: AppScope) throws(StoreError) -> [ManualMerge] {
        try read(
            StoreQueries.manualMerges(
                where: StoreQueries.isInScopeSQL, .text(app.app), .text(app.environment)))
    }

    package func manualMerges(into leak: LeakID) throws(StoreError) -> [ManualMerge] {
        try read(StoreQueries.manualMerges(where: "l.key = $1::uuid", .id(leak)))
    }

    package func manualMerge(_ number: Int64) throws(StoreError) -> ManualMerge? {
        try read(StoreQueries.manualMerges(where: "m.id = $1::bigint", .integer(number))).first
    }
}

extension StoreQueries {
    /// Reads merges by hand, newest first.
    ///
    /// - Parameter condition: SQL for a merge `m` into a leak `l` of an app `a`.
    fileprivate static func manualMerges(where condition: String, _ values: StoreValue...) -> StoreRead<
        [ManualMerge]
    > {
        enum Column: Int32, QueryColumn {
            case number, name, environment, source, title, target, reports, by, at
        }
        return StoreRead(
            .composed(
                """
                select m.id as number, a.name, a.environment, m.source, m.title, l.key as target, m.reports, m.by, m.at
                from leak_merge m join leak l on l.id = m.leak join app a on a.id = m.app
                where \(condition) order by m.id desc
                """), values, into: []
        ) { (row: NamedRow<Column>, merges) throws(StoreError) in
            merges.append(
                ManualMerge(
                    number: row.int64(.number),
                    app: AppKey(row.text(.name), environment: row.text(.environment)),
                    source: try row.id(.source), sourceTitle: row.text(.title), target: try row.id(.target),
                    reports: row.int(.reports), by: row.text(.by), at: row.time(.at)))
        }
    }
}
