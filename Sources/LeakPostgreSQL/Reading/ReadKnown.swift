#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        /// Returns the leaks of an app, or of all apps, that ``KnownLeaks`` describes. An index finds them by their class, so
        /// the time depends only on the number of such leaks, however many other leaks there are.
        func knownRows(app: AppScope, on connection: PostgreSQLConnection) throws(StoreError) -> KnownLeakRows
        {
            var foundRows = KnownLeakRows()
            guard !knownLeaks.entries.isEmpty else { return foundRows }
            let ranges = knownLeaks.classRanges
            let rows = try connection.run(
                Query(
                    """
                    select l.id, l.class, l.kind, l.reports
                    from unnest($1::text[], $2::text[]) as range (first, last) cross join app a
                    join leak l on l.app = a.id and l.class between range.first and range.last
                    where a.environment = $4::text and ($3::text is null or a.name = $3::text)
                    """, .texts(ranges.map { $0.first }), .texts(ranges.map { $0.last }), .text(app.app),
                    .text(app.environment)))
            var uncachedLeaks: [Int64: ObservedLeak] = [:]
            for row in rows {
                let (number, reports) = (row.int64(0), row.int(3))
                let cacheEntry = knownCache.cached(on: number, reports: reports)
                guard !cacheEntry.isCached else {
                    if let match = cacheEntry.match { foundRows.add(match, reports: reports, of: number) }
                    continue
                }
                uncachedLeaks[number] = ObservedLeak(
                    className: row.text(1), kind: row.text(2), stack: [], reports: reports, systems: [])
            }
            try Self.addStacksAndSystems(to: &uncachedLeaks, on: connection)
            // Adds the leaks in the order of their rows, because later queries read their tables fastest in this order.
            for (number, leak) in uncachedLeaks.sorted(by: { $0.key < $1.key }) {
                let match = knownLeaks.match(leak)
                knownCache.keep(match, reports: leak.reports, on: number)
                if let match { foundRows.add(match, reports: leak.reports, of: number) }
            }
            return foundRows
        }

        func knownMatch(
            of row: LeakRow, _ number: Int64, on connection: PostgreSQLConnection
        ) throws(StoreError) -> KnownMatch? {
            guard let className = row.identity.className, knownLeaks.namesClass(className) else { return nil }
            var observed = [
                number: ObservedLeak(
                    className: className, kind: row.identity.kind, stack: [], reports: row.reports,
                    systems: [])
            ]
            try Self.addStacksAndSystems(to: &observed, on: connection)
            return observed[number].flatMap { knownLeaks.match($0) }
        }

        /// Reads the stacks and systems of leaks.
        private static func addStacksAndSystems(
            to leaks: inout [Int64: ObservedLeak], on connection: PostgreSQLConnection
        ) throws(StoreError) {
            guard !leaks.isEmpty else { return }
            let rows = try connection.run(
                Query(
                    """
                    select t.leak, t.stack, v.value, v.reports from leak_text t
                    left join leak_value v on v.leak = t.leak and v.kind = $2::bigint
                    where t.leak = any($1::bigint[])
                    """, .integers(leaks.keys.map { $0 }), .integer(ValueKind.system.rawValue)))
            for row in rows {
                guard let stack = PackedReader.texts(row.bytes(1)) else {
                    throw .unreadable("a leak", in: connection.name)
                }
                leaks[row.int64(0)]?.stack = stack
                if !row.isNull(2) { leaks[row.int64(0)]?.systems.append((row.text(2), row.int(3))) }
            }
        }
    }
#endif
