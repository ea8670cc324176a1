/// The rows that a writer caches between commits. All caches are bounded: together they take about 55 MiB when they are full.
struct Caches {
    var apps = RecentCache<AppKey, AppEntry>(capacity: 256)
    var releases = RecentCache<ReleaseKey, ReleaseEntry>(capacity: 512)
    /// Sets by row ID in `install_set`, at most 2 KiB each. Most of them are in ``PendingLogs/installs`` too, which shares
    /// their memory.
    var installs = RecentCache<Int64, InstallEntry>(capacity: PendingLogs.Limits().installSets / 2)
    var leaks = RecentCache<LeakID, LeakEntry>(capacity: 2_048)
    /// Installs that were already counted, in the log of counts or in the tables, by row ID in `leak_release`.
    var countedInstalls = CountedInstalls()
    /// The ids of discarded leaks; `nil` until they have been read.
    var discardedIDs: DiscardedIDs?
    /// The leaks that were merged by hand; `nil` until they have been read.
    var mergedIDs: MergedIDs?
    /// `nil` until the logs have been read.
    var logs: PendingLogs?
    var deferredIndexing = DeferredIndexing()
    /// The count of idempotency keys and the count of bytes that each ingest key has added on the current day.
    var idempotency = IdempotencyUse()

    mutating func removeAll() {
        apps.removeAll()
        releases.removeAll()
        installs.removeAll()
        leaks.removeAll()
        countedInstalls = CountedInstalls()
        (discardedIDs, mergedIDs) = (nil, nil)
        logs = nil
        deferredIndexing = DeferredIndexing()
        idempotency = IdempotencyUse()
    }
}

/// The key of a cached release: the row ID of its app, and its version.
struct ReleaseKey: Hashable {
    var app: Int64
    var version: ByteText
}

/// The cached data of a row of `app`.
final class AppEntry {
    let id: Int64
    let key: AppKey
    /// The row ID of the current release: ``CurrentRelease``; `nil` without a release.
    var currentReleaseRowID: Int64?
    /// The hours of the app in `release_hour`, ascending; `nil` until they have been read.
    var countedHours: [Int]?
    /// Number of the app's leaks that are counted under their own names.
    var leaks = 0
    /// Bytes of the texts of the leaks that are counted under their own names.
    var textBytes = 0
    /// Number of builds that are counted separately for a leak, added up over all leaks of the app.
    var cells = 0
    /// Number of the app's releases; `nil` until they have been counted.
    var releaseCount: Int?
    /// Number of reasons of dropped reports; `nil` until they have been counted.
    var reasonCount: Int?

    /// `true` for the app `other`, in which all apps beyond the limit are counted together.
    var isOverLimit: Bool { key.name == StoreLimits.other }

    init(id: Int64, key: AppKey) {
        self.id = id
        self.key = key
    }
}

/// The cached data of a row of `release`.
final class ReleaseEntry {
    /// Maximum number of cached builds.
    private static let buildLimit = 64

    let id: Int64
    /// ``VersionOrder/key`` of the version.
    let order: [UInt8]
    /// `true` for the release `other`, in which all releases beyond the limit are counted together.
    let isOverLimit: Bool
    /// Rows of `build` by name.
    private(set) var builds: [ByteText: Int64] = [:]
    /// Number of the release's builds; `nil` until they have been counted.
    var buildCount: Int?
    /// Installs that the current transaction has added to the set of one of the release's leaks.
    var newInstalls: [UInt64] = []

    init(id: Int64, version: String, order: [UInt8]) {
        self.id = id
        self.order = order
        isOverLimit = version == StoreLimits.other
    }

    func remember(build: String, rowID: Int64) {
        if builds.count >= Self.buildLimit { builds = [:] }
        builds[ByteText(build)] = rowID
    }
}

/// A cached set of installs.
final class InstallEntry {
    var set = InstallSet()
    /// `true` if `install_set` has the row, with all members or all except those in the log.
    var isStored = false
    /// True while ``InstallLog`` has members of the set.
    var isInLog = false

    /// - Returns: the hashes that changed the set.
    func insert(_ hashes: [UInt64]) -> [UInt64] {
        // Most calls have one hash: the same array is returned without an allocation.
        guard hashes.count == 1 else { return hashes.filter { set.insert($0) } }
        return set.insert(hashes[0]) ? hashes : []
    }
}

/// The counts of a row of `leak_build` or `leak_release`, including those that are still in ``CountLog``.
final class CountEntry {
    let id: Int64
    var reports = 0
    var freed = 0
    var installs = 0
    /// For a release: number of its builds in which the leak was seen.
    var builds = 0
    /// Reports of a release that are in the log and not yet in `leak_hour`.
    var hours: [(hour: Int, reports: Int)] = []
    /// True while ``CountLog`` has the entry.
    var isInLog = false
    /// True while ``ChangedCounts`` has the entry.
    var isChanged = false

    init(id: Int64) { self.id = id }

    func add(_ cell: SubmissionAggregate.LeakBuildCount) {
        reports.addBounded(cell.reports)
        freed.addBounded(cell.freed)
    }

    func add(_ reports: Int, in hour: Int) {
        // Most reports are of the current hour, which is the last hour.
        if let index = hours.lastIndex(where: { $0.hour == hour }) {
            hours[index].reports.addBounded(reports)
        } else {
            hours.append((hour, reports))
        }
    }
}

/// The data of a row of `leak`, including counts that are still in ``CountLog``.
final class LeakEntry {
    let id: Int64
    /// The row ID of the leak's app.
    let app: Int64
    var module: String?
    /// The ingest key whose report made the leak; `nil` if it is not known.
    var madeBy: Int64?
    /// `true` once another ingest key than ``madeBy`` has reported the leak.
    var isShared = false
    var reports = 0
    var freed = 0
    var installs = 0
    /// The largest number of instances alive at the same time that a report named; `nil` if no report named a number.
    var maxAlive: Int?
    var firstSeen: Int64
    var lastSeen: Int64
    /// The release with the lowest version in which the leak was seen.
    var firstRelease: ReleaseMark
    /// The release with the highest version in which the leak was seen.
    var lastRelease: ReleaseMark
    /// The lowest build of ``firstRelease`` in which the leak was seen; `nil` for a leak without builds yet.
    var firstBuild: BuildMark?
    var samples = SampleChoice()
    var sampleBytes = SampleBytes.notRead
    /// True while ``CountLog`` has the entry.
    var isInLog = false
    /// The ``DeferredIndexing/period`` in which the leak was last recorded as unindexed; `nil` if it never was. In a later
    /// period, the leak is indexed again.
    var deferredIn: Int?
    /// Number of builds in which the leak was seen.
    var buildCount = 0
    /// Counts by row ID in `build`.
    private var builds = CountCache()
    /// Counts by row ID in `release`.
    private var releases = CountCache()

    /// The row ID of a release, and the ``VersionOrder/key`` of its version. For a leak whose first version was evicted, the
    /// release is ``StoreLimits/other``, and the key that of the evicted version.
    struct ReleaseMark {
        var id: Int64
        var order: [UInt8]

        init(id: Int64, order: [UInt8]) { (self.id, self.order) = (id, order) }

        init(_ release: ReleaseEntry) { self.init(id: release.id, order: release.order) }
    }

    /// The row IDs of a build and of its release, and the ``VersionOrder/key`` of the build.
    struct BuildMark {
        var id: Int64
        var release: Int64
        var order: [UInt8]
    }

    init(id: Int64, app: Int64, span: SubmissionAggregate.TimeSpan, release: ReleaseMark) {
        self.id = id
        self.app = app
        firstSeen = span.first
        lastSeen = span.last
        firstRelease = release
        lastRelease = release
    }

    /// Widens the range from ``firstRelease`` to ``lastRelease``, so that it contains a release.
    func widen(to release: ReleaseEntry) {
        if VersionOrder.isFirst(release.order, before: firstRelease.order) {
            firstRelease = ReleaseMark(release)
        }
        if lastRelease.order.lexicographicallyPrecedes(release.order) { lastRelease = ReleaseMark(release) }
    }

    /// Sets ``firstBuild`` if a build in which the leak was not seen before is lower. Must follow ``widen(to:)``.
    func add(_ build: BuildMark) {
        guard build.release == firstRelease.id else { return }
        if let firstBuild, firstBuild.release == build.release,
            !build.order.lexicographicallyPrecedes(firstBuild.order)
        {
            return
        }
        firstBuild = build
    }

    func countEntry(ofBuild build: Int64) -> CountEntry? { builds.entry(of: build) }

    func countEntry(ofRelease release: Int64) -> CountEntry? { releases.entry(of: release) }

    func remember(_ count: CountEntry, build: Int64) { builds.remember(count, of: build) }

    func remember(_ count: CountEntry, release: Int64) { releases.remember(count, of: release) }

    /// Evicts builds and releases if there are many. Must run before a transaction changes their counts: an evicted entry is
    /// read again from its row, which would lack these changes.
    func evictBuildsAndReleasesIfFull() {
        builds.evictWrittenIfFull()
        releases.evictWrittenIfFull()
    }
}

/// Counts of one leak by build, or by release. Only few builds or releases send reports at the same time, so a linear search
/// takes less time than a dictionary.
private struct CountCache {
    private static let limit = 16

    private var rowIDs: [Int64] = []
    private var counts: [CountEntry] = []

    func entry(of rowID: Int64) -> CountEntry? { rowIDs.firstIndex(of: rowID).map { counts[$0] } }

    /// - Parameter rowID: a row ID that ``entry(of:)`` did not find.
    mutating func remember(_ count: CountEntry, of rowID: Int64) {
        rowIDs.append(rowID)
        counts.append(count)
    }

    /// If there are ``limit`` entries, evicts all entries except those with counts that are not in their tables yet.
    mutating func evictWrittenIfFull() {
        guard rowIDs.count >= Self.limit else { return }
        let keptIndices = counts.indices.filter { counts[$0].isInLog }
        (rowIDs, counts) = (keptIndices.map { rowIDs[$0] }, keptIndices.map { counts[$0] })
    }
}
