import LeakCollector
import LeakStore

/// The parsed command line.
enum Command: Equatable {
    case serve(flags: [Setting: String])
    case create(
        CredentialKind, name: String, app: String?, environments: String?, role: Credential.Role? = nil,
        flags: [Setting: String])
    case list(CredentialKind, flags: [Setting: String])
    case revoke(CredentialKind, id: Int64, flags: [Setting: String])
    case export(
        folder: String, app: AppScope, referenceTime: Int64?, includesAuditLog: Bool = false,
        flags: [Setting: String])
    case backup(file: String, overwrites: Bool, flags: [Setting: String])
    /// - Parameter file: `nil` for the database of the settings.
    case verify(file: String?, flags: [Setting: String])
    case repair(flags: [Setting: String])
    /// - Parameter file: `-` for standard input.
    case `import`(file: String, name: String?, app: AppScope, version: String?, flags: [Setting: String])
    case erase(install: String, flags: [Setting: String])
    case forget(ForgetCommand)
    case discarded(DiscardedCommand)
    case retention(RetentionCommand)
    case notify(NotifyCommand)
    case merge(MergeCommand)
    case rules(RulesCommand)
    /// - Parameter app: `nil` for all apps.
    case regroup(app: String?, isDryRun: Bool, flags: [Setting: String])
    case copy(flags: [Setting: String])
    case health(flags: [Setting: String])
    case check(CheckCommand)
    case symbols(SymbolsCommand)
    /// - Parameter topic: the command that the text describes; `nil` for all commands and settings.
    case help(topic: HelpTopic?)
    case version

    /// Error for an invalid command line. The description says what would be valid.
    struct UsageError: Error, Equatable, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    /// Parses the command line.
    ///
    /// - Parameter arguments: without the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        if arguments.contains("--help") || arguments.contains("-h") || arguments.first == "help" {
            self = .help(topic: HelpTopic(in: arguments))
            return
        }
        if arguments.first == "--version" || arguments.first == "version" {
            self = .version
            return
        }
        var line = try ParsedArguments(arguments)
        switch line.takeWord() ?? "serve" {
        case "serve": self = .serve(flags: line.settings)
        case "health": self = .health(flags: line.settings)
        case "export":
            guard let folder = line.takeWord() else {
                throw UsageError("export needs a folder: collector export DIR")
            }
            var referenceTime: Int64?
            if let text = line.take("--at") {
                referenceTime = WallClock.milliseconds(rfc3339: text)
                guard referenceTime != nil else {
                    throw UsageError("--at is “\(text)”, must be a time such as 2026-11-20T12:00:00Z")
                }
            }
            self = .export(
                folder: folder, app: line.takeScope(), referenceTime: referenceTime,
                includesAuditLog: try line.takeSwitch("--audit"), flags: line.settings)
        case "backup":
            guard let file = line.takeWord() else {
                throw UsageError("backup needs a file: collector backup FILE")
            }
            self = .backup(file: file, overwrites: try line.takeSwitch("--overwrite"), flags: line.settings)
        case "verify":
            let file = line.takeWord()
            if try line.takeSwitch("--repair") {
                guard file == nil else {
                    throw UsageError(
                        "verify --repair repairs the collector's own database; leave out the file")
                }
                self = .repair(flags: line.settings)
            } else {
                self = .verify(file: file, flags: line.settings)
            }
        case "import":
            guard let file = line.takeWord() else {
                throw UsageError("import needs a file: collector import FILE, or - for standard input")
            }
            self = .import(
                file: file, name: line.take("--name"), app: line.takeScope(),
                version: line.take("--version"),
                flags: line.settings)
        case "erase":
            guard let install = line.takeWord(), !install.isEmpty else {
                throw UsageError("erase needs an install's id: collector erase INSTALL")
            }
            self = .erase(install: install, flags: line.settings)
        case "regroup":
            let app = line.take("--app").flatMap { $0.isEmpty ? nil : $0 }
            self = .regroup(app: app, isDryRun: try line.takeSwitch("--dry-run"), flags: line.settings)
        case "forget":
            if let command = try Self.parseDiscarded(&line) {
                self = command
            } else {
                self = .forget(try Self.parseForget(&line))
            }
        case "retention": self = .retention(RetentionCommand(flags: line.settings))
        case "notify": self = .notify(NotifyCommand(flags: line.settings))
        case "merge":
            let ids = [line.takeWord(), line.takeWord()].compactMap { $0 }
            guard ids.count == 2 else {
                throw UsageError("merge needs two leaks: collector merge LEAK TARGET")
            }
            let leaks = ids.compactMap { LeakID($0) }
            guard leaks.count == 2 else {
                throw UsageError("merge needs the IDs of two leaks, as in the addresses of their pages")
            }
            self = .merge(
                MergeCommand(
                    action: .merge(leaks[0], into: leaks[1], isDryRun: try line.takeSwitch("--dry-run")),
                    flags: line.settings))
        case "unmerge":
            guard let number = line.takeWord().flatMap({ Int64($0) }), number > 0 else {
                throw UsageError("unmerge needs the number of a merge: collector unmerge NUMBER")
            }
            self = .merge(MergeCommand(action: .undo(number), flags: line.settings))
        case "rules": self = .rules(try Self.parseRules(&line))
        case "copy": self = .copy(flags: line.settings)
        case "check": self = .check(try Self.parseCheck(&line))
        case "symbols": self = .symbols(try Self.parseSymbols(&line))
        case "key": self = try Self.parseCredential(.keys, &line)
        case "token": self = try Self.parseCredential(.tokens, &line)
        case let word:
            throw UsageError(
                "there is no command “\(word)”; the commands are serve, key, token, "
                    + "import, export, check, symbols, backup, verify, erase, forget, retention, merge, unmerge, rules, regroup, copy, notify and health"
            )
        }
        try line.finish()
    }

    private static func parseCheck(_ line: inout ParsedArguments) throws(UsageError) -> CheckCommand {
        let scope = line.takeScope()
        guard let app = scope.app, !app.isEmpty, let version = line.take("--version"),
            !version.isEmpty
        else {
            throw UsageError("check needs an app and a version: collector check --app APP --version VERSION")
        }
        let word = line.take("--format") ?? CheckCommand.Format.text.rawValue
        guard let format = CheckCommand.Format(rawValue: word) else {
            throw UsageError("--format is “\(word)”, must be text, json, github, gitlab, junit or markdown")
        }
        let settings = line.settings
        let readsDatabase = settings[.data] != nil || settings[.databaseURL] != nil
        guard settings[.url] == nil || !readsDatabase else {
            throw UsageError(
                "check asks a collector or reads a database: give either --url, or --data or --database-url")
        }
        func nonEmpty(_ flag: String) -> String? { line.take(flag).flatMap { $0.isEmpty ? nil : $0 } }
        var query = ReleaseCheckQuery(
            app: app, environment: scope.environment, version: version, build: nonEmpty("--build"),
            baseline: nonEmpty("--baseline"), baselineBuild: nonEmpty("--baseline-build"))
        for limit in ReleaseCheckRequest.Limit.allCases {
            let flag = "--" + limit.rawValue.replacing("_", with: "-")
            guard let text = nonEmpty(flag) else { continue }
            guard limit.set(text, in: &query) else {
                throw UsageError("\(flag) is “\(text)”, must be \(limit.validValues)")
            }
        }
        return CheckCommand(checkRequest: ReleaseCheckRequest(query), format: format, flags: settings)
    }

    /// Parses the options of `forget` about leaks that are discarded; `nil` if there are none.
    private static func parseDiscarded(_ line: inout ParsedArguments) throws(UsageError) -> Command? {
        if try line.takeSwitch("--list-discarded") {
            return .discarded(DiscardedCommand(action: .list(line.takeScope()), flags: line.settings))
        }
        guard let text = line.take("--accept") else { return nil }
        guard let id = LeakID(text) else {
            throw UsageError(
                "--accept is “\(text)”, must be the ID of a leak, as forget --list-discarded shows it")
        }
        return .discarded(DiscardedCommand(action: .accept(id), flags: line.settings))
    }

    private static func parseForget(_ line: inout ParsedArguments) throws(UsageError) -> ForgetCommand {
        func nonEmpty(_ flag: String) -> String? { line.take(flag).flatMap { $0.isEmpty ? nil : $0 } }
        let (leak, app, version) = (nonEmpty("--leak"), nonEmpty("--app"), nonEmpty("--version"))
        let environment = nonEmpty("--environment")
        let discards = try line.takeSwitch("--discard")
        guard !discards || leak != nil else {
            throw UsageError("--discard needs a leak: collector forget --leak ID --discard")
        }
        let target: ForgetTarget
        switch (leak, app) {
        case (let text?, nil):
            guard let id = LeakID(text) else {
                throw UsageError(
                    "--leak is “\(text)”, must be the ID of a leak, as in the address of its page")
            }
            guard version == nil, environment == nil else {
                throw UsageError(
                    "--leak names one leak in one environment; leave out --version and --environment")
            }
            target = .leak(id)
        case (nil, let name?):
            let key = AppKey(
                name, environment: AppKey.environment(named: environment ?? AppKey.production))
            if let version {
                target = .version(version, of: key)
            } else {
                target = environment == nil ? .app(name) : .environment(key)
            }
        default:
            throw UsageError(
                "forget needs an app or a leak: collector forget --app APP [--environment NAME] [--version VERSION], "
                    + "or collector forget --leak ID")
        }
        return ForgetCommand(
            target: target, isDryRun: try line.takeSwitch("--dry-run"),
            isConfirmed: try line.takeSwitch("--yes"), flags: line.settings, discards: discards)
    }

    private static func parseRules(_ line: inout ParsedArguments) throws(UsageError) -> RulesCommand {
        let word = line.takeWord()
        let scope = line.takeScope()
        guard let name = scope.app, !name.isEmpty else {
            throw UsageError("rules needs an app: collector rules show --app APP")
        }
        let app = AppKey(name, environment: scope.environment)
        if word == "show" { return RulesCommand(action: .show, app: app, flags: line.settings) }
        guard let word, ["check", "set"].contains(word) else {
            throw UsageError("rules needs show, check or set: collector rules check --app APP FILE")
        }
        guard let file = line.takeWord() else {
            throw UsageError(
                "rules \(word) needs a file: collector rules \(word) --app APP FILE, or - for standard input")
        }
        return RulesCommand(
            action: word == "check" ? .check(file: file) : .set(file: file), app: app, flags: line.settings)
    }

    private static func parseSymbols(_ line: inout ParsedArguments) throws(UsageError) -> SymbolsCommand {
        let word = line.takeWord()
        var operands: [String] = []
        while let next = line.takeWord() { operands.append(next) }
        let action: SymbolsCommand.Action
        switch word {
        case "upload":
            guard !operands.isEmpty else {
                throw UsageError("symbols upload needs a file: collector symbols upload FILE…")
            }
            action = .upload(files: operands)
        case "list":
            guard operands.isEmpty else { throw UsageError("“\(operands[0])” is one argument too many") }
            action = .list
        case "remove":
            guard !operands.isEmpty else {
                throw UsageError(
                    "symbols remove needs the ID of an image, which collector symbols list shows")
            }
            action = .remove(images: operands)
        case let word?:
            throw UsageError(
                "there is no subcommand symbols \(word); use symbols upload FILE…, symbols list or symbols remove IMAGE…"
            )
        case nil:
            throw UsageError(
                "symbols needs a subcommand: symbols upload FILE…, symbols list or symbols remove IMAGE…")
        }
        return SymbolsCommand(action: action, flags: line.settings)
    }

    /// Returns `true` if the command line starts the server with a log in JSON. Works even for an invalid command line or
    /// setting, so that the error about it is logged as JSON too.
    ///
    /// - Parameter variable: `COLLECTOR_LOG`.
    static func wantsJSONLog(_ arguments: [String], variable: String?) -> Bool {
        // The other commands write for people, even if `COLLECTOR_LOG` is set for the server.
        guard arguments.first.map({ $0 == "serve" || $0.hasPrefix("-") }) ?? true else { return false }
        let flag = Setting.log.flag ?? ""
        let json = Settings.LogFormat.json.rawValue
        if arguments.contains("\(flag)=\(json)") { return true }
        guard let index = arguments.firstIndex(of: flag) else { return variable == json }
        return arguments.dropFirst(index + 1).first == json
    }

    /// Parses the rest of `key …` and `token …`.
    private static func parseCredential(
        _ kind: CredentialKind, _ line: inout ParsedArguments
    ) throws(UsageError) -> Command {
        let noun = kind.noun
        switch line.takeWord() {
        case "create":
            let app = line.take("--app")
            let environments = kind == .keys ? line.take("--environments") : nil
            let role = kind == .tokens ? try parseRole(line.take("--role"), app: app) : nil
            return .create(
                kind, name: line.take("--name") ?? "unnamed", app: app, environments: environments,
                role: role, flags: line.settings)
        case "list": return .list(kind, flags: line.settings)
        case "revoke":
            guard let word = line.takeWord() else {
                throw UsageError(
                    "\(noun) revoke needs the ID of the \(noun), which collector \(noun) list shows")
            }
            guard let id = Int64(word), id > 0 else {
                throw UsageError(
                    "“\(word)” is not an ID; collector \(noun) list shows the ID of each \(noun)")
            }
            return .revoke(kind, id: id, flags: line.settings)
        case "undo" where kind == .keys: return .forget(try parseUndo(&line))
        case let word?:
            throw UsageError("there is no subcommand \(noun) \(word); use \(subcommands(of: kind))")
        case nil: throw UsageError("\(noun) needs a subcommand: \(subcommands(of: kind))")
        }
    }

    private static func subcommands(of kind: CredentialKind) -> String {
        let noun = kind.noun
        return kind == .keys
            ? "\(noun) create, \(noun) list, \(noun) revoke ID or \(noun) undo ID"
            : "\(noun) create, \(noun) list or \(noun) revoke ID"
    }

    private static func parseUndo(_ line: inout ParsedArguments) throws(UsageError) -> ForgetCommand {
        guard let word = line.takeWord() else {
            throw UsageError("key undo needs the ID of the key, which collector key list shows")
        }
        guard let id = Int64(word), id > 0 else {
            throw UsageError("“\(word)” is not an ID; collector key list shows the ID of each key")
        }
        var since: Int64?
        if let text = line.take("--since") {
            since = ForgetTarget.sinceTime(text)
            guard since != nil else {
                throw UsageError(
                    "--since is “\(text)”, must be a time or a day, such as 2026-11-20T12:00:00Z or 2026-11-20"
                )
            }
        }
        return ForgetCommand(
            target: .key(id, since: since), isDryRun: try line.takeSwitch("--dry-run"),
            isConfirmed: try line.takeSwitch("--yes"), flags: line.settings)
    }

    /// - Parameter app: the only app of the token; `nil` for any app.
    private static func parseRole(_ text: String?, app: String?) throws(UsageError) -> Credential.Role {
        guard let text else {
            throw UsageError("token create needs --role: \(Credential.Role.list)")
        }
        guard let role = Credential.Role(rawValue: text) else {
            throw UsageError("--role is “\(text)”, must be \(Credential.Role.list)")
        }
        guard app == nil || role.canBeLimitedToApp else {
            throw UsageError("--app cannot limit a token of the role \(role.rawValue)")
        }
        return role
    }
}

/// The arguments, split into words and flags.
private struct ParsedArguments {
    private var words: [String] = []
    private var flags: [(name: String, value: String)] = []

    /// The flags that only some commands accept. All commands accept the flags of settings.
    private static let commandFlags =
        [
            "--name", "--role", "--app", "--environment", "--environments", "--version", "--build", "--at",
            "--baseline", "--baseline-build", "--format",
            "--min-devices", "--min-reports", "--max-rate", "--leak", "--since", "--accept",
        ] + switches
    /// Flags that need no value, called switches.
    private static let switches = [
        "--overwrite", "--repair", "--dry-run", "--audit", "--yes", "--discard", "--list-discarded",
    ]

    /// Splits the arguments. A flag's value is the next argument, or follows an equals sign. A switch is on, unless
    /// `no` follows in one of these ways. All arguments after `--` are words, even if they begin with a hyphen.
    init(_ arguments: [String]) throws(Command.UsageError) {
        var remainingArguments = arguments[...]
        while let argument = remainingArguments.popFirst() {
            if argument == "--" {
                words += remainingArguments
                return
            }
            guard argument.hasPrefix("-"), argument.count > 1 else {
                words.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard Self.commandFlags.contains(name) || Setting.allCases.contains(where: { $0.flag == name })
            else {
                throw Command.UsageError("there is no flag \(name)")
            }
            let usesNextArgument =
                !Self.switches.contains(name)
                || remainingArguments.first.map { ["yes", "no"].contains($0) } ?? false
            guard
                let value = parts.count == 2
                    ? String(parts[1]) : usesNextArgument ? remainingArguments.popFirst() : "yes"
            else {
                throw Command.UsageError("\(name) needs a value")
            }
            guard !flags.contains(where: { $0.name == name }) else {
                throw Command.UsageError("\(name) is given twice")
            }
            flags.append((name, value))
        }
    }

    /// Removes and returns the first word; `nil` if none is left.
    mutating func takeWord() -> String? { words.isEmpty ? nil : words.removeFirst() }

    /// Removes a flag from the arguments, and returns its value; `nil` if the flag is not given.
    mutating func take(_ name: String) -> String? {
        guard let index = flags.firstIndex(where: { $0.name == name }) else { return nil }
        return flags.remove(at: index).value
    }

    /// Removes `--app` and `--environment`, and returns their values. Without `--environment`, the environment is production.
    mutating func takeScope() -> AppScope {
        let app = take("--app")
        let environment = take("--environment").flatMap { $0.isEmpty ? nil : $0 }
        return AppScope(app, environment: AppKey.environment(named: environment ?? AppKey.production))
    }

    /// Removes a switch from the arguments. Returns `true` if it is on.
    mutating func takeSwitch(_ name: String) throws(Command.UsageError) -> Bool {
        switch take(name) {
        case "yes": true
        case "no", nil: false
        case let value?: throw Command.UsageError("\(name) is “\(value)”, must be yes or no")
        }
    }

    /// The values of the flags that are settings.
    var settings: [Setting: String] {
        var settings: [Setting: String] = [:]
        for setting in Setting.allCases {
            if let flag = flags.first(where: { $0.name == setting.flag }) { settings[setting] = flag.value }
        }
        return settings
    }

    /// Checks that no arguments are left.
    ///
    /// - Throws: ``Command/UsageError`` if an argument is left, because the command does not accept it.
    func finish() throws(Command.UsageError) {
        if let word = words.first { throw Command.UsageError("“\(word)” is one argument too many") }
        if let flag = flags.first(where: { Self.commandFlags.contains($0.name) }) {
            throw Command.UsageError("\(flag.name) is not an option of this command")
        }
    }
}
