extension QueryReader {
    package func rules(of app: String, limit: Int) throws(StoreError) -> [AppRules] {
        try read(AppRules.stored(of: app, limit: limit))
    }

    package func currentRules() throws(StoreError) -> [AppRules] { try read(AppRules.current) }

    package func rulesVersion() throws(StoreError) -> RulesVersion {
        try probe(StoreQueries.rulesVersion) ?? RulesVersion(lastRowID: 0, rowIDSum: 0)
    }
}

extension StoreQueries {
    fileprivate static var rulesVersion: StoreRead<RulesVersion?> {
        enum Column: Int32, QueryColumn { case last, sum }
        return StoreRead("select coalesce(max(id), 0) as last, BOUNDED_SUM(id) as sum from app_rules") {
            (row: NamedRow<Column>) in
            RulesVersion(lastRowID: row.int64(.last), rowIDSum: row.int64(.sum))
        }
    }
}
