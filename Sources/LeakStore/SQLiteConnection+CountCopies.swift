extension SQLiteConnection {
    /// The tables whose counts may be in ``CountLog``.
    private static let countTables = [
        "leak", "leak_build", "leak_release", "leak_hour", "leak_day", "recent_install_set",
    ]

    /// Creates temporary copies of the tables of counts, under the same names, and adds the counts in the log to the copies. A
    /// check then reads all counts without changing the file. The time grows with the size of the database. Samples in the log
    /// are not written.
    ///
    /// The connection reads the copies instead of the tables from then on.
    func copyCounts() throws(StoreError) {
        for table in Self.countTables {
            let select = try statement(
                """
                select sql from main.sqlite_master where tbl_name = ? and sql is not null
                order by type = 'index'
                """)
            let definitions: [String]
            do {
                defer { select.reset() }
                try select.bind(table)
                var texts: [String] = []
                while try select.step() { texts.append(select.text(0)) }
                definitions = texts
            }
            for (number, definition) in definitions.enumerated() {
                // The words are CREATE, the kind of object, and the rest of the definition, which begins with the name.
                let words = definition.split(separator: " ", maxSplits: 2)
                guard words.count == 3 else { throw .unreadable("the schema", in: path) }
                try execute("create \(words[1]) temp.\(words[2])")
                if number == 0 { try execute("insert into temp.\(table) select * from main.\(table)") }
            }
        }
        // Builds had no buckets before schema 14.
        if try number("select 1 from pragma_table_info('leak_build') where name = 'buckets'") == nil {
            try execute("alter table temp.leak_build add column buckets blob not null default x''")
        }
        // The column had another name before schema 18.
        if try number("select 1 from pragma_table_info('leak') where name = 'moving'") != nil {
            try execute("alter table temp.leak rename column moving to is_unindexed")
        }
        try loadCountLog().write(on: self)
    }
}
