import LeakCollector
import LeakStore

/// `collector backup`, `verify`, `import` and `erase`: what an operator does with the database, also while a collector
/// runs on it.
struct Upkeep {
    private let settings: Settings

    init(settings: Settings) { self.settings = settings }

    func backUp(to file: String, overwrites: Bool) throws -> Program.ExitCode {
        let bytes = try database().backUp(to: file, overwrites: overwrites)
        Output.line("wrote \(file), \(bytes) bytes; its structure and its sums are right")
        return .done
    }

    func verify(_ file: String?) throws -> Program.ExitCode {
        let path = file ?? Collector.databasePath(in: settings.dataFolder)
        // Opened first, since an older schema is brought up to date then.
        let problems = file == nil ? try database().verify() : try SQLiteStore.verify(path: path)
        for problem in problems { Output.error("collector: \(path): \(problem)") }
        guard problems.isEmpty else { return .failed }
        Output.line("\(path) is sound: its structure is right, and every total is the sum of its parts")
        return .done
    }

    func erase(install: String) throws -> Program.ExitCode {
        let erased = try Erasure.run(
            install: install, in: Program.openStore(settings, isServer: false))
        Output.line(
            "erased \(erased.samples) kept reports, and the install from \(erased.sets) sets of installs")
        return .done
    }

    func importReports(from file: String, app: String?) throws -> Program.ExitCode {
        let store = try Program.openStore(settings, isServer: false)
        var lines = try LineReader(file)
        var named = 0
        var reports = Import(store: store, app: app, now: WallClock.milliseconds()) { line, reason in
            named += 1
            if named <= Self.namedRefusals { Output.error("line \(line): \(reason)") }
        }
        var nextWord = WallClock.milliseconds() + Self.progressMilliseconds
        while let line = try lines.next() {
            try reports.add(line: line)
            if reports.result.lines % 100 == 0, WallClock.milliseconds() >= nextWord {
                Output.error(Self.words(reports.result))
                nextWord = WallClock.milliseconds() + Self.progressMilliseconds
            }
        }
        try reports.flush()
        if named > Self.namedRefusals { Output.error("and \(named - Self.namedRefusals) more refused") }
        Output.line(Self.words(reports.result))
        return reports.result.rejected == 0 ? .done : .failed
    }

    /// More of them have one reason, which is known by then.
    private static let namedRefusals = 100
    private static let progressMilliseconds: Int64 = 1_000

    private static func words(_ result: Import.Result) -> String {
        "\(result.lines) lines: \(result.accepted) reports counted, \(result.repeated) lines counted before, "
            + "\(result.rejected) refused"
    }

    private func database() throws -> SQLiteStore {
        guard let database = try Program.openStore(settings, isServer: false) as? SQLiteStore else {
            throw StoreError(
                .other,
                "this needs the database in the data folder; for PostgreSQL use its own tools (pg_dump)")
        }
        return database
    }
}
