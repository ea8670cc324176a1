import LeakPlatform

@testable import LeakStore

/// Settings for conditions that tests cannot wait for: long logs, full disks, long timeouts.
extension SQLiteStore {
    /// Runs a setting on the connection that writes: `synchronous = off`.
    func set(_ pragma: String) throws(StoreError) {
        try writer.with { writer throws(StoreError) in try writer.connection.execute("pragma \(pragma)") }
    }

    /// Makes the disk appear full beyond `count` pages of 4 KiB.
    func limitPages(to count: Int) throws(StoreError) { try set("max_page_count = \(count)") }

    /// Makes the log count as long beyond `bytes` bytes.
    func limitLog(to bytes: Int) { writer.with { $0.logLimit = bytes } }

    /// Flushes the logs early: the log of installs once it is ahead of `sets` sets, the other logs at 64 bytes for each set.
    /// Counts go to their log even if a call has few submissions, and even while readers are active.
    func limitLogs(to sets: Int) {
        writer.with {
            $0.logLimits = PendingLogs.Limits(
                installSets: sets, valueBytes: sets * 64, keyBytes: sets * 64, countBytes: sets * 64,
                maxSubmissionsWhenIdle: 0, readMilliseconds: 0)
        }
    }

    /// Sets the time to wait for another process. Tests cannot wait as long as operators.
    func setBusyTimeout(milliseconds: Int) throws(StoreError) { try set("busy_timeout = \(milliseconds)") }
}
