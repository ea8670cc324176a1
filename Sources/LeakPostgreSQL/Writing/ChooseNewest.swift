#if PostgreSQL
    internal import LeakStore

    extension NewestVersion {
        private static let numbered = #"'\x02'::bytea"#
        /// ``NewestVersion/order(of:numbered:)`` for rows `r`, in the syntax of PostgreSQL.
        static let order = order(of: "r", numbered: numbered)
        /// SQL that is true if a release `r` has enough installs or sessions to be the newest.
        static let isInField = isInField("r", numbered: numbered)

        /// SQL for the id of the newest release of an app `a`.
        static let row = """
            select r.id from release r where r.app = a.id order by \(order) limit 1
            """

        /// Chooses the newest releases of apps again. If an app gets another newest release, the impact of each of its leaks
        /// becomes the number of installs in that release. Runs after all counting.
        ///
        /// - Parameter apps: rows of `app`. They are locked, or the whole table is.
        static func choose(for apps: [Int64]) -> Query {
            Query(
                """
                with changed as (
                  update app a set newest_release = (\(row))
                  where a.id = any($1::bigint[]) and a.newest_release is distinct from (\(row))
                  returning a.id, a.newest_release)
                update leak l set impact = i.installs
                from (select l.id as leak, coalesce(c.installs, 0) as installs
                  from changed a join leak l on l.app = a.id
                  left join leak_release c on c.leak = l.id and c.release = a.newest_release) i
                where i.leak = l.id and l.impact <> i.installs
                """, .integers(apps.map { $0 }))
        }
    }

    extension WriteBatch {
        /// Chooses the newest releases again for apps in which the counted reports may have changed them.
        func chooseNewest() -> Query? {
            var apps = Set(rowIDs.apps.filter { $0.newest?.isInField != true }.map(\.id))
            for release in aggregate.releases {
                let app = rowIDs.apps[release.app]
                let order = VersionOrder(release.version).key
                if app.newest?.mark.order.lexicographicallyPrecedes(order) ?? true { apps.insert(app.id) }
            }
            return apps.isEmpty ? nil : NewestVersion.choose(for: apps.sorted())
        }
    }
#endif
