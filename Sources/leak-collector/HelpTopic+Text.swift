import LeakCollector
import LeakStore

extension HelpTopic {
    /// Description of what the command reads, writes and leaves unchanged.
    var details: String {
        switch self {
        case .serve:
            """
            It listens on --host and --port, stores reports in the data folder, and serves the pages. At its
            start it prints its address and a sign-in link; at the first start also an ingest key and an
            access token.
            """
        case .key:
            """
            An app sends reports with an ingest key; a key can do nothing else. create prints the key once:
            only its hash is stored. A running collector notices changes within two seconds.
            undo deletes the apps, versions and leaks that only this key has reported. It prints what is
            deleted and what stays, and asks; without a terminal it needs --yes. It does not revoke the key:
            revoke it first, or its next reports create them again.
            """
        case .token:
            """
            create prints the token once: only its hash is stored. revoke also ends all browser sessions that
            were started with the token. A running collector notices changes within two seconds.
            """
        case .check:
            """
            For each leak, it compares the reports per check of the class with those of the version before.
            A version fails if
              - a leak is worse, with 99 % confidence,
              - a new leak has a significant rate (or, in a class that the older version did not check,
                reaches the limits below),
              - a resolved leak is back.
            Known system leaks and ignored leaks do not count. If a class has too few checks, the
            result is "cannot tell" (exit code 3), and the command prints how many checks are needed. With
            --url it asks a running collector; otherwise it reads the database, even while a server runs on
            it.
            """
        case .symbols:
            """
            upload sends symbols to the collector at --url. It accepts dSYM bundles and folders of them,
            programs and libraries with debug data (ELF, Mach-O) before they are stripped, Breakpad .sym
            files, and the mapping.txt of an Android app. It reads debug data with llvm-dwarfdump, llvm-nm
            and llvm-symbolizer (apt-get install llvm, or brew install llvm).
            Stored leaks get their function names at once. Leaks of several builds that turn out to be one
            leak are merged; this cannot be undone.
            """
        case .export:
            """
            The same data gives the same bytes: timestamps are relative to the last report, or to --at.
            DIR must be new, empty or the folder of an earlier export, and not a link. Files of the earlier
            export are replaced or removed. The command stops rather than overwrite any other file.
            """
        case .import:
            """
            Each line is a report or a batch; - as FILE is standard input. Re-importing the same file within
            7 days does not count lines twice. Two lines are the same if their file (--name, or else the full
            path), line number, bytes, --app, --version and --environment are equal. Reports older than 30
            days are dated 30 days ago; the command prints their number. The limits on names are 10 times
            those of an ingest key.
            """
        case .backup:
            """
            It writes a complete copy of the SQLite database to FILE and checks it. For PostgreSQL use
            pg_dump.
            """
        case .verify:
            """
            It checks that the database is not damaged and that each total is the sum of its parts. It reads
            the database that the settings name, or the backup FILE. --repair recomputes wrong totals; stop
            the server first.
            """
        case .erase:
            """
            It deletes the sample reports of the install and removes it from the sets that count installs.
            Counts of reports stay. INSTALL is the id that the app sent in its reports. Write -- before an
            id that begins with a hyphen.
            """
        case .forget:
            """
            It prints what it would delete, and asks. Without a terminal it needs --yes. --app alone deletes
            the app in all environments; with --environment, in one; with --version, only this version, in
            production unless --environment names another environment. Leaks that were also seen in other
            versions stay, with their decisions. Their counts that are not stored by version become smaller
            in proportion. A leak that is reported again later is a new leak.
            --discard also drops later reports of the leak: they count only as dropped.
            --list-discarded lists such leaks, and --accept counts the reports of a leak again.
            The command can run beside the collector, and can be repeated if it was interrupted. The
            deletion cannot be undone: make a backup first.
            """
        case .notify:
            """
            It reads the addresses from COLLECTOR_NOTIFY, or from the file that COLLECTOR_NOTIFY_FILE names, and
            prints each request, without secrets, and its answer. It needs no database, and no running
            collector.
            """
        case .retention:
            """
            Once an hour, a running collector deletes old sample reports, and leaks and versions that have
            not been seen for a long time. It also combines old daily counts into weekly counts. The command
            prints what the next run deletes of each app, and changes nothing. Give it the same settings as
            the collector. It can run beside the collector.
            """
        case .merge:
            """
            It merges LEAK into TARGET: counts, installs, sample reports and decisions. Later reports of LEAK
            count for TARGET, and links to LEAK lead to TARGET. Both must belong to the same app and
            environment. The command prints the number with which collector unmerge undoes the merge.
            The command can run beside the collector.
            """
        case .unmerge:
            """
            It makes the merged leak a leak of its own again, with its counts, installs, sample reports and
            decisions, except those that were deleted or have expired since. Reports since the merge stay
            with the other leak. Of several merges into one leak, the newest must be undone first. The page
            of that leak and /api/v1/merges show the numbers.
            The command can run beside the collector.
            """
        case .rules:
            """
            show prints the grouping rules of the app. check lists the leaks whose later reports the rules
            in FILE would put into another group, and changes nothing. set saves the rules as a new version.
            They apply to reports that arrive from then on, in all environments of the app; a running
            collector notices the change within two seconds. - as FILE is standard input.
            The commands can run beside the collector.
            """
        case .regroup:
            """
            It groups the sample reports of each leak again by the current rules. If all of them belong to
            one other leak, it merges the two: counts, installs, sample reports, decisions and history. The
            most recent decision stays in force, and the history names it. Old addresses lead to the merged
            leak.
            The command can run beside the collector. A merge cannot be undone: make a backup first.
            """
        case .copy:
            """
            It copies everything in the data folder into the database at URL and checks the copy. Stop the
            collector first. The data folder stays as it is.
            """
        case .health:
            """
            It asks at --host and --port if one of them is given; otherwise at the address that a running
            collector wrote into the data folder; otherwise at COLLECTOR_HOST and COLLECTOR_PORT.
            """
        }
    }

    /// The roles of a token, a line each.
    private static var roles: String {
        Credential.Role.allCases.map { role in
            let name = role.rawValue + String(repeating: " ", count: 8 - role.rawValue.count)
            return String(repeating: " ", count: 26) + "\(name) \(role.summary)"
        }.joined(separator: "\n")
    }

    var options: String {
        let database = """
              --data DIR              data folder (default: ./data)
              --database-url URL      PostgreSQL database instead of the data folder
            """
        let general = "  All other settings are in collector --help."
        let commandOptions: String =
            switch self {
            case .serve: "  All settings are in collector --help."
            case .key:
                """
                  --name NAME             name for the list of keys (default: unnamed)
                  --app APP               accept reports of this app only, such as com.acme.shop
                  --environments NAMES    accept reports of these environments only, such as ci,debug
                  --since TIME            undo only what was made since this time or day by the clock of the
                                          collector, such as 2026-11-20T12:00:00Z or 2026-11-20
                  --dry-run               print what would be deleted, and delete nothing
                  --yes                   do not ask
                \(database)
                """
            case .token:
                """
                  --name NAME             name that the history of a leak shows for decisions with this token
                                          (default: unnamed)
                  --role ROLE             what the token may do (required):
                \(Self.roles)
                  --app APP               limit a viewer, triager or check token to this app
                \(database)
                """
            case .check:
                """
                  --app APP               app id, such as com.acme.shop (required)
                  --version VERSION       version to check (required)
                  --environment NAME      environment that the reports came from (default: production)
                  --build BUILD           build of the version (default: all its builds)
                  --baseline VERSION      older version to compare with (default: the previous version; with
                                          --build, the previous build)
                  --baseline-build BUILD  compare with this build of the version in --baseline (default: all
                                          its builds). Without --baseline: with this build of --version
                  --format FORMAT         text (default), json, github (annotations), gitlab (code quality),
                                          junit or markdown (for a comment)
                  --url URL               collector to ask; needs COLLECTOR_ACCESS_TOKEN
                \(database)
                  A leak in a class that the older version did not check fails the version if it reaches all
                  three of these limits:
                  --min-devices NUMBER    installs with the leak (default: 2)
                  --min-reports NUMBER    reports of the leak (default: 3)
                  --max-rate RATE         reports of the leak per check of its class (default: 0.05). A version
                                          passes only if it has enough checks to notice a new leak with
                                          this rate
                """
            case .symbols: "  --url URL               collector to send to; needs COLLECTOR_ACCESS_TOKEN"
            case .export:
                """
                  --app APP               only the pages of this app
                  --environment NAME      only the leaks of this environment (default: production)
                  --at TIME               the time of the pages, such as 2026-11-20T12:00:00Z, not before
                                          the last report (default: the time of the last report)
                  --audit                 write the audit log too (audit.json): it has names of people and
                                          addresses, so do not publish it
                \(database)
                """
            case .import:
                """
                  --app APP               app of reports that name no app
                  --version VERSION       version of reports that name no version
                  --environment NAME      environment of reports that name none (default: production)
                  --name NAME             name that identifies the lines in a repeated import
                \(database)
                """
            case .backup:
                """
                  --overwrite             replace FILE if it exists
                  --data DIR              data folder (default: ./data)
                """
            case .verify:
                """
                  --repair                recompute inconsistent totals
                \(database)
                """
            case .erase: database
            case .forget:
                """
                  --app APP               app to delete
                  --environment NAME      only this environment of the app
                  --version VERSION       only this version (default environment: production)
                  --leak ID               leak to delete, as in the address of its page
                  --discard               drop later reports of the leak too
                  --list-discarded        list the discarded leaks of an app, or of all apps
                  --accept ID             count the reports of a discarded leak again
                  --dry-run               print what would be deleted, and delete nothing
                  --yes                   do not ask
                \(database)
                """
            case .notify:
                """
                  --notify-private yes    send also to addresses in private networks, and through a proxy
                  --url URL               address of the collector, for the text of the message
                """
            case .retention:
                """
                  --sample-days DAYS      days after which sample reports are deleted (default: 90)
                  --unseen-days DAYS      days after which leaks and versions that were not seen are deleted
                                          (default: 400)
                  --daily-days DAYS       days for which reports are counted by day (default: 400)
                \(database)
                """
            case .merge:
                """
                  --dry-run               print what would be merged, and merge nothing
                \(database)
                """
            case .unmerge: database
            case .rules:
                """
                  --app APP               app of the rules (required)
                  --environment NAME      environment whose leaks check compares (default: production)
                \(database)
                """
            case .regroup:
                """
                  --dry-run               list the merges and change nothing
                  --app APP               only leaks of this app
                \(database)
                """
            case .copy:
                """
                  --database-url URL      empty PostgreSQL database, such as postgres://user@host/leaks
                  --data DIR              data folder to copy (default: ./data)
                """
            case .health:
                """
                  --host HOST             address of the collector
                  --port PORT             port of the collector
                  --data DIR              data folder of the collector (default: ./data)
                """
            }
        return [commandOptions, self == .serve ? nil : general].compactMap(\.self).joined(separator: "\n")
    }

    var examples: String {
        switch self {
        case .serve:
            """
              collector serve --port 9000 --data /var/lib/collector
              collector serve --host 0.0.0.0 --url https://leaks.example.com --log json
            """
        case .key:
            """
              collector key create --name shop --app com.acme.shop
              collector key revoke 3
              collector key undo 3 --since 2026-11-20 --dry-run
            """
        case .token:
            """
              collector token create --name ann --role triager
              collector token create --name ci --role check --app com.acme.shop
              collector token revoke 2
            """
        case .check:
            """
              collector check --app com.acme.shop --version 5.2.0
              collector check --app com.acme.shop --version 5.2.0 --url https://leaks.example.com \\
                --format github
              collector check --app com.acme.shop --version 5.2.0 --build 895
            """
        case .symbols:
            """
              collector symbols upload --url https://leaks.example.com Shop.app.dSYM
              collector symbols list --url https://leaks.example.com
            """
        case .export: "  collector export ./site --app com.acme.shop"
        case .import:
            """
              collector import reports.jsonl --app com.acme.shop --version 5.2.0
              zcat reports.jsonl.gz | collector import - --name reports-november
            """
        case .backup: "  collector backup /backups/leaks.sqlite --overwrite"
        case .verify:
            """
              collector verify
              collector verify /backups/leaks.sqlite
            """
        case .erase: "  collector erase 7F3C9A52-1B0E-4C55-9A51-2D0F5C8E6B11"
        case .forget:
            """
              collector forget --app com.acme.shop --version 5.3.0-pr417 --dry-run
              collector forget --app com.acme.shop --environment debug --yes
              collector forget --leak 0f6a3b5c7d9e1f2030405060708090a0 --discard
            """
        case .retention: "  collector retention --unseen-days 200"
        case .notify: "  COLLECTOR_NOTIFY=https://ntfy.sh/my-leaks collector notify"
        case .merge:
            """
              collector merge 0f6a3b5c7d9e1f2030405060708090a0 7d3e9f10a2b4c6d8e0f1a3b5c7d9e1f2 --dry-run
            """
        case .unmerge: "  collector unmerge 7"
        case .rules:
            """
              collector rules show --app com.acme.shop > shop.rules
              collector rules check --app com.acme.shop shop.rules
              collector rules set --app com.acme.shop shop.rules
            """
        case .regroup: "  collector backup before.sqlite && collector regroup --dry-run"
        case .copy: "  collector copy --database-url postgres://user@host/leaks"
        case .health: "  collector health --port 9000"
        }
    }

    var exitCodes: String {
        let usual = """
              0  done
              1  failed; standard error says why
              2  wrong command line or setting
            """
        let withDatabase = usual + "\n  3  the database is in use"
        return switch self {
        case .serve:
            """
              0    stopped by SIGTERM or SIGINT; open requests had up to 5 seconds
              1    could not start; standard error says why
              2    wrong command line or setting
              3    the port or the data folder is in use
              143  a second signal stopped it at once (128 + signal; 130 after SIGINT)
            """
        case .check:
            """
              0  no leak is worse than in the older version
              1  a leak is worse, new or back
              2  wrong command line or setting, or the version has no reports
              3  cannot tell: too few checks, or no older version
              4  no collector answered; standard error says why
            """
        case .import:
            """
              0  all lines were counted, now or before
              1  lines were rejected, or the import failed; standard error says why
              2  wrong command line or setting
              3  the database is in use
            """
        case .backup: withDatabase + "\n  4  the copy was written, but its totals are inconsistent"
        case .verify:
            """
              0  sound, or repaired
              1  damaged, or the check failed; standard error says why
              2  wrong command line or setting
              3  the database is in use
              4  inconsistent totals
            """
        case .health:
            """
              0  the collector answers and can count reports
              1  no answer, or the collector cannot count reports; standard error says why
              2  wrong command line or setting
            """
        case .notify:
            """
              0  all messages were accepted
              1  a message failed; the output says why
              2  wrong command line or setting, or no channel
            """
        case .symbols: usual
        case .key, .token, .export, .erase, .forget, .retention, .merge, .unmerge, .rules, .regroup,
            .copy:
            withDatabase
        }
    }
}
