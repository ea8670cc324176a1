import Foundation
import LeakStore

#if PostgreSQL
    guard let url = ProcessInfo.processInfo.environment["COLLECTOR_TEST_DATABASE_URL"] else {
        print(
            "set COLLECTOR_TEST_DATABASE_URL to a server, or run: Scripts/with-postgresql database-bench")
        exit(2)
    }
    let arguments = CommandLine.arguments.dropFirst()
    let seconds = arguments.first.flatMap { Double($0) } ?? 3
    // Measures only lists, overviews and summary pages of periods.
    let measuresOnlyPeriods = arguments.contains("--periods")
    func value(of option: String) -> String? {
        arguments.firstIndex(of: option).flatMap { arguments[($0 + 1)...].first }
    }
    // Measures the lists, overviews and summary pages in a schema that is filled already, for example by --fill.
    let schema = value(of: "--schema")
    let schemaToFill = value(of: "--fill")
    let measurements = Measurements(url: url, seconds: seconds)
    func text(_ times: Measurements.Times?) -> String {
        times.map { String(format: "%.1f, %.1f", $0.median, $0.longest) } ?? ""
    }
    func show(_ found: [Measurements.PeriodReading]) {
        let sorts = LeakQuery.Sort.allCases
        let heads = ["period"] + sorts.map(\.rawValue)
        print("median and longest of 11 runs; the first page, then the tenth\n")
        print("| " + (heads + ["figures", "summary page"]).joined(separator: " | ") + " |")
        print("|---|" + sorts.map { _ in "--:|" }.joined() + "--:|--:|")
        for reading in found {
            let times = sorts.map { reading.lists[$0] } + [reading.overview, reading.summary]
            print("| \(reading.period.rawValue) | " + times.map(text).joined(separator: " | ") + " |")
        }
        print("\n| " + heads.joined(separator: " | ") + " |")
        print("|---|" + sorts.map { _ in "--:|" }.joined())
        for reading in found {
            let times = sorts.map { text(reading.tenthPages[$0]) }
            print("| \(reading.period.rawValue) | " + times.joined(separator: " | ") + " |")
        }
    }
    func show(
        _ found: [Measurements.FilteredReading], _ filters: [Measurements.Filter] = Measurements.filters
    ) {
        print(
            "with a filter: median and longest of 5 runs in the slowest order; the first page, then the tenth\n"
        )
        for page in [\(first: Measurements.Times, tenth: Measurements.Times).first, \.tenth] {
            print("| " + (["period"] + filters.map(\.name)).joined(separator: " | ") + " |")
            print("|---|" + filters.map { _ in "--:|" }.joined())
            for reading in found {
                let times = reading.filters.map { text($0[keyPath: page]) }
                print("| \(reading.period?.rawValue ?? "all") | " + times.joined(separator: " | ") + " |")
            }
            print()
        }
    }
    func show(_ readings: Measurements.Readings) {
        show(readings.periods)
        show(readings.filtered)
        print("causes: \(text(readings.causes))")
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
        if let schemaToFill {
            let older = value(of: "--older").flatMap { Int($0) } ?? 100_000
            try measurements.fillPeriods(schema: schemaToFill, leaks: 100_000, older: older)
            exit(0)
        }
        if let schema {
            print("schema \(schema); milliseconds,", terminator: " ")
            // The names of some filters, with commas between them.
            let chosen = value(of: "--filters")?.split(separator: ",").map(String.init)
            let filters = Measurements.filters.filter { chosen?.contains($0.name) ?? true }
            if chosen == nil { show(try measurements.readPeriods(ofSchema: schema)) }
            show(try measurements.readFiltered(ofSchema: schema, by: filters), filters)
            print("causes: \(text(try measurements.readCauses(ofSchema: schema)))")
            exit(0)
        }
        guard !measuresOnlyPeriods else {
            try measurePeriods()
            exit(0)
        }
        // Measures only batches of this many reports through one store.
        if let reports = value(of: "--write").flatMap({ Int($0) }) {
            print(Int(try measurements.write(reports: reports, stores: 1, apps: 1) * seconds))
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
            let times = [found.list, found.listOfApp, found.secondPage, found.oneLeak]
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
