/// Rows that the writer appends to log tables, and writes to their own tables once there are many.
///
/// A commit of sixty reports changes rows on hundreds of pages. Rows that are seldom read are written to one page instead.
struct PendingLogs {
    /// Sizes above which a log is written to its table.
    struct Limits {
        /// Sets of installs with members in the log. A busy app's 1,000 leaks in a dozen versions have 13,000 sets. Most hold few
        /// members; 32 MiB of memory if all of them are full.
        var installSets = 16_384
        /// Bytes of the log of values on disk.
        var valueBytes = 1 << 21
        /// The limit of ``valueBytes`` while pages are read: the page of one leak reads such a log in 3 ms.
        var readValueBytes = 1 << 18
        /// Bytes of the log of keys on disk: 50,000 keys. Each takes its random place in a table of hundreds of pages.
        var keyBytes = 1 << 21
        /// Bytes of the log of counts on disk: fifty commits of 64 batches, fewer while many reports are kept as samples. A flush
        /// takes 0.1 s, because most rows occur many times in the log.
        var countBytes = 1 << 23
        /// Rows of leaks, builds and releases in the log of counts: a busy app's 1,000 leaks in a dozen versions have 25,000. Each
        /// takes from a hundred bytes to a kilobyte of memory.
        var countRows = 65_536
        /// Maximum number of submissions of a quiet call.
        var quietSubmissions = 4
        /// Number of successive quiet calls after which commits write counts to their tables at once. Under load there are quiet
        /// calls too, but not as many in a row.
        var quietCalls = 16
        /// Milliseconds since the last read within which counts are written to their tables at once.
        var readMilliseconds: Int64 = 500

        var whileRead: Limits {
            var limits = self
            limits.valueBytes = min(valueBytes, readValueBytes)
            return limits
        }
    }

    var installs = InstallLog()
    var values = ValueLog()
    var keys = KeyLog()
    var counts = CountLog()
}

protocol PendingLog {
    /// The part of the log that is not on disk.
    var unwritten: [UInt8] { get set }
    func isLong(beyond limits: PendingLogs.Limits) -> Bool
}

extension Writer {
    /// Reads the rows that this process or another one has left in the logs.
    func readLogs() throws(StoreError) {
        guard caches.logs == nil else { return }
        var logs = PendingLogs()
        logs.installs = try readInstallLog()
        logs.values = try connection.valueLog()
        logs.values.rememberRows()
        logs.keys = try connection.keyLog()
        caches.logs = logs
        try flushStoredCounts()
    }

    /// Writes the rows that the transaction has added: appends them to their log, or flushes the log to the tables once it is
    /// long.
    ///
    /// - Parameter areRead: `true` while pages read the log of values.
    func writeLogs(areRead: Bool) throws(StoreError) {
        let limits = areRead ? logLimits.whileRead : logLimits
        try write(
            \.counts, within: limits, by: "insert into count_log (counts) values (?)", flush: flushCountLog)
        try write(
            \.installs, within: limits, by: "insert into install_log (members) values (?)",
            flush: flushInstallLog)
        try write(
            \.values, within: limits, by: "insert into value_log (counts) values (?)", flush: flushValueLog)
        try write(\.keys, within: limits, by: "insert into key_log (keys) values (?)", flush: flushKeyLog)
    }

    private func write<Log: PendingLog>(
        _ path: WritableKeyPath<PendingLogs, Log>, within limits: PendingLogs.Limits, by insert: StaticString,
        flush: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let log = caches.logs?[keyPath: path] else { return }
        if log.isLong(beyond: limits) { return try flush() }
        guard !log.unwritten.isEmpty else { return }
        try connection.run(insert, log.unwritten)
        caches.logs?[keyPath: path].unwritten = []
    }

    /// Empties all logs into the tables that they belong to.
    func flushLogs() throws(StoreError) {
        try readLogs()
        try flushInstallLog()
        try flushValueLog()
        try flushKeyLog()
        try flushCountLog()
        try reindexIfCrowded()
    }
}
