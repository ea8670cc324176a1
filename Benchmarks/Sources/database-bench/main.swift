import Foundation

#if PostgreSQL
    guard let url = ProcessInfo.processInfo.environment["COLLECTOR_TEST_DATABASE_URL"] else {
        print(
            "name a server with COLLECTOR_TEST_DATABASE_URL, or run: Scripts/with-postgresql database-bench")
        exit(2)
    }
    let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 3
    let measurements = Measurements(url: url, seconds: seconds)
    do {
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
    } catch {
        print("database-bench: \(error)")
        exit(1)
    }
#else
    print("database-bench needs libpq: swift build -c release --package-path Benchmarks --traits PostgreSQL")
    exit(2)
#endif
