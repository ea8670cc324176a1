import LeakHTTPClient
import LeakHTTPServer
import LeakCollector
import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The program: runs a command, and turns an error into one line and an exit code.
@main
enum Program {
    /// Printed by `collector --version`. `Scripts/version --check` compares CHANGELOG.md, openapi.json and the documents with
    /// it.
    static let version = "0.2.0"

    /// Exit codes, which `--help` lists.
    enum ExitCode: Int32 {
        case done = 0
        case failed = 1
        case misuse = 2
        case inUse = 3
        /// Totals are not the sums of their parts.
        case inconsistentTotals = 4

        /// `check`: too few checks, or no older version to compare with.
        static let cannotTell = inUse
        /// `check`: no collector answered.
        static let unreachable = inconsistentTotals
    }

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let code: ExitCode
        do {
            code = try run(Command(arguments))
        } catch let misuse as Command.UsageError {
            let command = HelpTopic(in: arguments).map { "collector \($0.rawValue)" } ?? "collector"
            report("\(misuse). See \(command) --help.", arguments)
            code = .misuse
        } catch let error as SettingError {
            report("\(error)", arguments)
            code = .misuse
        } catch {
            report("\(error)", arguments)
            code = exitCode(of: error)
        }
        exit(code.rawValue)
    }

    /// Writes the line about a failure: as JSON if the server's log is in JSON, otherwise as text for people.
    private static func report(_ problem: String, _ arguments: [String]) {
        if Command.wantsJSONLog(arguments, variable: ProcessEnvironment.variables[Setting.log.variable]) {
            Log(format: .json).error(problem)
        } else {
            Output.error("collector: \(problem)")
        }
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
        case .help(let topic):
            Output.line(topic?.text ?? Usage.text)
        case .version:
            Output.line("collector \(version)")
        case .serve(let flags):
            try serve(readSettings(flags))
        case .create(let kind, let name, let app, let environments, let role, let flags):
            try CredentialCommand(kind, settings: readSettings(flags)).create(
                name: name, role: role, app: app, environments: environments)
        case .list(let kind, let flags):
            try CredentialCommand(kind, settings: readSettings(flags)).list()
        case .revoke(let kind, let id, let flags):
            try CredentialCommand(kind, settings: readSettings(flags)).revoke(id)
        case .export(let folder, let app, let referenceTime, let includesAuditLog, let flags):
            try ExportCommand(
                settings: readSettings(flags), app: app, referenceTime: referenceTime,
                includesAuditLog: includesAuditLog
            ).write(to: folder)
        case .backup(let file, let overwrites, let flags):
            return try MaintenanceCommand(settings: readSettings(flags)).backUp(
                to: file, overwrites: overwrites)
        case .verify(let file, let flags):
            return try MaintenanceCommand(settings: readSettings(flags)).verify(file)
        case .repair(let flags):
            return try MaintenanceCommand(settings: readSettings(flags)).repair()
        case .import(let file, let name, let app, let version, let flags):
            return try MaintenanceCommand(settings: readSettings(flags)).importReports(
                from: file, name: name, app: app, version: version)
        case .erase(let install, let flags):
            return try MaintenanceCommand(settings: readSettings(flags)).erase(install: install)
        case .forget(let forget):
            return try forget.run()
        case .discarded(let discarded):
            return try discarded.run()
        case .retention(let retention):
            return try retention.run()
        case .notify(let notify):
            return try notify.run()
        case .merge(let merge):
            return try merge.run()
        case .rules(let rules):
            return try rules.run()
        case .regroup(let app, let isDryRun, let flags):
            try RegroupCommand(settings: readSettings(flags), app: app, isDryRun: isDryRun).run()
        case .copy(let flags):
            try CopyCommand(settings: readSettings(flags)).run()
        case .health(let flags):
            return try HealthCommand.run(flags)
        case .check(let check):
            return check.run()
        case .symbols(let symbols):
            return try symbols.run()
        }
        return .done
    }

    /// Reads the settings, and keeps the temporary files of SQLite in the data folder.
    static func readSettings(_ flags: [Setting: String]) throws(SettingError) -> Settings {
        let settings = try Settings(flags: flags, environment: ProcessEnvironment.variables)
        ProcessEnvironment.keepTemporaryFiles(in: settings.dataFolder)
        return settings
    }

    /// Opens the database that the settings name.
    ///
    /// - Parameter isServer: see ``Collector/openStore(_:isServer:limits:)``. Commands may read, and create keys,
    ///   while a server runs.
    static func openStore(_ settings: Settings, isServer: Bool) throws -> any Store {
        try Collector.openStore(settings, isServer: isServer)
    }

    private static func serve(_ settings: Settings) throws {
        // Signals are set up before any thread starts, and only for this command.
        let signals = StopSignals()
        let log = Log(format: settings.logFormat)
        for warning in settings.warnings { log.warning(warning) }
        // The Public folder is read before the database is opened, because opening may migrate the database, and a mistake
        // in the folder must not change it.
        let publicFolder = try publicFolder(settings)
        let store = try openStore(settings, isServer: true)
        let collector = try Collector(
            settings: settings, store: store, publicFolder: publicFolder, log: log, version: version)
        try collector.start()
        let address = collector.startupInfo.localAddress
        let addressFile = AddressFile(folder: settings.dataFolder)
        // With PostgreSQL there may be no data folder.
        if !addressFile.write(address), settings.databaseURL == nil {
            log.warning(
                "cannot write the address into \(settings.dataFolder), so collector health needs --host and --port"
            )
        }
        reportStartup(collector.startupInfo, settings: settings, log: log)

        signals.wait()
        log.info(
            "stopping: finishing open requests, for \(Collector.stopTimeout.components.seconds) s at most; "
                + "a second signal stops at once")
        signals.endAtOnce()
        collector.stop(within: Collector.stopTimeout)
        addressFile.remove(address)
        log.info("stopped")
    }

    private static func reportStartup(
        _ startupInfo: Collector.StartupInfo, settings: Settings, log: Log
    ) {
        switch settings.logFormat {
        case .text:
            let lines =
                ["listening on \(startupInfo.listeningAddress)"]
                + (startupInfo.metricsAddress.map { ["metrics on \($0), without a token"] } ?? [])
                + credentialLines(startupInfo, settings)
            Output.line(lines.joined(separator: "\n"))
        case .json:
            log.reportStartup("listening on \(startupInfo.listeningAddress)", ["url": startupInfo.address])
            if let address = startupInfo.metricsAddress {
                log.reportStartup("metrics without a token", ["url": address])
            }
            guard settings.showsSecrets else {
                for line in credentialLines(startupInfo, settings) { log.reportStartup(line) }
                return
            }
            if let key = startupInfo.newIngestKey {
                log.reportStartup("ingest key (shown once)", ["ingest_key": key])
            }
            if let token = startupInfo.newAccessToken {
                log.reportStartup("access token (shown once)", ["access_token": token])
            }
            log.reportStartup(
                "sign in (works once, for ten minutes)", ["sign_in_link": startupInfo.signInLink])
        }
    }

    /// Returns the lines about keys, tokens and sign-in for the start of the server.
    private static func credentialLines(_ startupInfo: Collector.StartupInfo, _ settings: Settings)
        -> [String]
    {
        var lines: [String] = []
        guard settings.showsSecrets else {
            if startupInfo.lacksIngestKey {
                lines.append("there is no ingest key yet: create one with collector key create")
            }
            if startupInfo.lacksAccessToken {
                lines.append("there is no access token yet: create one with collector token create")
            }
            lines.append(
                "this log shows no secrets: sign in with an access token, or set "
                    + "\(Setting.logSecrets.variable)=yes for a sign-in link")
            return lines
        }
        if let key = startupInfo.newIngestKey {
            lines.append("ingest key (shown once)    \(key)")
            lines.append(
                "first report  curl -H 'Authorization: Bearer \(key)' -H 'Content-Type: text/plain' "
                    + "'\(startupInfo.address)/api/v1/reports?app=com.acme.shop&version=5.2.0' "
                    + "-d 'VIEWCONTROLLER STILL IN MEMORY <Shop.CheckoutViewController: 0x7f88acc69260>'")
        }
        if let token = startupInfo.newAccessToken { lines.append("access token (shown once)  \(token)") }
        lines.append("sign in (works once, for ten minutes)  \(startupInfo.signInLink)")
        return lines
    }

    static func publicFolder(_ settings: Settings) throws(SettingError) -> PublicFolder {
        try PublicFolder(publicFolderPath(settings), knownLeaks: settings.knownLeaksFile)
    }

    /// Returns the folder from the settings, else the folder installed with the program, else `Public` beside the program, else
    /// `Public` in the working directory.
    private static func publicFolderPath(_ settings: Settings) throws(SettingError) -> String {
        if let chosen = settings.publicFolder { return chosen }
        let folder = ProcessEnvironment.programFolder
        let candidates = ["\(folder)/../share/collector/Public", "\(folder)/Public", "./Public"]
        for candidate in candidates where unsafe access("\(candidate)/style.css", R_OK) == 0 {
            return candidate
        }
        throw SettingError(
            source: "--public",
            problem:
                "is not set, and there is no Public folder beside the program or in the working directory; name it with --public"
        )
    }
}
