import LeakCollector

/// The text of `--help`.
enum Usage {
    static var text: String {
        """
        collector takes leak messages, groups them by class and stack, and shows them.

        usage:
          collector [serve] [settings]                    listen, until SIGTERM or SIGINT
          collector key create [--name NAME] [--app APP]  make an ingest key and print it once; --app binds it
          collector key list                              every ingest key, without the secret
          collector key revoke NUMBER                     refuse a key from now on
          collector token create [--name NAME]            make an access token and print it once: it reads,
                                                          decides, makes keys and erases installs
          collector token list
          collector token revoke NUMBER                   refuse a token, and sign out who signed in with it
          collector export DIR [--app APP] [--at TIME]    write the pages and their JSON as plain files
          collector import FILE [--app APP] [--version V] [--name NAME]
                                                          count reports from a file of JSON lines, or from - (standard input)
          collector check --app APP --version VERSION [--baseline VERSION] [--format text|json|github]
                                                          whether a version brings new or regressed leaks
          collector symbols upload FILE…                  give the collector at --url the names of functions in a build
          collector symbols list                          the images whose functions it can name
          collector symbols remove IMAGE…                 forget the names of an image
          collector backup FILE [--overwrite]             copy the database, checked, while the collector runs
          collector verify [FILE]                         check the database, or a backup, and that totals are sums
          collector verify --repair                       make every total the sum of its parts, while no collector runs
          collector erase INSTALL                         forget an install: its reports, and it in counts of installs
          collector regroup [--dry-run] [--app APP]       merge leaks that older rules made into those that their
                                                          reports go to now
          collector copy --database-url URL               copy the data folder into an empty PostgreSQL database
          collector health                                exit 0 when the collector answers: the one on --host and --port,
                                                          else the one that runs on the data folder
          collector --version

        import counts a line once within seven days, known by NAME (else the file's full path, or -), its number and its
        bytes, with --app and --version: it may be repeated, and another file at the same path needs a NAME of its own.
        Reports older than 30 days count 30 days ago, and it says how many; the limits on names are ten times a key's.

        export writes the same bytes for the same data: its pages speak of the moment when a report came last, or of --at
        (2026-11-20T12:00:00Z). DIR is new, empty, or that of an earlier export, and no link. The command
        removes what the earlier export wrote and this one did not; it ends where another file or a link is in its way.

        regroup groups the reports that are kept of each leak anew. Where all of a leak's go to one other leak, it merges
        the two: counts, installs, kept reports, decisions and history. The most recent decision holds; the history says
        which. Old addresses lead to the merged leak. It runs beside the collector, and a merge cannot be undone.
        Example: collector backup before.sqlite && collector regroup --dry-run --app com.acme.shop

        check asks the collector at --url (with COLLECTOR_ACCESS_TOKEN) or, without one or with --data, looks
        into the database, also while a server runs on it. It compares with --baseline, else with the version before, and
        leaves out known system leaks and ignored ones. It ends with 0 when there is no new and no regressed leak, 1 when
        there are some, and 2 when it cannot tell. --format github annotates a run of GitHub Actions.

        symbols speaks to the collector at --url with COLLECTOR_ACCESS_TOKEN. upload takes dSYM bundles and folders of them,
        programs and libraries with debug data (ELF, Mach-O), as they are before they are stripped, Breakpad .sym files and
        the mapping.txt of an Android app. It reads debug data with llvm-dwarfdump, llvm-nm and llvm-symbolizer (apt-get install llvm, brew install llvm). What is
        stored gets its names at once; leaks of several builds that turn out to be one are merged, which cannot be undone.
        Example: collector symbols upload --url https://leaks.example.com Shop.app.dSYM

        settings, each by flag or by environment variable (the flag wins):
        \(settings)
        secrets come from the environment alone, so that no list of processes shows them:
        \(secrets)
        \(files)
        name a file that holds the value in its place.

        exit codes: 0 done, 1 could not (a line on standard error says why; of check: leaks), 2 misuse, 3 port or folder in use,
        4 totals are not the sums of their parts (verify, and backup, which keeps its copy);
        serve ends with 0 on SIGTERM or SIGINT, once what is in flight is answered (5 seconds at most); a second
        signal ends it at once with 128 and the signal's number (143, 130); SIGHUP is ignored

        """
    }

    private static var settings: String {
        table(
            Setting.allCases.compactMap { setting in
                setting.flag.map { ("\($0) \(setting.variable)", setting) }
            })
    }

    private static var secrets: String {
        table(Setting.allCases.filter { $0.flag == nil }.map { ($0.variable, $0) })
    }

    private static var files: String {
        Setting.allCases.compactMap(\.fileVariable).joined(separator: ", ")
    }

    private static func table(_ rows: [(String, Setting)]) -> String {
        let width = 36
        return rows.map { name, setting in
            let padding = String(repeating: " ", count: max(1, width - name.count))
            return "  \(name)\(padding)\(setting.meaning)\n"
                + "  \(String(repeating: " ", count: width))default: \(setting.fallback)\n"
        }.joined()
    }
}
