/// A command with its own help text: `collector check --help`.
enum HelpTopic: String, CaseIterable {
    case serve, key, token, check, symbols, export
    case `import`
    case backup, verify, erase, forget, retention, merge, unmerge, rules, regroup, copy, notify, health

    /// Finds the command that a command line names, even if the rest of the line is wrong.
    ///
    /// - Returns: `nil` if no command is named.
    init?(in arguments: [String]) {
        guard let topic = arguments.lazy.compactMap(HelpTopic.init(rawValue:)).first else { return nil }
        self = topic
    }

    var text: String {
        """
        \(Usage.wrapped("collector \(rawValue): \(summary)", indent: 0))

        usage:
        \(usage.map { "  \($0)" }.joined(separator: "\n"))

        \(details)

        options:
        \(options)

        examples:
        \(examples)

        exit codes:
        \(exitCodes)

        """
    }

    /// Description of the command, in one sentence without a period.
    var summary: String {
        switch self {
        case .serve: "run the collector until SIGTERM or SIGINT; the default command"
        case .key: "create, list, revoke and undo ingest keys; --app restricts a key to one app"
        case .token:
            "create, list and revoke access tokens for people and programs; --role says what a token may do"
        case .check: "exit 1 if a release leaks more than the version before it"
        case .symbols: "give the collector function names for stripped builds"
        case .export: "write the pages and their JSON as plain files"
        case .import: "count reports from a file of JSON lines, or from standard input (-)"
        case .backup: "copy the database while the collector runs, and check the copy"
        case .verify:
            "check the database or a backup; --repair recomputes inconsistent totals (stop the server first)"
        case .erase: "delete an install's data (GDPR erasure)"
        case .forget: "delete a leak, a version, an environment, or an app"
        case .retention: "print what is deleted at which age, and what the next run deletes"
        case .merge: "merge a leak into another leak of its app"
        case .unmerge: "undo a merge by hand"
        case .rules: "print, check and save the grouping rules of an app"
        case .regroup: "merge leaks of older grouping rules into the leaks that their reports belong to now"
        case .copy: "copy the data folder into an empty PostgreSQL database"
        case .notify: "send a test message to each notification channel"
        case .health: "exit 0 if the collector answers"
        }
    }

    var usage: [String] {
        switch self {
        case .serve: ["collector [serve] [settings]"]
        case .key:
            [
                "collector key create [--name NAME] [--app APP] [--environments NAMES]", "collector key list",
                "collector key revoke ID", "collector key undo ID [--since TIME] [--dry-run] [--yes]",
            ]
        case .token:
            [
                "collector token create --role ROLE [--name NAME] [--app APP]", "collector token list",
                "collector token revoke ID",
            ]
        case .check:
            [
                "collector check --app APP --version VERSION [--build BUILD] [--baseline VERSION]",
                "                [--environment NAME] [--format FORMAT]",
            ]
        case .symbols:
            [
                "collector symbols upload FILE…", "collector symbols list",
                "collector symbols remove IMAGE…",
            ]
        case .export: ["collector export DIR [--app APP] [--environment NAME] [--at TIME] [--audit]"]
        case .import:
            [
                "collector import FILE [--app APP] [--version VERSION] [--environment NAME] [--name NAME]"
            ]
        case .backup: ["collector backup FILE [--overwrite]"]
        case .verify: ["collector verify [FILE]", "collector verify --repair"]
        case .erase: ["collector erase INSTALL"]
        case .forget:
            [
                "collector forget --app APP [--environment NAME] [--version VERSION] [--dry-run] [--yes]",
                "collector forget --leak ID [--discard] [--dry-run] [--yes]",
                "collector forget --list-discarded [--app APP] [--environment NAME]",
                "collector forget --accept ID",
            ]
        case .retention: ["collector retention"]
        case .merge: ["collector merge LEAK TARGET [--dry-run]"]
        case .unmerge: ["collector unmerge NUMBER"]
        case .rules:
            [
                "collector rules show --app APP", "collector rules check --app APP [--environment NAME] FILE",
                "collector rules set --app APP FILE",
            ]
        case .regroup: ["collector regroup [--dry-run] [--app APP]"]
        case .copy: ["collector copy --database-url URL"]
        case .notify: ["collector notify"]
        case .health: ["collector health [--host HOST] [--port PORT]"]
        }
    }
}
