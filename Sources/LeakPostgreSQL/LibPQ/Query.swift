#if PostgreSQL
    /// A statement, put together from literals, and its values.
    struct Query {
        let sql: String
        let values: [Parameter]

        init(_ sql: String, _ values: [Parameter] = []) {
            self.sql = sql
            self.values = values
        }

        init(_ sql: String, _ values: Parameter...) { self.init(sql, values) }
    }
#endif
