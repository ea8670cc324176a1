/// The elements of the aggregate's arrays. They refer to each other by index: a property `app` of type `Int` is an index in the
/// array of apps, and `release`, `leak` and `cell` are indices likewise.
extension SubmissionAggregate {
    /// Counts of one app in one environment.
    package struct App {
        /// The name and environment under which the reports count: those of the app, or ``StoreLimits/other`` beyond a limit.
        package var key: AppKey
        /// The number that the quota gave the app.
        package let number: AppNumber
        /// The ingest key whose report was the first in this aggregate to name the app.
        package let ingestKey: Int64
        /// `true` if reports of other ingest keys name the app too.
        package var hasOtherKeys = false
        /// Arrival of the latest submission, in milliseconds since 1970.
        package var lastSeen: Int64
        package var reports = 0
        package var freed = 0
        /// Number of reports that devices dropped, by reason.
        package var dropped: [ByteText: Int] = [:]
        /// For each limit, the number of texts, reports or rows that exceeded it.
        package var overLimitCounts: [OverLimitCount.Name: Int] = [:]
    }

    /// Counts of one version of an app.
    package struct Release {
        package var app: Int
        package var version: String
        /// The number that the quota gave the release.
        package let number: ReleaseNumber
        /// The ingest key whose report was the first in this aggregate to name the version.
        package let key: Int64
        /// `true` if reports of other ingest keys name the version too.
        package var hasOtherKeys = false
        /// First and last time at which the version was used.
        package var span: TimeSpan
        package var reports = 0
        package var freed = 0
        package var sessions = 0
        package var leakySessions = 0
        package var checks = 0
        /// Sessions and reports by the hour in which they began or were made.
        package private(set) var hours: [HourUse] = []

        /// Counts sessions or reports, including reports of freed objects. A report counts once, even if its count is greater
        /// than 1, so that one report cannot outweigh the use of many devices.
        mutating func addUse(
            in hour: Int, sessions: Int = 0, reports: Int = 0, bucket: Int
        ) {
            guard sessions > 0 || reports > 0 else { return }
            // Usually all sessions and reports are of one hour.
            let index = hours.lastIndex { $0.hour == hour } ?? hours.count
            if index == hours.count { hours.append(HourUse(hour: hour, bucket: bucket)) }
            hours[index].add(sessions: sessions, reports: reports, bucket: bucket)
        }
    }

    /// Sessions and reports of a release in one hour.
    package struct HourUse {
        package var hour: Int
        package private(set) var sessions = 0
        package private(set) var reports = 0
        /// The bucket of the installs, as in ``BucketCounts``; ``unknownInstalls`` if no report or session names an install;
        /// ``severalBuckets`` if the installs are in several buckets, or if only some reports and sessions name an install.
        package private(set) var bucket: Int

        package static let severalBuckets = -1
        package static let unknownInstalls = -2

        package init(hour: Int, bucket: Int) { (self.hour, self.bucket) = (hour, bucket) }

        package mutating func add(sessions: Int, reports: Int, bucket: Int) {
            self.sessions.addBounded(sessions)
            self.reports.addBounded(reports)
            if bucket != self.bucket { self.bucket = Self.severalBuckets }
        }

        /// Returns the uses in the hours in which they count (``CurrentRelease/countedHour(_:now:)``). Adds up uses of one
        /// hour, and leaves out uses that are too old.
        package static func counted(_ uses: [HourUse], now: Int) -> [HourUse] {
            var counted: [HourUse] = []
            for var use in uses {
                guard let hour = CurrentRelease.countedHour(use.hour, now: now) else { continue }
                if let index = counted.lastIndex(where: { $0.hour == hour }) {
                    counted[index].add(sessions: use.sessions, reports: use.reports, bucket: use.bucket)
                } else {
                    use.hour = hour
                    counted.append(use)
                }
            }
            return counted
        }
    }

    /// Checks of one class in one build.
    package struct Check {
        package var buckets: [BucketCounts.Part] = []
        /// The ingest keys whose reports named the class, in order of arrival. The class counts separately if it is within
        /// the limit of one of them.
        package private(set) var keys: [Int64] = []

        package var count: Int { buckets.reduce(into: 0) { $0.addBounded($1.count) } }

        mutating func add(_ count: Int, in bucket: Int, key: Int64) {
            buckets.add(count, in: bucket)
            if !keys.contains(key) { keys.append(key) }
        }
    }

    /// Counts of one build of a release.
    package struct Build {
        package var release: Int
        /// The build as reports name it, such as `895`; empty for reports without a build.
        package var name: String
        /// The number that the quota gave the build.
        package let number: BuildNumber
        /// The ingest key whose report was the first in this aggregate to name the build.
        package let key: Int64
        package var sessions: [BucketCounts.Part] = []
        package var leakySessions: [BucketCounts.Part] = []
        /// Checks by class.
        package var checks: [ByteText: Check] = [:]

        package var hasUsage: Bool { !(sessions.isEmpty && leakySessions.isEmpty && checks.isEmpty) }
    }

    /// Counts of one leak, in all its builds together.
    package struct Leak {
        package var identity: LeakIdentity
        /// The number that the quota gave the leak.
        package let number: LeakNumber
        /// The module of the leaked class, if no earlier report of the leak named a module; otherwise `nil`.
        package var claimedModule: String?
        package var app: Int
        /// The ingest key whose report first named the leak.
        package var key: Int64
        /// `true` if reports of other ingest keys name the leak too.
        package var hasOtherKeys = false
        /// First and last time of the leak's sightings; `nil` while only explanations name it.
        package var span: TimeSpan?
        package var reports = 0
        package var freed = 0
        /// The largest number of instances that a report named as alive; `nil` if no report named a number.
        package var maxAlive: Int?
        /// Times in milliseconds for which objects stayed after they were reported, each with the number of objects.
        package var lived: [(milliseconds: Int, count: Int)] = []
        /// Values that explanations of the leak name.
        package var values: [Value] = []
        /// Reports of type `leak`, in order of arrival.
        package var sightings: [SightingIndex] = []
        /// Indices of ``SubmissionAggregate/cells``.
        package var cells: [Int] = []
    }

    /// A value that an explanation of a leak names, such as its reason.
    package struct Value {
        package var kind: ValueKind
        package var text: String
        /// The ingest key whose explanation named the value.
        package var key: Int64

        package init(kind: ValueKind, text: String, key: Int64) {
            self.kind = kind
            self.text = text
            self.key = key
        }
    }

    /// Counts of one leak in one build: a cell.
    package struct LeakBuildCount {
        package var leak: Int
        package var build: Int
        /// The ingest key whose report came first.
        package var key: Int64
        package var reports = 0
        package var freed = 0
        /// Hashes of the installs that sent reports of type `leak`; a hash may occur more than once.
        package private(set) var installHashes: [UInt64] = []
        /// The day of each report of ``installHashes``; empty while all of them are of ``firstDay``.
        private var days: [Int] = []
        /// The day of the first report of ``installHashes``.
        private var firstDay = 0

        package init(leak: Int, build: Int, key: Int64) {
            (self.leak, self.build, self.key) = (leak, build, key)
        }

        mutating func add(install: UInt64, day: Int) {
            if installHashes.isEmpty { firstDay = day }
            if days.isEmpty, day != firstDay { days = [Int](repeating: firstDay, count: installHashes.count) }
            if day != firstDay || !days.isEmpty { days.append(day) }
            installHashes.append(install)
        }

        /// Calls `body` with each install whose report counts on `today`, by the rule of ``RecentInstalls``. Later days are
        /// replaced by `today`.
        package func forEachRecentInstall(on today: Int, _ body: (_ install: UInt64, _ day: Int) -> Void) {
            for (index, install) in installHashes.enumerated() {
                let day = min(days.isEmpty ? firstDay : days[index], today)
                if RecentInstalls.isCounted(day, on: today) { body(install, day) }
            }
        }
    }

    /// The number of reports of type `leak` that a cell has from the installs of one bucket.
    package struct BucketReports {
        package var cell: Int
        package var part: BucketCounts.Part
    }

    /// Counts of one app in ten minutes.
    package struct SlotCount {
        package var app: Int
        /// The number of the ten-minute slot, counted from 1970.
        package var number: Int
        package var reports = 0
        package var installHashes: [UInt64] = []

        package var day: Int { Calendar.day(ofSlot: number) }
    }

    /// The app, release, build, system and model under which reports are counted. `system` and `model` are indices of
    /// ``SubmissionAggregate/texts``.
    package struct Source: Hashable {
        package var app: Int
        package var release: Int
        package var build: Int
        package var system: Int?
        package var model: Int?
        /// The limit because of which the app, or its environment, counts as ``StoreLimits/other``; `nil` if it does not.
        var appLimit: OverLimitCount.Name?
        /// `true` if the release counts as ``StoreLimits/other`` because it is over a limit.
        var isReleaseOverLimit = false
        /// `true` if the build counts as ``StoreLimits/other`` because it is over a limit.
        var isBuildOverLimit = false
    }

    /// Number of reports of type `leak` of one leak in one hour, from one ``Source`` and one ingest key.
    package struct LeakHourCount {
        package var leak: Int
        package var source: Int
        package var hour: Int
        package var cell: Int
        /// The ingest key that sent the reports.
        package var key: Int64
        /// `true` if the reports count in the build `other` instead of the build that they name.
        var isInCatchAllBuild: Bool
        package var reports = 0
    }

    /// A report, identified by the indices of its submission and its sighting.
    package struct SightingIndex {
        package var submission: Int
        package var sighting: Int
    }

    /// A span of time, from its first to its last millisecond since 1970.
    package struct TimeSpan {
        package var first: Int64
        package var last: Int64

        package init(_ time: Int64) { (first, last) = (time, time) }

        package mutating func widen(to time: Int64) {
            first = min(first, time)
            last = max(last, time)
        }
    }
}
