/// The quota that a writer uses. It finds the rows of the names in an aggregate, and inserts rows for new apps, releases and
/// builds.
///
/// Keeps each entry for as long as the aggregate exists, even if the writer's caches evict it meanwhile.
final class ResolvedRows: NameQuota {
    struct Build {
        /// Row ID in `build`.
        var buildRowID: Int64
        /// `true` for the build `other`, in which all builds beyond a limit are counted together.
        var isOther: Bool
    }

    struct Leak {
        /// `nil` for a leak that the database does not have.
        let entry: LeakEntry?
        /// Number of builds that are counted separately for the leak, including builds that the transaction adds.
        var builds: Int

        init(_ entry: LeakEntry?) { (self.entry, builds) = (entry, entry?.buildCount ?? 0) }
    }

    private let writer: Writer
    /// The day for which the bytes of new texts and details are counted.
    let day: Int
    /// The time at which new rows are made, by the collector's clock, in milliseconds since 1970.
    private let now: Int64
    // Entries by the numbers that this quota gives them, which the aggregate stores.
    private(set) var apps = NumberedEntries<SubmissionAggregate.App, Int64, AppEntry>()
    private(set) var releases = NumberedEntries<SubmissionAggregate.Release, Int64, ReleaseEntry>()
    private(set) var builds = NumberedEntries<SubmissionAggregate.Build, Int64, Build>()
    private(set) var leaks = NumberedEntries<SubmissionAggregate.Leak, LeakID, Leak>()
    /// The leak whose module was last looked up.
    private var lastLookup: (id: LeakID, entry: LeakEntry)?
    /// The first row in `build` that was inserted for the aggregate.
    private var firstNewBuild: Int64?

    init(of writer: Writer, day: Int, now: Int64) {
        self.writer = writer
        self.day = day
        self.now = now
    }

    func app(_ app: AppKey, key: Int64, seenAt: Int64) throws(StoreError) -> AppAdmission {
        let entry = try writer.app(app, key: key, seenAt: seenAt, now: now)
        return AppAdmission(entry.key, number: apps.number(of: entry.id, adding: entry))
    }

    func release(
        _ version: String, of app: AppNumber, key: Int64, seenAt: Int64
    ) throws(StoreError) -> NameAdmission<SubmissionAggregate.Release> {
        let entry = try writer.release(version, of: apps[app], key: key, at: seenAt, now: now) {
            () throws(StoreError) in
            try writer.admitText(bytes: DetailBytes.ofVersion(version), key: key, day: day)
        }
        let number = releases.number(of: entry.id, adding: entry)
        return NameAdmission(entry.isOverLimit ? StoreLimits.other : version, number: number)
    }

    func build(_ name: String, of release: ReleaseNumber, key: Int64) throws(StoreError) -> NameAdmission<
        SubmissionAggregate.Build
    > {
        let (rowID, isOverLimit, isNew) = try writer.build(name, of: releases[release], key: key, now: now) {
            () throws(StoreError) in
            try writer.admitText(bytes: DetailBytes.ofVersion(name), key: key, day: day)
        }
        if isNew {
            // Lower builds count as used before higher ones, in whatever order the reports of an aggregate name them.
            if let firstNewBuild {
                try writer.markBuilds(from: firstNewBuild, higherThan: rowID)
            } else {
                firstNewBuild = rowID
            }
        }
        let number = builds.number(of: rowID, adding: Build(buildRowID: rowID, isOther: isOverLimit))
        return NameAdmission(isOverLimit ? StoreLimits.other : name, number: number)
    }

    func leak(
        _ identity: LeakIdentity, of app: AppNumber, key: Int64
    ) throws(StoreError) -> (leak: LeakAdmission, number: LeakNumber) {
        // The leak was already found by its other id. Its texts must count only once.
        if let number = leaks.number(of: identity.id) {
            return (LeakAdmission(counted: identity, isNew: leaks[number].entry == nil), number)
        }
        if let lastLookup, lastLookup.id == identity.id, lastLookup.entry.app == apps[app].id {
            let admission = LeakAdmission(counted: identity, isNew: false)
            return (admission, leaks.number(of: identity.id, adding: Leak(lastLookup.entry)))
        }
        let (admission, entry) = try writer.leak(identity, of: apps[app], key: key, day: day)
        return (admission, leaks.number(of: admission.counted.id, adding: Leak(entry)))
    }

    /// Returns the module, and caches the leak, because the next call is often for the same leak.
    func module(of leak: LeakID) throws(StoreError) -> String? {
        if let lastLookup, lastLookup.id == leak { return lastLookup.entry.module ?? "" }
        guard let entry = try writer.findLeak(leak) else { return nil }
        lastLookup = (leak, entry)
        return entry.module ?? ""
    }

    func admits(
        _ leak: LeakNumber, in build: BuildNumber, isLastResort: Bool, of app: AppNumber, key: Int64
    ) throws(StoreError) -> Bool {
        if let entry = leaks[leak].entry, try writer.hasCounts(of: entry, in: builds[build].buildRowID) {
            return true
        }
        let isWithinLimits = writer.limits.admitsBuild(
            builds: leaks[leak].builds, cells: apps[app].cells, isOther: builds[build].isOther)
        guard isLastResort || isWithinLimits,
            try writer.admitText(bytes: DetailBytes.ofCell, key: key, day: day, isLastResort: isLastResort)
        else { return false }
        leaks[leak].builds += 1
        apps[app].cells += 1
        return true
    }
}

extension Writer {
    /// Finds or inserts the row of an app. Beyond a limit, this is the row of the app or environment `other`.
    ///
    /// - Parameter key: the ingest key whose report names the app: the maker of a new row.
    func app(_ app: AppKey, key: Int64, seenAt: Int64, now: Int64) throws(StoreError) -> AppEntry {
        if let entry = try findApp(app) { return entry }
        let counted = try admittedApp(app, key: key)
        if counted != app, let entry = try findApp(counted) { return entry }
        // The app `other` belongs to no ingest key, so that it does not count towards the limit of apps of any key.
        let creatingKey: Int64? = counted.name == StoreLimits.other ? nil : key
        try connection.run(
            "insert into app (name, environment, last_seen, made_by, made_at) values (?, ?, ?, ?, ?)",
            counted.name, counted.environment, seenAt, creatingKey, creatingKey == nil ? nil : now)
        let entry = AppEntry(id: connection.lastInsertedRowID, key: counted)
        caches.apps.insert(entry, for: counted)
        return entry
    }

    /// Returns the app and environment under which reports of a new app, or of a new environment, count.
    private func admittedApp(_ app: AppKey, key: Int64) throws(StoreError) -> AppKey {
        var environments = try countEnvironments(of: app.name)
        var admitted = app
        if environments == 0, app.name != StoreLimits.other,
            try number(by: "select count(distinct name) from app where made_by = ?", of: key)
                >= limits.appsPerKey
        {
            admitted.name = StoreLimits.other
            environments = try countEnvironments(of: admitted.name)
        }
        if environments >= limits.environmentsPerApp, app.environment != AppKey.production {
            admitted.environment = StoreLimits.other
        }
        return admitted
    }

    private func countEnvironments(of name: String) throws(StoreError) -> Int {
        let select = try connection.statement("select count(*) from app where name = ?")
        defer { select.reset() }
        try select.bind(name)
        return try select.step() ? select.int(0) : 0
    }

    private func findApp(_ app: AppKey) throws(StoreError) -> AppEntry? {
        if let entry = caches.apps.value(of: app) { return entry }
        let select = try connection.statement(
            """
            select id, leaks, text_bytes, cells, newest_release from app where name = ? and environment = ?
            """)
        defer { select.reset() }
        try select.bind(app.name, app.environment)
        guard try select.step() else { return nil }
        let entry = AppEntry(id: select.int64(0), key: app)
        (entry.leaks, entry.textBytes, entry.cells) = (select.int(1), select.int(2), select.int(3))
        entry.currentReleaseRowID = select.optionalInt64(4)
        caches.apps.insert(entry, for: app)
        return entry
    }

    /// Finds or inserts the row of a version. Beyond a limit, this is the row of the version `other`.
    ///
    /// - Parameters:
    ///   - key: the ingest key whose report names the version: the maker of a new row.
    ///   - admit: returns `true` if the ingest key has enough daily bytes left for a new name. Not called for
    ///     ``StoreLimits/other``.
    func release(
        _ version: String, of app: AppEntry, key: Int64, at time: Int64, now: Int64,
        admit: () throws(StoreError) -> Bool
    ) throws(StoreError) -> ReleaseEntry {
        if let entry = try findRelease(version, of: app) { return entry }
        let releaseCount = try number(
            cached: app.releaseCount, by: "select count(*) from release where app = ?", of: app.id)
        let isOther = version == StoreLimits.other
        var isOverLimit = false
        if !isOther { isOverLimit = try !admits(releaseCount + 1, of: limits.releasesPerApp, key: key) }
        if !isOther, !isOverLimit { isOverLimit = try !admit() }
        app.releaseCount = releaseCount
        if isOverLimit, let other = try findRelease(StoreLimits.other, of: app) { return other }
        let countedVersion = isOverLimit ? StoreLimits.other : version
        let order = VersionOrder(countedVersion).key
        try connection.run(
            """
            insert into release (app, version, order_key, first_seen, last_seen, made_by, made_at)
            values (?, ?, ?, ?, ?, ?, ?)
            """, app.id, countedVersion, order, time, time, key, now)
        app.releaseCount = releaseCount + 1
        let entry = ReleaseEntry(id: connection.lastInsertedRowID, version: countedVersion, order: order)
        caches.releases.insert(entry, for: ReleaseKey(app: app.id, version: ByteText(countedVersion)))
        return entry
    }

    private func findRelease(_ version: String, of app: AppEntry) throws(StoreError) -> ReleaseEntry? {
        let key = ReleaseKey(app: app.id, version: ByteText(version))
        if let entry = caches.releases.value(of: key) { return entry }
        let select = try connection.statement("select id from release where app = ? and version = ?")
        defer { select.reset() }
        try select.bind(app.id, version)
        guard try select.step() else { return nil }
        let entry = ReleaseEntry(
            id: select.int64(0), version: version, order: VersionOrder(version).key)
        caches.releases.insert(entry, for: key)
        return entry
    }

    /// Finds or inserts the row of a build. Beyond a limit, this is the row of the build `other`.
    ///
    /// - Parameters: as for ``release(_:of:key:at:now:admit:)``.
    func build(
        _ name: String, of release: ReleaseEntry, key: Int64, now: Int64,
        admit: () throws(StoreError) -> Bool
    ) throws(StoreError) -> (rowID: Int64, isOverLimit: Bool, isNew: Bool) {
        if let rowID = try findBuild(name, of: release) { return (rowID, name == StoreLimits.other, false) }
        let buildCount = try number(
            cached: release.buildCount, by: "select count(*) from build where release = ?", of: release.id)
        let isOther = name == StoreLimits.other
        var isOverLimit = !isOther && buildCount >= limits.buildsPerRelease
        if !isOther, !isOverLimit { isOverLimit = try !admit() }
        release.buildCount = buildCount
        if isOverLimit, let other = try findBuild(StoreLimits.other, of: release) {
            return (other, true, false)
        }
        let countedName = isOverLimit ? StoreLimits.other : name
        try connection.run(
            """
            insert into build (release, name, order_key, has_lower, made_by, made_at)
            values (?1, ?2, ?3, ?3 >= ?4 and exists (
              select 1 from build where release = ?1 and order_key >= ?4 and order_key < ?3), ?5, ?6)
            """, release.id, countedName, VersionOrder(countedName).key, VersionOrder.numberedLowerBound,
            key, now)
        release.buildCount = buildCount + 1
        let rowID = connection.lastInsertedRowID
        release.remember(build: countedName, rowID: rowID)
        return (rowID, countedName == StoreLimits.other, true)
    }

    /// Sets `has_lower` of builds that are higher than another build of their release, if both begin with a number.
    ///
    /// - Parameters:
    ///   - firstRowID: the lowest row ID of the builds to set.
    ///   - rowID: row ID of the lower build.
    func markBuilds(from firstRowID: Int64, higherThan rowID: Int64) throws(StoreError) {
        try connection.run(
            """
            update build set has_lower = 1 where id >= ?1 and exists (select 1 from build as lower
              where lower.id = ?2 and lower.release = build.release and lower.order_key >= ?3
              and lower.order_key < build.order_key)
            """, firstRowID, rowID, VersionOrder.numberedLowerBound)
    }

    private func findBuild(_ name: String, of release: ReleaseEntry) throws(StoreError) -> Int64? {
        if let rowID = release.builds[ByteText(name)] { return rowID }
        let select = try connection.statement("select id from build where release = ? and name = ?")
        defer { select.reset() }
        try select.bind(release.id, name)
        guard try select.step() else { return nil }
        let rowID = select.int64(0)
        release.remember(build: name, rowID: rowID)
        return rowID
    }

    /// Chooses the leak under which the reports of a leak count. The returned entry is `nil` if the database does not have that
    /// leak yet.
    ///
    /// - Parameter day: the day for which the bytes of new texts are counted.
    func leak(
        _ identity: LeakIdentity, of app: AppEntry, key: Int64, day: Int
    ) throws(StoreError) -> (admission: LeakAdmission, entry: LeakEntry?) {
        let stored = try findLeak(identity.id)
        if let stored, stored.app == app.id {
            return (LeakAdmission(counted: identity, isNew: false), stored)
        }
        let bytes = identity.storedBytes
        var limit: OverLimitCount.Name?
        // `true` if the id belongs to a leak of another app, which needs a collision of SHA-256.
        let isTaken = stored != nil
        var isFull = isTaken
        if !isFull { isFull = try !admits(app.leaks + 1, of: limits.leaksPerApp, key: key) }
        if !isFull {
            isFull = try !admits(app.textBytes + bytes, of: limits.leakTextBytesPerApp, key: key)
        }
        if isFull {
            limit = .leaks
        } else {
            guard try !admitText(bytes: bytes, key: key, day: day) else {
                app.leaks += 1
                app.textBytes += bytes
                return (LeakAdmission(counted: identity, isNew: true), nil)
            }
            limit = .leakTexts
        }
        let other = LeakIdentity.overLimit(app: app.key, rowID: app.id)
        let entry = try findLeak(other.id)
        return (LeakAdmission(counted: other, isNew: entry == nil, exceededLimit: limit), entry)
    }

    /// Returns `true` if an ingest key may raise an app's number of names, or of bytes, to `number`. The last part of the limit is
    /// reserved for keys that are not new: ``EvictionRule/newKeyLimit(_:)``.
    private func admits(_ number: Int, of limit: Int, key: Int64) throws(StoreError) -> Bool {
        guard number > EvictionRule.newKeyLimit(limit) else { return true }
        guard number <= limit, let now = clock?.expiryTime else { return false }
        let newKey = try connection.statement("select 1 from credential where id = ? and created_at > ?")
        defer { newKey.reset() }
        try newKey.bind(key, EvictionRule.newKeyStart(now: now))
        return try !newKey.step()
    }

    /// Returns a cached or stored leak.
    ///
    /// - Returns: `nil` for a leak that the database does not have.
    func findLeak(_ id: LeakID) throws(StoreError) -> LeakEntry? {
        if let entry = caches.leaks.value(of: id) { return entry }
        guard let stored = try storedLeak(id) else { return nil }
        caches.leaks.insert(stored, for: id)
        return stored
    }

    /// Returns `true` if the leak already has counts in the build.
    func hasCounts(of leak: LeakEntry, in build: Int64) throws(StoreError) -> Bool {
        if leak.countEntry(ofBuild: build) != nil { return true }
        let select = try connection.statement("select 1 from leak_build where leak = ? and build = ?")
        defer { select.reset() }
        try select.bind(leak.id, build)
        return try select.step()
    }

    /// Returns the cached number or, if it is `nil`, the result of a query whose parameter is the row ID `owner`.
    func number(
        cached cachedNumber: Int? = nil, by sql: StaticString, of owner: Int64
    ) throws(StoreError) -> Int {
        if let cachedNumber { return cachedNumber }
        let select = try connection.statement(sql)
        defer { select.reset() }
        try select.bind(owner)
        return try select.step() ? select.int(0) : 0
    }
}
