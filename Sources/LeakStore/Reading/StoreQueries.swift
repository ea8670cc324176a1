/// The statements that read the same data in both stores.
package enum StoreQueries {
    /// SQL for the condition that an app `a` is in a scope whose name and environment are `$1` and `$2`.
    package static let isInScopeSQL = "a.environment = $2::text and ($1::text is null or a.name = $1::text)"

    /// SQL that joins the rows of a table to the row IDs `j.value` in `$1`; the table and the condition follow. In SQLite, this
    /// takes less time than `= any($1::bigint[])`, which sorts the row IDs first.
    static let listedSQL = "unnest($1::bigint[]) as j (value) /*! cross */ join"
}

/// A reader that runs ``StoreQueries``. Each store adds its connection, the lists, and whatever else needs different statements.
package protocol QueryReader: StoreReader {
    associatedtype Connection: StoreConnection

    /// Runs `body` on one state of the database, so that all its numbers agree.
    func snapshot<Result>(
        _ body: (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result

    /// Runs one statement outside of a snapshot. It sees no counts that are still in a log.
    func read<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result

    /// Runs a fast statement, and waits only a short time for a server that does not answer.
    func probe<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result

    /// Clears the caches if row IDs of leaks may have been used again since the last call.
    func clearOutdatedCaches() throws(StoreError)

    var knownLeaks: KnownLeaks { get }
    var knownCache: KnownLeakCache { get set }
    var decisionCache: DecisionCache { get set }
}

extension QueryReader {
    package func apps(in environment: String) throws(StoreError) -> [String] {
        try read(
            StoreRead<[String]>.texts(
                "select name from app where environment = $1::text order by last_seen desc, id desc",
                .text(environment)))
    }

    package func environments(app: String?) throws(StoreError) -> [String] {
        try read(
            StoreRead<[String]>.texts(
                """
                select distinct environment from app where $1::text is null or name = $1::text order by environment
                """, .text(app)))
    }

    package func appSummaries() throws(StoreError) -> [AppSummary] { try read(StoreQueries.appSummaries) }

    package func versions(app: AppScope) throws(StoreError) -> [String] {
        guard let name = app.app else {
            // The version determines the order key, so grouping by both is the same as grouping by the version.
            return try read(
                StoreRead<[String]>.texts(
                    """
                    select r.version from app a join release r on r.app = a.id where a.environment = $1::text
                    group by r.version, r.order_key order by r.order_key desc
                    """, .text(app.environment)))
        }
        return try read(
            StoreRead<[String]>.texts(
                """
                select r.version from app a join release r on r.app = a.id
                where a.name = $1::text and a.environment = $2::text order by r.order_key desc
                """, .text(name), .text(app.environment)))
    }

    package func ping() throws(StoreError) {
        _ = try probe(StoreRead<[Int64]>.numbers("select id from app limit 1"))
    }
}

extension StoreQueries {
    fileprivate static var appSummaries: StoreRead<[AppSummary]> {
        enum Column: Int32, QueryColumn { case name, version, lastSeen, environment }
        return StoreRead(
            """
            select a.name, r.version, a.last_seen, a.environment from app a left join release r on r.id = a.newest_release
            order by a.last_seen desc, a.id desc
            """
        ) { (row: NamedRow<Column>) in
            AppSummary(
                id: row.text(.name), environment: row.text(.environment),
                currentRelease: row.optionalText(.version),
                lastSeen: row.time(.lastSeen))
        }
    }
}

// MARK: Symbols

extension QueryReader {
    package func symbolsVersion() throws(StoreError) -> SymbolsVersion {
        try probe(StoreQueries.symbolsVersion) ?? SymbolsVersion(lastRowID: 0, tableCount: 0)
    }

    package func symbols() throws(StoreError) -> [StoredSymbols] { try read(StoreQueries.symbols) }

    package func symbolTable(_ rowID: Int64) throws(StoreError) -> [UInt8]? {
        try read(StoreQueries.symbolTable(rowID))
    }
}

extension StoreQueries {
    fileprivate static var symbolsVersion: StoreRead<SymbolsVersion?> {
        enum Column: Int32, QueryColumn { case last, count }
        return StoreRead("select coalesce(max(id), 0) as last, count(*) as count from symbol_table") {
            (row: NamedRow<Column>) in
            SymbolsVersion(lastRowID: row.int64(.last), tableCount: row.int(.count))
        }
    }

    fileprivate static var symbols: StoreRead<[StoredSymbols]> {
        StoreRead(
            .composed("select \(StoredSymbols.Column.columnsSQL) from symbol_table order by id desc")
        ) { (row: NamedRow<StoredSymbols.Column>) throws(StoreError) in try StoredSymbols(row) }
    }

    fileprivate static func symbolTable(_ rowID: Int64) -> StoreRead<[UInt8]?> {
        StoreRead("select body from symbol_table where id = $1::bigint", .integer(rowID)) {
            (row: NamedRow<OnlyColumn>) in row.bytes(.value)
        }
    }
}

// MARK: Outlines

extension QueryReader {
    package func target(ofMerged id: LeakID) throws(StoreError) -> LeakID? {
        try read(StoreQueries.target(ofMerged: id))
    }

    package func outline(of id: LeakID) throws(StoreError) -> LeakOutline? {
        try snapshot { connection throws(StoreError) in try connection.read(StoreQueries.outline(of: id)) }
    }
}

extension StoreQueries {
    fileprivate static func target(ofMerged id: LeakID) -> StoreRead<LeakID?> {
        StoreRead(
            """
            select l.key from merged_leak m join leak l on l.id = m.leak
            where m.key = $1::uuid and not exists (select 1 from leak where key = $1::uuid)
            """, .id(id)
        ) { (row: NamedRow<OnlyColumn>) throws(StoreError) in try row.id(.value) }
    }

    package static func outline(of id: LeakID) -> StoreRead<LeakOutline?> {
        StoreRead(
            .composed(
                """
                select \(LeakOutline.Column.columnsSQL)
                from leak l join leak_text t on t.leak = l.id where l.key = $1::uuid
                """), .id(id)
        ) { (row: NamedRow<LeakOutline.Column>) throws(StoreError) in try LeakOutline(row) }
    }

    /// - Parameter sql: selects the columns of ``LeakOutline`` for leaks that may be similar.
    package static func outlines(_ sql: String, _ values: StoreValue...) -> StoreRead<[LeakOutline]> {
        StoreRead(.composed(sql), values, into: []) {
            (row: NamedRow<LeakOutline.Column>, outlines) throws(StoreError) in
            outlines.append(try LeakOutline(row))
        }
    }

    /// Reads the row IDs of leaks with a class or text like that of a leak.
    ///
    /// - Parameter sql: selects the `id`, `class` and `text` of leaks to compare. `$1` is the id of the leak, `$2` a limit.
    package static func similarNames(_ sql: SQLText, to leak: LeakOutline) -> StoreRead<SimilarNameSearch> {
        enum Column: Int32, QueryColumn { case id, `class`, text }
        let limit =
            leak.className == nil
            ? SimilarLeakLimits.maxComparedTexts : SimilarLeakLimits.maxComparedClassNames
        return StoreRead(sql, [.id(leak.id), .int(limit)], into: SimilarNameSearch(to: leak)) {
            (row: NamedRow<Column>, search) in
            search.add(row.int64(.id), className: row.optionalText(.class), text: row.text(.text))
        }
    }

    /// - Parameter sql: selects the `key` of leaks, and a `value` with its `reports`.
    package static func valueCounts(
        _ sql: SQLText, _ values: StoreValue...
    ) -> StoreRead<[LeakID: [LeakDetail.ValueCount]]> {
        enum Column: Int32, QueryColumn { case key, value, reports }
        return StoreRead(sql, values, into: [:]) { (row: NamedRow<Column>, counts) throws(StoreError) in
            counts[try row.id(.key), default: []].append(
                LeakDetail.ValueCount(value: row.text(.value), reports: row.int(.reports)))
        }
    }
}
