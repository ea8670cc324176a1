#if PostgreSQL
    internal import LeakStore

    /// The rows that the database has for the names of the aggregate, read after their apps were locked. A name without a row
    /// was looked up and not found.
    struct ExistingRows {
        struct App {
            var id: Int64
            var leaks: Int
            var textBytes: Int
            var cells: Int
            /// The row ID of the current release before this transaction, see ``CurrentRelease``.
            var currentRelease: Int64?
        }

        /// Apps, by the key under which they are counted.
        private(set) var apps: [AppKey: App] = [:]
        private(set) var releases: [ReleaseName: Int64] = [:]
        private(set) var builds: [BuildName: Int64] = [:]
        private(set) var leaks: [LeakID: StoredLeak] = [:]
        private(set) var cells: Set<LeakBuildKey> = []
        /// Number of releases by app, for apps whose releases were counted.
        private(set) var releaseCounts: [Int64: Int] = [:]
        /// Number of builds by release, for releases whose builds were counted.
        private(set) var buildCounts: [Int64: Int] = [:]
        /// Number of changes, since the database was made, that make cached names, ids and sets of installs outdated: erasures of
        /// installs, deletions, evictions, merges by hand and their undoing, and leaks that were discarded or accepted again. See
        /// ``InstallErasure/cacheInvalidation``.
        private(set) var cacheGeneration: Int64 = 0

        private let connection: PostgreSQLConnection
        /// The leaks that were merged by hand, with which the aggregate was computed.
        private let merges: MergedIDs

        /// Locks the apps, and looks up everything that the aggregate names.
        init(
            of aggregate: SubmissionAggregate, apps rows: AdmittedApps, merges: MergedIDs,
            on connection: PostgreSQLConnection, names: inout NameCache
        ) throws(StoreError) {
            (self.connection, self.merges) = (connection, merges)
            let ids = aggregate.apps.map { rows.rows[$0.key] ?? 0 }
            let leakIDs = Set(merges.withTargets(Self.possibleLeakIDs(for: aggregate))).sorted()
            let answers = try connection.run([
                Query(
                    "select id from app where id = any($1::bigint[]) order by id for no key update",
                    .integers(ids)),
                // Runs after the locks, so that no other transaction changes the rows that it reads.
                Query(
                    """
                    select asked.index, a.id, a.leaks, a.text_bytes, a.cells, a.newest_release
                    from unnest($1::bigint[]) with ordinality as asked (id, index) join app a on a.id = asked.id
                    """, .integers(ids)),
                StoredLeak.query(for: leakIDs), InstallErasure.generationQuery,
            ])
            for row in answers[1] {
                apps[aggregate.apps[row.int(0) - 1].key] = App(
                    id: row.int64(1), leaks: row.int(2), textBytes: row.int(3), cells: row.int(4),
                    currentRelease: row.optionalInt64(5))
            }
            guard aggregate.apps.allSatisfy({ apps[$0.key] != nil }) else {
                // The caller clears its caches and tries again, which creates the app again.
                throw StoreError(
                    .locked, "database \(connection.name): an app was deleted while its reports were counted")
            }
            add(answers[2], of: leakIDs)
            cacheGeneration = answers[3].first?.int64(0) ?? 0
            names.invalidate(unlessGenerationIs: cacheGeneration)
            try lookUp(
                for: aggregate.releases.indices.map { name(ofRelease: $0, in: aggregate) },
                aggregate.builds.indices.map { name(ofBuild: $0, in: aggregate) }, &names)
        }

        // MARK: Modules

        /// Returns the ids under which the reports of the aggregate may count.
        private static func possibleLeakIDs(for aggregate: SubmissionAggregate) -> [LeakID] {
            let ids = aggregate.leaks.map(\.identity.id)
            guard !aggregate.countedIDs.isEmpty || !aggregate.unknownLeaks.isEmpty else { return ids }
            let reportedIDs = aggregate.countedIDs.flatMap { $0.reported.ids }
            return Array(Set(ids + reportedIDs).union(aggregate.unknownLeaks))
        }

        /// Returns `true` if the aggregate must be computed again, because it relied on outdated facts: a leak that was taken
        /// for missing exists, a leak that was taken for existing was removed, or a leak has another module than was assumed.
        func requiresNewAggregate(_ aggregate: SubmissionAggregate) -> Bool {
            if aggregate.unknownLeaks.contains(where: { leaks[$0] != nil }) { return true }
            // A leak with only explanations has been removed since it was looked up, for example by a merge.
            if aggregate.leaks.contains(where: { $0.cells.isEmpty && leaks[$0.identity.id] == nil }) {
                return true
            }
            return aggregate.countedIDs.contains { reported, counted in
                let best = reported.countedIdentity { module(of: $0) }
                return best.id != counted || best.module != nil && module(of: counted)?.isEmpty ?? false
            }
        }

        /// Returns the module of a leak that is stored or was merged by hand: empty if no report has named one, and `nil` if the
        /// leak does not exist.
        func module(of leak: LeakID) -> String? {
            merges.module(of: leak) ?? leaks[leak].map { $0.module ?? "" }
        }

        // MARK: Keys

        func rowID(ofApp index: Int, in aggregate: SubmissionAggregate) -> Int64 {
            apps[aggregate.apps[index].key]?.id ?? 0
        }

        func name(ofRelease index: Int, in aggregate: SubmissionAggregate) -> ReleaseName {
            let release = aggregate.releases[index]
            return ReleaseName(
                app: rowID(ofApp: release.app, in: aggregate), version: ByteText(release.version))
        }

        func name(ofBuild index: Int, in aggregate: SubmissionAggregate) -> BuildName {
            let build = aggregate.builds[index]
            return BuildName(
                release: name(ofRelease: build.release, in: aggregate), name: ByteText(build.name))
        }

        // MARK: Lookup

        private mutating func lookUp(
            for releases: [ReleaseName], _ builds: [BuildName], _ names: inout NameCache
        ) throws(StoreError) {
            var (newReleases, newBuilds): ([ReleaseName], [BuildName]) = ([], [])
            for name in releases where self.releases[name] == nil {
                self.releases[name] = names.releases.value(of: name)
                if self.releases[name] == nil { newReleases.append(name) }
            }
            for name in builds where self.builds[name] == nil {
                self.builds[name] = names.builds.value(of: name)
                if self.builds[name] == nil { newBuilds.append(name) }
            }
            guard !newReleases.isEmpty || !newBuilds.isEmpty else { return }
            let rows = try connection.run([Self.releasesQuery(newReleases), Self.buildsQuery(newBuilds)])
            add(rows[0], of: newReleases, &names)
            add(rows[1], of: newBuilds, &names)
        }

        /// Returns a query for the row IDs of releases. Each row begins with the position of the release in `names`, from 1.
        static func releasesQuery(_ names: [ReleaseName]) -> Query {
            Query(
                """
                select asked.index, r.id
                from unnest($1::bigint[], $2::text[]) with ordinality as asked (app, version, index)
                join release r on r.app = asked.app and r.version = asked.version
                """, .integers(names.map(\.app)), .texts(names.map(\.version.text)))
        }

        /// Returns a query for the row IDs of builds. Each row begins with the position of the build in `names`, from 1.
        static func buildsQuery(_ names: [BuildName]) -> Query {
            Query(
                """
                select asked.index, b.id
                from unnest($1::bigint[], $2::text[], $3::text[]) with ordinality as asked (app, version, name, index)
                join release r on r.app = asked.app and r.version = asked.version
                join build b on b.release = r.id and b.name = asked.name
                """, .integers(names.map(\.release.app)), .texts(names.map(\.release.version.text)),
                .texts(names.map(\.name.text)))
        }

        /// - Parameter rows: the answer to ``releasesQuery(_:)``.
        mutating func add(_ rows: Rows, of requested: [ReleaseName], _ names: inout NameCache) {
            for row in rows {
                let name = requested[row.int(0) - 1]
                if releases.updateValue(row.int64(1), forKey: name) == nil {
                    names.releases.insert(row.int64(1), for: name)
                }
            }
        }

        /// - Parameter rows: the answer to ``buildsQuery(_:)``.
        mutating func add(_ rows: Rows, of requested: [BuildName], _ names: inout NameCache) {
            for row in rows {
                let name = requested[row.int(0) - 1]
                if builds.updateValue(row.int64(1), forKey: name) == nil {
                    names.builds.insert(row.int64(1), for: name)
                }
            }
        }

        /// - Parameter rows: the answer to ``StoredLeak/query(for:)``.
        mutating func add(_ rows: Rows, of requested: [LeakID]) {
            for row in rows { leaks[requested[row.int(0) - 1]] = StoredLeak(row) }
        }

        /// Reads how many idempotency keys, answers and bytes each ingest key has added on the day.
        func read(_ keys: Set<Int64>, _ idempotency: inout IdempotencyCache) throws(StoreError) {
            let rows = try connection.run(IdempotencyCache.usesQuery(of: keys, day: idempotency.day))
            idempotency.setUses(rows, keys: keys)
        }

        /// Looks up the given cells in `leak_build`.
        mutating func lookUp(for cells: [LeakBuildKey]) throws(StoreError) {
            guard !cells.isEmpty else { return }
            add(try connection.run(Self.cellsQuery(cells)), of: cells)
        }

        /// Returns a query for those of the cells that the database has. Each row is the position of a cell in `cells`, from 1.
        static func cellsQuery(_ cells: [LeakBuildKey]) -> Query {
            Query(
                """
                select asked.index from unnest($1::bigint[], $2::bigint[]) with ordinality as asked (leak, build, index)
                join leak_build c on c.leak = asked.leak and c.build = asked.build
                """, .integers(cells.map(\.leak)), .integers(cells.map(\.build)))
        }

        /// - Parameter rows: the answer to ``cellsQuery(_:)``.
        mutating func add(_ rows: Rows, of requested: [LeakBuildKey]) {
            for row in rows { cells.insert(requested[row.int(0) - 1]) }
        }

        /// Counts the releases of apps that may get more releases, and the builds of releases that may get more builds.
        mutating func count(
            releasesOf apps: Set<Int64>, buildsOf releases: Set<Int64>
        ) throws(StoreError) {
            guard !apps.isEmpty || !releases.isEmpty else { return }
            let rows = try connection.run([
                Query(
                    "select app, count(*) from release where app = any($1::bigint[]) group by app",
                    .integers(apps.sorted())),
                Query(
                    "select release, count(*) from build where release = any($1::bigint[]) group by release",
                    .integers(releases.sorted())),
            ])
            for row in rows[0] { releaseCounts[row.int64(0)] = row.int(1) }
            for row in rows[1] { buildCounts[row.int64(0)] = row.int(1) }
        }

        /// Looks up the rows under which names over a limit may count, and the number of releases of each app and of builds of
        /// each release.
        mutating func lookUpFallbacks(_ aggregate: SubmissionAggregate, _ names: inout NameCache)
            throws(StoreError)
        {
            let other = ByteText(StoreLimits.other)
            var releases: Set<ReleaseName> = []
            var builds: Set<BuildName> = []
            for index in aggregate.builds.indices {
                let name = name(ofBuild: index, in: aggregate)
                for version in [name.release.version, other] {
                    let release = ReleaseName(app: name.release.app, version: version)
                    releases.insert(release)
                    for text in [name.name, other] { builds.insert(BuildName(release: release, name: text)) }
                }
            }
            try lookUp(for: Array(releases), Array(builds), &names)
            let overLimitIDs = aggregate.apps.map { overLimitLeak(of: $0) }
            add(try connection.run(StoredLeak.query(for: overLimitIDs)), of: overLimitIDs)
            try lookUp(for: possibleCells(for: aggregate, other: other))
            try count(
                releasesOf: Set(apps.values.map(\.id)),
                buildsOf: Set(releases.compactMap { self.releases[$0] }))
        }

        private func overLimitLeak(of app: SubmissionAggregate.App) -> LeakID {
            LeakIdentity.overLimit(app: app.key, rowID: apps[app.key]?.id ?? 0).id
        }

        /// Returns the cells in which the reports of the aggregate may count.
        private func possibleCells(for aggregate: SubmissionAggregate, other: ByteText) -> [LeakBuildKey] {
            var cells: Set<LeakBuildKey> = []
            // The exact check of a leak may choose its other key, with or without the module.
            var reportedIDs: [LeakID: [LeakID]] = [:]
            for (reported, counted) in aggregate.countedIDs {
                let leak = merges.target(of: counted)?.id ?? counted
                reportedIDs[leak, default: []] += merges.withTargets(reported.ids)
            }
            for cell in aggregate.cells {
                let leak = aggregate.leaks[cell.leak]
                let name = name(ofBuild: cell.build, in: aggregate)
                let overLimitID = overLimitLeak(of: aggregate.apps[leak.app])
                let ids = [leak.identity.id, overLimitID] + reportedIDs[leak.identity.id, default: []]
                let leaks = ids.compactMap { self.leaks[$0]?.id }
                guard !leaks.isEmpty else { continue }
                for version in [name.release.version, other] {
                    let release = ReleaseName(app: name.release.app, version: version)
                    for text in [name.name, other] {
                        guard let build = builds[BuildName(release: release, name: text)] else { continue }
                        for leak in leaks { cells.insert(LeakBuildKey(leak: leak, build: build)) }
                    }
                }
            }
            return Array(cells)
        }
    }
#endif
