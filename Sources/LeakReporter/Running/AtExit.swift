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
        entries.with { entries in
            entries.removeAll { $0.reporter == nil }
            entries.append(Entry(reporter: reporter))
        }
    }

    private static func flushAll() {
        let process = getpid()
        let reporters = entries.with { $0 }.compactMap { $0.process == process ? $0.reporter : nil }
        let deadline = Moment.now.advanced(
            byMilliseconds: reporters.map(\.bounds.exitMilliseconds).max() ?? 0)
        for reporter in reporters {
            let left = Double(deadline.milliseconds - Moment.now.milliseconds) / 1000
            reporter.keeper.finish(seconds: min(left, Double(reporter.bounds.exitMilliseconds) / 1000))
        }
    }
}
