import LeakPlatform

@testable import LeakStore

/// What tests cannot wait for: long logs, full disks, patience.
extension SQLiteStore {
    /// Runs a setting on the connection that writes: `synchronous = off`.
    func set(_ pragma: String) throws(StoreError) {
        try writer.with { writer throws(StoreError) in try writer.connection.execute("pragma \(pragma)") }
    }

    /// Makes the disk seem full beyond so many pages of 4 KiB.
    func limitPages(to count: Int) throws(StoreError) { try set("max_page_count = \(count)") }

    /// Makes the log seem long beyond so many bytes.
    func limitLog(to bytes: Int) { writer.with { $0.logLimit = bytes } }

    /// Folds the logs early: that of installs once it is ahead of so many sets, the others at 64 bytes for each. Counts go to
    /// their log however few submissions a call has, and whoever reads.
    func limitLogs(to sets: Int) {
        writer.with {
            $0.logLimits = Logs.Limits(
                installSets: sets, valueBytes: sets * 64, keyBytes: sets * 64, countBytes: sets * 64,
                quietSubmissions: 0, readMilliseconds: 0)
        }
    }

    /// How long to wait for another process; tests cannot wait as long as operators.
    func setBusyTimeout(milliseconds: Int) throws(StoreError) { try set("busy_timeout = \(milliseconds)") }
}
