/// The metrics that `/metrics` has. The raw value is the name, which follows https://prometheus.io/docs/practices/naming/:
/// base units, and `_total` at the end of counters. docs/MONITORING.md lists all of them.
enum Metric: String, CaseIterable, Sendable {
    case buildInfo = "leak_collector_build_info"

    case processStartTime = "process_start_time_seconds"
    case processCPU = "process_cpu_seconds_total"
    case processResidentBytes = "process_resident_memory_bytes"
    case processOpenDescriptors = "process_open_fds"
    case processMaxDescriptors = "process_max_fds"

    case httpOpenConnections = "leak_collector_http_open_connections"
    case httpAcceptedConnections = "leak_collector_http_accepted_connections_total"
    case httpRejectedConnections = "leak_collector_http_rejected_connections_total"
    case httpEvictedConnections = "leak_collector_http_evicted_connections_total"
    case httpTimedOutConnections = "leak_collector_http_timed_out_connections_total"
    case httpFailedAccepts = "leak_collector_http_failed_accepts_total"
    case httpRequests = "leak_collector_http_requests_total"
    case httpResponses = "leak_collector_http_responses_total"
    case httpInvalidRequests = "leak_collector_http_invalid_requests_total"
    case httpReceivedBytes = "leak_collector_http_received_bytes_total"
    case httpSentBytes = "leak_collector_http_sent_bytes_total"
    case httpSlowCalls = "leak_collector_http_slow_calls_total"

    case acceptedReports = "leak_collector_accepted_reports_total"
    case rejectedReports = "leak_collector_rejected_reports_total"
    case droppedReports = "leak_collector_dropped_reports_total"
    case batches = "leak_collector_batches_total"
    case rejectedBatches = "leak_collector_rejected_batches_total"

    case queuedBatches = "leak_collector_commit_queue_batches"
    case queuedBytes = "leak_collector_commit_queue_bytes"
    case queueLimitBytes = "leak_collector_commit_queue_limit_bytes"
    case commitDuration = "leak_collector_commit_duration_seconds"
    case failedCommits = "leak_collector_failed_commits_total"
    case readDuration = "leak_collector_read_duration_seconds"
    case queuedReads = "leak_collector_read_queue_requests"

    case databaseProblem = "leak_collector_database_problem"
    case databaseReadable = "leak_collector_database_readable"
    case databaseBytes = "leak_collector_database_bytes"
    case databaseLimitBytes = "leak_collector_database_limit_bytes"
    case freeDiskBytes = "leak_collector_disk_free_bytes"
    case lastBackupTime = "leak_collector_backup_last_success_timestamp_seconds"
    case backupProblem = "leak_collector_backup_problem"
    case backupFailures = "leak_collector_backup_failures_total"

    case notifications = "leak_collector_notifications_total"
    case notificationProblem = "leak_collector_notification_problem"

    case failedSignIns = "leak_collector_failed_sign_ins_total"
    case blockedSignIns = "leak_collector_blocked_sign_ins_total"

    case apps = "leak_collector_apps"
    case omittedApps = "leak_collector_apps_omitted"
    case currentReleaseInfo = "leak_collector_app_current_release_info"
    case appSessions = "leak_collector_app_sessions"
    case appLeakFreeSessions = "leak_collector_app_leak_free_sessions"
    case appLeaksToFix = "leak_collector_app_leaks_to_fix"
    case appNewLeaks = "leak_collector_app_new_leaks"
    case appRegressedLeaks = "leak_collector_app_regressed_leaks"
    case appRecentReports = "leak_collector_app_recent_reports"

    /// The type of a metric in the exposition format.
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    var kind: Kind {
        switch self {
        case .commitDuration, .readDuration: .histogram
        default: rawValue.hasSuffix("_total") ? .counter : .gauge
        }
    }

    /// One sentence about the value.
    var help: String {
        switch self {
        case .buildInfo: "Always 1; the version of the collector and its database (sqlite or postgresql)."
        case .processStartTime: "Start time of the process since 1970, in seconds."
        case .processCPU: "Processor time of the process, user and system, in seconds."
        case .processResidentBytes: "Resident memory of the process in bytes."
        case .processOpenDescriptors: "Open file descriptors of the process."
        case .processMaxDescriptors: "Maximum number of open file descriptors of the process."
        case .httpOpenConnections: "Connections that are open now."
        case .httpAcceptedConnections: "Accepted connections, including those that were then rejected."
        case .httpRejectedConnections: "Connections that were rejected because of a limit, by limit."
        case .httpEvictedConnections:
            "Waiting connections that were closed early, to accept others or to free memory."
        case .httpTimedOutConnections: "Connections whose peer timed out, by what the server waited for."
        case .httpFailedAccepts: "Connections that could not be accepted."
        case .httpRequests: "Requests with a complete and valid head."
        case .httpResponses: "Responses by class of their status."
        case .httpInvalidRequests:
            "Requests that the server rejected because they violated HTTP or a size limit."
        case .httpReceivedBytes: "Bytes received from all peers."
        case .httpSentBytes: "Bytes sent to all peers."
        case .httpSlowCalls: "Calls that blocked an event loop for more than 50 ms."
        case .acceptedReports:
            "Reports that were accepted, each with its number of equal sightings; also those of discarded leaks."
        case .rejectedReports:
            "Reports that were rejected, in batches with other content that counts, by reason."
        case .droppedReports:
            "Reports that devices or the collector dropped, by reason; for unseen objects, for over_limit batches."
        case .batches: "Batches that reached the database, by result."
        case .rejectedBatches:
            "Batches that were rejected as a whole, by the kind of problem in the response."
        case .queuedBatches: "Batches that wait for the next transaction."
        case .queuedBytes: "Bytes of the batches that wait for the next transaction."
        case .queueLimitBytes: "Bytes of waiting batches above which further batches are rejected."
        case .commitDuration: "Time of transactions that count batches, in seconds."
        case .failedCommits:
            "Transactions that failed, or whose outcome is unknown, without those that were repeated in parts."
        case .readDuration: "Time of reads and changes on the reader threads, in seconds."
        case .queuedReads: "Requests that wait for a reader thread or run on one."
        case .databaseProblem: "1 while the database or its disk has the problem, else 0."
        case .databaseReadable:
            "1 if the values of the database and its apps could be read, else 0; they are missing then."
        case .databaseBytes: "Size of the database in bytes."
        case .databaseLimitBytes: "Size in bytes at which a database file accepts no more reports."
        case .freeDiskBytes: "Free bytes of the disk of the data folder."
        case .lastBackupTime: "Time of the newest backup since 1970, in seconds."
        case .backupProblem: "1 if the last backup failed, or if none was made for two intervals, else 0."
        case .backupFailures: "Backups that failed."
        case .notifications: "Messages about events by channel, its service, and result: accepted or failed."
        case .notificationProblem: "1 if the last message to the channel failed, else 0."
        case .failedSignIns: "Attempts with a wrong secret, by the way in which it was presented."
        case .blockedSignIns:
            "Attempts that were rejected because too many attempts from the same address had failed."
        case .apps: "Pairs of an app and an environment."
        case .omittedApps:
            "Pairs of an app and an environment that have no metrics of their own, because there are too many."
        case .currentReleaseInfo: "Always 1; the current release of the app."
        case .appSessions: "Sessions of the current release since its first report."
        case .appLeakFreeSessions: "Sessions of the current release without a leak, since its first report."
        case .appLeaksToFix: "Leaks to fix: all leaks without those that are set aside."
        case .appNewLeaks: "Leaks first seen in the current release, without those that are set aside."
        case .appRegressedLeaks: "Leaks that were resolved and came back."
        case .appRecentReports: "Reports of the last 24 hours."
        }
    }
}

/// Writer of metrics in the text format of Prometheus, version 0.0.4.
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricsWriter {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var bytes: [UInt8] = []
    /// The metrics that were written. All samples of a metric must be written together.
    private var written: Set<Metric> = []
    private var current: Metric?

    typealias Label = (name: String, value: String)

    mutating func add(_ metric: Metric, _ value: Int, labels: [Label] = []) {
        begin(metric)
        addSample(metric.rawValue, "\(value)", labels: labels)
    }

    mutating func add(_ metric: Metric, _ value: Double, labels: [Label] = []) {
        begin(metric)
        addSample(metric.rawValue, "\(value)", labels: labels)
    }

    /// Adds one sample for each value of a label.
    mutating func add(_ metric: Metric, by label: String, _ values: [(value: String, count: Int)]) {
        for (value, count) in values { add(metric, count, labels: [(label, value)]) }
    }

    mutating func add(_ metric: Metric, _ histogram: LatencyHistogram) {
        begin(metric)
        var total = 0
        for (bound, count) in zip(LatencyHistogram.bounds, histogram.counts) {
            total += count
            addSample(metric.rawValue + "_bucket", "\(total)", labels: [("le", "\(bound)")])
        }
        addSample(metric.rawValue + "_bucket", "\(histogram.total)", labels: [("le", "+Inf")])
        addSample(metric.rawValue + "_sum", "\(histogram.sumSeconds)")
        addSample(metric.rawValue + "_count", "\(histogram.total)")
    }

    /// Writes the comments of a metric before its first sample.
    private mutating func begin(_ metric: Metric) {
        guard metric != current else { return }
        precondition(written.insert(metric).inserted, "the samples of \(metric.rawValue) are not together")
        current = metric
        append("# HELP \(metric.rawValue) \(Self.escaped(metric.help, quotes: false))\n")
        append("# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n")
    }

    private mutating func addSample(_ name: String, _ value: String, labels: [Label] = []) {
        append(name)
        if !labels.isEmpty {
            append("{")
            for (index, label) in labels.enumerated() {
                append(index == 0 ? "" : ",")
                append("\(label.name)=\"\(Self.escaped(label.value, quotes: true))\"")
            }
            append("}")
        }
        append(" \(value)\n")
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    /// Returns text with backslashes and line feeds escaped; in the value of a label also quotation marks.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// Counts of durations in a few ranges, with their sum.
struct LatencyHistogram: Hashable, Sendable {
    /// The upper bounds of the ranges in seconds. Most transactions take a few milliseconds; one that takes two seconds delays
    /// every sender.
    static let bounds = [0.001, 0.005, 0.02, 0.1, 0.5, 2]

    /// The number of durations in each range, without those above the last bound.
    private(set) var counts = [Int](repeating: 0, count: bounds.count)
    private(set) var total = 0
    private(set) var sumSeconds = 0.0

    mutating func record(nanoseconds: UInt64) {
        let seconds = Double(nanoseconds) / 1e9
        total += 1
        sumSeconds += seconds
        if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
    }
}
