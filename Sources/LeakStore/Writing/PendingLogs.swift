/// Changes that the writer appends to log tables first, and writes to the tables of their rows when there are many.
///
/// A commit of sixty reports changes rows on hundreds of pages. The log tables need only a few pages for the same changes.
struct PendingLogs {
    /// Sizes above which a log is written to its table.
    struct Limits {
        /// Number of sets of installs with members in the log. 1,000 leaks of a busy app in a dozen versions have 13,000 sets.
        /// Most sets have few members; if all are full, they take 32 MiB of memory.
        var installSets = 16_384
        /// Bytes of the log of values on disk.
        var valueBytes = 1 << 21
        /// The value of ``valueBytes`` while pages are read: the page of one leak reads a log of this size in 3 ms.
        var readValueBytes = 1 << 18
        /// Bytes of the log of keys on disk: 50,000 keys. When the log is flushed, each key changes a random page of its table.
        var keyBytes = 1 << 21
        /// Bytes of the log of counts on disk: fifty commits of 64 batches, fewer while many reports are kept as samples. A
        /// flush takes 0.1 s, because most rows occur many times in the log.
        var countBytes = 1 << 23
        /// Number of rows of leaks, builds and releases in the log of counts. 1,000 leaks of a busy app in a dozen versions
        /// have 25,000 rows. A row takes between 100 bytes and 1 KiB of memory.
        var countRows = 65_536
        /// A call of the writer with at most this number of submissions is a quiet call.
        var maxSubmissionsOfQuietCall = 4
        /// Number of successive quiet calls after which commits write counts directly to their tables. Under load there are
        /// quiet calls, too, but not so many in succession.
        var quietCallsBeforeDirectWrites = 16
        /// Time after a read during which commits write counts directly to their tables.
        var millisecondsAfterRead: Int64 = 500

        /// The limits while pages read the log of values.
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

/// A log of changes that are not in the tables of their rows yet.
protocol PendingLog {
    /// The part of the log that is not on disk.
    var unwritten: [UInt8] { get set }
    /// Returns `true` if the log should be written to its tables.
    func isLong(beyond limits: PendingLogs.Limits) -> Bool
}

extension Writer {
    /// Reads the logs into the cache, if they are not cached. Counts that another process has logged are flushed.
    func readLogs() throws(StoreError) {
        guard caches.logs == nil else { return }
        var logs = PendingLogs()
        logs.installs = try readInstallLog()
        logs.values = try connection.loadValueLog()
        logs.values.rememberRows()
        logs.keys = try connection.loadKeyLog()
        caches.logs = logs
        try flushStoredCounts()
    }

    /// Appends the changes of the transaction to their log tables, and flushes each log that is too long.
    ///
    /// - Parameter areValuesRead: `true` while pages read the log of values.
    func writeLogs(areValuesRead: Bool) throws(StoreError) {
        let limits = areValuesRead ? logLimits.whileRead : logLimits
        try write(
            \.counts, within: limits, by: "insert into count_log (counts) values (?)", flush: flushCountLog)
        try write(
            \.installs, within: limits, by: "insert into install_log (members) values (?)",
            flush: flushInstallLog)
        try write(
            \.values, within: limits, by: "insert into value_log (counts) values (?)", flush: flushValueLog)
        try write(\.keys, within: limits, by: "insert into key_log (keys) values (?)", flush: flushKeyLog)
    }

    /// Appends the changes of the transaction to one log table, or flushes the log if it is too long.
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

    /// Writes the changes in all logs to their tables, and empties the logs.
    func flushLogs() throws(StoreError) {
        try readLogs()
        try flushInstallLog()
        try flushValueLog()
        try flushKeyLog()
        try flushCountLog()
        try reindexIfTooManyUnindexed()
    }
}
