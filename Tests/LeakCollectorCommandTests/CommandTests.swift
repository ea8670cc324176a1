import Foundation
import LeakCollector
import LeakStore
import Testing

@testable import leak_collector

@Suite struct CommandTests {
    @Test(arguments: [
        ([], Command.serve(flags: [:])),
        (["serve"], .serve(flags: [:])),
        (["--port", "0"], .serve(flags: [.port: "0"])),
        (["serve", "--port=9000", "--host", "::1"], .serve(flags: [.port: "9000", .host: "::1"])),
        (["health", "--port", "9000"], .health(flags: [.port: "9000"])),
        (["key", "create"], .create(.keys, name: "unnamed", app: nil, environments: nil, flags: [:])),
        (
            ["key", "create", "--name", "shop", "--app", "com.acme.shop", "--data", "/d"],
            .create(.keys, name: "shop", app: "com.acme.shop", environments: nil, flags: [.data: "/d"])
        ),
        (["key", "list"], .list(.keys, flags: [:])),
        (
            ["token", "create", "--name", "ann", "--role", "admin"],
            .create(.tokens, name: "ann", app: nil, environments: nil, role: .admin, flags: [:])
        ),
        (
            ["token", "create", "--name", "ci", "--role=check", "--app", "a"],
            .create(.tokens, name: "ci", app: "a", environments: nil, role: .check, flags: [:])
        ),
        (["token", "revoke", "2"], .revoke(.tokens, id: 2, flags: [:])),
        (["key", "revoke", "3"], .revoke(.keys, id: 3, flags: [:])),
        (["export", "out", "--app", "a"], .export(folder: "out", app: "a", referenceTime: nil, flags: [:])),
        (
            ["export", "out", "--at", "2026-11-20T12:00:00Z"],
            .export(folder: "out", app: nil, referenceTime: 1_795_176_000_000, flags: [:])
        ),
        (
            ["export", "out", "--audit"],
            .export(folder: "out", app: nil, referenceTime: nil, includesAuditLog: true, flags: [:])
        ),
        (["backup", "f"], .backup(file: "f", overwrites: false, flags: [:])),
        (["backup", "f", "--overwrite=yes"], .backup(file: "f", overwrites: true, flags: [:])),
        (["backup", "--overwrite", "f"], .backup(file: "f", overwrites: true, flags: [:])),
        (["backup", "--overwrite", "no", "f"], .backup(file: "f", overwrites: false, flags: [:])),
        (["verify", "--repair", "--data", "/d"], .repair(flags: [.data: "/d"])),
        (["verify", "--data", "/d"], .verify(file: nil, flags: [.data: "/d"])),
        (["verify", "f"], .verify(file: "f", flags: [:])),
        (["import", "-", "--app", "a"], .import(file: "-", name: nil, app: "a", version: nil, flags: [:])),
        (
            ["import", "f", "--name", "n", "--version", "5.2"],
            .import(file: "f", name: "n", app: nil, version: "5.2", flags: [:])
        ),
        (["erase", "i"], .erase(install: "i", flags: [:])),
        (["erase", "--data", "/d", "--", "--at"], .erase(install: "--at", flags: [.data: "/d"])),
        (["regroup"], .regroup(app: nil, isDryRun: false, flags: [:])),
        (
            ["regroup", "--dry-run", "--app", "a", "--data", "/d"],
            .regroup(app: "a", isDryRun: true, flags: [.data: "/d"])
        ),
        (
            ["forget", "--app", "a", "--dry-run", "--data", "/d"],
            .forget(
                ForgetCommand(target: .app("a"), isDryRun: true, isConfirmed: false, flags: [.data: "/d"]))
        ),
        (
            ["forget", "--app", "a", "--environment", "debug", "--yes"],
            .forget(
                ForgetCommand(
                    target: .environment(AppKey("a", environment: "debug")), isDryRun: false,
                    isConfirmed: true,
                    flags: [:]))
        ),
        (
            ["forget", "--app", "a", "--version", "5.2", "--yes"],
            .forget(
                ForgetCommand(
                    target: .version("5.2", of: "a"), isDryRun: false, isConfirmed: true, flags: [:]))
        ),
        (
            ["key", "undo", "7", "--since", "2026-11-20", "--dry-run"],
            .forget(
                ForgetCommand(
                    target: .key(7, since: 1_795_132_800_000), isDryRun: true, isConfirmed: false, flags: [:])
            )
        ),
        (
            ["forget", "--leak", "000000000000000a0000000000000001", "--discard"],
            .forget(
                ForgetCommand(
                    target: .leak(LeakID(high: 10, low: 1)), isDryRun: false, isConfirmed: false, flags: [:],
                    discards: true))
        ),
        (
            ["retention", "--unseen-days", "500", "--data", "/d"],
            .retention(RetentionCommand(flags: [.unseenDays: "500", .data: "/d"]))
        ),
        (
            ["notify", "--notify-private", "yes"],
            .notify(NotifyCommand(flags: [.notifyPrivate: "yes"]))
        ),
        (
            ["forget", "--list-discarded", "--app", "a"],
            .discarded(DiscardedCommand(action: .list("a"), flags: [:]))
        ),
        (
            ["forget", "--accept", "000000000000000a0000000000000001"],
            .discarded(DiscardedCommand(action: .accept(LeakID(high: 10, low: 1)), flags: [:]))
        ),
        (
            ["forget", "--leak", "000000000000000a0000000000000001"],
            .forget(
                ForgetCommand(
                    target: .leak(LeakID(high: 10, low: 1)), isDryRun: false, isConfirmed: false, flags: [:]))
        ),
        (
            [
                "merge", "000000000000000a0000000000000001", "000000000000000a0000000000000002", "--dry-run",
            ],
            .merge(
                MergeCommand(
                    action: .merge(LeakID(high: 10, low: 1), into: LeakID(high: 10, low: 2), isDryRun: true),
                    flags: [:]))
        ),
        (["unmerge", "7"], .merge(MergeCommand(action: .undo(7), flags: [:]))),
        (
            ["rules", "show", "--app", "a"], .rules(RulesCommand(action: .show, app: "a", flags: [:]))
        ),
        (
            ["rules", "check", "--app", "a", "--environment", "debug", "-"],
            .rules(
                RulesCommand(
                    action: .check(file: "-"), app: AppKey("a", environment: "debug"), flags: [:]))
        ),
        (
            ["rules", "set", "shop.rules", "--app=a"],
            .rules(RulesCommand(action: .set(file: "shop.rules"), app: "a", flags: [:]))
        ),
        (["copy", "--data", "/d"], .copy(flags: [.data: "/d"])),
        (
            ["check", "--app", "a", "--version", "5.2"],
            .check(
                CheckCommand(
                    checkRequest: ReleaseCheckRequest(ReleaseCheckQuery(app: "a", version: "5.2")),
                    format: .text, flags: [:]))
        ),
        (
            [
                "check", "--app=a", "--version=5.2", "--build=895", "--baseline=5.1", "--format=github",
                "--url",
                "https://b",
            ],
            .check(
                CheckCommand(
                    checkRequest: ReleaseCheckRequest(
                        ReleaseCheckQuery(app: "a", version: "5.2", build: "895", baseline: "5.1")),
                    format: .github,
                    flags: [.url: "https://b"]))
        ),
        (
            ["symbols", "upload", "Shop.app.dSYM", "libshop.so", "--url", "https://leaks.example.com"],
            .symbols(
                SymbolsCommand(
                    action: .upload(files: ["Shop.app.dSYM", "libshop.so"]),
                    flags: [.url: "https://leaks.example.com"]))
        ),
        (["symbols", "list"], .symbols(SymbolsCommand(action: .list, flags: [:]))),
        (["symbols", "remove", "A"], .symbols(SymbolsCommand(action: .remove(images: ["A"]), flags: [:]))),
        (["--version"], .version),
        (["serve", "--help"], .help(topic: .serve)),
        (["check", "--app", "a", "--help"], .help(topic: .check)),
        (["help", "key"], .help(topic: .key)), (["-h"], .help(topic: nil)), (["help"], .help(topic: nil)),
    ])
    func `each valid command line is parsed`(arguments: [String], command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [
        (
            ["sreve"],
            "there is no command “sreve”; the commands are serve, key, token, import, export, check, symbols, "
                + "backup, verify, erase, forget, retention, merge, unmerge, rules, regroup, copy, notify and health"
        ),
        (
            ["forget", "--version", "1"],
            "forget needs an app or a leak: collector forget --app APP [--environment NAME] [--version VERSION], "
                + "or collector forget --leak ID"
        ),
        (
            ["forget", "--leak", "x"],
            "--leak is “x”, must be the ID of a leak, as in the address of its page"
        ),
        (
            ["forget", "--leak", "000000000000000a0000000000000001", "--version", "1"],
            "--leak names one leak in one environment; leave out --version and --environment"
        ),
        (["--prot", "1"], "there is no flag --prot"),
        (["--port"], "--port needs a value"),
        (["--port", "1", "--port", "2"], "--port is given twice"),
        (["serve", "now"], "“now” is one argument too many"),
        (["key"], "key needs a subcommand: key create, key list, key revoke ID or key undo ID"),
        (
            ["key", "make"],
            "there is no subcommand key make; use key create, key list, key revoke ID or key undo ID"
        ),
        (["key", "undo"], "key undo needs the ID of the key, which collector key list shows"),
        (
            ["key", "undo", "7", "--since", "x"],
            "--since is “x”, must be a time or a day, such as 2026-11-20T12:00:00Z or 2026-11-20"
        ),
        (
            ["token", "undo", "7"],
            "there is no subcommand token undo; use token create, token list or token revoke ID"
        ),
        (
            ["forget", "--app", "a", "--discard"],
            "--discard needs a leak: collector forget --leak ID --discard"
        ),
        (
            ["forget", "--accept", "x"],
            "--accept is “x”, must be the ID of a leak, as forget --list-discarded shows it"
        ),
        (["key", "revoke"], "key revoke needs the ID of the key, which collector key list shows"),
        (["key", "revoke", "x"], "“x” is not an ID; collector key list shows the ID of each key"),
        (["key", "list", "--app", "a"], "--app is not an option of this command"),
        (["token", "create"], "token create needs --role: viewer, triager, admin, check or symbols"),
        (
            ["token", "create", "--role", "owner"],
            "--role is “owner”, must be viewer, triager, admin, check or symbols"
        ),
        (
            ["token", "create", "--role", "admin", "--app", "a"],
            "--app cannot limit a token of the role admin"
        ),
        (["key", "create", "--role", "admin"], "--role is not an option of this command"),
        (["token"], "token needs a subcommand: token create, token list or token revoke ID"),
        (["backup"], "backup needs a file: collector backup FILE"),
        (["backup", "f", "--overwrite=1"], "--overwrite is “1”, must be yes or no"),
        (
            ["verify", "f", "--repair"],
            "verify --repair repairs the collector's own database; leave out the file"
        ),
        (["verify", "f", "--overwrite", "yes"], "--overwrite is not an option of this command"),
        (["import"], "import needs a file: collector import FILE, or - for standard input"),
        (["regroup", "now"], "“now” is one argument too many"),
        (["regroup", "--dry-run=maybe"], "--dry-run is “maybe”, must be yes or no"),
        (["erase"], "erase needs an install's id: collector erase INSTALL"),
        (
            ["export", "out", "--at", "noon"],
            "--at is “noon”, must be a time such as 2026-11-20T12:00:00Z"
        ),
        (["export"], "export needs a folder: collector export DIR"),
        (["check"], "check needs an app and a version: collector check --app APP --version VERSION"),
        (
            ["check", "--app", "a", "--version", ""],
            "check needs an app and a version: collector check --app APP --version VERSION"
        ),
        (
            ["check", "--app", "a", "--version", "1", "--format", "xml"],
            "--format is “xml”, must be text, json, github, gitlab, junit or markdown"
        ),
        (
            ["check", "--app", "a", "--version", "1", "--url", "https://b", "--data", "d"],
            "check asks a collector or reads a database: give either --url, or --data or --database-url"
        ),
        (
            ["check", "--app", "a", "--version", "1", "--name", "n"],
            "--name is not an option of this command"
        ),
        (["check", "--app", "a", "--version", "1", "--token", "t"], "there is no flag --token"),
        (["copy", "d"], "“d” is one argument too many"),
        (
            ["symbols"],
            "symbols needs a subcommand: symbols upload FILE…, symbols list or symbols remove IMAGE…"
        ),
        (["symbols", "upload"], "symbols upload needs a file: collector symbols upload FILE…"),
        (["symbols", "list", "x"], "“x” is one argument too many"),
        (
            ["symbols", "remove"],
            "symbols remove needs the ID of an image, which collector symbols list shows"
        ),
        (["symbols", "upload", "a", "--app", "b"], "--app is not an option of this command"),
    ])
    func `each invalid command line is rejected with a reason`(arguments: [String], words: String) {
        #expect(throws: Command.UsageError(words)) { try Command(arguments) }
    }

    @Test func `the page of settings in docs describes each setting as the program does`() throws {
        let page = URL(fileURLWithPath: CollectorProcess.publicFolder).deletingLastPathComponent()
            .appendingPathComponent("docs/CONFIGURATION.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for setting in Setting.allCases {
            let flag = setting.flag.map { "`\($0)`" } ?? ""
            let row =
                "| \(flag) | `\(setting.variable)` | \(setting.defaultDescription) | \(setting.meaning) |"
            #expect(text.contains(row), "\(row)")
        }
    }

    @Test(arguments: HelpTopic.allCases)
    func `the help of a command has all sections, and describes only that command`(topic: HelpTopic) {
        let help = topic.text
        #expect(help.hasPrefix("collector \(topic.rawValue): "))
        for section in ["usage", "options", "examples", "exit codes"] {
            #expect(help.contains("\n\n\(section):\n  "), "\(section)")
        }
        #expect(help.contains("examples:\n  ") && help.contains("collector \(topic.rawValue)"))
        #expect(!help.contains("settings, each by flag"))
        for line in help.split(separator: "\n") { #expect(line.count <= 104, "\(line)") }
    }

    @Test func `the general help names every command, flag, variable and default`() {
        let help = Usage.text
        for word in [
            "serve", "check", "--baseline", "--format", "key create", "key list", "key revoke",
            "token create", "export", "import", "backup",
            "verify",
            "erase", "copy", "health", "--version",
        ] {
            #expect(help.contains(word))
        }
        for topic in HelpTopic.allCases {
            for line in topic.usage { #expect(help.contains(line), "\(line)") }
        }
        for line in help.split(separator: "\n") where line.count > Usage.width {
            #expect(line.hasPrefix("      default: "), "\(line)")
        }
        // Tokens are not flags, because the list of processes would show them.
        #expect(!help.contains("--token"))
        for setting in Setting.allCases {
            #expect(help.contains(setting.variable))
            #expect(help.contains("default: \(setting.defaultDescription)"))
            if let flag = setting.flag { #expect(help.contains("\(flag) ")) }
        }
    }
}
