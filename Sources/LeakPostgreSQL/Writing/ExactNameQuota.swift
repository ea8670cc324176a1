#if PostgreSQL
    internal import LeakStore

    /// A quota that admits names as long as the ``ExistingRows`` are below the limits; other names count as `other`.
    final class ExactNameQuota: NameQuota {
        private struct App {
            var key: AppKey
            var stored: ExistingRows.App
            var releases: Int
        }

        private struct Release {
            var name: ReleaseName
            var builds: Int
        }

        private struct Leak {
            var rowID: Int64?
            var builds: Int
        }

        private let admittedApps: AdmittedApps
        private let existing: ExistingRows
        private let idempotency: IdempotencyCache
        /// Bytes of the texts and cells that this quota has admitted, by ingest key.
        private var textBytes: [Int64: Int] = [:]
        private let limits: StoreLimits
        /// Ingest keys that may not use the last part of a limit: ``EvictionRule/newKeyLimit(_:)``.
        private let newKeys: Set<Int64>
        private var apps = NumberedEntries<SubmissionAggregate.App, AppKey, App>()
        private var releases = NumberedEntries<SubmissionAggregate.Release, ReleaseName, Release>()
        private var builds = NumberedEntries<SubmissionAggregate.Build, BuildName, BuildName>()
        private var leaks = NumberedEntries<SubmissionAggregate.Leak, LeakID, Leak>()

        /// - Parameter existing: the rows of all names in the aggregate. ``ExistingRows/lookUpFallbacks(_:_:)`` has added the
        ///   rows under which names beyond a limit are counted.
        init(
            apps: AdmittedApps, existing: ExistingRows, idempotency: IdempotencyCache, limits: StoreLimits,
            newKeys: Set<Int64>
        ) {
            self.newKeys = newKeys
            admittedApps = apps
            self.existing = existing
            self.idempotency = idempotency
            self.limits = limits
        }

        func app(_ app: AppKey, key: Int64, seenAt: Int64) -> AppAdmission {
            let app = admittedApps.countedApps[app] ?? app
            // An app that only explanations name is not looked up: explanations create nothing new.
            let stored =
                existing.apps[app] ?? ExistingRows.App(id: 0, leaks: 0, textBytes: 0, cells: 0)
            let number = apps.number(
                of: app,
                adding: App(key: app, stored: stored, releases: existing.releaseCounts[stored.id] ?? 0))
            return AppAdmission(app, number: number)
        }

        /// Returns those ingest keys that may not use the last part of a limit.
        static func newKeys(
            among keys: Set<Int64>, now: Int64, on connection: PostgreSQLConnection
        ) throws(StoreError) -> Set<Int64> {
            let rows = try connection.run(
                Query(
                    "select id from credential where id = any($1::bigint[]) and created_at > $2::bigint",
                    .integers(keys.map(Optional.some)), .integer(EvictionRule.newKeyStart(now: now))))
            return Set(rows.map { $0.int64(0) })
        }

        /// Returns `true` if an app may have a number of names or bytes after an ingest key has added some.
        private func admits(_ number: Int, of limit: Int, key: Int64) -> Bool {
            number <= (newKeys.contains(key) ? EvictionRule.newKeyLimit(limit) : limit)
        }

        /// Returns `false` if the ingest key may not add so many bytes of texts on this day. Otherwise adds them to its bytes.
        ///
        /// - Parameter isLastResort: `true` adds the bytes even beyond the limit, see ``admits(_:in:isLastResort:of:key:)``.
        private func admitText(bytes: Int, key: Int64, isLastResort: Bool = false) -> Bool {
            let usedBytes = idempotency.use(of: key).textBytes + textBytes[key, default: 0]
            guard isLastResort || usedBytes + bytes <= limits.leakTextBytesPerKeyAndDay else { return false }
            textBytes[key, default: 0] += bytes
            return true
        }

        func release(_ version: String, of app: AppNumber, key: Int64, seenAt: Int64) -> NameAdmission<
            SubmissionAggregate.Release
        > {
            let name = ReleaseName(app: apps[app].stored.id, version: ByteText(version.storable))
            if let number = releases.number(of: name) {
                return NameAdmission(name.version.text, number: number)
            }
            let isOverLimit =
                existing.releases[name] == nil && name.version.text != StoreLimits.other
                && (!admits(apps[app].releases + 1, of: limits.releasesPerApp, key: key)
                    || !admitText(bytes: DetailBytes.ofVersion(name.version.text), key: key))
            let countedName =
                isOverLimit ? ReleaseName(app: name.app, version: ByteText(StoreLimits.other)) : name
            let row = existing.releases[countedName]
            if row == nil, releases.number(of: countedName) == nil { apps[app].releases += 1 }
            let number = releases.number(
                of: countedName,
                adding: Release(name: countedName, builds: row.flatMap { existing.buildCounts[$0] } ?? 0))
            return NameAdmission(countedName.version.text, number: number)
        }

        func build(_ name: String, of release: ReleaseNumber, key: Int64) -> NameAdmission<
            SubmissionAggregate.Build
        > {
            let name = BuildName(release: releases[release].name, name: ByteText(name.storable))
            if let number = builds.number(of: name) { return NameAdmission(name.name.text, number: number) }
            let isOverLimit =
                existing.builds[name] == nil && name.name.text != StoreLimits.other
                && (releases[release].builds >= limits.buildsPerRelease
                    || !admitText(bytes: DetailBytes.ofVersion(name.name.text), key: key))
            let countedName =
                isOverLimit ? BuildName(release: name.release, name: ByteText(StoreLimits.other)) : name
            if existing.builds[countedName] == nil, builds.number(of: countedName) == nil {
                releases[release].builds += 1
            }
            return NameAdmission(
                countedName.name.text, number: builds.number(of: countedName, adding: countedName))
        }

        func leak(_ identity: LeakIdentity, of app: AppNumber, key: Int64) -> (
            leak: LeakAdmission, number: LeakNumber
        ) {
            let existingLeak = existing.leaks[identity.id]
            var countedIdentity = identity
            var limit: OverLimitCount.Name?
            if existingLeak == nil, leaks.number(of: identity.id) == nil {
                let bytes = identity.storedBytes
                if !admits(apps[app].stored.leaks + 1, of: limits.leaksPerApp, key: key)
                    || !admits(
                        apps[app].stored.textBytes + bytes, of: limits.leakTextBytesPerApp, key: key)
                {
                    limit = .leaks
                } else if !admitText(bytes: bytes, key: key) {
                    limit = .leakTexts
                }
                if limit == nil {
                    apps[app].stored.leaks += 1
                    apps[app].stored.textBytes += bytes
                } else {
                    countedIdentity = .overLimit(app: apps[app].key, rowID: apps[app].stored.id)
                }
            }
            let storedLeak = existing.leaks[countedIdentity.id]
            let number = leaks.number(
                of: countedIdentity.id, adding: Leak(rowID: storedLeak?.id, builds: storedLeak?.builds ?? 0))
            return (
                LeakAdmission(counted: countedIdentity, isNew: storedLeak == nil, exceededLimit: limit),
                number
            )
        }

        func module(of leak: LeakID) -> String? { existing.module(of: leak) }

        func admits(
            _ leak: LeakNumber, in build: BuildNumber, isLastResort: Bool, of app: AppNumber, key: Int64
        ) -> Bool {
            if let row = leaks[leak].rowID, let build = existing.builds[builds[build]],
                existing.cells.contains(LeakBuildKey(leak: row, build: build))
            {
                return true
            }
            let isWithinLimits = limits.admitsBuild(
                builds: leaks[leak].builds, cells: apps[app].stored.cells,
                isOther: builds[build].name.text == StoreLimits.other)
            guard isLastResort || isWithinLimits,
                admitText(bytes: DetailBytes.ofCell, key: key, isLastResort: isLastResort)
            else { return false }
            leaks[leak].builds += 1
            apps[app].stored.cells += 1
            return true
        }
    }
#endif
