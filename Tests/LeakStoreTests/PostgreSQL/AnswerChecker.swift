#if PostgreSQL
    import LeakStore
    import LeakPlatform

    @testable import LeakPostgreSQL

    /// Compares the answers that senders got for their batches with the stored counts. No batch has an idempotency key, and
    /// each batch is sent once, so only the store itself prevents that a batch is lost or counted twice.
    final class AnswerChecker: Sendable {
        enum Answer: Sendable {
            case counted, refused, uncertain
        }

        struct CheckResult: Equatable, CustomStringConvertible {
            var answerCounts: [Answer: Int] = [:]
            /// Batches that were answered as counted and are not stored.
            var lost = 0
            /// Batches that are stored more than once.
            var doubled = 0
            /// Batches that were answered as not counted and are stored.
            var unwanted = 0

            var isCorrect: Bool { lost == 0 && doubled == 0 && unwanted == 0 }

            var description: String {
                "counted \(answerCounts[.counted] ?? 0), refused \(answerCounts[.refused] ?? 0), uncertain "
                    + "\(answerCounts[.uncertain] ?? 0); lost \(lost), doubled \(doubled), unwanted \(unwanted)"
            }
        }

        private struct State {
            var answers: [String: Answer] = [:]
            var counted = 0
        }

        private let state = Guarded(State())

        var countedCount: Int { state.with { $0.counted } }

        /// Sends a batch with one report of a leak with this name, which no other batch has.
        func send(_ name: String, to store: any Store) {
            let answer: Answer
            do throws(StoreError) {
                let batch = submission([Report(leak: leak(name), install: 1)])
                answer = try store.count([batch], now: noon) == [.counted] ? .counted : .refused
            } catch {
                answer = error.reason == .uncertain ? .uncertain : .refused
            }
            state.with { state in
                state.answers[name] = answer
                state.counted += answer == .counted ? 1 : 0
            }
        }

        /// Compares the answers with the counts in a schema.
        func checkResult(for schema: DatabaseSchema) throws -> CheckResult {
            let rows = try PostgreSQLConnection(to: schema.address).run(
                Query("select t.title, l.reports from leak l join leak_text t on t.leak = l.id"))
            var stored: [String: Int] = [:]
            for row in rows { stored[row.text(0)] = row.int(1) }
            var result = CheckResult()
            for (name, answer) in state.with({ $0.answers }) {
                let count = stored[name] ?? 0
                result.answerCounts[answer, default: 0] += 1
                result.lost += answer == .counted && count == 0 ? 1 : 0
                result.doubled += count > 1 ? 1 : 0
                result.unwanted += answer == .refused && count > 0 ? 1 : 0
            }
            return result
        }
    }

    extension DatabaseSchema {
        /// Returns the option that delays every commit, so that an event can happen during a commit.
        static func commitDelay(milliseconds: Int) -> String {
            "%20-ccommit_delay%3D\(milliseconds * 1_000)%20-ccommit_siblings%3D0"
        }

        /// Returns the number of database sessions that use the schema and are in a state, such as `wait_event_type = 'Lock'`.
        func sessions(where state: String, by connection: PostgreSQLConnection) throws -> Int {
            try connection.run(
                Query(
                    "select count(*) from pg_stat_activity where application_name = $1::text and \(state)",
                    .text(name))
            ).first?.int(0) ?? 0
        }

        /// Ends the database sessions that use the schema and are in a state, as a server does when it is stopped: a commit in
        /// progress is completed first.
        func terminate(where state: String, by connection: PostgreSQLConnection) throws -> Int {
            try connection.run(
                Query(
                    """
                    select count(pg_terminate_backend(pid)) from pg_stat_activity
                    where application_name = $1::text and pid <> pg_backend_pid() and \(state)
                    """, .text(name))
            ).first?.int(0) ?? 0
        }
    }
#endif
