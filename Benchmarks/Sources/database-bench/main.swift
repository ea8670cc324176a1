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
    let measurements = Measurements(url: url, seconds: seconds)
    func text(_ time: Double) -> String { String(format: "%.1f", time) }
    func measurePeriods() throws {
        let count = 100_000
        for older in [count / 2, count] {
            print(
                "\n\(count) leaks of the last day, \(older) of them first seen 100 days ago; milliseconds\n")
            let sorts = LeakQuery.Sort.allCases
            print(
                "| period | " + sorts.map(\.rawValue).joined(separator: " | ") + " | figures | summary page |"
            )
            print("|---|" + sorts.map { _ in "--:|" }.joined() + "--:|--:|")
            for found in try measurements.readPeriods(leaks: count, older: older) {
                let times = sorts.map { found.lists[$0] ?? 0 } + [found.overview, found.summary]
                print("| \(found.period.rawValue) | " + times.map(text).joined(separator: " | ") + " |")
            }
        }
    }
    do {
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
