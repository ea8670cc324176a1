import LeakCollector
import LeakPlatform
import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `collector copy`: copies the data folder into PostgreSQL.
struct CopyCommand {
    private let settings: Settings

    init(settings: Settings) { self.settings = settings }

    func run() throws {
        let isTerminal = isatty(2) == 1
        let start = WallClock.milliseconds()
        // A terminal shows one line that changes, and a log gets a line every 5 s.
        let interval: Int64 = isTerminal ? 200 : 5_000
        var nextProgressTime = start + (isTerminal ? 0 : interval)
        let tables: [CopiedTable]
        do {
            tables = try Collector.copy(settings) { progress in
                let now = WallClock.milliseconds()
                guard now >= nextProgressTime else { return }
                nextProgressTime = now + interval
                let progressText = CopyText.progress(progress, milliseconds: now - start)
                Output.error(progressText, overwrites: isTerminal)
            }
        } catch {
            if isTerminal { Output.error("", overwrites: true) }
            throw error
        }
        if isTerminal { Output.error("", overwrites: true) }
        Output.line(CopyText.result(tables, milliseconds: WallClock.milliseconds() - start))
        Output.line(
            "next: start the collectors with COLLECTOR_DATABASE_URL set to this database; keep \(settings.dataFolder) as "
                + "a backup, and do not start a collector on it again: reports that it counts would be missing in PostgreSQL"
        )
    }
}

/// Texts about the progress and the result of a copy.
enum CopyText {
    /// Returns the progress: `43 %, leak_hour, 1200000 of 2790697 rows, 81000 rows/s, 0:19 left`.
    static func progress(_ progress: CopyProgress, milliseconds: Int64) -> String {
        let rows = progress.rows
        let percent = progress.allRows == 0 ? 100 : rows * 100 / progress.allRows
        let rowsPerSecond = rows * 1_000 / max(Int(milliseconds), 1)
        let secondsLeft = (progress.allRows - rows) / max(rowsPerSecond, 1)
        let seconds = secondsLeft % 60
        return
            "\(percent) %, \(progress.table), \(rows) of \(countText(progress.allRows, of: "row")), \(rowsPerSecond) rows/s, "
            + "\(secondsLeft / 60):\(seconds < 10 ? "0" : "")\(seconds) left"
    }

    static func result(_ tables: [CopiedTable], milliseconds: Int64) -> String {
        let rows = tables.reduce(0) { $0 + $1.rows }
        let width = (tables.map(\.name.count).max() ?? 0) + 2
        let lines = tables.map { table in
            let sums = table.sums.map { ", \($0.column) \($0.sum)" }.joined()
            let padding = String(repeating: " ", count: width - table.name.count)
            return "  \(table.name)\(padding)\(countText(table.rows, of: "row"))\(sums)"
        }
        return
            "copied \(countText(rows, of: "row")) in \(milliseconds / 1_000).\(milliseconds / 100 % 10) s; both databases have:\n"
            + lines.joined(separator: "\n")
            + "\nall totals of the copy are consistent"
    }
}
