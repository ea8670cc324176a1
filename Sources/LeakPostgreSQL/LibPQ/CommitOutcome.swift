#if PostgreSQL
    internal import LeakStore

    /// The outcome of committing a transaction.
    enum CommitOutcome {
        /// The transaction is on disk. Holds the answers to the queries, and to the commit.
        case done([Rows])
        /// Nothing of the transaction is in the database.
        case rolledBack(StoreError)
        /// The commit was sent, and its answer did not arrive: all of the transaction is on disk, or nothing: see ``CommitMarker``.
        case inDoubt(StoreError)
    }

    extension PostgreSQLConnection {
        /// Runs queries and commits, in one round trip.
        func commit(_ queries: [Query]) -> CommitOutcome {
            var answers = Answers()
            do throws(StoreError) {
                try exchange(queries + [Query("commit")], within: timeouts.answer, &answers)
                if let problem = answers.problem { return .rolledBack(problem) }
            } catch {
                // The commit is answered once it is on disk; whatever follows is about the connection.
                if answers.rows.count <= queries.count {
                    // Only an error in a statement before the commit keeps the commit from running.
                    guard let problem = answers.problem, answers.rows.count < queries.count else {
                        return .inDoubt(answers.problem ?? error)
                    }
                    return .rolledBack(problem)
                }
            }
            return .done(answers.rows)
        }
    }
#endif
