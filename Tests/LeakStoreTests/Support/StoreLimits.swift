import LeakPlatform

@testable import LeakStore

/// Settings for conditions that tests cannot wait for: long logs, full disks, long timeouts.
extension SQLiteStore {
    /// Runs a pragma on the connection that writes, such as `synchronous = off`.
    func set(_ pragma: String) throws(StoreError) {
        try writer.with { writer throws(StoreError) in try writer.connection.execute("pragma \(pragma)") }
    }

    /// Makes the disk appear full beyond `count` pages of 4 KiB.
    func limitPages(to count: Int) throws(StoreError) { try set("max_page_count = \(count)") }

    /// Sets the size of the write-ahead log above which ``SQLiteStore/checkpointIfNeeded(now:)`` empties it.
    func limitWriteAheadLog(toBytes bytes: Int) { writer.with { $0.writeAheadLogLimitBytes = bytes } }

    /// Makes the store flush its pending logs early: the log of installs if it has members of more than `sets` sets, each
    /// other log if it has more than 64 × `sets` bytes. Counts go to their log even if a call has few submissions, and
    /// even while readers are active.
    func limitPendingLogs(toInstallSets sets: Int) {
        writer.with {
            $0.logLimits = PendingLogs.Limits(
                installSets: sets, valueBytes: sets * 64, keyBytes: sets * 64, countBytes: sets * 64,
                maxSubmissionsOfQuietCall: 0, millisecondsAfterRead: 0)
        }
    }

    /// Sets the time to wait for a lock of another process. The default is too long for tests.
    func setBusyTimeout(milliseconds: Int) throws(StoreError) { try set("busy_timeout = \(milliseconds)") }
}
