/// What the database has of everything that a tally names, numbered as there.
///
/// Holds on to the entries for as long as the tally lasts, however many pass through the writer's caches meanwhile.
final class AdmittedRows: Admission {
    private let writer: Writer
    /// The day that new texts and details count for.
    let day: Int
    private(set) var apps: [AppEntry] = []
    private(set) var releases: [ReleaseEntry] = []
    /// Of `build`.
    private(set) var builds: [Int64] = []
    /// Which of them hold what is beyond a limit.
    private var isBuildOther: [Bool] = []
    /// `nil` for a leak that the database does not have.
    private(set) var leaks: [LeakEntry?] = []
    private var knownApps: Set<Int64> = []
    private var knownReleases: Set<Int64> = []
    private var knownBuilds: Set<Int64> = []
    private var knownLeaks: Set<LeakID> = []

    init(of writer: Writer, day: Int) {
        self.writer = writer
        self.day = day
    }

    func app(named name: String, key: Int64, seen: Int64) throws(StoreError) -> String {
        let entry = try writer.app(named: name, key: key, seen: seen)
        if knownApps.insert(entry.id).inserted { apps.append(entry) }
        return entry.name
    }

    func release(_ version: String, of app: Int, at time: Int64) throws(StoreError) -> String {
        let entry = try writer.release(version, of: apps[app], at: time)
        if knownReleases.insert(entry.id).inserted { releases.append(entry) }
        return entry.isBeyond ? StoreLimits.other : version
    }

    func build(_ name: String, of release: Int) throws(StoreError) -> String {
        let (row, isBeyond) = try writer.build(name, of: releases[release])
        if knownBuilds.insert(row).inserted {
            builds.append(row)
            isBuildOther.append(isBeyond)
        }
        return isBeyond ? StoreLimits.other : name
    }

    func leak(_ identity: LeakIdentity, of app: Int, key: Int64) throws(StoreError) -> AdmittedLeak {
        let (admitted, entry) = try writer.leak(identity, of: apps[app], key: key, day: day)
        if knownLeaks.insert(admitted.counted.id).inserted { leaks.append(entry) }
        return admitted
    }

    func module(of leak: LeakID) throws(StoreError) -> String? { try writer.module(of: leak) }

    func admits(_ leak: Int, in build: Int, besides: Int, of app: Int) throws(StoreError) -> Bool {
        try writer.admits(
            leaks[leak], in: builds[build], isOther: isBuildOther[build], besides: besides, of: apps[app])
    }
}
