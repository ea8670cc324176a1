extension SQLiteReader {
    /// Returns the leaks of an app, or of all apps, that ``KnownLeaks`` describes. Finds them by class in an index, so the time
    /// depends only on the number of leaks of these classes.
    func knownRows(app: AppScope) throws(StoreError) -> KnownLeakRows {
        guard !knownLeaks.entries.isEmpty else { return KnownLeakRows() }
        try forgetMergedLeaks()
        let changeCounter = try changeCounter()
        if let rows = knownCache.rows(app: app, changeCounter: changeCounter) { return rows }
        let rows = try findKnownRows(app: app)
        knownCache.keep(rows, app: app, changeCounter: changeCounter)
        return rows
    }

    private func findKnownRows(app: AppScope) throws(StoreError) -> KnownLeakRows {
        var rows = KnownLeakRows()
        let select = try connection.statement(
            """
            select l.id, l.class, l.kind, l.reports from json_each(?1) j cross join app a
            cross join leak l on l.app = a.id and l.class between j.value ->> 0 and j.value ->> 1
            where a.environment = ?3 and (?2 is null or a.name = ?2)
            """)
        defer { select.reset() }
        try select.bind(knownLeaks.classRangeList, app.app, app.environment)
        var uncachedLeaks: [Int64: ObservedLeak] = [:]
        while try select.step() {
            let (row, reports) = (select.int64(0), select.int(3))
            let cacheEntry = knownCache.cached(on: row, reports: reports)
            guard !cacheEntry.isCached else {
                if let match = cacheEntry.match { rows.add(match, reports: reports, of: row) }
                continue
            }
            uncachedLeaks[row] = ObservedLeak(
                className: select.text(1), kind: select.text(2), stack: [], reports: reports, systems: [])
        }
        try readStacksAndSystems(of: &uncachedLeaks)
        // Adds the leaks in the order of their row IDs, because later queries are fastest in this order.
        for (row, leak) in uncachedLeaks.sorted(by: { $0.key < $1.key }) {
            let match = knownLeaks.match(leak)
            knownCache.keep(match, reports: leak.reports, on: row)
            if let match { rows.add(match, reports: leak.reports, of: row) }
        }
        return rows
    }

    /// Returns the known leak that explains a leak; `nil` if there is none.
    ///
    /// - Parameter number: the row ID of the leak.
    func knownMatch(of row: LeakRow, _ number: Int64) throws(StoreError) -> KnownMatch? {
        guard let className = row.identity.className, knownLeaks.namesClass(className) else { return nil }
        var observedLeaks = [
            number: ObservedLeak(
                className: className, kind: row.identity.kind, stack: [], reports: row.reports, systems: [])
        ]
        try readStacksAndSystems(of: &observedLeaks)
        return observedLeaks[number].flatMap { knownLeaks.match($0) }
    }

    /// Reads the stacks and systems of the leaks.
    private func readStacksAndSystems(of leaks: inout [Int64: ObservedLeak]) throws(StoreError) {
        guard !leaks.isEmpty else { return }
        let select = try connection.statement(
            """
            select t.leak, t.stack from json_each(?1) j cross join leak_text t on t.leak = j.value
            """)
        defer { select.reset() }
        try select.bind(leaks.keys.sorted().jsonArray)
        while try select.step() {
            guard let stack = PackedReader.texts(select.bytes(1)) else {
                throw .unreadable("a leak", in: connection.path)
            }
            leaks[select.int64(0)]?.stack = stack
        }
        for (leak, values) in try values(of: Set(leaks.keys)) {
            leaks[leak]?.systems = (values[.system] ?? [:]).map { ($0.key.text, $0.value) }
        }
    }
}

extension KnownLeaks {
    /// ``classRanges`` as JSON, for `json_each`.
    fileprivate var classRangeList: String {
        let pairs = classRanges.map { "[\(Self.jsonLiteral($0.first)),\(Self.jsonLiteral($0.last))]" }
        return "[" + pairs.joined(separator: ",") + "]"
    }

    private static func jsonLiteral(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { literal.unicodeScalars.append("\\") }
            literal.unicodeScalars.append(scalar)
        }
        return literal + "\""
    }
}
