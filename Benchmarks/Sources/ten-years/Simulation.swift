import LeakSeededRandom
import LeakStatistics
import LeakStore

/// Three apps, their installs and a store, for years.
struct Simulation {
    /// The judgements of the gate about the releases of some time.
    struct Result {
        var passed = 0
        var failedWrongly = 0
        var cannotTell = 0
        var worse = 0
        var foundWorse = 0

        /// Number of releases that were no worse than the one before.
        var unchanged: Int { passed + failedWrongly + cannotTell }

        mutating func add(_ other: Result) {
            passed += other.passed
            failedWrongly += other.failedWrongly
            cannotTell += other.cannotTell
            worse += other.worse
            foundWorse += other.foundWorse
        }
    }

    private static let day: Int64 = 24 * 3600 * 1000
    private static let daysPerYear = 364
    private static let leakCount = 400
    /// 1 January 2026.
    private static let start: Int64 = 1_767_225_600_000

    private(set) var total = Result()
    private let store: any Store
    private let installCount: Int
    private var apps: [SimulatedApp]
    private var random: SeededRandom
    private var dayCount = 0
    /// The ingest keys of the apps, and the key of their tests.
    private let keys: [Int64]
    private let testKey: Int64

    init(store: any Store, installs: Int, seed: Int) throws {
        self.store = store
        installCount = installs
        var random = SeededRandom(seed: seed)
        let names = ["com.example.bank", "com.example.shop", "com.example.travel"]
        apps = names.enumerated().map { index, name in
            SimulatedApp(
                name, screenCount: (Self.leakCount + names.count - 1 - index) / names.count, random: &random)
        }
        self.random = random
        func key(_ name: String, _ hash: UInt8, app: String?) throws -> Int64 {
            try store.add(
                Credential(purpose: .ingest, name: name, hash: [hash], app: app, createdAt: Self.start),
                audit: nil
            ).id
        }
        keys = try names.enumerated().map { try key($1, UInt8($0), app: $1) }
        testKey = try key("tests", 9, app: nil)
    }

    private var now: Int64 { Self.start + Int64(dayCount) * Self.day }

    /// Runs the store for a year of 52 weeks.
    mutating func run(year: Int) throws -> Result {
        var result = Result()
        for dayOfYear in 0..<Self.daysPerYear {
            if dayOfYear % 7 == 0 {
                // Each release was in use for a week when it is judged.
                try judge(&result)
                for index in apps.indices { apps[index].release(year: year, week: dayOfYear / 7 + 1) }
            }
            if dayOfYear % 15 == 0 { apps[random.below(apps.count)].rename(random: &random) }
            try countDay()
            dayCount += 1
            try store.expire(now: now)
        }
        total.add(result)
        return result
    }

    private mutating func countDay() throws {
        var submissions: [Submission] = []
        // Each install is used on one day of the week.
        for install in stride(from: dayCount % 7, to: installCount, by: 7) {
            let app = install % apps.count
            let time = now + Int64(random.below(Int(Self.day)))
            submissions.append(
                apps[app].day(
                    of: UInt64(install + 1_000_000), at: time, key: keys[app], random: &random))
        }
        for _ in 0..<5 {
            let app = random.below(apps.count)
            submissions.append(
                apps[app].testRun(at: now + Int64(random.below(Int(Self.day))), key: testKey, random: &random)
            )
        }
        submissions.sort { $0.receivedAt < $1.receivedAt }
        var rest = submissions[...]
        while let last = rest.prefix(500).last {
            let batch = Array(rest.prefix(500))
            let counted = try store.count(batch, now: last.receivedAt).count
            rest = rest.dropFirst(counted)
            try store.checkpointIfNeeded(now: last.receivedAt)
        }
    }

    private func judge(_ result: inout Result) throws {
        let reader = try store.makeReader()
        for app in apps where app.versions.count > 1 {
            let isWorse = app.version == app.worseVersion
            let check = try reader.releaseCheck(
                ReleaseCheckQuery(
                    app: app.name, version: app.version, baseline: app.versions[app.versions.count - 2]),
                now: now)
            switch check?.verdict {
            case .failed: if isWorse { result.foundWorse += 1 } else { result.failedWrongly += 1 }
            case .passed: result.passed += isWorse ? 0 : 1
            case .cannotTell, nil: result.cannotTell += isWorse ? 0 : 1
            }
            result.worse += isWorse ? 1 : 0
        }
    }

    /// Returns the problems that the store finds, releases of the last year that do not count all their sessions under their own
    /// name, and leaks in use that do not have their own name.
    func problems() throws -> [String] {
        var problems = try store.verify()
        let reader = try store.makeReader()
        for app in apps {
            for version in app.versions.suffix(52) {
                var query = ReleaseCheckQuery(app: app.name, version: version)
                query.listsLeaks = false
                let sessions = try reader.releaseCheck(query, now: now)?.version.sessions.trials ?? 0
                let sent = app.sessions[version] ?? 0
                if sessions != sent {
                    problems.append("\(app.name) \(version) has \(sessions) of \(sent) sessions")
                }
            }
            for screen in app.screens.prefix(20) where try reader.leak(screen.leak.id, now: now) == nil {
                problems.append("\(app.name) does not count \(screen.leak.title) under its own name")
            }
        }
        return problems
    }

    func releaseCount() throws -> Int {
        let reader = try store.makeReader()
        return try apps.reduce(0) { try $0 + reader.versions(app: AppScope($1.name)).count }
    }

    func leakCount() throws -> Int {
        let reader = try store.makeReader()
        return try apps.reduce(0) { try $0 + reader.overview(app: AppScope($1.name), now: now).leaks }
    }
}
