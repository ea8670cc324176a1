import Testing

@testable import LeakStore

@Suite
struct SQLDialectTests {
    @Test(arguments: [
        ("select $12::bigint, $2::text", "select ?12, ?2"),
        ("least(greatest($1::bigint, b.n), 3)::bigint", "min(max(?1, b.n), 3)"),
        ("l.id = any($1::bigint[])", "l.id  in (select value from json_each(?1))"),
        (
            "unnest($1::bigint[]) as j (value) /*! cross */ join leak l",
            "json_each(?1) as j cross  join leak l"
        ),
        ("module collate \"C\" as module", "module  as module"),
        ("BOUNDED_SUM(a + (b))", "cast(min(total(a + (b)), 9007199254740991) as integer)"),
        ("BUCKET_TOTAL(b.buckets) > 0", "bucket_total(b.buckets) > 0"),
        ("LARGEST_TOTAL", "9007199254740991"),
    ])
    func `a statement of both stores is translated to the SQL of SQLite`(statement: String, sqlite: String) {
        #expect(SQLDialect.sqlite.sql(statement) == sqlite)
    }

    @Test(arguments: [
        "select 'least($1::bigint)' where a = ''", "-- an app's LARGEST_TOTAL\n",
        "'an open quotation mark $1",
    ])
    func `texts in quotation marks and comments of migrations are not translated to the SQL of SQLite`(
        statement: String
    ) {
        #expect(SQLDialect.sqlite.sql(statement) == statement)
    }

    @Test
    func `an apostrophe in a comment does not end the translation of the lines after it`() {
        #expect(SQLDialect.sqlite.sql("-- an app's\nLARGEST_TOTAL") == "-- an app's\n9007199254740991")
    }

    private enum Column: Int32, QueryColumn { case name, lastSeen }

    @Test
    func `a statement whose columns have other names than the enumeration that reads them is an error`()
        throws
    {
        let directory = TemporaryDirectory()
        _ = try SQLiteStore(path: directory.database, exclusive: false)
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        func read(_ sql: SQLText) throws -> [Int64] {
            try connection.read(
                StoreRead<[Int64]>(sql) { (row: NamedRow<Column>) in row.int64(.lastSeen) })
        }
        #expect(try read("select name, last_seen from app").isEmpty)
        #expect(throws: StoreError.self) { try read("select last_seen, name from app") }
        #expect(throws: StoreError.self) { try read("select name, max(last_seen) from app") }
    }
}
