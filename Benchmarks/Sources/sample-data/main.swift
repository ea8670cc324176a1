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
        with the app of `make demo`. Start a collector on it: collector serve --data FOLDER
        """)
    exit(arguments.isEmpty ? 64 : 0)
}

/// Imports each day as if it were today, because an import dates reports that are older than 30 days 30 days ago.
func fill(_ folder: String, with fleet: SampleFleet) throws -> Int {
    var settings = Settings()
    settings.dataFolder = folder
    let store = try Collector.openStore(settings, isServer: true, limits: .forImports)
    var batchCount = 0
    for day in fleet.days {
        var lines = Import(
            store: store, source: Import.Source(name: "sample data until \(day.end)"), now: day.end
        ) { _, reason in fatalError("the sample data is not valid: \(reason)") }
        for delivery in day.deliveries { try lines.add(line: delivery.batch.json()) }
        try lines.flush()
        batchCount += day.deliveries.count
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

func number(_ name: String, _ standard: Int) -> Int {
    arguments.firstIndex(of: name).flatMap { Int(arguments.dropFirst($0).first ?? "") } ?? standard
}

let folder = arguments.first ?? ""
guard !FileManager.default.fileExists(atPath: Collector.databasePath(in: folder)) else {
    FileHandle.standardError.write(Data("sample-data: \(folder) already has a database\n".utf8))
    exit(1)
}
let start = ContinuousClock.now
let fleet = SampleFleet(
    arguments.contains("--demo") ? .demo : .full, seed: UInt64(number("--seed", 1)),
    end: WallClock.milliseconds())
let batchCount = try fill(folder, with: fleet)
let bytes = try FileManager.default.attributesOfItem(atPath: Collector.databasePath(in: folder))[.size]
print(
    "\(batchCount) batches in \((ContinuousClock.now - start) / .seconds(1)) s; the database has \(bytes ?? 0) bytes"
)
