#if PostgreSQL
    internal import LeakStore

    /// The apps that submissions name, with the app and the row under which each is counted. An app beyond a limit is counted
    /// as the app `other`.
    struct AdmittedApps {
        /// The app under which reports are counted, by the app that the submission names.
        fileprivate(set) var countedApps: [AppKey: AppKey] = [:]
        /// The row ID, by the app under which reports are counted. An app has no row if the database does not have it and only
        /// explanations name it.
        fileprivate(set) var rows: [AppKey: Int64] = [:]

        /// Returns the submission without explanations of leaks in apps that the database does not have.
        func withoutUnknownApps(_ submission: Submission) -> Submission {
            var filtered = submission
            filtered.explanations.removeAll { explanation in
                guard submission.origins.indices.contains(explanation.originIndex) else { return true }
                let app = countedApps[submission.origins[explanation.originIndex].appKey]
                return app.flatMap { rows[$0] } == nil
            }
            return filtered
        }
    }

    extension SubmissionTransaction {
        /// An app that submissions name.
        private struct RequestedApp {
            var app: AppKey
            /// The ingest keys of the submissions that name the app outside of explanations, in order of arrival. If there are
            /// none, the app is not created.
            var keys: [Int64] = []
            /// The time at which the first submission arrived.
            var firstSeenAt: Int64
        }

        /// Finds the rows of the apps, and creates a missing row if an ingest key that names the app may still create an app.
        ///
        /// Each key's lock is held until the commit, so that two collectors do not both create the last app that a key may create.
        /// Locks of keys are taken before those of apps.
        func admitApps(
            of submissions: some Collection<Submission>, _ names: inout NameCache, limits: StoreLimits,
            now: Int64
        ) throws(StoreError) -> AdmittedApps {
            var apps = AdmittedApps()
            var uncachedApps: [RequestedApp] = []
            var indexes: [AppKey: Int] = [:]
            func add(_ sentApp: AppKey, of submission: Submission, canCreateApp: Bool) {
                let app = sentApp.storable
                apps.countedApps[sentApp] = app
                guard apps.rows[app] == nil else { return }
                if let cachedRow = names.apps.value(of: app) {
                    apps.rows[app] = cachedRow
                    return
                }
                let index = indexes[app] ?? uncachedApps.count
                if index == uncachedApps.count {
                    uncachedApps.append(RequestedApp(app: app, firstSeenAt: submission.receivedAt))
                    indexes[app] = index
                }
                if canCreateApp, !uncachedApps[index].keys.contains(submission.keyID) {
                    uncachedApps[index].keys.append(submission.keyID)
                }
            }
            for submission in submissions {
                for app in submission.countedApps { add(app, of: submission, canCreateApp: true) }
            }
            for submission in submissions where !submission.explanations.isEmpty {
                for origin in submission.origins { add(origin.appKey, of: submission, canCreateApp: false) }
            }
            guard !uncachedApps.isEmpty else { return apps }
            let missingApps = try find(uncachedApps, addingTo: &apps, names: &names).filter {
                !$0.keys.isEmpty
            }
            if !missingApps.isEmpty {
                try create(missingApps, addingTo: &apps, names: &names, limits: limits, now: now)
            }
            return apps
        }

        /// - Returns: the apps that the database does not have.
        private func find(
            _ requestedApps: [RequestedApp], addingTo apps: inout AdmittedApps, names: inout NameCache
        ) throws(StoreError) -> [RequestedApp] {
            let rows = try connection.run(Self.rows(of: requestedApps.map(\.app)))
            for row in rows { Self.add(row, of: requestedApps[row.int(0) - 1].app, to: &apps, names: &names) }
            return requestedApps.filter { apps.rows[$0.app] == nil }
        }

        private static func rows(of apps: [AppKey]) -> Query {
            Query(
                """
                select asked.index, a.id
                from unnest($1::text[], $2::text[]) with ordinality as asked (name, environment, index)
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
            _ missingApps: [RequestedApp], addingTo apps: inout AdmittedApps, names: inout NameCache,
            limits: StoreLimits, now: Int64
        ) throws(StoreError) {
            let keys = Set(missingApps.flatMap(\.keys)).sorted()
            let answers = try connection.run([
                Query(
                    """
                    select pg_advisory_xact_lock(lock) from (
                      select distinct hashtextextended(current_schema() || ' apps of ' || key, 0) as lock
                      from unnest($1::bigint[]) as key order by lock) as locks
                    """, .integers(keys)),
                Query(
                    """
                    select key, (select count(distinct name) from app where made_by = key)
                    from unnest($1::bigint[]) as key
                    """, .integers(keys)),
                Query(
                    "select name, count(*) from app where name = any($1::text[]) group by name",
                    .texts(missingApps.map(\.app.name) + [StoreLimits.other])),
            ])
            var createdAppCounts: [Int64: Int] = [:]
            for row in answers[1] { createdAppCounts[row.int64(0)] = row.int(1) }
            var environmentCounts: [ByteText: Int] = [:]
            for row in answers[2] { environmentCounts[ByteText(row.text(0))] = row.int(1) }
            var newApps: [AppKey: (firstSeenAt: Int64, creatorKey: Int64?)] = [:]
            var admittedApps: [AppKey: AppKey] = [:]
            // Another collector may have created some of the apps before the locks were free.
            for requested in try find(missingApps, addingTo: &apps, names: &names) {
                var admitted = requested.app
                // The app `other` belongs to no ingest key, so that it does not count against the limit.
                var creatorKey: Int64?
                if admitted.name != StoreLimits.other {
                    let isKnown = environmentCounts[ByteText(admitted.name)] != nil
                    creatorKey = requested.keys.first { createdAppCounts[$0, default: 0] < limits.appsPerKey }
                    if isKnown { creatorKey = creatorKey ?? requested.keys.first }
                    if creatorKey == nil { admitted.name = StoreLimits.other }
                    if let creatorKey, !isKnown { createdAppCounts[creatorKey, default: 0] += 1 }
                }
                if environmentCounts[ByteText(admitted.name), default: 0] >= limits.environmentsPerApp,
                    admitted.environment != AppKey.production
                {
                    admitted.environment = StoreLimits.other
                }
                if newApps[admitted] == nil {
                    newApps[admitted] = (requested.firstSeenAt, creatorKey)
                    environmentCounts[ByteText(admitted.name), default: 0] += 1
                }
                admittedApps[requested.app] = admitted
            }
            guard !newApps.isEmpty else { return }
            let appKeys = Array(newApps.keys)
            let rows = try connection.run([
                Query(
                    """
                    insert into app (name, environment, last_seen, made_by, made_at)
                    select *, case when key is not null then $5::bigint end
                    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as new (name, environment, seen, key)
                    order by 1, 2 on conflict (name, environment) do nothing
                    """, .texts(appKeys.map(\.name)), .texts(appKeys.map(\.environment)),
                    .integers(appKeys.map { newApps[$0]?.firstSeenAt ?? 0 }),
                    .integers(appKeys.map { newApps[$0]?.creatorKey }), .integer(now)),
                Self.rows(of: appKeys),
            ])
            for row in rows[1] {
                Self.add(row, of: appKeys[row.int(0) - 1], to: &apps, names: &names)
            }
            for (sentApp, app) in apps.countedApps {
                if let admitted = admittedApps[app] { apps.countedApps[sentApp] = admitted }
            }
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

        func app(_ app: AppKey, key: Int64, seenAt: Int64) -> AppAdmission {
            AppAdmission(apps.countedApps[app] ?? app, number: EntryNumber(index: 0))
        }

        func release(_ version: String, of app: AppNumber, key: Int64, seenAt: Int64) -> NameAdmission<
            SubmissionAggregate.Release
        > {
            NameAdmission(version.storable, number: EntryNumber(index: 0))
        }

        func build(_ name: String, of release: ReleaseNumber, key: Int64) -> NameAdmission<
            SubmissionAggregate.Build
        > {
            NameAdmission(name.storable, number: EntryNumber(index: 0))
        }

        func leak(_ identity: LeakIdentity, of app: AppNumber, key: Int64) -> (
            leak: LeakAdmission, number: LeakNumber
        ) {
            (LeakAdmission(counted: identity, isNew: false), EntryNumber(index: 0))
        }

        func module(of leak: LeakID) -> String? { modules[leak] }

        func admits(
            _ leak: LeakNumber, in build: BuildNumber, isLastResort: Bool, of app: AppNumber, key: Int64
        ) -> Bool { true }
    }
#endif
