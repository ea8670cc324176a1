#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
internal import LeakPlatform

/// Gives what waits a moment when the process calls `exit` or returns from `main`.
///
/// A process that is killed, or that ends with `_exit`, has what waits on its disk.
enum AtExit {
    private struct Entry: Sendable {
        weak let reporter: LeakReporter?
        /// A child made with `fork` has none of the threads of its parent's reporters.
        let process = getpid()
    }

    private static let entries = Guarded([Entry]())
    /// `atexit` knows no context: one function for all reporters, registered once.
    private static let isRegistered = atexit { AtExit.flushAll() } == 0

    static func flush(_ reporter: LeakReporter) {
        _ = isRegistered
        let entry = Entry(reporter: reporter)
        // A reporter whose last other owner lets it go meanwhile lives on until the lock is given back.
        _ = withEntries { entries in
            let reporters = entries.map(\.reporter)
            entries = zip(entries, reporters).filter { $1 != nil }.map(\.0) + [entry]
            return reporters
        }
    }

    /// A child ends with `exit` as well, and comes here.
    private static func withEntries<Result: Sendable>(_ work: (inout [Entry]) -> Result) -> Result {
        ForkedChildren.prevented { entries.with { work(&$0) } }
    }

    private static func flushAll() {
        let process = getpid()
        let reporters = withEntries { $0 }.compactMap { $0.process == process ? $0.reporter : nil }
        let deadline = Moment.now.advanced(
            byMilliseconds: reporters.map(\.bounds.exitMilliseconds).max() ?? 0)
        for reporter in reporters {
            let left = Double(deadline.milliseconds - Moment.now.milliseconds) / 1000
            reporter.keeper.finish(seconds: min(left, Double(reporter.bounds.exitMilliseconds) / 1000))
        }
    }
}
