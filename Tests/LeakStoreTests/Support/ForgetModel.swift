import LeakSeededRandom
import LeakStore

/// Reports of a few leaks in several versions, environments and apps, from which tests delete some.
struct ForgetModel {
    static let apps = ["shop", "till"]
    static let environments = [AppKey.production, "debug"]
    static let versions = ["1.0", "1.1", "2.0"]

    private(set) var submissions: [Submission] = []
    /// The end of the last submission, in milliseconds since 1970.
    private(set) var now = noon

    /// Returns leaks that random submissions report.
    static func identity(_ number: Int, _ app: AppKey) -> LeakIdentity {
        leak("L\(number)", app: app.name, environment: app.environment)
    }

    mutating func addSubmission(_ random: inout SeededRandom) -> Submission {
        now += Int64.random(in: 0..<(3 * hour), using: &random)
        let app = AppKey(
            Self.apps.randomElement(using: &random) ?? "",
            environment: Self.environments.randomElement(using: &random) ?? "")
        let reports = (0..<Int.random(in: 1...8, using: &random)).map { _ in
            Report(
                leak: Self.identity(Int.random(in: 0..<6, using: &random), app),
                version: Self.versions.randomElement(using: &random) ?? "",
                build: Bool.random(using: &random) ? "\(Int.random(in: 1...3, using: &random))" : nil,
                system: Bool.random(using: &random) ? "iOS \(Int.random(in: 15...19, using: &random))" : nil,
                install: Bool.random(using: &random) ? UInt64.random(in: 0..<60, using: &random) : nil,
                isFreed: Int.random(in: 0..<4, using: &random) == 0,
                at: now
                    - (Bool.random(using: &random) ? 0 : Int64.random(in: 0..<(13 * day), using: &random)),
                count: Int.random(in: 1...5, using: &random), lived: 5)
        }
        var added = submission(reports, at: now)
        if Bool.random(using: &random) {
            added.usageCounts = [
                Submission.UsageCounts(
                    app: app.name, environment: app.environment,
                    version: Self.versions.randomElement(using: &random) ?? "", build: "1",
                    sessions: Int.random(in: 1...200, using: &random), leakySessions: 1,
                    checks: ["L1": 7, "L2": 2])
            ]
        }
        submissions.append(added)
        return added
    }

    func randomTarget(_ random: inout SeededRandom) -> ForgetTarget {
        let app = AppKey(
            Self.apps.randomElement(using: &random) ?? "",
            environment: Self.environments.randomElement(using: &random) ?? "")
        return switch Int.random(in: 0..<10, using: &random) {
        case 0: .app(app.name)
        case 1: .environment(app)
        case 2...5: .version(Self.versions.randomElement(using: &random) ?? "", of: app)
        default: .leak(Self.identity(Int.random(in: 0..<6, using: &random), app).id)
        }
    }

    /// Removes what a store forgets from the submissions, as if it had never been sent.
    mutating func remove(_ target: ForgetTarget) {
        for index in submissions.indices {
            let origins = submissions[index].origins
            submissions[index].sightings.removeAll { sighting in
                let origin = origins[sighting.originIndex]
                return switch target {
                case .leak(let id): sighting.leak.id == id
                case .version(let version, let app): origin.version == version && origin.appKey == app
                case .environment(let app): origin.appKey == app
                case .app(let name): origin.app == name
                case .key: false
                }
            }
            submissions[index].usageCounts.removeAll { usage in
                let app = AppKey(usage.app, environment: usage.environment)
                return switch target {
                case .leak, .key: false
                case .version(let version, let target): usage.version == version && app == target
                case .environment(let target): app == target
                case .app(let name): usage.app == name
                }
            }
        }
    }
}

/// The counts of a store that are stored by leak and version, as text. They do not depend on reports that were deleted.
struct SplitCounts {
    private(set) var lines: [String] = []

    /// - Parameter leaksWithAllVersions: leaks of which no version was deleted. All their data is compared.
    init(of store: any Store, now: Int64, leaksWithAllVersions: (LeakID) -> Bool) throws {
        let reader = try store.makeReader()
        for app in ForgetModel.apps {
            for environment in ForgetModel.environments {
                try add(AppKey(app, environment: environment), reader, now: now, leaksWithAllVersions)
            }
        }
    }

    private mutating func add(
        _ app: AppKey, _ reader: any StoreReader, now: Int64, _ leaksWithAllVersions: (LeakID) -> Bool
    ) throws {
        for release in try reader.releases(app: app) where release.leaks + release.sessions > 0 {
            lines.append(
                """
                \(app) \(release.version): \(release.reports) reports, \(release.leaks) leaks, \(release.newLeaks) new, \
                \(release.installs) installs, \(release.sessions) sessions, \(release.checks) checks
                """)
        }
        // The reports of a leak are known by hour, and the last 24 hours begin within an hour.
        for period in Period.allCases where period != .day {
            let overview = try reader.overview(app: app.scope, period: period, now: now)
            lines.append(
                "\(app) \(period): \(overview.leaks), \(overview.reports), \(overview.recentReports)")
        }
        for number in 0..<6 {
            let id = ForgetModel.identity(number, app).id
            guard let detail = try reader.leak(id, now: now) else { continue }
            let row = detail.row
            lines.append(
                """
                \(app) L\(number): \(row.reports) reports, \(row.freed) freed, \(row.installs) installs, \(row.firstVersion) \
                to \(row.lastVersion), \(row.trend), \(detail.versions)
                """)
            lines.append("\(String(describing: try reader.trend(of: id, by: .hour, now: now)))")
            guard leaksWithAllVersions(id) else { continue }
            lines.append(
                "\(row.firstSeen) \(row.lastSeen) \(detail.systems) \(detail.models) \(detail.lived)")
            lines.append("\(String(describing: try reader.samples(of: id)))")
        }
    }
}
