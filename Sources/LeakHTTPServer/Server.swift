internal import LeakPlatform

/// An HTTP/1.1 server on plain sockets: a few threads, each with a loop of its own.
public final class Server: Sendable {
    /// Where a server listens, what it allows, and whom it tells.
    public struct Configuration: Sendable {
        /// The name or number to listen on; every address it stands for is taken. `*` is all of both
        /// families.
        public var host: String
        /// 0 takes any free port, see ``Server/port``.
        public var port: Int
        /// Threads. One already answers a hundred thousand small requests a second.
        public var loops: Int
        /// What a stranger may use up.
        public var limits: Limits
        /// The proxies that say in `Forwarded`, or in `X-Forwarded-For` and `X-Forwarded-Proto`, whose request they
        /// bring. The log and the limits by address then use the client's address. The fields of other peers are
        /// ignored.
        public var trustedProxies: [IPNetwork] = []
        /// Told of each request that was answered or refused, on a loop's thread: it must not block. `nil` costs
        /// nothing.
        public var onAnswer: (@Sendable (AccessRecord) -> Void)?
        /// Told of each call of the service that took longer than ``Limits/serviceTime``, on the loop's thread that
        /// it held.
        public var onSlowCall: (@Sendable (SlowCall) -> Void)?

        /// What is not given is for one program on one machine.
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

    /// The port it listens on.
    public let port: Int
    /// The connections that it takes: ``Limits/connections``, or fewer where the process may not open as many
    /// descriptors.
    public let connectionLimit: Int
    private let loops: [Loop]
    private let state = Guarded(State.ready)

    /// Binds and listens; connections wait until ``start()``.
    ///
    /// - Throws: ``ServerError``, whose description is a line for the operator.
    public init(_ configuration: Configuration, service: any Service) throws(ServerError) {
        Socket.ignoreBrokenPipes()
        let count = max(1, configuration.loops)
        guard let wanted = UInt16(exactly: configuration.port) else { throw .invalidPort(configuration.port) }
        let sockets: [[Loop.ListeningSocket]]
        (sockets, port) = try Self.listen(configuration.host, wanted, loops: count)
        connectionLimit = Self.affordable(configuration.limits.connections)
        let budget = ConnectionBudget(
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
                        trustedProxies: TrustedProxies(configuration.trustedProxies), budget: budget,
                        uploadShare: configuration.limits.uploadBytes / count,
                        listeners: listeners))
            } catch {
                throw .system(error.message)
            }
        }
        self.loops = loops
    }

    deinit {
        for loop in loops { loop.mailbox.stop(by: 0) }
        // Not joined: this may run on one of them.
        if case .running(let threads) = state.with({ $0 }) { for thread in threads { thread.detach() } }
    }

    /// Starts the threads. Once; further calls do nothing.
    public func start() {
        state.with { state in
            guard case .ready = state else { return }
            state = .running(makeThreads())
        }
    }

    private func makeThreads() -> [WorkerThread] {
        loops.enumerated().map { index, loop in WorkerThread(name: "http-\(index)") { loop.run() } }
    }

    /// Stops: accepts no more, answers what has been asked, closes, and returns when all is done, to all that call it.
    ///
    /// A server that was never started answers those that connected meanwhile.
    ///
    /// - Parameter time: after it what is still open is cut off. Not to be called on a thread of the server.
    public func stop(within time: Duration) {
        let deadline = Loop.clock + time.milliseconds
        for loop in loops { loop.mailbox.stop(by: deadline) }
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

    /// What it has done so far; each loop's part is a few milliseconds old at most.
    public var counters: Counters {
        loops.reduce(Counters()) { sum, loop in sum + loop.published.with { $0 } }
    }

    /// As many connections as the system gives descriptors for: files and sockets of the rest of the program must
    /// still be openable when all places are taken.
    private static func affordable(_ connections: Int) -> Int {
        let (wanted, isTooMany) = connections.addingReportingOverflow(descriptorsLeft)
        return min(connections, max(1, Descriptor.allow(isTooMany ? .max : wanted) - descriptorsLeft))
    }

    private static let descriptorsLeft = 128

    /// One set of listeners for each loop. A port that the system chose for one address may be taken on another;
    /// then it chooses again.
    private static func listen(
        _ host: String, _ wanted: UInt16, loops: Int
    ) throws(ServerError) -> ([[Loop.ListeningSocket]], Int) {
        var choices = 8
        while true {
            do throws(ServerError) {
                return try listenOnce(host, wanted, loops: loops)
            } catch {
                choices -= 1
                guard wanted == 0, choices > 0, case .portInUse = error else { throw error }
            }
        }
    }

    private static func listenOnce(
        _ host: String, _ wanted: UInt16, loops: Int
    ) throws(ServerError) -> ([[Loop.ListeningSocket]], Int) {
        let addresses = Address.resolve(host, port: wanted)
        guard !addresses.isEmpty else { throw .unknownHost(host) }
        var sets = [[Loop.ListeningSocket]](repeating: [], count: loops)
        var port = wanted
        var failure: SystemError?
        for address in addresses {
            do throws(SystemError) {
                let target = address.with(port: port)
                let shares = loops > 1 && Listener.spreads
                if port != 0 && shares { try Listener.probe(target) }
                var socket: Loop.ListeningSocket?
                for index in sets.indices {
                    if socket == nil || shares {
                        let listener = try Listener(address.with(port: port), shares: shares)
                        port = listener.port
                        socket = Loop.ListeningSocket(listener)
                    }
                    if let socket { sets[index].append(socket) }
                }
            } catch {
                // A name may stand for an address of a family that this machine does not have.
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
