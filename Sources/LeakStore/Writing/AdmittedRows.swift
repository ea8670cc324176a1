/// The entries of the database for the names in a tally.
///
/// Holds on to the entries for as long as the tally lasts, however many pass through the writer's caches meanwhile.
final class AdmittedRows: Admission {
    private struct Build {
        /// Row of `build`.
        var row: Int64
        /// True for the build that counts all builds beyond a limit.
        var isOther: Bool
    }

    private let writer: Writer
    /// The day that new texts and details count for.
    let day: Int
    private var apps = NumberedEntries<Int64, AppEntry>()
    private var releases = NumberedEntries<Int64, ReleaseEntry>()
    private var builds = NumberedEntries<Int64, Build>()
    private var leaks = NumberedEntries<LeakID, LeakEntry?>()

    init(of writer: Writer, day: Int) {
        self.writer = writer
        self.day = day
    }

    func app(named name: String, key: Int64, seen: Int64) throws(StoreError) -> AdmittedName {
        let entry = try writer.app(named: name, key: key, seen: seen)
        return AdmittedName(entry.name, number: apps.number(of: entry.id, adding: entry))
    }

    func release(_ version: String, of app: Int, at time: Int64) throws(StoreError) -> AdmittedName {
        let entry = try writer.release(version, of: apps[app], at: time)
        let number = releases.number(of: entry.id, adding: entry)
        return AdmittedName(entry.isBeyond ? StoreLimits.other : version, number: number)
    }

    func build(_ name: String, of release: Int) throws(StoreError) -> AdmittedName {
        let (row, isBeyond) = try writer.build(name, of: releases[release])
        let number = builds.number(of: row, adding: Build(row: row, isOther: isBeyond))
        return AdmittedName(isBeyond ? StoreLimits.other : name, number: number)
    }

    func leak(
        _ identity: LeakIdentity, of app: Int, key: Int64
    ) throws(StoreError) -> (leak: AdmittedLeak, number: Int) {
        // By its other key: its texts are charged once.
        if let number = leaks.number(of: identity.id) {
            return (AdmittedLeak(counted: identity, isNew: leaks[number] == nil), number)
        }
        let (admitted, entry) = try writer.leak(identity, of: apps[app], key: key, day: day)
        return (admitted, leaks.number(of: admitted.counted.id, adding: entry))
    }

    func module(of leak: LeakID) throws(StoreError) -> String? { try writer.module(of: leak) }

    func admits(_ leak: Int, in build: Int, besides: Int, of app: Int) throws(StoreError) -> Bool {
        try writer.admits(
            leaks[leak], in: builds[build].row, isOther: builds[build].isOther, besides: besides,
            of: apps[app])
    }

    // MARK: What a tally counted

    func entry(of app: Tally.App) -> AppEntry { apps[app.number] }

    func entry(of release: Tally.Release) -> ReleaseEntry { releases[release.number] }

    /// The row of `build`.
    func row(of build: Tally.Build) -> Int64 { builds[build.number].row }

    /// - Returns: `nil` for a leak that the database does not have.
    func entry(of leak: Tally.Leak) -> LeakEntry? { leaks[leak.number] }
}
