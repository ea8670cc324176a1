import LeakCollector
import LeakPlatform
import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `collector export`: writes the pages and their JSON as plain files.
struct ExportCommand {
    var settings: Settings
    /// The apps to export, and their environment.
    var app: AppScope
    /// The time that the pages refer to, in milliseconds since 1970; `nil` for the time of the last report.
    var referenceTime: Int64?
    /// `true` to write the audit log, too.
    var includesAuditLog = false

    /// Writes the files, and the progress on standard error: one line that changes on a terminal, a line every 5 s in
    /// a log.
    func write(to folder: String) throws {
        let isTerminal = isatty(2) == 1
        let interval: Int64 = isTerminal ? 200 : 5_000
        var nextProgressTime = WallClock.milliseconds() + interval
        let export = try Export(
            store: Program.openStore(settings, isServer: false), publicFolder: Program.publicFolder(settings),
            environment: app.environment, at: referenceTime)
        // Ends the line of the progress, so that later output begins on a new line.
        defer { if isTerminal { Output.error("", overwrites: true) } }
        let result = try export.write(to: folder, app: app.app, includesAuditLog: includesAuditLog) {
            progress in
            let now = WallClock.milliseconds()
            guard now >= nextProgressTime else { return }
            nextProgressTime = now + interval
            Output.error(
                "\(progress.writtenLeakCount) of \(countText(progress.totalLeakCount, of: "leak"))",
                overwrites: isTerminal)
        }
        let removed =
            result.removedFileCount == 0
            ? "" : ", removed files of an earlier export: \(result.removedFileCount)"
        Output.line("wrote \(result.fileCount) files to \(folder)\(removed); open \(folder)/index.html")
    }
}
