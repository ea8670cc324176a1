import Foundation
import LeakSeededRandom
import LeakStore

/// An app that is developed for years: a release each week, builds of pull requests every day, and classes that are renamed.
struct SimulatedApp {
    /// A class whose objects are checked, and the share of its checks that find a leak.
    struct Screen {
        var leak: LeakIdentity
        let rate: Double
    }

    let name: String
    private(set) var screens: [Screen]
    /// All versions that were released, oldest first. The last version is the current release.
    private(set) var versions: [String] = []
    /// The newest release in which the most frequent leak is three times as frequent; `nil` if no release is worse.
    private(set) var worseVersion: String?
    /// Sessions by version, of the releases alone.
    private(set) var sessions: [String: Int] = [:]
    private var renameCount = 0
    private var buildCount = 0

    init(_ name: String, screenCount: Int, random: inout SeededRandom) {
        self.name = name
        screens = (0..<screenCount).map { number in
            // The first screens leak often enough to be compared one by one; most leaks are rare.
            let rate = number < 5 ? 0.05 : exp(Double.random(in: log(0.0005)...log(0.02), using: &random))
            return Screen(leak: Self.leak("Screen\(number)", of: name), rate: rate)
        }
    }

    private static func leak(_ className: String, of app: String) -> LeakIdentity {
        var hash = SeededRandom(seed: Array("\(app)/\(className)".utf8))
        return LeakIdentity(
            id: LeakID(high: hash.next() | 1 << 63, low: hash.next()), app: app, kind: "view_controller",
            className: className, module: "App", title: className, stack: ["Root", className], children: [],
            cycle: [], quality: .full,
            groupingKey: GroupingKey(version: 2, className: className, stack: ["Root", className]))
    }

    var version: String { versions.last ?? "" }

    /// Releases the version of a week. In every tenth version, the most frequent leak is three times as frequent.
    mutating func release(year: Int, week: Int) {
        versions.append("\(year).\(week).0")
        if versions.count % 10 == 0 { worseVersion = version }
    }

    /// Renames a class: its reports have another key from now on.
    mutating func rename(random: inout SeededRandom) {
        renameCount += 1
        let number = random.below(screens.count)
        screens[number].leak = Self.leak("Screen\(number)Renamed\(renameCount)", of: name)
    }

    /// Returns the sessions of one install on one day.
    mutating func day(of install: UInt64, at time: Int64, key: Int64, random: inout SeededRandom)
        -> Submission
    {
        let installed = versions.count > 1 && random.chance(0.1) ? versions[versions.count - 2] : version
        sessions[installed, default: 0] += 3
        return submission(
            version: installed, build: installed, install: install, at: time, key: key, random: &random)
    }

    /// Returns the run of the tests of a pull request, in a version of its own.
    mutating func testRun(at time: Int64, key: Int64, random: inout SeededRandom) -> Submission {
        buildCount += 1
        return submission(
            version: "\(version)-pr.\(buildCount)", build: "\(buildCount)", install: UInt64(buildCount),
            at: time,
            key: key, random: &random)
    }

    private func submission(
        version: String, build: String, install: UInt64, at time: Int64, key: Int64,
        random: inout SeededRandom
    ) -> Submission {
        var submission = Submission(keyID: key, receivedAt: time)
        submission.body = Array("{}".utf8)
        submission.origins = [
            Submission.Origin(
                app: name, version: version, build: build, system: "iOS 26.1", model: "iPhone18,1",
                installHash: install)
        ]
        var checks: [String: Int] = [:]
        for _ in 0..<12 {
            // The square prefers the first screens, as users do.
            let place = Double.random(in: 0..<1, using: &random)
            let number = Int(place * place * Double(screens.count))
            let screen = screens[number]
            checks[screen.leak.className ?? "", default: 0] += 1
            let isWorse = number == 0 && version == worseVersion
            guard random.chance(screen.rate * (isWorse ? 3 : 1)) else { continue }
            submission.sightings.append(
                Submission.Sighting(
                    leak: screen.leak, originIndex: 0, isFreed: false, at: time, count: 1, alive: 1,
                    livedMilliseconds: nil, jsonRange: 0..<2))
        }
        submission.usageCounts = [
            Submission.UsageCounts(
                app: name, version: version, build: build, installHash: install, sessions: 3,
                leakySessions: min(3, submission.sightings.count), checks: checks)
        ]
        return submission
    }
}
