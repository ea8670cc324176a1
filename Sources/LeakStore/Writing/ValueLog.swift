/// Reports by system and by model in memory and in `value_log`, and not yet in `leak_value`.
struct ValueLog: PendingLog {
    /// ``CountRow/first``: ``ValueKind``; ``CountRow/second``: index in ``texts``.
    private(set) var rows: [CountRow] = []
    /// Texts in order of arrival: beyond ``ValueKind/limit``, the first ones keep their names.
    private(set) var texts: [String] = []
    private var indices: [ByteText: Int64] = [:]
    /// Number of rows above which the rows of one leak and text are added up.
    private var rowLimit = ValueLog.newRows
    private static let newRows = 65_536
    /// Bytes of the log on disk and of ``unwritten``.
    private var byteCount = 0
    var unwritten: [UInt8] = []
    /// Named values of the rows, and values that the table has or has no room for, as far as they were looked up recently.
    private(set) var known: Set<HashedName> = []
    /// Number of known values above which a flush drops them.
    private static let knownLimit = 1 << 18
    /// Number of values that were named since the last flush, by leak and kind: the table does not have them yet.
    private var named: [Owner: Int] = [:]

    private struct Owner: Hashable {
        let leak: Int64
        let kind: ValueKind
    }

    /// Reports of a leak by one of its values.
    struct ValueKey: Hashable {
        /// Index in ``SubmissionAggregate/hourCounts``.
        var hourCount: Int
        var kind: ValueKind
    }

    init() {}

    /// Creates an empty log.
    ///
    /// - Parameter flushed: the log whose rows are in the table now.
    init(after flushed: ValueLog) {
        if flushed.known.count <= Self.knownLimit { known = flushed.known }
    }

    /// - Parameters:
    ///   - name: of a value that the table has, or has no room for.
    mutating func remember(_ name: HashedName) { known.insert(name) }

    /// Adds a value that the next flush adds to the table.
    mutating func rememberNew(_ name: HashedName, of leak: Int64, _ kind: ValueKind) {
        known.insert(name)
        named[Owner(leak: leak, kind: kind), default: 0] += 1
    }

    /// Returns the number of a leak's values that the next flush adds to the table. Values that another process logged are left out.
    func namedCount(of leak: Int64, _ kind: ValueKind) -> Int { named[Owner(leak: leak, kind: kind)] ?? 0 }

    /// Adds the values of rows that were read.
    mutating func rememberRows() {
        let hashes = texts.map { HashedName.hash(of: $0) }
        for row in rows {
            guard let kind = ValueKind(rawValue: row.first) else { continue }
            known.insert(HashedName(leak: row.leak, kind, hash: hashes[Int(row.second)]))
        }
    }

    /// Returns the values of a transaction that ``known`` lacks, in the order in which they came.
    func unknown(_ aggregate: SubmissionAggregate, leaks: [LeakEntry]) -> [(
        place: ValueKey, text: Int, name: HashedName
    )] {
        let hashes = aggregate.texts.map { HashedName.hash(of: $0) }
        var unknown: [(ValueKey, Int, HashedName)] = []
        for (index, hourCount) in aggregate.hourCounts.enumerated() {
            let (source, leak) = (aggregate.sources[hourCount.source], leaks[hourCount.leak].id)
            func appendUnknown(_ kind: ValueKind, _ text: Int?) {
                guard let text else { return }
                let name = HashedName(leak: leak, kind, hash: hashes[text])
                if !known.contains(name) {
                    unknown.append((ValueKey(hourCount: index, kind: kind), text, name))
                }
            }
            appendUnknown(.system, source.system)
            appendUnknown(.model, source.model)
        }
        return unknown
    }

    func isLong(beyond limits: PendingLogs.Limits) -> Bool { byteCount > limits.valueBytes }

    /// Adds one transaction's reports.
    ///
    /// - Parameter unnamed: values that count without their name.
    mutating func add(_ aggregate: SubmissionAggregate, leaks: [LeakEntry], unnamed: Set<ValueKey>) {
        guard !aggregate.texts.isEmpty else { return }
        let texts = aggregate.texts + (unnamed.isEmpty ? [] : [""])
        var writer = PackedWriter()
        writer.append(texts.count)
        for text in texts { writer.append(text) }
        let known = texts.map { index(of: $0) }
        for (index, hourCount) in aggregate.hourCounts.enumerated() {
            let (source, leak) = (aggregate.sources[hourCount.source], leaks[hourCount.leak].id)
            func add(_ kind: ValueKind, _ text: Int?) {
                guard var text else { return }
                if !unnamed.isEmpty, unnamed.contains(ValueKey(hourCount: index, kind: kind)) {
                    text = texts.count - 1
                }
                writer.append(Int(leak))
                writer.append(text << 1 | kind.rawValue)
                writer.append(hourCount.reports)
                rows.append(
                    CountRow(
                        leak: leak, first: kind.rawValue, second: known[text], reports: hourCount.reports))
            }
            add(.system, source.system)
            add(.model, source.model)
        }
        byteCount += writer.bytes.count
        unwritten = writer.bytes
        guard rows.count > rowLimit else { return }
        rows = CountRow.summed(rows)
        rowLimit = rows.count + Self.newRows
    }

    /// Adds a row of the table, or the part of it that concerns the given leaks.
    ///
    /// - Returns: false for bytes that ``add(_:leaks:unnamed:)`` did not write.
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
        byteCount += bytes.count
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

extension SQLiteConnection {
    /// - Parameter leaks: rows of `leak`; `nil` for all.
    func valueLog(of leaks: Set<Int64>? = nil) throws(StoreError) -> ValueLog {
        let select = try statement("select counts from value_log order by id")
        defer { select.reset() }
        var log = ValueLog()
        while try select.step() {
            guard log.read(select.bytes(0), of: leaks) else {
                throw .unreadable("the log of systems and models", in: path)
            }
        }
        return log
    }
}

extension Writer {
    /// Adds a transaction's systems and models to their log. New ones that their ingest key may not add count without their name.
    func addValues(of aggregate: SubmissionAggregate, to leaks: [LeakEntry], _ rows: ResolvedRows)
        throws(StoreError)
    {
        guard !aggregate.texts.isEmpty, let unknown = caches.logs?.values.unknown(aggregate, leaks: leaks)
        else {
            return
        }
        var unnamed: Set<ValueLog.ValueKey> = []
        var leftOut: [Int: Int] = [:]
        for (place, index, name) in unknown {
            let (hourCount, text) = (aggregate.hourCounts[place.hourCount], aggregate.texts[index])
            // An earlier count may have brought it.
            guard !text.isEmpty, caches.logs?.values.known.contains(name) == false else { continue }
            let leak = leaks[hourCount.leak].id
            // A leak that is new has no rows.
            let isNew = rows.leaks[aggregate.leaks[hourCount.leak].number].entry == nil
            if try needsNoRow(text, place.kind, of: leak, isNew: isNew) {
                caches.logs?.values.remember(name)
            } else if try admitDetail(bytes: DetailBytes.ofValue(text), key: hourCount.key, day: rows.day) {
                caches.logs?.values.rememberNew(name, of: leak, place.kind)
            } else {
                unnamed.insert(place)
                leftOut[aggregate.leaks[hourCount.leak].app, default: 0].addBounded(hourCount.reports)
            }
        }
        for (app, count) in leftOut { try write(.details, count, of: rows.apps[aggregate.apps[app].number]) }
        caches.logs?.values.add(aggregate, leaks: leaks, unnamed: unnamed)
    }

    /// Returns true if the table has the value, or has no room for it besides the values that the next flush adds.
    private func needsNoRow(
        _ text: String, _ kind: ValueKind, of leak: Int64, isNew: Bool
    ) throws(StoreError) -> Bool {
        let room = ValueKind.limit - (caches.logs?.values.namedCount(of: leak, kind) ?? 0)
        if isNew || room <= 0 { return room <= 0 }
        let select = try connection.statement(
            """
            select exists (select 1 from leak_value where leak = ?1 and kind = ?2 and value = ?3)
              or (select count(*) from leak_value where leak = ?1 and kind = ?2 and value <> '') >= ?4
            """)
        defer { select.reset() }
        try select.bind(leak, kind.rawValue, text, room)
        return try select.step() && select.int(0) == 1
    }

    func flushValueLog() throws(StoreError) {
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
        caches.logs?.values = ValueLog(after: log)
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
