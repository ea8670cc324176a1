/// The rows of the file that a writer caches between commits. Bounded; together about 55 MiB when everything is full.
struct Caches {
    var apps = RecentCache<AppKey, AppEntry>(capacity: 256)
    var releases = RecentCache<ReleaseKey, ReleaseEntry>(capacity: 512)
    /// Sets by row of `install_set`; at most 2 KiB each, and mostly sets that the log has in memory anyway.
    var installs = RecentCache<Int64, InstallEntry>(capacity: PendingLogs.Limits().installSets / 2)
    var leaks = RecentCache<LeakID, LeakEntry>(capacity: 2_048)
    /// `nil` until they have been read.
    var logs: PendingLogs?
    var deferredIndexing = DeferredIndexing()
    /// The use of idempotency keys on the current day, by ingest key.
    var idempotency = IdempotencyUse()

    mutating func removeAll() {
        apps.removeAll()
        releases.removeAll()
        installs.removeAll()
        leaks.removeAll()
        logs = nil
        deferredIndexing = DeferredIndexing()
        idempotency = IdempotencyUse()
    }
}

struct ReleaseKey: Hashable {
    var app: Int64
    var version: ByteText
}

final class AppEntry {
    let id: Int64
    let key: AppKey
    /// ``VersionOrder/key`` of the newest release; `nil` without a release.
    var newest: [UInt8]?
    /// The row of the newest release.
    var newestRow: Int64?
    /// `true` if the newest release has enough installs or sessions (``NewestVersion``), so that only a higher one can replace it.
    var isNewestInField = false
    /// Number of admitted leaks, bytes of their texts, and number of their cells.
    var leaks = 0
    var textBytes = 0
    var cells = 0
    /// `nil` until it has been counted.
    var releaseCount: Int?
    var reasonCount: Int?

    /// `true` for the app that counts apps beyond the limit.
    var isOverLimit: Bool { key == .other }

    init(id: Int64, key: AppKey) {
        self.id = id
        self.key = key
    }
}

final class ReleaseEntry {
    private static let buildLimit = 64

    let id: Int64
    let order: [UInt8]
    /// `true` for the release that counts releases beyond the limit.
    let isOverLimit: Bool
    /// Rows by name.
    private(set) var builds: [ByteText: Int64] = [:]
    /// `nil` until it has been counted.
    var buildCount: Int?
    /// Installs of the current transaction that one of the release's leaks had not seen.
    var newInstalls: [UInt64] = []

    init(id: Int64, version: String, order: [UInt8]) {
        self.id = id
        self.order = order
        isOverLimit = version == StoreLimits.other
    }

    func remember(build: String, row: Int64) {
        if builds.count >= Self.buildLimit { builds = [:] }
        builds[ByteText(build)] = row
    }
}

final class InstallEntry {
    var set = InstallSet()
    /// `true` if `install_set` has the row, with all members or all except those in the log.
    var isStored = false
    /// True while ``InstallLog`` has it.
    var isInLog = false

    /// - Returns: the hashes that changed the set.
    func insert(_ hashes: [UInt64]) -> [UInt64] {
        // Mostly one hash, for which no other array is allocated.
        guard hashes.count == 1 else { return hashes.filter { set.insert($0) } }
        return set.insert(hashes[0]) ? hashes : []
    }
}

/// A row of `leak_build` or `leak_release`, with what is in ``CountLog``.
final class CountEntry {
    let id: Int64
    var reports = 0
    var freed = 0
    var installs = 0
    /// For a release: number of its builds in which the leak was seen.
    var builds = 0
    /// Reports of a release that are in the log and not yet in `leak_hour`.
    var hours: [(hour: Int, reports: Int)] = []
    /// True while ``CountLog`` has it.
    var isInLog = false
    /// True while ``ChangedCounts`` has it.
    var isChanged = false

    init(id: Int64) { self.id = id }

    func add(_ cell: SubmissionAggregate.LeakBuildCount) {
        reports.addBounded(cell.reports)
        freed.addBounded(cell.freed)
    }

    func add(_ reports: Int, in hour: Int) {
        // Most reports are of now.
        if let known = hours.lastIndex(where: { $0.hour == hour }) {
            hours[known].reports.addBounded(reports)
        } else {
            hours.append((hour, reports))
        }
    }
}

/// A row of `leak`, with what is in ``CountLog``.
final class LeakEntry {
    let id: Int64
    /// The row of its app.
    let app: Int64
    var module: String?
    var reports = 0
    var freed = 0
    var installs = 0
    var aliveAtMost: Int?
    /// Installs in the app's newest release, if they have changed since the row was written.
    var impact: Int?
    var firstSeen: Int64
    var lastSeen: Int64
    var firstRelease: ReleaseMark
    var lastRelease: ReleaseMark
    var samples = SampleChoice()
    var sampleBytes = SampleBytes.notRead
    /// True while ``CountLog`` has it.
    var isInLog = false
    /// ``DeferredIndexing/period`` in which the leak became unindexed.
    var deferredIn: Int?
    /// Number of builds in which the leak was seen.
    var buildCount = 0
    /// Counts by row of `build`, and by row of `release`.
    private var builds = CountedParts()
    private var releases = CountedParts()

    struct ReleaseMark {
        var id: Int64
        var order: [UInt8]

        init(id: Int64, order: [UInt8]) { (self.id, self.order) = (id, order) }

        init(_ release: ReleaseEntry) { self.init(id: release.id, order: release.order) }
    }

    init(id: Int64, app: Int64, span: SubmissionAggregate.TimeSpan, release: ReleaseMark) {
        self.id = id
        self.app = app
        firstSeen = span.first
        lastSeen = span.last
        firstRelease = release
        lastRelease = release
    }

    func widen(to release: ReleaseEntry) {
        if release.order.lexicographicallyPrecedes(firstRelease.order) { firstRelease = ReleaseMark(release) }
        if lastRelease.order.lexicographicallyPrecedes(release.order) { lastRelease = ReleaseMark(release) }
    }

    func count(build: Int64) -> CountEntry? { builds.count(of: build) }

    func count(release: Int64) -> CountEntry? { releases.count(of: release) }

    func remember(_ count: CountEntry, build: Int64) { builds.remember(count, of: build) }

    func remember(_ count: CountEntry, release: Int64) { releases.remember(count, of: release) }

    /// Drops builds and releases if there are many. Runs only before a transaction counts in them: a dropped one would be read
    /// again from a row that lacks what the transaction has counted.
    func dropCachedParts() {
        builds.dropCached()
        releases.dropCached()
    }
}

/// Counts of one leak in the builds or releases that send reports at the same time. They are so few that a linear search takes less
/// time than a dictionary.
private struct CountedParts {
    private static let limit = 16

    private var rows: [Int64] = []
    private var counts: [CountEntry] = []

    func count(of row: Int64) -> CountEntry? { rows.firstIndex(of: row).map { counts[$0] } }

    /// - Parameter row: a row that ``count(of:)`` did not find.
    mutating func remember(_ count: CountEntry, of row: Int64) {
        rows.append(row)
        counts.append(count)
    }

    /// Drops all except those whose counts the tables lack, if there are many.
    mutating func dropCached() {
        guard rows.count >= Self.limit else { return }
        let kept = counts.indices.filter { counts[$0].isInLog }
        (rows, counts) = (kept.map { rows[$0] }, kept.map { counts[$0] })
    }
}
