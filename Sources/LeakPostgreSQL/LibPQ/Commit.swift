#if PostgreSQL
    internal import LeakStore

    /// What became of a transaction that was to be committed.
    enum Commit {
        /// On disk; the answers to the queries, and to the commit.
        case done([Rows])
        /// Nothing of it is in the database.
        case undone(StoreError)
        /// The commit was sent, and its answer did not come: it is on disk or nothing of it is, ``Witness``.
        case inDoubt(StoreError)
    }

    extension Connection {
        /// Runs queries and commits, in one trip.
        func commit(_ queries: [Query]) -> Commit {
            var answers = Answers()
            do throws(StoreError) {
                try exchange(queries + [Query("commit")], within: timeouts.answer, &answers)
                if let problem = answers.problem { return .undone(problem) }
            } catch {
                // The commit is answered once it is on disk; whatever follows is about the connection.
                if answers.rows.count <= queries.count {
                    // Only what the server says of a statement before the commit keeps it from being run.
                    guard let problem = answers.problem, answers.rows.count < queries.count else {
                        return .inDoubt(answers.problem ?? error)
                    }
                    return .undone(problem)
                }
            }
            return .done(answers.rows)
        }
    }
#endif
