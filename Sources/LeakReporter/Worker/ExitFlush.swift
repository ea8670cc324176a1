#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
internal import LeakPlatform

/// The flush at the end of the process: sends the waiting reports, for a limited time, when the process calls `exit` or returns
/// from `main`.
///
/// If a process is killed, or ends with `_exit`, its waiting reports stay on the disk, and the next run sends them.
enum ExitFlush {
    private struct Entry: Sendable {
        weak let reporter: LeakReporter?
        /// The id of the process that has the reporter. A child process created with `fork` has none of the threads of its parent's
        /// reporters.
        let process = getpid()
    }

    private static let entries = Guarded([Entry]())
    /// `atexit` passes no context: one function, registered once, serves all reporters.
    private static let isRegistered = atexit { ExitFlush.flushAll() } == 0

    /// Registers a reporter for the flush.
    static func register(_ reporter: LeakReporter) {
        _ = isRegistered
        let entry = Entry(reporter: reporter)
        // The array `reporters` keeps all reporters alive until the lock is released, even if the last other owner releases a
        // reporter in the meantime. No process is forked meanwhile: a child process, which may also call `exit`, must not
        // inherit the locked list.
        _ = ForkedChildren.withForksBlocked {
            entries.with { entries in
                let reporters = entries.map(\.reporter)
                entries = zip(entries, reporters).filter { $1 != nil }.map(\.0) + [entry]
                return reporters
            }
        }
    }

    private static func flushAll() {
        let process = getpid()
        // This does not need `withForksBlocked`, which waits while a lock file is opened: only `register(_:)` changes the list, and it
        // does so while no process is forked.
        let reporters = entries.with { $0 }.compactMap { $0.process == process ? $0.reporter : nil }
        let deadline = MonotonicTime.now.advanced(
            byMilliseconds: reporters.map(\.bounds.exitMilliseconds).max() ?? 0)
        for reporter in reporters {
            let secondsLeft = Double(deadline.milliseconds - MonotonicTime.now.milliseconds) / 1000
            reporter.thread.finish(seconds: min(secondsLeft, Double(reporter.bounds.exitMilliseconds) / 1000))
        }
    }
}
