import Foundation
import LeakCollector
import LeakSeededRandom
import LeakStatistics
import LeakStore

// Runs a store for ten simulated years, and checks after each year that it is sound, that all real names still count
// separately, and that it judges the releases correctly. Seeded: the same arguments give the same counts.

let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") || arguments.isEmpty {
    print(
        """
        usage: ten-years FOLDER|URL [--years 10] [--installs 20000] [--seed 1]

        Fills a new data folder, or a new PostgreSQL database, with 3 apps in use for years: a release each week, five builds of
        pull requests a day with versions of their own, 400 leaks, two renamed classes a month. Each install sends one batch
        a week. Prints after each year the size, the problems that the store finds, and the judgements about its releases.

        exit codes: 0 sound, 1 not, 64 wrong usage
        """)
    exit(arguments.isEmpty ? 64 : 0)
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("ten-years: \(message)\n".utf8))
    exit(1)
}

func number(_ name: String, _ standard: Int) -> Int {
    arguments.firstIndex(of: name).flatMap { Int(arguments.dropFirst($0).first ?? "") } ?? standard
}

let (years, installs, seed) = (number("--years", 10), number("--installs", 20_000), number("--seed", 1))
let place = arguments.first ?? ""
var settings = Settings()
if place.hasPrefix("postgres") { settings.databaseURL = place } else { settings.dataFolder = place }
var simulation = try Simulation(
    store: Collector.openStore(settings, isServer: true), installs: installs, seed: seed)
print(
    "| year | MB | seconds | releases | leaks | problems | passed | failed wrongly | cannot tell | found worse |"
)
print("|---|---|---|---|---|---|---|---|---|---|")
var isSound = true
for year in 1...years {
    let start = ContinuousClock.now
    let result = try simulation.run(year: year)
    let problems = try simulation.problems()
    let bytes = settings.databaseURL == nil ? try size(ofFolder: place) : 0
    print(
        "| \(year) | \(settings.databaseURL == nil ? "\(bytes >> 20)" : "") | \(Int((ContinuousClock.now - start) / .seconds(1))) "
            + "| \(try simulation.releaseCount()) | \(try simulation.leakCount()) | \(problems.count) | \(result.passed) "
            + "| \(result.failedWrongly) | \(result.cannotTell) | \(result.foundWorse) of \(result.worse) |")
    for problem in problems.prefix(10) { print("year \(year): \(problem)") }
    // Otherwise a file gets the lines of all years at the end.
    fflush(nil)
    if !problems.isEmpty || bytes > 1 << 30 { isSound = false }
}
let total = simulation.total
print(
    "\(total.passed) of \(total.unchanged) unchanged releases passed, \(total.failedWrongly) failed, "
        + "\(total.foundWorse) of \(total.worse) worse releases failed")
if Double(total.failedWrongly) > 0.01 * Double(total.unchanged) || total.foundWorse < total.worse {
    isSound = false
}
exit(isSound ? 0 : 1)

/// Returns the bytes of all files in a folder.
func size(ofFolder folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
        return sum + (attributes[.size] as? Int ?? 0)
    }
}
