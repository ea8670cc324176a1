import HTTPClient
import HTTPServer
import LeakCollector
import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The program: turns a command into calls, errors into one line and an exit code.
@main
enum Program {
    static let version = "0.1.0"

    /// Named in `--help`.
    enum ExitCode: Int32 {
        case done = 0
        case failed = 1
        case misuse = 2
        case inUse = 3
        /// Totals are not the sums of their parts.
        case wrongSums = 4
    }

    static func main() {
        let code: ExitCode
        do {
            code = try run(Command(Array(CommandLine.arguments.dropFirst())))
        } catch let misuse as Command.Misuse {
            Output.error("collector: \(misuse). See collector --help.")
            code = .misuse
        } catch let error as SettingError {
            Output.error("collector: \(error)")
            code = .misuse
        } catch {
            Output.error("collector: \(error)")
            code = exitCode(of: error)
        }
        exit(code.rawValue)
    }

    private static func exitCode(of error: any Error) -> ExitCode {
        switch error {
        case ServerError.portInUse: .inUse
        case let error as StoreError where error.reason == .locked: .inUse
        default: .failed
        }
    }

    private static func run(_ command: Command) throws -> ExitCode {
        switch command {
        case .help:
            Output.line(Usage.text)
        case .version:
            Output.line("collector \(version)")
        case .serve(let flags):
            try serve(settings(flags))
        case .create(let kind, let name, let app, let flags):
            try Handouts(kind, settings: settings(flags)).create(name: name, app: app)
        case .list(let kind, let flags):
            try Handouts(kind, settings: settings(flags)).list()
        case .revoke(let kind, let id, let flags):
            try Handouts(kind, settings: settings(flags)).revoke(id)
        case .export(let folder, let app, let at, let flags):
            try Publication(settings: settings(flags), app: app, at: at).write(to: folder)
        case .backup(let file, let overwrites, let flags):
            return try Upkeep(settings: settings(flags)).backUp(to: file, overwrites: overwrites)
        case .verify(let file, let flags):
            return try Upkeep(settings: settings(flags)).verify(file)
        case .repair(let flags):
            return try Upkeep(settings: settings(flags)).repair()
        case .import(let file, let name, let app, let version, let flags):
            return try Upkeep(settings: settings(flags)).importReports(
                from: file, name: name, app: app, version: version)
        case .erase(let install, let flags):
            return try Upkeep(settings: settings(flags)).erase(install: install)
        case .copy(let flags):
            try Copy(settings: settings(flags)).run()
        case .health(let flags):
            return Health.check(try settings(flags))
        case .check(let check):
            return check.run()
        }
        return .done
    }

    static func settings(_ flags: [Setting: String]) throws(SettingError) -> Settings {
        try Settings(flags: flags, environment: Environment.variables)
    }

    /// - Parameter isServer: only one server may write; the command line may look and make keys beside it.
    static func openStore(_ settings: Settings, isServer: Bool) throws -> any Store {
        try Collector.openStore(settings, isServer: isServer)
    }

    private static func serve(_ settings: Settings) throws {
        // Before any thread; the other commands end as every program does.
        let signals = StopSignals()
        let log = Log(form: settings.logForm)
        // Before the database, which an open may bring up to date.
        let publicFolder = try publicFolder(settings)
        let store = try openStore(settings, isServer: true)
        let collector = try Collector(
            settings: settings, store: store, publicFolder: publicFolder, log: log)
        try collector.start()
        announce(collector.announcement)

        signals.wait()
        log.info("stopping: finishing what is in flight; a second signal ends at once")
        signals.endAtOnce()
        collector.stop(within: .seconds(10))
        log.info("stopped")
    }

    private static func announce(_ announcement: Collector.Announcement) {
        var lines = ["listening on \(announcement.listening)"]
        if let key = announcement.newIngestKey {
            lines.append("ingest key (shown once)    \(key)")
            lines.append(
                "first report  curl -H 'Authorization: Bearer \(key)' -H 'Content-Type: text/plain' "
                    + "'\(announcement.address)/api/v1/reports?app=com.acme.shop&version=5.2.0' "
                    + "-d 'VIEWCONTROLLER STILL IN MEMORY <Shop.CheckoutViewController: 0x7f88acc69260>'")
        }
        if let token = announcement.newAccessToken { lines.append("access token (shown once)  \(token)") }
        lines.append("sign in (works once, for ten minutes)  \(announcement.signInLink)")
        Output.line(lines.joined(separator: "\n"))
    }

    static func publicFolder(_ settings: Settings) throws(SettingError) -> PublicFolder {
        try PublicFolder(publicFolderPath(settings), knownLeaks: settings.knownLeaksFile)
    }

    /// Beside the program where a package put it, else where it was built or started.
    private static func publicFolderPath(_ settings: Settings) throws(SettingError) -> String {
        if let chosen = settings.publicFolder { return chosen }
        let folder = Environment.programFolder
        let candidates = ["\(folder)/../share/collector/Public", "\(folder)/Public", "./Public"]
        for candidate in candidates where unsafe access("\(candidate)/style.css", R_OK) == 0 {
            return candidate
        }
        throw SettingError(
            source: "--public",
            problem: "is not set, and no Public folder is beside the program or in the working directory")
    }
}
