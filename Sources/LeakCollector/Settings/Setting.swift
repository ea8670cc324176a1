/// A setting of the collector, given by flag or by environment variable. This is the only list of settings: the
/// parser, `--help` and the table of docs/CONFIGURATION.md use it.
public enum Setting: String, CaseIterable, Sendable {
    case host, port, data
    case databaseURL = "database-url"
    case databaseBytes = "database-bytes"
    case sampleDays = "sample-days"
    case unseenDays = "unseen-days"
    case dailyDays = "daily-days"
    case backup
    case backupInterval = "backup-interval"
    case backupCount = "backup-count"
    case `public`, url
    case trustedOrigins = "trusted-origins"
    case trustedProxies = "trusted-proxies"
    case proxyRole = "proxy-role"
    case proxyAdmins = "proxy-admins"
    case log
    case logSecrets = "log-secrets"
    case accessLog = "access-log"
    case metricsListen = "metrics-listen"
    case connections
    case idleTime = "idle-time"
    case bodyBytes = "body-bytes"
    case reportsPerSecond = "reports-per-second"
    case explanations
    case leakFreeSessions = "leak-free-sessions"
    case notify
    case notifyPrivate = "notify-private"
    case knownLeaks = "known-leaks"
    case ingestKey = "ingest-key"
    case accessToken = "access-token"

    /// Name of the flag; `nil` for secrets, which would show up in the list of processes.
    public var flag: String? {
        switch self {
        case .notify, .ingestKey, .accessToken: nil
        default: "--\(rawValue)"
        }
    }

    /// Name of the environment variable.
    public var variable: String {
        switch self {
        case .host: "COLLECTOR_HOST"
        case .port: "COLLECTOR_PORT"
        case .data: "COLLECTOR_DATA"
        case .databaseURL: "COLLECTOR_DATABASE_URL"
        case .databaseBytes: "COLLECTOR_DATABASE_BYTES"
        case .sampleDays: "COLLECTOR_SAMPLE_DAYS"
        case .unseenDays: "COLLECTOR_UNSEEN_DAYS"
        case .dailyDays: "COLLECTOR_DAILY_DAYS"
        case .backup: "COLLECTOR_BACKUP"
        case .backupInterval: "COLLECTOR_BACKUP_INTERVAL"
        case .backupCount: "COLLECTOR_BACKUP_COUNT"
        case .public: "COLLECTOR_PUBLIC"
        case .url: "COLLECTOR_URL"
        case .trustedOrigins: "COLLECTOR_TRUSTED_ORIGINS"
        case .trustedProxies: "COLLECTOR_TRUSTED_PROXIES"
        case .proxyRole: "COLLECTOR_PROXY_ROLE"
        case .proxyAdmins: "COLLECTOR_PROXY_ADMINS"
        case .log: "COLLECTOR_LOG"
        case .logSecrets: "COLLECTOR_LOG_SECRETS"
        case .accessLog: "COLLECTOR_ACCESS_LOG"
        case .metricsListen: "COLLECTOR_METRICS_LISTEN"
        case .connections: "COLLECTOR_CONNECTIONS"
        case .idleTime: "COLLECTOR_IDLE_TIME"
        case .bodyBytes: "COLLECTOR_BODY_BYTES"
        case .reportsPerSecond: "COLLECTOR_REPORTS_PER_SECOND"
        case .explanations: "COLLECTOR_EXPLANATIONS"
        case .leakFreeSessions: "COLLECTOR_LEAK_FREE_SESSIONS"
        case .notify: "COLLECTOR_NOTIFY"
        case .notifyPrivate: "COLLECTOR_NOTIFY_PRIVATE"
        case .knownLeaks: "COLLECTOR_KNOWN_LEAKS"
        case .ingestKey: "COLLECTOR_INGEST_KEY"
        case .accessToken: "COLLECTOR_ACCESS_TOKEN"
        }
    }

    /// The variable that names a file with the value; `nil` for settings that contain no secret.
    public var fileVariable: String? {
        switch self {
        case .databaseURL, .notify, .ingestKey, .accessToken: "\(variable)_FILE"
        default: nil
        }
    }

    /// The default value, in words.
    public var defaultDescription: String {
        switch self {
        case .host: "127.0.0.1"
        case .port: "8080"
        case .data: "./data"
        case .databaseURL: "a file in the data folder"
        case .databaseBytes: "17179869184 (16 GiB)"
        case .sampleDays: "90"
        case .unseenDays, .dailyDays: "400"
        case .backup: "no backups"
        case .backupInterval: "24"
        case .backupCount: "7"
        case .public: "the Public folder installed with the program"
        case .url: "http://localhost:PORT"
        case .trustedOrigins: "only the origin of --url and the Host of the request"
        case .trustedProxies: "none"
        case .proxyRole: "the header is ignored"
        case .proxyAdmins: "none"
        case .log: "text"
        case .logSecrets: "yes with --log text, no with --log json"
        case .accessLog: "off"
        case .metricsListen: "/metrics only at the address of the pages, with an access token"
        case .connections: "1024"
        case .idleTime: "75"
        case .bodyBytes: "1048576 (1 MiB)"
        case .reportsPerSecond:
            "10000, but only while reports arrive faster than the database stores them; a number that you set always applies"
        case .explanations: "yes"
        case .leakFreeSessions: "no limit"
        case .notify: "no messages"
        case .notifyPrivate: "no"
        case .knownLeaks: "only known-leaks.json of the Public folder"
        case .ingestKey, .accessToken: "generated and printed once, on first start"
        }
    }

    /// Description of the setting in a sentence without a period, for `--help` and the table in the docs.
    public var meaning: String {
        switch self {
        case .host: "address to listen on; 0.0.0.0 for every network, * for IPv6 too"
        case .port: "port to listen on; 0 chooses a free port, which the startup message shows"
        case .data: "data folder: holds the database"
        case .databaseURL:
            "PostgreSQL instead of a file, for several collectors: postgres://user@host/database; put the password in "
                + "the environment variable only"
        case .databaseBytes: "maximum bytes of the database file; when it is full, reports get 503"
        case .sampleDays: "days after which sample reports are deleted, 7 or more; 0 keeps them forever"
        case .unseenDays:
            "days after which a leak without a decision, or a version, is deleted if it was not seen again, 31 or more; 0 keeps them forever"
        case .dailyDays:
            "days for which reports are counted by day, 98 or more; older ones are counted by week; 0 keeps all days"
        case .backup: "separate folder for automatic backups, which the collector checks"
        case .backupInterval: "hours between two backups"
        case .backupCount: "number of backups to keep; older ones are deleted"
        case .public:
            "folder with the collector's own files: style sheet, script, icons, error pages, description of the API, known leaks"
        case .url:
            "address at which people reach the collector: used in links, decides whether cookies are Secure, and lets browsers behind a proxy submit forms"
        case .trustedOrigins:
            "origins other than --url from which browsers may submit the collector's forms, separated by commas: https://leaks.example.com"
        case .trustedProxies:
            "proxies whose Forwarded or X-Forwarded-For header is trusted to give the client's address: 10.0.0.0/8,fd00::/8,127.0.0.1"
        case .proxyRole:
            "viewer, triager or admin: the role of people whom a trusted proxy names in X-Forwarded-User"
        case .proxyAdmins:
            "names in X-Forwarded-User that have the role admin, separated by commas: ann@example.com,bob@example.com"
        case .log:
            "format of the log on standard error, text or json; json also applies to the startup messages on standard output"
        case .logSecrets: "yes or no: print the sign-in link, and create and print a first key and token"
        case .accessLog: "off, text or json: log every request in a line on standard output"
        case .metricsListen:
            "ADDRESS:PORT where /metrics needs no token, such as 10.0.0.5:9464; choose one that only Prometheus reaches"
        case .connections:
            "maximum number of open connections; if all are in use, a new connection replaces the one that has been idle longest, for 50 ms or more, else one whose client is slow; if there is none, it gets 503"
        case .idleTime:
            "seconds that a connection may be idle between two requests; make it longer than the idle time of a proxy in front"
        case .bodyBytes: "maximum bytes of a request body as sent, compressed or not; larger ones get 413"
        case .reportsPerSecond:
            "reports per second and ingest key, on average; up to 10 seconds' worth at once; 0 for no limit"
        case .explanations:
            "yes or no: store explanations of why objects stay in memory; if no, apps are also asked not to search for them"
        case .leakFreeSessions:
            "percent of sessions that should have no leak, such as 95; a lower share in the current release is recorded as an event"
        case .notify:
            "addresses that get messages about events, separated by spaces: webhooks of Slack, Microsoft Teams, Discord, Mattermost, Telegram, ntfy or a program, or e-mail"
        case .notifyPrivate:
            "yes or no: send messages also to addresses in private networks and through a proxy"
        case .knownLeaks: "additional known-leaks file, besides the one that comes with the program"
        case .ingestKey: "first ingest key, which accepts reports of any app"
        case .accessToken: "first access token, with the role admin"
        }
    }
}
