#if PostgreSQL
    internal import LeakStore

    /// A loader of rows into one table. It sends the rows in batches and counts them.
    struct TableLoad {
        private let table: PortableTable
        private let connection: PostgreSQLConnection
        /// The number of rows that were added so far. ``finish(highestID:)`` adds the sums of their counts.
        private(set) var sentTable: CopiedTable
        private var sums: [Int]
        private var batch: [[PortableValue]] = []
        private var batchBytes = 0
        /// Rows with a text that contains U+0000, which PostgreSQL cannot store. They are inserted last.
        private var rowsWithNULs: [[PortableValue]] = []

        static let rowsPerBatch = 5_000
        /// A batch is sent when its values have this number of bytes. A few copies of a batch are in memory at the same time.
        private static let bytesPerBatch = 1 << 20

        init(of table: PortableTable, into connection: PostgreSQLConnection) {
            self.table = table
            self.connection = connection
            sentTable = CopiedTable(name: table.name)
            sums = [Int](repeating: 0, count: table.columns.count)
        }

        /// Adds a row to the current batch, and sends the batch if it is full.
        ///
        /// - Returns: `true` if a batch was sent.
        mutating func add(_ row: [PortableValue]) throws(StoreError) -> Bool {
            addToTotals(row)
            guard !row.contains(where: \.hasNUL) else {
                rowsWithNULs.append(row)
                return false
            }
            batch.append(row)
            for value in row { batchBytes += value.sizeBytes }
            guard batch.count >= Self.rowsPerBatch || batchBytes >= Self.bytesPerBatch else { return false }
            try flush()
            return true
        }

        /// Sends the remaining rows, and compares the table with the rows that were sent.
        ///
        /// - Parameter highestID: the highest id that a row of the table has had; the next row gets a higher id.
        /// - Returns: the number of rows and the sums of the table, which are equal to those that were sent.
        /// - Throws: ``StoreError`` if the table has other contents.
        mutating func finish(highestID: Int64) throws(StoreError) -> CopiedTable {
            if !batch.isEmpty { try flush() }
            for row in rowsWithNULs { try insert(rowWithNULs: row) }
            if table.hasGeneratedIDs {
                try connection.run(
                    Query(
                        """
                        select setval(pg_get_serial_sequence('\(table.name)', 'id'),
                          greatest($1::bigint, (select max(id) from \(Self.quoted(table.name))), 0) + 1, false)
                        """, .integer(highestID)))
            }
            // Without these statistics, PostgreSQL would plan the first queries as for an empty table.
            try connection.run(Query("analyze \(Self.quoted(table.name))"))
            for (column, sum) in zip(table.columns, sums) where column.kind == .count {
                sentTable.sums.append(CopiedTable.Sum(column: column.name, sum: sum))
            }
            let storedTable = try readTotals()
            guard storedTable == sentTable else {
                throw StoreError(
                    .corrupt,
                    "the copy of \(table.name) differs from the source, so nothing was kept: \(storedTable), not \(sentTable)"
                )
            }
            return storedTable
        }

        private mutating func addToTotals(_ row: [PortableValue]) {
            sentTable.rows += 1
            for (index, column) in table.columns.enumerated() where column.kind == .count {
                if case .integer(let number) = row[index] { sums[index].addBounded(Int(number)) }
            }
        }

        private mutating func flush() throws(StoreError) {
            try connection.run(Self.insertion(of: batch, into: table))
            (batch, batchBytes) = ([], 0)
        }

        /// Inserts a row with U+0000, which texts in PostgreSQL cannot hold: U+2400 replaces it. While another row has the same
        /// key, one more U+2400 is appended.
        private func insert(rowWithNULs row: [PortableValue]) throws(StoreError) {
            var row = row
            for _ in 0..<Self.rowsPerBatch {
                let insertedRowCount = try connection.run(
                    Self.insertion(of: [row], into: table, " on conflict do nothing")
                )
                .changedRowCount
                if insertedRowCount == 1 { return }
                for (index, value) in row.enumerated() {
                    guard value.hasNUL, case .text(let text) = value else { continue }
                    row[index] = .text(text + "\0")
                }
            }
            throw StoreError(
                .corrupt, "two rows of \(table.name) have the same key; run collector verify")
        }

        /// Returns the query that inserts rows with the columns of a table.
        static func insertion(
            of rows: [[PortableValue]], into table: PortableTable, _ conflictClause: String = ""
        ) -> Query {
            let names = table.columns.map { quoted($0.name) }
            let columns = names.joined(separator: ", ")
            let types = table.columns.enumerated().map { "$\($0 + 1)::\($1.kind.arrayType)" }
            return Query(
                """
                insert into \(quoted(table.name)) (\(columns)) overriding system value
                select \(columns) from unnest(\(types.joined(separator: ", "))) as new (\(columns))\(conflictClause)
                """,
                table.columns.indices.map { index in
                    table.columns[index].kind.parameter(rows.map { $0[index] })
                })
        }

        private func readTotals() throws(StoreError) -> CopiedTable {
            let counts = table.columns.filter { $0.kind == .count }
            let sums = counts.map {
                "least(coalesce(sum(\(Self.quoted($0.name))), 0), LARGEST_TOTAL)::bigint"
            }
            let row = try connection.run(
                Query(
                    "select \((["count(*)"] + sums).joined(separator: ", ")) from \(Self.quoted(table.name))")
            ).first
            var storedTable = CopiedTable(name: table.name)
            guard let row else { return storedTable }
            storedTable.rows = row.int(0)
            for (index, column) in counts.enumerated() {
                storedTable.sums.append(CopiedTable.Sum(column: column.name, sum: row.int(Int32(index + 1))))
            }
            return storedTable
        }

        /// Quotes a name: `user` is a reserved word of SQL.
        private static func quoted(_ name: String) -> String { "\"\(name)\"" }
    }

    extension PortableTable.Column.Kind {
        fileprivate var arrayType: String {
            switch self {
            case .number, .count: "bigint[]"
            case .text: "text[]"
            case .bytes: "bytea[]"
            case .key: "uuid[]"
            case .buckets: "numeric[]"
            }
        }

        fileprivate func parameter(_ values: [PortableValue]) -> Parameter {
            switch self {
            case .number, .count: .integers(values.map(\.integer))
            case .text: .texts(values.map(\.text))
            case .bytes: .byteArrays(values.map(\.bytes))
            // Bytes that are not valid counts by bucket become null, which these columns reject.
            case .buckets: .buckets(values.map { BucketCounts(bytes: $0.bytes ?? []) })
            case .key: .optionalUUIDs(values.map { $0.bytes.map { LeakID(bytes: $0) } })
            }
        }
    }

    extension PortableValue {
        fileprivate var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
        fileprivate var text: String? { if case .text(let value) = self { value } else { nil } }
        fileprivate var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }

        fileprivate var hasNUL: Bool { text?.utf8.contains(0) ?? false }

        fileprivate var sizeBytes: Int {
            switch self {
            case .null, .integer: 8
            case .text(let value): value.utf8.count
            case .bytes(let value): value.count
            }
        }
    }
#endif
