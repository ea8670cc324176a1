#if PostgreSQL
    internal import LeakStore

    /// The apps and rows under which the apps of some submissions count.
    struct AdmittedApps {
        /// The app as counted, by the app as sent.
        fileprivate(set) var counted: [AppKey: AppKey] = [:]
        /// The row, by the app as counted. An app has no row if the database does not have it and only explanations name it.
        fileprivate(set) var rows: [AppKey: Int64] = [:]

        /// Returns the submission without explanations of leaks in apps that the database does not have.
        func withoutUnknownApps(_ submission: Submission) -> Submission {
            var known = submission
            known.explanations.removeAll { explanation in
                guard submission.origins.indices.contains(explanation.origin) else { return true }
                let app = counted[submission.origins[explanation.origin].appKey]
                return app.flatMap { rows[$0] } == nil
            }
            return known
        }
    }

    extension SubmissionTransaction {
        /// An app that submissions name.
        private struct NamedApp {
            var app: AppKey
            /// The ingest keys of the submissions in which anything but explanations names the app, in order of arrival. Without
            /// one, the app is not created.
            var keys: [Int64] = []
            /// Arrival of the first submission.
            var seen: Int64
        }

        /// Finds the rows of the apps, and creates missing ones, as long as an ingest key that names them may create apps.
        ///
        /// Each key's lock is held until the commit, so that two collectors do not both create the last app that a key may create.
        /// Locks of keys are taken before those of apps.
        func admitApps(
            of submissions: some Collection<Submission>, _ names: inout NameCache, limit: Int
        ) throws(StoreError) -> AdmittedApps {
            var apps = AdmittedApps()
            var unknown: [NamedApp] = []
            var places: [AppKey: Int] = [:]
            func add(_ sent: AppKey, of submission: Submission, counts: Bool) {
                // The app `other` counts all environments.
                let app = sent.name == StoreLimits.other ? AppKey.other : sent.storable
                apps.counted[sent] = app
                guard apps.rows[app] == nil else { return }
                if let known = names.apps.value(of: app) {
                    apps.rows[app] = known
                    return
                }
                let place = places[app] ?? unknown.count
                if place == unknown.count {
                    unknown.append(NamedApp(app: app, seen: submission.receivedAt))
                    places[app] = place
                }
                if counts, !unknown[place].keys.contains(submission.keyID) {
                    unknown[place].keys.append(submission.keyID)
                }
            }
            for submission in submissions {
                for app in submission.countedApps { add(app, of: submission, counts: true) }
            }
            for submission in submissions where !submission.explanations.isEmpty {
                for origin in submission.origins { add(origin.appKey, of: submission, counts: false) }
            }
            guard !unknown.isEmpty else { return apps }
            let missing = try find(unknown, addingTo: &apps, names: &names).filter { !$0.keys.isEmpty }
            if !missing.isEmpty { try create(missing, addingTo: &apps, names: &names, limit: limit) }
            return apps
        }

        /// - Returns: the apps that the database does not have.
        private func find(
            _ wanted: [NamedApp], addingTo apps: inout AdmittedApps, names: inout NameCache
        ) throws(StoreError) -> [NamedApp] {
            let rows = try connection.run(Self.rows(of: wanted.map(\.app)))
            for row in rows { Self.add(row, of: wanted[row.int(0) - 1].app, to: &apps, names: &names) }
            return wanted.filter { apps.rows[$0.app] == nil }
        }

        private static func rows(of apps: [AppKey]) -> Query {
            Query(
                """
                select asked.place, a.id
                from unnest($1::text[], $2::text[]) with ordinality as asked (name, environment, place)
                join app a on a.name = asked.name and a.environment = asked.environment
                """, .texts(apps.map(\.name)), .texts(apps.map(\.environment)))
        }

        private static func add(
            _ row: Row, of app: AppKey, to apps: inout AdmittedApps, names: inout NameCache
        ) {
            let id = row.int64(1)
            apps.rows[app] = id
            if names.apps.value(of: app) == nil { names.apps.insert(id, for: app) }
        }

        private func create(
            _ missing: [NamedApp], addingTo apps: inout AdmittedApps, names: inout NameCache, limit: Int
        ) throws(StoreError) {
            let keys = Set(missing.flatMap(\.keys)).sorted()
            let answers = try connection.run([
                Query(
                    """
                    select pg_advisory_xact_lock(lock) from (
                      select distinct hashtextextended(current_schema() || ' apps of ' || key, 0) as lock
                      from unnest($1::bigint[]) as key order by lock) as locks
                    """, .integers(keys)),
                Query(
                    """
                    select key, (select count(*) from app where made_by = key) from unnest($1::bigint[]) as key
                    """, .integers(keys)),
            ])
            var made: [Int64: Int] = [:]
            for row in answers[1] { made[row.int64(0)] = row.int(1) }
            // Another collector may have created some of the apps before the locks were free.
            var new: [(named: NamedApp, maker: Int64?)] = []
            var beyond: [NamedApp] = []
            for named in try find(missing, addingTo: &apps, names: &names) {
                if named.app == .other {
                    // The app `other` belongs to no ingest key, so that it does not count against the limit.
                    new.append((named, nil))
                } else if let maker = named.keys.first(where: { made[$0, default: 0] < limit }) {
                    made[maker, default: 0] += 1
                    new.append((named, maker))
                } else {
                    beyond.append(named)
                }
            }
            if let first = beyond.first {
                var other = first
                other.app = .other
                new.append((other, nil))
            }
            guard !new.isEmpty else { return }
            let rows = try connection.run([
                Query(
                    """
                    insert into app (name, environment, last_seen, made_by)
                    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) order by 1, 2
                    on conflict (name, environment) do nothing
                    """, .texts(new.map(\.named.app.name)), .texts(new.map(\.named.app.environment)),
                    .integers(new.map { $0.named.seen }), .integers(new.map(\.maker))),
                Self.rows(of: new.map(\.named.app)),
            ])
            for row in rows[1] {
                Self.add(row, of: new[row.int(0) - 1].named.app, to: &apps, names: &names)
            }
            let folded = Set(beyond.map(\.app))
            for (sent, app) in apps.counted where folded.contains(app) { apps.counted[sent] = .other }
        }
    }

    /// A quota that admits every name as it is, except the names of apps, which count as ``AdmittedApps`` states.
    final class AppNameQuota: NameQuota {
        private let apps: AdmittedApps
        private let modules: [LeakID: String]

        /// - Parameter modules: modules of leaks, as this writer last read them.
        init(_ apps: AdmittedApps, modules: [LeakID: String]) {
            self.apps = apps
            self.modules = modules
        }

        func app(_ app: AppKey, key: Int64, seen: Int64) -> AdmittedApp {
            AdmittedApp(apps.counted[app] ?? app, number: 0)
        }

        func release(_ version: String, of app: Int, key: Int64, at: Int64) -> AdmittedName {
            AdmittedName(version.storable, number: 0)
        }

        func build(_ name: String, of release: Int, key: Int64) -> AdmittedName {
            AdmittedName(name.storable, number: 0)
        }

        func leak(_ identity: LeakIdentity, of app: Int, key: Int64) -> (leak: AdmittedLeak, number: Int) {
            (AdmittedLeak(counted: identity, isNew: false), 0)
        }

        func module(of leak: LeakID) -> String? { modules[leak] }

        func admits(_ leak: Int, in build: Int, isLast: Bool, of app: Int, key: Int64) -> Bool { true }
    }
#endif
