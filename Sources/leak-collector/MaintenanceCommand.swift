import LeakCollector
import LeakPlatform
import LeakStore

/// `collector backup`, `verify`, `import` and `erase`: maintenance of the database. Except for `verify --repair`, these
/// commands may run while a collector runs on the same database.
struct MaintenanceCommand {
    private let settings: Settings

    init(settings: Settings) { self.settings = settings }

    func backUp(to file: String, overwrites: Bool) throws -> Program.ExitCode {
        let backup = try SQLiteStore.backUp(path: database(for: "backup"), to: file, overwrites: overwrites)
        guard backup.inconsistentTotals.isEmpty else {
            Output.line(
                "wrote \(file), \(backup.bytes) bytes; its structure is right, but some totals are inconsistent"
            )
            printInconsistentTotals(backup.inconsistentTotals, in: file)
            return .inconsistentTotals
        }
        Output.line(
            "wrote \(file), \(backup.bytes) bytes; \(Self.soundnessText(areTotalsChecked: backup.areTotalsChecked))"
        )
        return .done
    }

    func verify(_ file: String?) throws -> Program.ExitCode {
        if file == nil, settings.databaseURL != nil { return try verifyPostgreSQL() }
        let path = try file ?? database(for: "verify")
        let verification = try SQLiteStore.verify(path: path)
        for problem in verification.damage { Output.error("collector: \(path): \(problem)") }
        if !verification.inconsistentTotals.isEmpty {
            printInconsistentTotals(verification.inconsistentTotals, in: path)
        }
        guard verification.damage.isEmpty else { return .failed }
        guard verification.inconsistentTotals.isEmpty else { return .inconsistentTotals }
        Output.line("\(path) is sound: \(Self.soundnessText(areTotalsChecked: verification.isOfKnownSchema))")
        return .done
    }

    private func verifyPostgreSQL() throws -> Program.ExitCode {
        let name = Collector.databaseName(in: settings)
        let problems = try openStore().verify()
        for problem in problems { Output.error("collector: \(name): \(problem)") }
        guard problems.isEmpty else { return .inconsistentTotals }
        Output.line("\(name) is sound: all totals are consistent")
        return .done
    }

    func repair() throws -> Program.ExitCode {
        let path = try database(for: "verify --repair")
        let repair = try SQLiteStore.repair(path: path)
        for sentence in repair.repaired { Output.line("\(path): \(sentence)") }
        for sentence in repair.unrepaired {
            Output.error(
                "collector: \(path): \(sentence); this cannot be repaired, because no other data has the right value"
            )
        }
        guard repair.unrepaired.isEmpty else { return .inconsistentTotals }
        Output.line("\(path) is sound: \(Self.soundnessText(areTotalsChecked: true))")
        return .done
    }

    private func printInconsistentTotals(_ inconsistentTotals: [String], in path: String) {
        for sentence in inconsistentTotals { Output.error("collector: \(path): \(sentence)") }
        Output.error("collector: to recompute the totals, stop the server and run collector verify --repair")
    }

    private static func soundnessText(areTotalsChecked: Bool) -> String {
        areTotalsChecked
            ? "its structure is right, and all totals are consistent"
            : "its structure is right; its totals were not checked, because a later version of the collector wrote it"
    }

    func erase(install: String) throws -> Program.ExitCode {
        let erased = try Erasure.run(install: install, in: openStore())
        Output.line(
            "erased \(countText(erased.samples, of: "sample report")), and removed the install from "
                + "\(countText(erased.sets, of: "set")) of installs"
        )
        if erased.isLeftInLog {
            Output.error(
                "collector: another process reads the database, so its write-ahead log still holds the erased data until that log is "
                    + "overwritten; run collector erase again later to empty the log")
        }
        return .done
    }

    /// Imports the lines of a file, and prints progress and rejections.
    ///
    /// - Parameter name: name that identifies the lines; `nil` for the file's absolute path, with links followed.
    func importReports(
        from file: String, name: String?, app: AppScope, version: String?
    ) throws -> Program.ExitCode {
        let store = try Collector.openStore(settings, isServer: false, limits: .forImports)
        var lines = try LineReader(file)
        let now = WallClock.milliseconds()
        let countsBeforeImport = try Import.readOverLimitCounts(in: store, now: now)
        let source = Import.Source(
            name: name ?? ProcessEnvironment.fullPath(file) ?? file, app: app, version: version)
        var rejections = 0
        var importer = Import(store: store, source: source, now: now) { line, reason in
            rejections += 1
            if rejections <= Self.maxPrintedRejections {
                Output.error("line \(line): \(TerminalText.text(reason))")
            }
        }
        var nextProgressTime = WallClock.milliseconds() + Self.progressMilliseconds
        while let line = try lines.next() {
            try importer.add(line: line)
            if importer.result.lineCount % 100 == 0, WallClock.milliseconds() >= nextProgressTime {
                Output.error(Self.summary(of: importer.result))
                nextProgressTime = WallClock.milliseconds() + Self.progressMilliseconds
            }
        }
        try importer.flush()
        if rejections > Self.maxPrintedRejections {
            Output.error("and \(countText(rejections - Self.maxPrintedRejections, of: "more rejected line"))")
        }
        Output.line(Self.summary(of: importer.result))
        for limit in try Import.readOverLimitCounts(in: store, since: countsBeforeImport, now: now) {
            let app = TerminalText.text(limit.app.description)
            Output.error(
                "collector: app \(app): the limit \(limit.limit.rawValue) was reached: \(limit.count) "
                    + "\(limit.limit.noun(count: limit.count)) \(limit.limit.outcome)"
            )
        }
        if let checkpointError = importer.result.checkpointError {
            Output.error("collector: all reports are counted, but \(checkpointError)")
        }
        return importer.result.rejectedCount == 0 ? .done : .failed
    }

    /// Maximum number of rejections that are printed. Further rejections usually have the same reasons.
    private static let maxPrintedRejections = 100
    /// Time between two lines about the progress.
    private static let progressMilliseconds: Int64 = 1_000

    private static func summary(of result: Import.Result) -> String {
        "\(countText(result.lineCount, of: "line")): \(countText(result.acceptedCount, of: "report")) counted, "
            + "\(countText(result.repeatedLineCount, of: "line")) counted before, "
            + "\(countText(result.rejectedCount, of: "line or report", plural: "lines or reports")) rejected"
            + (result.clampedTimeCount > 0
                ? "; \(countText(result.clampedTimeCount, of: "report")) not counted at their own time: reports older than 30 days count as "
                    + "30 days old, reports more than a day in the future as received now"
                : "")
    }

    private func openStore() throws -> any Store { try Program.openStore(settings, isServer: false) }

    /// Returns the path of the SQLite database that the settings name.
    ///
    /// - Parameter command: the command that needs it, for the error message.
    /// - Throws: ``StoreError`` if the settings name a PostgreSQL database, or if there is no database.
    private func database(for command: String) throws -> String {
        guard settings.databaseURL == nil else {
            throw StoreError(
                .other,
                "\(command) is for the database in a data folder; this one is in PostgreSQL, so use PostgreSQL's own "
                    + "programs: pg_dump --format=custom --file=FILE \"$COLLECTOR_DATABASE_URL\"")
        }
        return try Collector.requireDatabase(in: settings.dataFolder)
    }
}
