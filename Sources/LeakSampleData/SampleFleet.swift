public import LeakMessage
internal import LeakSeededRandom

/// Made-up apps with their users, and the batches that their devices send over some weeks.
///
/// The same seed and size give the same leaks and counts for every end time. Each app has leaks with a history: a frequent one,
/// one that keeps much memory, a new one, one that got worse, one that was fixed, one that came back, one whose objects are
/// freed late, one that is ignored, and a known leak of the system.
public struct SampleFleet: Sendable {
    /// The size of the sample data: counts of apps, releases, days, leaks and installs.
    public struct Size: Hashable, Sendable {
        public var apps: Int
        public var releasesPerApp: Int
        public var days: Int
        /// The leaks of all apps together.
        public var leaks: Int
        /// The installs of all apps together.
        public var installs: Int

        /// The size of `make demo`: three releases of a shop in two weeks.
        public static let demo = Size(apps: 1, releasesPerApp: 3, days: 14, leaks: 14, installs: 240)
        /// The size for looking at the pages: 3 apps, 30 releases, 60 days, 400 leaks, 5,000 installs.
        public static let full = Size(apps: 3, releasesPerApp: 10, days: 60, leaks: 400, installs: 5_000)
    }

    /// A batch of one device, and the time at which a collector receives it.
    public struct Delivery: Sendable {
        public var batch: LeakBatch
        /// Milliseconds since 1970.
        public var receivedAt: Int64
        /// A key for the device and the day; it is the same in every fleet that ends on the same day.
        public var idempotencyKey: String
    }

    /// A decision about a leak, to be made after all batches of a day are counted.
    public struct Decision: Hashable, Sendable {
        public enum Action: Hashable, Sendable {
            /// Fixed in this version.
            case resolve(version: String)
            /// Ignored permanently.
            case ignore
        }

        public var app: String
        /// The class of the leak, with its module. No other leak of the app has the class.
        public var className: String
        public var action: Action
        public var note: String
    }

    /// The batches of one day in the order of their times, and the decisions at its end.
    public struct Day: Sendable {
        public var deliveries: [Delivery]
        public var decisions: [Decision]
        /// The last millisecond of the day, in milliseconds since 1970.
        public var end: Int64
    }

    public static let dayMilliseconds: Int64 = 24 * 3600 * 1000

    public let size: Size
    private let seed: UInt64
    private let end: Int64
    private let apps: [SampleApp]
    private let installs: [SampleInstall]

    /// - Parameter end: the end of the last day, in milliseconds since 1970. Each day has 24 hours.
    public init(_ size: Size, seed: UInt64 = 1, end: Int64) {
        (self.size, self.seed, self.end) = (size, seed, end)
        var random = SeededRandom(seed: seed)
        let apps = (0..<size.apps).map { index in
            SampleApp(
                index, leakCount: (size.leaks + size.apps - 1 - index) / size.apps,
                releaseCount: size.releasesPerApp, days: size.days, random: &random)
        }
        self.apps = apps
        installs = (0..<size.installs).map { number in
            let app = number % size.apps
            return SampleInstall(number, app: app, releaseDays: apps[app].releaseDays, random: &random)
        }
    }

    /// The ids of the apps.
    public var appIDs: [String] { apps.map(\.id) }

    /// The days, oldest first. A day is generated when the sequence is asked for it.
    public var days: some Sequence<Day> { (0..<size.days).lazy.map(day) }

    private func day(_ number: Int) -> Day {
        let dayEnd = end - Int64(size.days - 1 - number) * Self.dayMilliseconds
        let deliveries = installs.compactMap { install in
            delivery(of: install, day: number, start: dayEnd - Self.dayMilliseconds)
        }
        return Day(
            deliveries: deliveries.sorted { $0.receivedAt < $1.receivedAt },
            decisions: apps.flatMap { $0.decisions(onDay: number) }, end: dayEnd - 1)
    }

    private func delivery(of install: SampleInstall, day: Int, start: Int64) -> Delivery? {
        let installSeed = seed &+ UInt64(day) << 32 &+ UInt64(install.number)
        var random = SeededRandom(seed: installSeed)
        guard let release = install.release(onDay: day), random.chance(install.activity) else { return nil }
        let app = apps[install.app]
        // Uses separate random numbers for the time, because the number of draws depends on the hour, and the leaks and counts
        // must be the same for every end time.
        var timeRandom = SeededRandom(seed: ~installSeed)
        let receivedAt = Self.time(after: start, random: &timeRandom)
        var batch = LeakBatch()
        batch.app = app.info(ofRelease: release)
        batch.device = install.device
        batch.install = "sample-\(install.number)"
        batch.sentAt = WireTime(milliseconds: receivedAt)
        var checks: [String: Int] = [:]
        for session in 1...random.number(1...3) {
            let startedAt = receivedAt - Int64(session) * Int64(random.number(600_000...3_000_000))
            let sessionReports = app.session(
                release: release, leakiness: install.leakiness, at: WireTime(milliseconds: startedAt),
                random: &random)
            batch.reports += sessionReports.reports
            for (className, count) in sessionReports.checks { checks[className, default: 0] += count }
            batch.sessions.append(
                EndedSession(
                    id: "\(install.number)-\(day)-\(session)",
                    startedAt: WireTime(milliseconds: startedAt),
                    checks: sessionReports.checks.reduce(0) { $0 + $1.count },
                    leaks: sessionReports.reports.filter { $0.event == .leak }.reduce(0) { $0 + $1.count }))
        }
        batch.checks = checks.sorted { $0.key < $1.key }.map {
            ClassChecks(className: $0.key, count: $0.value)
        }
        return Delivery(
            batch: batch, receivedAt: receivedAt,
            idempotencyKey: "sample-\(end / Self.dayMilliseconds)-\(install.number)-\(day)")
    }

    /// Returns a time of the day, more often in the evening than at night.
    private static func time(after start: Int64, random: inout SeededRandom) -> Int64 {
        while true {
            let time = start + Int64(random.below(Int(dayMilliseconds)))
            let hour = Int(time / 3_600_000 % 24)
            if random.chance(hour < 6 ? 0.1 : hour < 17 ? 0.5 : 1) { return time }
        }
    }
}

/// An install of a sample app: its device, and the days on which it got each release.
struct SampleInstall: Sendable {
    let number: Int
    /// Index of the app.
    let app: Int
    let device: DeviceInfo
    /// The probability that the app is used on a day.
    let activity: Double
    /// The factor by which the rates of all leaks are higher or lower on this device.
    let leakiness: Double
    /// The first day with each release; `Int.max` for a release that the install never gets.
    private let updateDays: [Int]

    private static let devices: [(model: String, os: String, version: String)] = [
        ("iPhone18,1", "iOS", "26.1"), ("iPhone17,1", "iOS", "26.1"), ("iPhone17,3", "iOS", "26.1"),
        ("iPhone17,1", "iOS", "26.0"), ("iPhone16,2", "iOS", "26.1"), ("iPhone16,2", "iOS", "18.7"),
        ("iPhone15,4", "iOS", "18.7"), ("iPhone14,5", "iOS", "18.6"), ("iPad14,3", "iPadOS", "26.1"),
        ("iPad13,18", "iPadOS", "18.7"),
    ]

    init(_ number: Int, app: Int, releaseDays: [Int], random: inout SeededRandom) {
        (self.number, self.app) = (number, app)
        let device = random.element(of: Self.devices)
        self.device = DeviceInfo(os: device.os, osVersion: device.version, model: device.model)
        activity = Double(random.number(10...70)) / 100
        leakiness = random.element(of: [0.5, 0.5, 0.5, 0.5, 0.5, 1, 1, 1, 2, 3])
        let interval = releaseDays.count > 1 ? releaseDays[1] : 1
        // Half of the users update within a quarter of the time to the next release; one in twenty never does.
        let neverUpdates = random.once(in: 20)
        let joins = random.chance(0.6) ? 0 : random.below(releaseDays.last.map { $0 + 1 } ?? 1)
        updateDays = releaseDays.map { day in
            let lag = random.once(in: 2) ? random.below(interval / 4 + 1) : random.below(interval + 1)
            // A new install has the newest release.
            if day <= joins { return joins }
            return neverUpdates ? .max : day + lag
        }
    }

    /// The index of the newest release that the install has on a day; `nil` before the app was installed.
    func release(onDay day: Int) -> Int? { updateDays.lastIndex { $0 <= day } }
}
