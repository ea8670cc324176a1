internal import LeakPlatform

/// An HTTP/1.1 server on plain sockets, with a few threads that run one event loop each. It also accepts HTTP/1.0.
public final class Server: Sendable {
    /// The address, the limits and the observers of a server.
    public struct Configuration: Sendable {
        /// The host name or IP address to listen on. The server listens on every address that a name resolves to; `*` stands for
        /// all addresses of both families.
        public var host: String
        /// The port; 0 chooses any free port, see ``Server/port``.
        public var port: Int
        /// The number of threads. A single thread answers a hundred thousand small requests per second.
        public var loops: Int
        /// Limits on the resources that clients may use.
        public var limits: Limits
        /// The proxies that name the client of a request in `Forwarded`, or in `X-Forwarded-For` and `X-Forwarded-Proto`. The log
        /// and the limits per address then use the client's address. The fields of other peers are ignored.
        public var trustedProxies: [IPNetwork] = []
        /// `true` to give each request an identifier, and to send it in `X-Request-Id`: the one that a trusted proxy sent in the same
        /// field, or a new one.
        public var sendsRequestIDs = false
        /// Called for each request that was answered or rejected, on a loop's thread; it must not block. `nil` costs nothing.
        public var onAnswer: (@Sendable (AccessRecord) -> Void)?
        /// Called for each call of the service that took longer than ``Limits/serviceTime``, on the thread of the blocked loop.
        public var onSlowCall: (@Sendable (SlowCall) -> Void)?

        /// Creates a configuration. The defaults suit one program on one machine.
        public init(host: String = "127.0.0.1", port: Int = 8080, loops: Int = 1, limits: Limits = Limits()) {
            self.host = host
            self.port = port
            self.loops = loops
            self.limits = limits
        }
    }

    private enum State {
        case ready
        case running([WorkerThread])
        case stopping
        case stopped
    }

    /// The port that the server listens on.
    public let port: Int
    /// The most connections that the server accepts: ``Limits/connections``, or fewer if the process may not open enough
    /// descriptors.
    public let connectionLimit: Int
    private let loops: [Loop]
    private let state = Guarded(State.ready)

    /// Binds the sockets and listens; connections wait until ``start()``.
    ///
    /// - Throws: ``ServerError``, whose description is one line for the operator.
    public init(_ configuration: Configuration, service: any Service) throws(ServerError) {
        Socket.ignoreBrokenPipes()
        let count = max(1, configuration.loops)
        guard let requestedPort = UInt16(exactly: configuration.port) else {
            throw .invalidPort(configuration.port)
        }
        let sockets: [[Loop.ListeningSocket]]
        (sockets, port) = try Self.listen(configuration.host, requestedPort, loops: count)
        connectionLimit = Self.connectionsWithinDescriptorLimit(configuration.limits.connections)
        let limiter = ConnectionLimiter(
            limit: connectionLimit,
            limitPerPeer: configuration.limits.connectionsPerAddress)
        var loops: [Loop] = []
        for listeners in sockets {
            do throws(SystemError) {
                loops.append(
                    try Loop(
                        service: service, limits: configuration.limits,
                        observers: Observers(
                            onAnswer: configuration.onAnswer, onSlowCall: configuration.onSlowCall),
                        trustedProxies: TrustedProxies(configuration.trustedProxies),
                        requestIDs: configuration.sendsRequestIDs ? RequestIDGenerator() : nil,
                        limiter: limiter,
                        uploadByteLimit: configuration.limits.uploadBytes / count,
                        listeners: listeners))
            } catch {
                throw .system(message: error.message)
            }
        }
        self.loops = loops
    }

    deinit {
        for loop in loops { loop.messageQueue.stop(by: 0) }
        // The threads are not joined, because this code may run on one of them.
        if case .running(let threads) = state.with({ $0 }) { for thread in threads { thread.detach() } }
    }

    /// Starts the threads. Only the first call has an effect.
    public func start() {
        state.with { state in
            guard case .ready = state else { return }
            state = .running(makeThreads())
        }
    }

    private func makeThreads() -> [WorkerThread] {
        loops.enumerated().map { index, loop in WorkerThread(name: "http-\(index)") { loop.run() } }
    }

    /// Stops the server: accepts no more connections, answers the pending requests and closes all connections. All callers return
    /// when that is done.
    ///
    /// A server that was never started first answers the connections that have arrived since its creation. Do not call this on
    /// a thread of the server.
    ///
    /// - Parameter time: the time limit; connections that are still open after it are closed.
    public func stop(within time: Duration) {
        let deadline = Loop.clock + time.milliseconds
        for loop in loops { loop.messageQueue.stop(by: deadline) }
        let threads: [WorkerThread]? = state.with { state in
            switch state {
            case .running(let threads):
                state = .stopping
                return threads
            case .ready:
                state = .stopping
                return makeThreads()
            case .stopping, .stopped: return nil
            }
        }
        if let threads {
            for thread in threads { thread.join() }
            state.with { $0 = .stopped }
            state.wakeAll()
        } else {
            state.wait { state -> Void? in if case .stopped = state { () } else { nil } }
        }
    }

    /// The sum of the counters of all loops, each at most a few milliseconds old.
    public var counters: Counters {
        loops.reduce(Counters()) { sum, loop in sum + loop.publishedCounters.with { $0 } }
    }

    /// Raises the descriptor limit of the process if necessary, and returns the number of connections for which it suffices.
    /// ``reservedDescriptors`` descriptors remain for the files and sockets of the rest of the program.
    private static func connectionsWithinDescriptorLimit(_ connections: Int) -> Int {
        let (wantedDescriptors, isTooMany) = connections.addingReportingOverflow(reservedDescriptors)
        return min(
            connections,
            max(1, Descriptor.raiseLimit(isTooMany ? .max : wantedDescriptors) - reservedDescriptors))
    }

    private static let reservedDescriptors = 128

    /// Creates one set of listeners per loop. If a port that the system chose for one address is in use on another address,
    /// tries again with another port, eight times in all.
    private static func listen(
        _ host: String, _ requestedPort: UInt16, loops: Int
    ) throws(ServerError) -> ([[Loop.ListeningSocket]], Int) {
        var attemptsLeft = 8
        while true {
            do throws(ServerError) {
                return try listenOnce(host, requestedPort, loops: loops)
            } catch {
                attemptsLeft -= 1
                guard requestedPort == 0, attemptsLeft > 0, case .portInUse = error else { throw error }
            }
        }
    }

    private static func listenOnce(
        _ host: String, _ requestedPort: UInt16, loops: Int
    ) throws(ServerError) -> ([[Loop.ListeningSocket]], Int) {
        let addresses = Address.resolve(host, port: requestedPort)
        guard !addresses.isEmpty else { throw .unknownHost(host) }
        var sets = [[Loop.ListeningSocket]](repeating: [], count: loops)
        var port = requestedPort
        var failure: SystemError?
        for address in addresses {
            do throws(SystemError) {
                let target = address.with(port: port)
                let sharesPort = loops > 1 && Listener.sharesPortAcrossSockets
                if port != 0 && sharesPort { try Listener.probe(target) }
                var socket: Loop.ListeningSocket?
                for index in sets.indices {
                    if socket == nil || sharesPort {
                        let listener = try Listener(address.with(port: port), sharesPort: sharesPort)
                        port = listener.port
                        socket = Loop.ListeningSocket(listener)
                    }
                    if let socket { sets[index].append(socket) }
                }
            } catch {
                // A name may resolve to an address of a family that this machine does not support.
                guard error == .addressUnavailable || error == .familyUnsupported else {
                    throw ServerError(error, host: host, port: Int(port))
                }
                failure = error
            }
        }
        guard sets.allSatisfy({ !$0.isEmpty }) else {
            throw ServerError(failure ?? .addressUnavailable, host: host, port: Int(port))
        }
        return (sets, Int(port))
    }
}
