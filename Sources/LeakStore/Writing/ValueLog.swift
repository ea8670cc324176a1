/// Reports by system and by model in memory and in `value_log`, and not yet in `leak_value`.
struct ValueLog: PendingLog {
    /// ``CountRow/first``: ``ValueKind``; ``CountRow/second``: index in ``texts``.
    private(set) var rows: [CountRow] = []
    /// In the order in which they came: beyond ``ValueKind/limit`` the first ones keep their names.
    private(set) var texts: [String] = []
    private var indices: [ByteText: Int64] = [:]
    /// Rows above which those of one leak and text are added up.
    private var rowLimit = ValueLog.newRows
    private static let newRows = 65_536
    /// Bytes on disk, with ``unwritten``.
    private var size = 0
    var unwritten: [UInt8] = []

    func isLong(beyond limits: Logs.Limits) -> Bool { size > limits.valueBytes }

    /// Adds one transaction's reports.
    mutating func add(_ tally: Tally, leaks: [LeakEntry]) {
        guard !tally.texts.isEmpty else { return }
        var writer = PackedWriter()
        writer.append(tally.texts.count)
        for text in tally.texts { writer.append(text) }
        let known = tally.texts.map { index(of: $0) }
        for bundle in tally.bundles {
            let source = tally.sources[bundle.source]
            for (kind, text) in [(ValueKind.system, source.system), (.model, source.model)] {
                guard let text else { continue }
                let leak = leaks[bundle.leak].id
                writer.append(Int(leak))
                writer.append(text << 1 | kind.rawValue)
                writer.append(bundle.reports)
                rows.append(
                    CountRow(leak: leak, first: kind.rawValue, second: known[text], reports: bundle.reports))
            }
        }
        size += writer.bytes.count
        unwritten = writer.bytes
        guard rows.count > rowLimit else { return }
        rows = CountRow.summed(rows)
        rowLimit = rows.count + Self.newRows
    }

    /// Adds a row of the table, or as much of it as concerns some leaks.
    ///
    /// - Returns: false for bytes that ``add(_:leaks:)`` did not write.
    fileprivate mutating func read(_ bytes: [UInt8], of leaks: Set<Int64>?) -> Bool {
        var reader = PackedReader(bytes)
        guard let count = reader.number(), count <= bytes.count else { return false }
        var known: [Int64] = []
        for _ in 0..<count {
            guard let text = reader.text() else { return false }
            known.append(index(of: text))
        }
        while !reader.isAtEnd {
            guard let leak = reader.number(), let code = reader.number(), let reports = reader.number(),
                known.indices.contains(code >> 1)
            else { return false }
            guard leaks?.contains(Int64(leak)) != false else { continue }
            rows.append(
                CountRow(
                    leak: Int64(leak), first: code & 1, second: known[code >> 1],
                    reports: Total.bounded(reports)))
        }
        size += bytes.count
        return true
    }

    private mutating func index(of text: String) -> Int64 {
        let key = ByteText(text)
        if let known = indices[key] { return known }
        texts.append(text)
        indices[key] = Int64(texts.count - 1)
        return Int64(texts.count - 1)
    }
}

extension Connection {
    /// - Parameter leaks: rows of `leak`; `nil` for all.
    func valueLog(of leaks: Set<Int64>? = nil) throws(StoreError) -> ValueLog {
        let select = try statement("select counts from value_log order by id")
        defer { select.reset() }
        var log = ValueLog()
        while try select.step() {
            guard log.read(select.blob(0), of: leaks) else {
                throw .unreadable("the log of systems and models", in: path)
            }
        }
        return log
    }
}

extension Writer {
    func foldValueLog() throws(StoreError) {
        guard let log = caches.logs?.values, !log.rows.isEmpty else { return }
        let order = log.texts.indices.sorted { log.texts[$0] < log.texts[$1] }
        var ranks = [Int64](repeating: 0, count: order.count)
        for (rank, text) in order.enumerated() { ranks[text] = Int64(rank) }
        let rows = CountRow.summed(
            log.rows.map {
                CountRow(leak: $0.leak, first: $0.first, second: ranks[Int($0.second)], reports: $0.reports)
            })
        var counts: [(row: CountRow, text: String)] = []
        counts.reserveCapacity(rows.count)
        // One leak's values of one kind at a time.
        var rest = rows[...]
        while let first = rest.first {
            let group = rest.prefix { ($0.leak, $0.first) == (first.leak, first.first) }
            rest = rest.dropFirst(group.count)
            let arrivals = group.map { order[Int($0.second)] }
            let texts = arrivals.map { log.texts[$0] }
            let isAdmitted = try admittedValues(texts, arrivals, of: first)
            for (index, row) in group.enumerated() {
                counts.append((row, isAdmitted[index] ? texts[index] : ""))
            }
        }
        try UpsertStatements.values.run(counts, on: connection) { (value, upsert, index) throws(StoreError) in
            try upsert.bind(value.row.leak, at: index)
            try upsert.bind(value.row.first, at: index + 1)
            try upsert.bind(value.text, at: index + 2)
            try upsert.bind(value.row.reports, at: index + 3)
        }
        try connection.run("delete from value_log")
        caches.logs?.values = ValueLog()
    }

    /// - Parameters:
    ///   - arrivals: the place of each text in the order of the log.
    ///   - row: of the leak and the kind that all texts are of.
    /// - Returns: for each text, true if it counts under its own name.
    private func admittedValues(
        _ texts: [String], _ arrivals: [Int], of row: CountRow
    ) throws(StoreError) -> [Bool] {
        let count = try connection.statement(
            "select count(*) from leak_value where leak = ? and kind = ? and value <> ''")
        defer { count.reset() }
        try count.bind(row.leak, row.first)
        var stored = try count.step() ? count.int(0) : 0
        var isAdmitted = texts.map { _ in true }
        guard stored + texts.count > ValueKind.limit else { return isAdmitted }
        let isKnown = try connection.statement(
            "select 1 from leak_value where leak = ? and kind = ? and value = ?")
        for index in texts.indices.sorted(by: { arrivals[$0] < arrivals[$1] }) where !texts[index].isEmpty {
            defer { isKnown.reset() }
            try isKnown.bind(row.leak, row.first, texts[index])
            if try isKnown.step() { continue }
            isAdmitted[index] = stored < ValueKind.limit
            if isAdmitted[index] { stored += 1 }
        }
        return isAdmitted
    }
}

extension UpsertStatements {
    fileprivate static let values = counter("leak_value", "kind, value")
}
