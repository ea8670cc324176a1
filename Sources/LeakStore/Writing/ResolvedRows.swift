/// The entries of the database for the names in the aggregate.
///
/// Keeps the entries for as long as the aggregate exists, however many pass through the writer's caches meanwhile.
final class ResolvedRows: NameQuota {
    struct Build {
        /// Row of `build`.
        var row: Int64
        /// True for the build that counts all builds beyond a limit.
        var isOther: Bool
    }

    struct Leak {
        /// `nil` for a leak that the database does not have.
        let entry: LeakEntry?
        /// Number of builds that count separately, with those that the transaction adds.
        var builds: Int

        init(_ entry: LeakEntry?) { (self.entry, builds) = (entry, entry?.buildCount ?? 0) }
    }

    private let writer: Writer
    /// The day that new texts and details count for.
    let day: Int
    // Entries by the numbers in the aggregate.
    private(set) var apps = NumberedEntries<Int64, AppEntry>()
    private(set) var releases = NumberedEntries<Int64, ReleaseEntry>()
    private(set) var builds = NumberedEntries<Int64, Build>()
    private(set) var leaks = NumberedEntries<LeakID, Leak>()
    /// The leak whose module was looked up last.
    private var last: (id: LeakID, entry: LeakEntry)?

    init(of writer: Writer, day: Int) {
        self.writer = writer
        self.day = day
    }

    func app(named name: String, key: Int64, seen: Int64) throws(StoreError) -> AdmittedName {
        let entry = try writer.app(named: name, key: key, seen: seen)
        return AdmittedName(entry.name, number: apps.number(of: entry.id, adding: entry))
    }

    func release(
        _ version: String, of app: Int, key: Int64, at time: Int64
    ) throws(StoreError) -> AdmittedName {
        let entry = try writer.release(version, of: apps[app], at: time) { () throws(StoreError) in
            try writer.admitText(bytes: DetailBytes.ofVersion(version), key: key, day: day)
        }
        let number = releases.number(of: entry.id, adding: entry)
        return AdmittedName(entry.isOverLimit ? StoreLimits.other : version, number: number)
    }

    func build(_ name: String, of release: Int, key: Int64) throws(StoreError) -> AdmittedName {
        let (row, isOverLimit) = try writer.build(name, of: releases[release]) { () throws(StoreError) in
            try writer.admitText(bytes: DetailBytes.ofVersion(name), key: key, day: day)
        }
        let number = builds.number(of: row, adding: Build(row: row, isOther: isOverLimit))
        return AdmittedName(isOverLimit ? StoreLimits.other : name, number: number)
    }

    func leak(
        _ identity: LeakIdentity, of app: Int, key: Int64
    ) throws(StoreError) -> (leak: AdmittedLeak, number: Int) {
        // The leak was found by its other key already: its texts count once.
        if let number = leaks.number(of: identity.id) {
            return (AdmittedLeak(counted: identity, isNew: leaks[number].entry == nil), number)
        }
        if let last, last.id == identity.id, last.entry.app == apps[app].id {
            let admitted = AdmittedLeak(counted: identity, isNew: false)
            return (admitted, leaks.number(of: identity.id, adding: Leak(last.entry)))
        }
        let (admitted, entry) = try writer.leak(identity, of: apps[app], key: key, day: day)
        return (admitted, leaks.number(of: admitted.counted.id, adding: Leak(entry)))
    }

    /// Caches the leak, because a report looks up a module once or twice, and then counts in the leak.
    func module(of leak: LeakID) throws(StoreError) -> String? {
        if let last, last.id == leak { return last.entry.module ?? "" }
        guard let entry = try writer.knownLeak(leak) else { return nil }
        last = (leak, entry)
        return entry.module ?? ""
    }

    func admits(
        _ leak: Int, in build: Int, isLast: Bool, of app: Int, key: Int64
    ) throws(StoreError) -> Bool {
        if let entry = leaks[leak].entry, try writer.counts(entry, in: builds[build].row) { return true }
        let isWithinLimits = writer.limits.admit(
            builds: leaks[leak].builds, cells: apps[app].cells, isOther: builds[build].isOther)
        guard isLast || isWithinLimits,
            try writer.admitText(bytes: DetailBytes.ofCell, key: key, day: day, isLast: isLast)
        else { return false }
        leaks[leak].builds += 1
        apps[app].cells += 1
        return true
    }
}

extension Writer {
    func app(named name: String, key: Int64, seen: Int64) throws(StoreError) -> AppEntry {
        if let known = try knownApp(named: name) { return known }
        let isOverLimit =
            try number(else: "select count(*) from app where made_by = ?", of: key) >= limits.appsPerKey
        let counted = isOverLimit ? StoreLimits.other : name
        if isOverLimit, let other = try knownApp(named: counted) { return other }
        // The app `other` belongs to no ingest key, so that it does not count against the limit.
        let maker: Int64? = counted == StoreLimits.other ? nil : key
        try connection.run(
            "insert into app (name, last_seen, made_by) values (?, ?, ?)", counted, seen, maker)
        let entry = AppEntry(id: connection.lastInsertedRow, name: counted)
        caches.apps.insert(entry, for: ByteText(counted))
        return entry
    }

    private func knownApp(named name: String) throws(StoreError) -> AppEntry? {
        if let known = caches.apps.value(of: ByteText(name)) { return known }
        let select = try connection.statement(
            composed: """
                select a.id, r.order_key, a.leaks, a.text_bytes, a.cells, a.newest_release, \(NewestVersion.isInField)
                from app a left join release r on r.id = a.newest_release where a.name = ?
                """)
        defer { select.reset() }
        try select.bind(name)
        guard try select.step() else { return nil }
        let entry = AppEntry(id: select.int64(0), name: name)
        entry.newestOrderKey = select.isNull(1) ? nil : select.bytes(1)
        (entry.leaks, entry.textBytes, entry.cells) = (select.int(2), select.int(3), select.int(4))
        entry.newestReleaseRow = select.optionalInt64(5)
        entry.isNewestInField = select.int(6) == 1
        caches.apps.insert(entry, for: ByteText(name))
        return entry
    }

    /// - Parameter admit: returns `true` if the key has room for a new name. Not called for ``StoreLimits/other``.
    func release(
        _ version: String, of app: AppEntry, at time: Int64, admit: () throws(StoreError) -> Bool
    ) throws(StoreError) -> ReleaseEntry {
        if let known = try knownRelease(version, of: app) { return known }
        let known = try number(
            app.releaseCount, else: "select count(*) from release where app = ?", of: app.id)
        let isOther = version == StoreLimits.other
        var isOverLimit = !isOther && known >= limits.releasesPerApp
        if !isOther, !isOverLimit { isOverLimit = try !admit() }
        app.releaseCount = known
        if isOverLimit, let other = try knownRelease(StoreLimits.other, of: app) { return other }
        let counted = isOverLimit ? StoreLimits.other : version
        let order = VersionOrder(counted).key
        try connection.run(
            "insert into release (app, version, order_key, first_seen, last_seen) values (?, ?, ?, ?, ?)",
            app.id, counted, order, time, time)
        app.releaseCount = known + 1
        let entry = ReleaseEntry(id: connection.lastInsertedRow, version: counted, order: order)
        caches.releases.insert(entry, for: ReleaseKey(app: app.id, version: ByteText(counted)))
        return entry
    }

    private func knownRelease(_ version: String, of app: AppEntry) throws(StoreError) -> ReleaseEntry? {
        let key = ReleaseKey(app: app.id, version: ByteText(version))
        if let known = caches.releases.value(of: key) { return known }
        let select = try connection.statement("select id from release where app = ? and version = ?")
        defer { select.reset() }
        try select.bind(app.id, version)
        guard try select.step() else { return nil }
        let entry = ReleaseEntry(
            id: select.int64(0), version: version, order: VersionOrder(version).key)
        caches.releases.insert(entry, for: key)
        return entry
    }

    /// - Parameter admit: as for ``release(_:of:at:admit:)``.
    func build(
        _ name: String, of release: ReleaseEntry, admit: () throws(StoreError) -> Bool
    ) throws(StoreError) -> (row: Int64, isOverLimit: Bool) {
        if let known = try knownBuild(name, of: release) { return (known, name == StoreLimits.other) }
        let known = try number(
            release.buildCount, else: "select count(*) from build where release = ?", of: release.id)
        let isOther = name == StoreLimits.other
        var isOverLimit = !isOther && known >= limits.buildsPerRelease
        if !isOther, !isOverLimit { isOverLimit = try !admit() }
        release.buildCount = known
        if isOverLimit, let other = try knownBuild(StoreLimits.other, of: release) { return (other, true) }
        let counted = isOverLimit ? StoreLimits.other : name
        try connection.run(
            "insert into build (release, name, order_key) values (?, ?, ?)", release.id, counted,
            VersionOrder(counted).key)
        release.buildCount = known + 1
        let row = connection.lastInsertedRow
        release.remember(build: counted, row: row)
        return (row, counted == StoreLimits.other)
    }

    private func knownBuild(_ name: String, of release: ReleaseEntry) throws(StoreError) -> Int64? {
        if let known = release.builds[ByteText(name)] { return known }
        let select = try connection.statement("select id from build where release = ? and name = ?")
        defer { select.reset() }
        try select.bind(release.id, name)
        guard try select.step() else { return nil }
        let row = select.int64(0)
        release.remember(build: name, row: row)
        return row
    }

    /// - Parameter day: the day that new texts count for.
    func leak(
        _ identity: LeakIdentity, of app: AppEntry, key: Int64, day: Int
    ) throws(StoreError) -> (admitted: AdmittedLeak, entry: LeakEntry?) {
        let stored = try knownLeak(identity.id)
        if let stored, stored.app == app.id {
            return (AdmittedLeak(counted: identity, isNew: false), stored)
        }
        let bytes = identity.storedBytes
        var limit: OverLimitCount.Name?
        // The id belongs to a leak of another app: SHA-256 would have to collide.
        let isTaken = stored != nil
        if isTaken || app.leaks >= limits.leaksPerApp || app.textBytes + bytes > limits.leakTextBytesPerApp {
            limit = .leaks
        } else {
            guard try !admitText(bytes: bytes, key: key, day: day) else {
                app.leaks += 1
                app.textBytes += bytes
                return (AdmittedLeak(counted: identity, isNew: true), nil)
            }
            limit = .leakTexts
        }
        let other = LeakIdentity.overLimit(app: app.name, row: app.id)
        let entry = try knownLeak(other.id)
        return (AdmittedLeak(counted: other, isNew: entry == nil, exceededLimit: limit), entry)
    }

    /// - Returns: `nil` for a leak that the database does not have.
    func knownLeak(_ id: LeakID) throws(StoreError) -> LeakEntry? {
        if let known = caches.leaks.value(of: id) { return known }
        guard let stored = try storedLeak(id) else { return nil }
        caches.leaks.insert(stored, for: id)
        return stored
    }

    /// Returns `true` if the leak counts in the build already.
    func counts(_ leak: LeakEntry, in build: Int64) throws(StoreError) -> Bool {
        if leak.count(build: build) != nil { return true }
        let isKnown = try connection.statement("select 1 from leak_build where leak = ? and build = ?")
        defer { isKnown.reset() }
        try isKnown.bind(leak.id, build)
        return try isKnown.step()
    }

    /// Returns the known number, or the result of a query with one parameter.
    func number(
        _ known: Int? = nil, else sql: StaticString, of owner: Int64
    ) throws(StoreError) -> Int {
        if let known { return known }
        let select = try connection.statement(sql)
        defer { select.reset() }
        try select.bind(owner)
        return try select.step() ? select.int(0) : 0
    }
}
