import LeakCollector
import LeakStore

/// `collector backup`, `verify`, `import` and `erase`: what an operator does with the database, also while a collector
/// runs on it.
struct Upkeep {
    private let settings: Settings

    init(settings: Settings) { self.settings = settings }

    func backUp(to file: String, overwrites: Bool) throws -> Program.ExitCode {
        guard settings.databaseURL == nil, let store = try openStore() as? SQLiteStore else {
            throw StoreError(
                .other,
                "backup copies the database in a data folder; this one is in PostgreSQL, whose own program copies it "
                    + "while collectors run: pg_dump --format=custom --file=\(file) \"$COLLECTOR_DATABASE_URL\""
            )
        }
        let bytes = try store.backUp(to: file, overwrites: overwrites)
        Output.line("wrote \(file), \(bytes) bytes; its structure and its sums are right")
        return .done
    }

    func verify(_ file: String?) throws -> Program.ExitCode {
        let name = file ?? Collector.databaseName(in: settings)
        // Opened first, since an older schema is brought up to date then.
        let problems = try file.map { try SQLiteStore.verify(path: $0) } ?? openStore().verify()
        for problem in problems { Output.error("collector: \(name): \(problem)") }
        guard problems.isEmpty else { return .failed }
        let checked = file != nil || settings.databaseURL == nil ? "its structure is right, and " : ""
        Output.line("\(name) is sound: \(checked)every total is the sum of its parts")
        return .done
    }

    func erase(install: String) throws -> Program.ExitCode {
        let erased = try Erasure.run(install: install, in: openStore())
        Output.line(
            "erased \(erased.samples) kept reports, and the install from \(erased.sets) sets of installs")
        return .done
    }

    func importReports(from file: String, app: String?) throws -> Program.ExitCode {
        let store = try openStore()
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

    private func openStore() throws -> any Store { try Program.openStore(settings, isServer: false) }
}
