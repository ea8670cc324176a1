#if PostgreSQL
    internal import LeakStore

    extension AppScope {
        /// Returns SQL for the condition that a column with the row ID of an app is in the scope. If the scope names no app,
        /// the condition lists the row IDs of all apps in the environment, because the indexes begin with the app.
        func conditionSQL(on column: String, _ values: inout QueryValues) -> String {
            let environment = values.bind(environment)
            return app.map {
                "\(column) = (select id from app where name = \(values.bind($0)) and environment = \(environment))"
            } ?? "\(column) = any(array(select id from app where environment = \(environment)))"
        }
    }

    extension AppKey {
        /// A query that locks the row of the app until the end of the transaction.
        var lockQuery: Query {
            Query(
                "select id from app where name = $1::text and environment = $2::text for no key update",
                .text(name), .text(environment))
        }
    }
#endif
