/// Reports by system and by model in memory and in `value_log`, and not yet in `leak_value`.
struct ValueLog: PendingLog {
    /// Reports by leak, kind of value and value. ``CountRow/periodOrKind`` is a ``ValueKind``, and ``CountRow/releaseOrValue``
    /// is an index in ``texts``.
    private(set) var rows: [CountRow] = []
    /// Texts in order of arrival. If there are more than ``ValueKind/limit`` values, the values that came first are counted by
    /// name.
    private(set) var texts: [String] = []
    private var indices: [ByteText: Int64] = [:]
    /// If there are more rows than this number, the rows with the same leak and text are added up.
    private var rowLimit = ValueLog.rowsBetweenSums
    /// Number of rows that are added before rows are added up again.
    private static let rowsBetweenSums = 65_536
    /// Bytes of the log on disk and of ``unwritten``.
    private var byteCount = 0
    var unwritten: [UInt8] = []
    /// Hashes of values that need no lookup in the table. These are the values in this log, and values that were looked up
    /// recently and need no new row: the table has them, or has as many values as ``ValueKind/limit`` allows.
    private(set) var lookedUpNames: Set<HashedName> = []
    /// Number of values in ``lookedUpNames`` above which a flush clears them.
    private static let lookedUpNameLimit = 1 << 18
    /// Number of new values since the last flush, by leak and kind. The table does not have them yet.
    private var newValueCounts: [LeakAndKind: Int] = [:]

    private struct LeakAndKind: Hashable {
        let leak: Int64
        let kind: ValueKind
    }

    /// Identifies the system or the model of the reports in one element of ``SubmissionAggregate/hourCounts``.
    struct HourCountValue: Hashable {
        /// Index in ``SubmissionAggregate/hourCounts``.
        var hourCount: Int
        var kind: ValueKind
    }

    init() {}

    /// Creates an empty log.
    ///
    /// - Parameter flushed: the log whose rows are in the table now.
    init(after flushed: ValueLog) {
        if flushed.lookedUpNames.count <= Self.lookedUpNameLimit { lookedUpNames = flushed.lookedUpNames }
    }

    /// Records that a value needs no lookup any more.
    ///
    /// - Parameter name: the name of a value that needs no new row in the table.
    mutating func remember(_ name: HashedName) { lookedUpNames.insert(name) }

    /// Records a value that the next flush adds to the table.
    mutating func rememberNew(_ name: HashedName, of leak: Int64, _ kind: ValueKind) {
        lookedUpNames.insert(name)
        newValueCounts[LeakAndKind(leak: leak, kind: kind), default: 0] += 1
    }

    /// Returns the number of a leak's values that the next flush adds to the table. Values that another process has logged do
    /// not count.
    func newValueCount(of leak: Int64, _ kind: ValueKind) -> Int {
        newValueCounts[LeakAndKind(leak: leak, kind: kind)] ?? 0
    }

    /// Adds the values of the rows that were read from the database to ``lookedUpNames``.
    mutating func rememberRows() {
        let hashes = texts.map { HashedName.hash(of: $0) }
        for row in rows {
            guard let kind = ValueKind(rawValue: row.periodOrKind) else { continue }
            lookedUpNames.insert(HashedName(leak: row.leak, kind, hash: hashes[Int(row.releaseOrValue)]))
        }
    }

    /// Returns the values of a transaction that must be looked up, in order of arrival. `text` is an index in
    /// ``SubmissionAggregate/texts``.
    func valuesToLookUp(_ aggregate: SubmissionAggregate, leaks: [LeakEntry]) -> [(
        key: HourCountValue, text: Int, name: HashedName
    )] {
        let hashes = aggregate.texts.map { HashedName.hash(of: $0) }
        var values: [(HourCountValue, Int, HashedName)] = []
        for (index, hourCount) in aggregate.hourCounts.enumerated() {
            let (source, leak) = (aggregate.sources[hourCount.source], leaks[hourCount.leak].id)
            func append(_ kind: ValueKind, _ text: Int?) {
                guard let text else { return }
                let name = HashedName(leak: leak, kind, hash: hashes[text])
                if !lookedUpNames.contains(name) {
                    values.append((HourCountValue(hourCount: index, kind: kind), text, name))
                }
            }
            append(.system, source.system)
            append(.model, source.model)
        }
        return values
    }

    func isLong(beyond limits: PendingLogs.Limits) -> Bool { byteCount > limits.valueBytes }

    /// Adds one transaction's reports.
    ///
    /// - Parameter unnamedValues: values that are counted without their name.
    mutating func add(
        _ aggregate: SubmissionAggregate, leaks: [LeakEntry], unnamedValues: Set<HourCountValue>
    ) {
        guard !aggregate.texts.isEmpty else { return }
        let texts = aggregate.texts + (unnamedValues.isEmpty ? [] : [""])
        var writer = PackedWriter()
        writer.append(texts.count)
        for text in texts { writer.append(text) }
        let textIndices = texts.map { index(of: $0) }
        for (index, hourCount) in aggregate.hourCounts.enumerated() {
            let (source, leak) = (aggregate.sources[hourCount.source], leaks[hourCount.leak].id)
            func add(_ kind: ValueKind, _ text: Int?) {
                guard var text else { return }
                if !unnamedValues.isEmpty,
                    unnamedValues.contains(HourCountValue(hourCount: index, kind: kind))
                {
                    text = texts.count - 1
                }
                writer.append(Int(leak))
                writer.append(text << 1 | kind.rawValue)
                writer.append(hourCount.reports)
                rows.append(
                    CountRow(
                        leak: leak, periodOrKind: kind.rawValue, releaseOrValue: textIndices[text],
                        reports: hourCount.reports))
            }
            add(.system, source.system)
            add(.model, source.model)
        }
        byteCount += writer.bytes.count
        unwritten = writer.bytes
        guard rows.count > rowLimit else { return }
        rows = CountRow.summed(rows)
        rowLimit = rows.count + Self.rowsBetweenSums
    }

    /// Adds the rows that one row of `value_log` contains.
    ///
    /// - Parameter leaks: the leaks whose rows are added; `nil` for all.
    /// - Returns: `false` for bytes that ``add(_:leaks:unnamedValues:)`` did not write.
    fileprivate mutating func read(_ bytes: [UInt8], of leaks: Set<Int64>?) -> Bool {
        var reader = PackedReader(bytes)
        guard let count = reader.number(), count <= bytes.count else { return false }
        var textIndices: [Int64] = []
        for _ in 0..<count {
            guard let text = reader.text() else { return false }
            textIndices.append(index(of: text))
        }
        while !reader.isAtEnd {
            guard let leak = reader.number(), let code = reader.number(), let reports = reader.number(),
                textIndices.indices.contains(code >> 1)
            else { return false }
            guard leaks?.contains(Int64(leak)) != false else { continue }
            rows.append(
                CountRow(
                    leak: Int64(leak), periodOrKind: code & 1, releaseOrValue: textIndices[code >> 1],
                    reports: Total.bounded(reports)))
        }
        byteCount += bytes.count
        return true
    }

    private mutating func index(of text: String) -> Int64 {
        let key = ByteText(text)
        if let index = indices[key] { return index }
        texts.append(text)
        indices[key] = Int64(texts.count - 1)
        return Int64(texts.count - 1)
    }
}

extension SQLiteConnection {
    /// Reads the log of systems and models.
    ///
    /// - Parameter leaks: row IDs in `leak`; `nil` for all.
    func loadValueLog(of leaks: Set<Int64>? = nil) throws(StoreError) -> ValueLog {
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
    /// Adds a transaction's systems and models to their log. New values that exceed the limit of their ingest key are counted
    /// without their name.
    func addValues(of aggregate: SubmissionAggregate, to leaks: [LeakEntry], _ rows: ResolvedRows)
        throws(StoreError)
    {
        guard !aggregate.texts.isEmpty,
            let lookups = caches.logs?.values.valuesToLookUp(aggregate, leaks: leaks)
        else {
            return
        }
        var unnamedValues: Set<ValueLog.HourCountValue> = []
        var leftOutReports: [Int: Int] = [:]
        for (key, index, name) in lookups {
            let (hourCount, text) = (aggregate.hourCounts[key.hourCount], aggregate.texts[index])
            // This loop may have added the same value already.
            guard !text.isEmpty, caches.logs?.values.lookedUpNames.contains(name) == false else { continue }
            let leak = leaks[hourCount.leak].id
            // A new leak has no rows in the table.
            let isNew = rows.leaks[aggregate.leaks[hourCount.leak].number].entry == nil
            if try needsNoRow(text, key.kind, of: leak, isNew: isNew) {
                caches.logs?.values.remember(name)
            } else if try admitDetail(bytes: DetailBytes.ofValue(text), key: hourCount.key, day: rows.day) {
                caches.logs?.values.rememberNew(name, of: leak, key.kind)
            } else {
                unnamedValues.insert(key)
                leftOutReports[aggregate.leaks[hourCount.leak].app, default: 0].addBounded(hourCount.reports)
            }
        }
        for (app, count) in leftOutReports {
            try addOverLimitCount(count, of: .details, to: rows.apps[aggregate.apps[app].number])
        }
        caches.logs?.values.add(aggregate, leaks: leaks, unnamedValues: unnamedValues)
    }

    /// Returns `true` if the next flush adds no row for the value: the table has the value already, or has as many values as
    /// ``ValueKind/limit`` allows.
    private func needsNoRow(
        _ text: String, _ kind: ValueKind, of leak: Int64, isNew: Bool
    ) throws(StoreError) -> Bool {
        let room = ValueKind.limit - (caches.logs?.values.newValueCount(of: leak, kind) ?? 0)
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

    /// Writes the systems and models in the log to their table, and empties the log.
    func flushValueLog() throws(StoreError) {
        guard let log = caches.logs?.values, !log.rows.isEmpty else { return }
        let order = log.texts.indices.sorted { log.texts[$0] < log.texts[$1] }
        var ranks = [Int64](repeating: 0, count: order.count)
        for (rank, text) in order.enumerated() { ranks[text] = Int64(rank) }
        let rows = CountRow.summed(
            log.rows.map {
                CountRow(
                    leak: $0.leak, periodOrKind: $0.periodOrKind,
                    releaseOrValue: ranks[Int($0.releaseOrValue)], reports: $0.reports)
            })
        var counts: [(row: CountRow, text: String)] = []
        counts.reserveCapacity(rows.count)
        // Handles the values of one leak and kind at a time.
        var remainingRows = rows[...]
        while let first = remainingRows.first {
            let group = remainingRows.prefix {
                ($0.leak, $0.periodOrKind) == (first.leak, first.periodOrKind)
            }
            remainingRows = remainingRows.dropFirst(group.count)
            let arrivalIndices = group.map { order[Int($0.releaseOrValue)] }
            let texts = arrivalIndices.map { log.texts[$0] }
            let isAdmitted = try areAdmitted(texts, arrivalIndices, of: first)
            for (index, row) in group.enumerated() {
                counts.append((row, isAdmitted[index] ? texts[index] : ""))
            }
        }
        try UpsertStatements.values.run(counts, on: connection) { (value, upsert, index) throws(StoreError) in
            try upsert.bind(value.row.leak, at: index)
            try upsert.bind(value.row.periodOrKind, at: index + 1)
            try upsert.bind(value.text, at: index + 2)
            try upsert.bind(value.row.reports, at: index + 3)
        }
        try connection.run("delete from value_log")
        caches.logs?.values = ValueLog(after: log)
    }

    /// Decides which values are counted by name. If there are too many values, those that came first are counted by name.
    ///
    /// - Parameters:
    ///   - arrivalIndices: the index of each text in ``ValueLog/texts``.
    ///   - row: any row with the leak and the kind of the texts.
    /// - Returns: for each text, `true` if it is counted by name.
    private func areAdmitted(
        _ texts: [String], _ arrivalIndices: [Int], of row: CountRow
    ) throws(StoreError) -> [Bool] {
        let count = try connection.statement(
            "select count(*) from leak_value where leak = ? and kind = ? and value <> ''")
        defer { count.reset() }
        try count.bind(row.leak, row.periodOrKind)
        var storedCount = try count.step() ? count.int(0) : 0
        var isAdmitted = texts.map { _ in true }
        guard storedCount + texts.count > ValueKind.limit else { return isAdmitted }
        let select = try connection.statement(
            "select 1 from leak_value where leak = ? and kind = ? and value = ?")
        for index in texts.indices.sorted(by: { arrivalIndices[$0] < arrivalIndices[$1] })
        where !texts[index].isEmpty {
            defer { select.reset() }
            try select.bind(row.leak, row.periodOrKind, texts[index])
            if try select.step() { continue }
            isAdmitted[index] = storedCount < ValueKind.limit
            if isAdmitted[index] { storedCount += 1 }
        }
        return isAdmitted
    }
}

extension UpsertStatements {
    fileprivate static let values = counter("leak_value", "kind, value")
}
