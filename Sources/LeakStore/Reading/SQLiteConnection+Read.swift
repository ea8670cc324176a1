extension SQLiteConnection: StoreConnection {
    var database: String { path }

    func readAll<each Result>(
        _ reads: repeat StoreRead<each Result>
    ) throws(StoreError) -> (repeat each Result) {
        (repeat try read(each reads))
    }

    func read<Result>(_ read: StoreRead<Result>) throws(StoreError) -> Result {
        let statement =
            switch read.sql {
            case .literal(let text): try self.statement(text)
            case .composed(let text): try self.statement(composed: text)
            }
        defer { statement.reset() }
        #if DEBUG
            if !statement.isChecked { try read.check(statement.columnNames, in: path) }
            statement.isChecked = true
        #endif
        try statement.bind(read.values)
        var result = read.empty
        while try statement.step() { try read.add(statement, &result) }
        return result
    }

    func addLoggedValues(to values: inout LeakValues, of leaks: [Int64]) throws(StoreError) {
        let log = try loadValueLog(of: Set(leaks))
        func isAdmitted(_ text: ByteText, _ kind: ValueKind, of leak: Int64) -> Bool {
            guard let counts = values[leak]?[kind] else { return true }
            let namedCount = counts.count - (counts[ByteText("")] == nil ? 0 : 1)
            return namedCount < ValueKind.limit || counts[text] != nil
        }
        // A value is counted by name here if a flush of the log would count it by name.
        for row in CountRow.summed(log.rows) {
            guard let kind = ValueKind(rawValue: row.periodOrKind) else { continue }
            let text = ByteText(log.texts[Int(row.releaseOrValue)])
            let name = isAdmitted(text, kind, of: row.leak) ? text : ByteText("")
            values[row.leak, default: [:]][kind, default: [:]][name, default: 0].addBounded(row.reports)
        }
    }

    static func decisionStatuses(of leaks: [Int64]) -> StoreRead<[StoreQueries.LeakStatus]> {
        StoreQueries.decisionStatuses(
            """
            select l.id as leak,
              case d.kind when 'resolve' then
                (select cast(min(total(max(\(ContradictingReports.sql), 0)), LARGEST_TOTAL) as integer)
                 from leak_release c join release r on r.id = c.release
                 \(ContradictingReports.joinSQL)
                 where c.leak = l.id and r.order_key >= d.fix_from)
              else l.reports - d.reports_then end as reports_since,
              r.version as regressed_in, \(ContradictingReports.buildSQL) as regressed_in_build,
              exists (select 1 from leak_release c join release r on r.id = c.release
                \(ContradictingReports.joinSQL)
                where c.leak = l.id and r.order_key >= d.fix_from and r.id <= d.known_release
                  and \(ContradictingReports.sql) > 0) as may_expire, \(PastDecision.Column.columnsSQL)
            from json_each($1) j cross join leak l on l.id = j.value cross join decision d on d.id = l.state
            left join leak_release c on d.kind = 'resolve' and c.leak = l.id and c.release = (
              select release from (
                select c.release, \(ContradictingReports.orderColumnsSQL)
                from leak_release c join release r on r.id = c.release \(ContradictingReports.joinSQL)
                where c.leak = l.id and r.order_key >= d.fix_from and \(ContradictingReports.sql) > 0)
              order by rank, build_key, order_key limit 1)
            left join release r on r.id = c.release
            \(ContradictingReports.joinSQL)
            """, of: leaks)
    }

    static var leaksInClassRangesSQL: String {
        """
        select l.id, l.class, l.kind, l.reports from json_each($3) f cross join json_each($4) t on t.key = f.key
        cross join app a cross join leak l on l.app = a.id and l.class between f.value and t.value
        where \(StoreQueries.isInScopeSQL)
        """
    }

    static func installs(ofClass name: String, _ app: AppScope) -> StoreRead<ClassInstalls> {
        StoreQueries.installs(
            """
            with found as (
              select l.id as id from app a cross join leak l on l.app = a.id and l.class = $3
              where \(StoreQueries.isInScopeSQL)
            )
            select i.id, i.members from found cross join install_set i on i.id = found.id << 3
            union all
            select i.id, i.members from found cross join leak_build b on b.leak = found.id
            cross join install_set i on i.id = b.id << 3 | 1
            where not exists (select 1 from install_set o where o.id = found.id << 3)
            """, [.text(app.app), .text(app.environment), .text(name)])
    }

    func addLoggedInstalls(to installs: inout ClassInstalls) throws(StoreError) {
        for (rowID, hash) in try readLoggedInstalls() where installs.setRowIDs.contains(rowID) {
            _ = installs.union.insert(hash)
        }
    }
}
