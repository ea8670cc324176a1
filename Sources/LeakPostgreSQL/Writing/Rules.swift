#if PostgreSQL
    internal import LeakStore

    extension Writer {
        /// Saves a version of an app's rules, in a transaction that locks the app, so that two versions do not get the same
        /// number.
        func saveRules(
            _ text: String, of app: String, basedOn version: Int?, by origin: ChangeOrigin, now: Int64
        ) throws(StoreError) -> RulesOutcome {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                let answers = try connection.run([
                    Migration.sharedLockQuery, Migration.versionQuery,
                    Query(
                        "select id from app where name = $1::text order by id for no key update",
                        .text(app.storable)),
                ])
                try Migration.requireKnownVersion(answers[1], connection)
                let outcome = try connection.saveRules(
                    text, of: app, basedOn: version, by: origin.actor, now: now)
                let entry = outcome.auditEntry(by: origin, at: now)
                _ = try connection.run((entry?.queries ?? []) + [Query("commit")])
                return outcome
            } catch {
                connector.reset()
                throw error
            }
        }
    }
#endif
