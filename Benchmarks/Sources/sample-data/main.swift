import Foundation
import LeakCollector
import LeakSampleData
import LeakStore

// Fills a new data folder with made-up apps, for looking at the pages. Seeded: the same seed and end give the same counts.

let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") || arguments.isEmpty {
    print(
        """
        usage: sample-data FOLDER [--seed 1] [--demo]

        Creates a database in FOLDER with 3 apps, 30 versions, 60 days up to now, 400 leaks and 5,000 installs, or with --demo
        with the app of `make demo`. Then checks that leaks have an impact, and that current releases have adoption by
        sessions. Start a collector on it: collector serve --data FOLDER

        exit codes: 0 done, 1 failed, or the data is not as in a collector that ran all the days, 64 wrong usage
        """)
    exit(arguments.isEmpty ? 64 : 0)
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("sample-data: \(message)\n".utf8))
    exit(1)
}

/// Imports each day as if it were today, because an import dates reports that are older than 30 days 30 days ago.
///
/// Rows expire at the end of each day, as they do each hour in a collector that runs. Only the expiry stores the time of the
/// store's clock. If the stored time stayed on the first day, a collector that starts would not accept its system clock. It would
/// take the counts of later days for counts of a wrong clock and delete them, so that no leak would have an impact.
///
/// - Returns: the number of batches.
func fill(_ store: any Store, with fleet: SampleFleet) throws -> Int {
    var batchCount = 0
    for day in fleet.days {
        var lines = Import(
            store: store, source: Import.Source(name: "sample data until \(day.end)"), now: day.end
        ) { _, reason in fail("the sample data is not valid: \(reason)") }
        for delivery in day.deliveries { try lines.add(line: delivery.batch.json()) }
        try lines.flush()
        batchCount += day.deliveries.count
        if let wait = try store.expire(now: day.end) {
            fail("the store does not accept the end of a day: \(wait.aheadMilliseconds) ms ahead")
        }
        let reader = try store.makeReader()
        for decision in day.decisions {
            var query = LeakQuery()
            (query.app, query.state) = (decision.app, .any)
            query.className = decision.className.split(separator: ".").last.map(String.init)
            guard let leak = try reader.leaks(query, now: day.end).leaks.first else { continue }
            let action: Decision.Action =
                switch decision.action {
                case .resolve(let version): .resolve(.version(version))
                case .ignore: .ignore(nil)
                }
            _ = try store.decide(
                Decision(action, note: decision.note, by: "ann"), about: leak.identity.id, now: day.end)
        }
    }
    return batchCount
}

/// Opens the database as a collector does that starts now, and prints the current release of each app.
///
/// Fails unless the pages can show apps in use: leaks with an impact, and current releases with adoption by sessions.
func check(_ apps: [String], now: Int64, _ settings: Settings) throws {
    let store = try Collector.openStore(settings, isServer: true)
    if let wait = try store.expire(now: now) {
        fail("a collector would not accept its clock: \(wait.aheadMilliseconds) ms ahead")
    }
    let reader = try store.makeReader()
    for app in apps {
        var query = LeakQuery()
        (query.app, query.state, query.limit) = (app, .any, 1_000)
        let leaks = try reader.leaks(query, now: now).leaks
        let impacts = leaks.map(\.impact).filter { $0 > 0 }
        guard let release = try reader.releases(app: AppKey(app)).first(where: \.isCurrent) else {
            fail("\(app) has no current release")
        }
        guard let adoption = release.adoption, !adoption.isOfReports, adoption.count > 0 else {
            fail("the current release \(release.version) of \(app) has no adoption by sessions")
        }
        guard let greatestImpact = impacts.max() else {
            fail("none of the \(leaks.count) leaks of \(app) has an impact")
        }
        print(
            "\(app) \(release.version): \(adoption.count) of \(adoption.total) recent sessions; "
                + "\(impacts.count) of \(leaks.count) leaks have an impact, at most \(greatestImpact) installs"
        )
    }
}

func number(_ name: String, _ standard: Int) -> Int {
    arguments.firstIndex(of: name).flatMap { Int(arguments.dropFirst($0).first ?? "") } ?? standard
}

let folder = arguments.first ?? ""
guard !FileManager.default.fileExists(atPath: Collector.databasePath(in: folder)) else {
    fail("\(folder) already has a database; name another folder, or remove it first")
}
let start = ContinuousClock.now
let end = WallClock.milliseconds()
let fleet = SampleFleet(
    arguments.contains("--demo") ? .demo : .full, seed: UInt64(number("--seed", 1)), end: end)
var settings = Settings()
settings.dataFolder = folder
let batchCount = try fill(
    try Collector.openStore(settings, isServer: true, limits: .forImports), with: fleet)
let bytes = try FileManager.default.attributesOfItem(atPath: Collector.databasePath(in: folder))[.size]
print(
    "\(batchCount) batches in \((ContinuousClock.now - start) / .seconds(1)) s; the database has \(bytes ?? 0) bytes"
)
try check(fleet.appIDs, now: end, settings)
