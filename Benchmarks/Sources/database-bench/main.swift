import Foundation
import LeakStore

#if PostgreSQL
    guard let url = ProcessInfo.processInfo.environment["COLLECTOR_TEST_DATABASE_URL"] else {
        print(
            "name a server with COLLECTOR_TEST_DATABASE_URL, or run: Scripts/with-postgresql database-bench")
        exit(2)
    }
    let arguments = CommandLine.arguments.dropFirst()
    let seconds = arguments.first.flatMap { Double($0) } ?? 3
    // Lists and figures of periods alone.
    let isOfPeriods = arguments.contains("--periods")
    // The same of a schema that is filled already.
    let schema = arguments.firstIndex(of: "--schema").flatMap { arguments[($0 + 1)...].first }
    let measurements = Measurements(url: url, seconds: seconds)
    func text(_ times: Measurements.Times?) -> String {
        times.map { String(format: "%.1f, %.1f", $0.median, $0.longest) } ?? ""
    }
    func show(_ found: [Measurements.PeriodReading]) {
        let sorts = LeakQuery.Sort.allCases
        let heads = ["period"] + sorts.map(\.rawValue)
        print("median, longest of 11; the first page, then the tenth\n")
        print("| " + (heads + ["of a kind", "figures", "summary page"]).joined(separator: " | ") + " |")
        print("|---|" + sorts.map { _ in "--:|" }.joined() + "--:|--:|--:|")
        for reading in found {
            let times =
                sorts.map { reading.lists[$0] } + [reading.filtered, reading.overview, reading.summary]
            print("| \(reading.period.rawValue) | " + times.map(text).joined(separator: " | ") + " |")
        }
        print("\n| " + heads.joined(separator: " | ") + " |")
        print("|---|" + sorts.map { _ in "--:|" }.joined())
        for reading in found {
            let times = sorts.map { text(reading.tenthPages[$0]) }
            print("| \(reading.period.rawValue) | " + times.joined(separator: " | ") + " |")
        }
    }
    func measurePeriods() throws {
        let count = 100_000
        for older in [count / 2, count] {
            print(
                "\n\(count) leaks of the last day, \(older) of them first seen 100 days ago, just filled; milliseconds,",
                terminator: " ")
            let readings = try measurements.readPeriods(leaks: count, older: older)
            show(readings.filled)
            print("\nthe same after a vacuum; milliseconds,", terminator: " ")
            show(readings.vacuumed)
        }
    }
    do {
        if let schema {
            print("schema \(schema); milliseconds,", terminator: " ")
            show(try measurements.readPeriods(ofSchema: schema))
            exit(0)
        }
        guard !isOfPeriods else {
            try measurePeriods()
            exit(0)
        }
        print("| reports in a batch | 1 store, reports/s | 2 stores, one app | 2 stores, an app each |")
        print("|--:|--:|--:|--:|")
        for reports in [1, 10, 100, 1_000] {
            let rates = try [(1, 1), (2, 1), (2, 2)].map { stores, apps in
                try measurements.write(reports: reports, stores: stores, apps: apps)
            }
            print("| \(reports) | " + rates.map { "\(Int($0))" }.joined(separator: " | ") + " |")
        }
        print("\n| leaks | list, ms | of one app | second page | one leak |\n|--:|--:|--:|--:|--:|")
        for leaks in [10, 1_000, 100_000] {
            let found = try measurements.read(leaks: leaks)
            let times = [found.list, found.listOfApp, found.second, found.one]
            print("| \(leaks) | " + times.map { String(format: "%.2f", $0) }.joined(separator: " | ") + " |")
        }
        try measurePeriods()
    } catch {
        print("database-bench: \(error)")
        exit(1)
    }
#else
    print("database-bench needs libpq: swift build -c release --package-path Benchmarks --traits PostgreSQL")
    exit(2)
#endif
