extension SQLiteConnection {
    /// The tables whose counts may be in ``CountLog``.
    private static let countTables = ["leak", "leak_build", "leak_release", "leak_hour", "leak_day"]

    /// Makes temporary copies of the tables of counts, under their names, and adds the counts in the log to them: for a check that
    /// leaves the file as it is. The time grows with the database. Reports that are kept in the log are not copied.
    ///
    /// The connection sees the copies from then on.
    func copyCounts() throws(StoreError) {
        for table in Self.countTables {
            let select = try statement(
                """
                select sql from main.sqlite_master where tbl_name = ? and sql is not null
                order by type = 'index'
                """)
            let parts: [String]
            do {
                defer { select.reset() }
                try select.bind(table)
                var read: [String] = []
                while try select.step() { read.append(select.text(0)) }
                parts = read
            }
            for (number, part) in parts.enumerated() {
                // CREATE, the kind of object, and the rest from its name on.
                let words = part.split(separator: " ", maxSplits: 2)
                guard words.count == 3 else { throw .unreadable("the schema", in: path) }
                try execute("create \(words[1]) temp.\(words[2])")
                if number == 0 { try execute("insert into temp.\(table) select * from main.\(table)") }
            }
        }
        // Builds had no buckets before schema 14.
        if try number("select 1 from pragma_table_info('leak_build') where name = 'buckets'") == nil {
            try execute("alter table temp.leak_build add column buckets blob not null default x''")
        }
        try countLog().write(on: self)
    }
}
