#if PostgreSQL
    internal import LeakStore

    /// The kind of an error of the server, which decides whether the statement is retried.
    enum ServerErrorKind {
        /// The statement took longer than allowed.
        case tooSlow
        /// Two transactions conflicted, and this transaction was cancelled; it may be retried immediately.
        case conflict
        case other

        /// - Parameter state: `SQLSTATE`; the result is `nil` for a state that ends the connection.
        init?(state: String) {
            switch state {
            case "57014": self = .tooSlow
            case "40001", "40P01": self = .conflict
            case let state where state.hasPrefix("57P") || state.hasPrefix("08"): return nil
            default: self = .other
            }
        }
    }

    extension StoreError {
        /// Returns an error that tells the operator what the server answered. Its text names the SQL statement, but not its
        /// values.
        ///
        /// - Parameters:
        ///   - state: `SQLSTATE`: https://www.postgresql.org/docs/15/errcodes-appendix.html
        ///   - message: the server's primary message without its details. It quotes a value only if the value has the wrong
        ///     form for its type.
        static func postgreSQL(
            state: String, message: String, database: String, sql: String
        ) -> StoreError {
            let (reason, advice): (Reason, String) =
                switch state {
                case "53100": (.diskFull, "its disk is full; free some space")
                case "40001", "40P01", "55P03": (.locked, "another connection keeps a lock that is needed")
                case "57014": (.locked, "a statement took too long")
                case "25006", "42501":
                    (.readOnly, "it cannot be written; check the user's rights and the server's role")
                case "XX001", "XX002": (.corrupt, "it is damaged; restore it from a backup")
                case let state where ["08", "57"].contains(state.prefix(2)):
                    (.unavailable, "the server closed the connection")
                case let state where state.hasPrefix("53"):
                    (.unavailable, "the server has no memory or connection left")
                default: (.other, "a statement failed")
                }
            let statement = sql.split { $0.isWhitespace }.joined(separator: " ").prefix(200)
            return StoreError(
                reason,
                "database \(database): \(advice) (PostgreSQL \(state), \(message), in: \(statement))"
            )
        }
    }
#endif
