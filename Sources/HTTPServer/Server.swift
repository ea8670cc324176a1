internal import Threads

/// An HTTP/1.1 server on plain sockets: a few threads, each with a loop of its own.
public final class Server: Sendable {
    public struct Configuration: Sendable {
        /// A name or an address; `::` is every network of either version.
        public var host: String
        /// 0 for any free one.
        public var port: Int
        /// Threads that serve. One answers more than 100,000 small requests per second.
        public var loops: Int
        public var limits: Limits

        public init(host: String, port: Int, loops: Int = 1, limits: Limits = Limits()) {
            self.host = host
            self.port = port
            self.loops = max(1, loops)
            self.limits = limits
        }
    }

    /// The port that is really listened on.
    public let port: Int
    private let loops: [EventLoop]
    private let threads = Guarded<[WorkerThread]>([])

    /// Binds and listens; connections wait until ``start()``.
    ///
    /// - Throws: ``ServerError`` with one line for the operator.
    public init(_ configuration: Configuration, service: any Service) throws(ServerError) {
        let isShared = configuration.loops > 1
        var loops: [EventLoop] = []
        var port = configuration.port
        let share = (configuration.limits.connections + configuration.loops - 1) / configuration.loops
        for _ in 0..<configuration.loops {
            let listener = try Listener(host: configuration.host, port: port, isShared: isShared)
            port = listener.port
            do throws(Errno) {
                loops.append(
                    try EventLoop(
                        listener: listener, service: service, limits: configuration.limits, share: share))
            } catch {
                throw ServerError(
                    .other, "the system gives no more descriptors: \(error); raise the limit (ulimit -n)")
            }
        }
        self.port = port
        self.loops = loops
    }

    /// Starts the threads. Call once.
    public func start() {
        let started = loops.enumerated().map { number, loop in
            WorkerThread(name: "http \(number)") { loop.run() }
        }
        threads.with { $0 = started }
    }

    /// Stops taking connections, lets requests under way be answered, and returns when all is closed.
    ///
    /// - Parameter bound: how long that may take; what is open then is cut.
    public func stop(within bound: Duration) {
        let deadline = MonotonicClock.milliseconds() + bound.milliseconds
        for loop in loops { loop.stop(by: deadline) }
        let running = threads.with { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
    }

    public var counters: Counters { loops.map(\.latestCounters).reduce(Counters(), +) }
}
