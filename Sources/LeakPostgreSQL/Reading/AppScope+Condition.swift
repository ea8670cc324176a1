#if PostgreSQL
    internal import LeakStore

    extension AppScope {
        /// Returns the condition that a column with the row of an app is in the scope. It names the rows of all apps if the scope names
        /// no app, because the indexes begin with the app.
        func condition(on column: String, _ values: inout QueryValues) -> String {
            let environment = values.bind(environment)
            return app.map {
                "\(column) = (select id from app where name = \(values.bind($0)) and environment = \(environment))"
            } ?? "\(column) = any(array(select id from app where environment = \(environment)))"
        }
    }

    extension AppKey {
        /// Locks the row of the app until the end of the transaction.
        var lock: Query {
            Query(
                "select id from app where name = $1::text and environment = $2::text for no key update",
                .text(name), .text(environment))
        }
    }
#endif
