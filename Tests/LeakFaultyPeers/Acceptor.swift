import LeakPlatform

/// A listener on a free port of 127.0.0.1 that serves each connection on a separate thread, until stopped.
final class Acceptor: Sendable {
    private struct State {
        var connectionCount = 0
        var running = 0
        var isStopped = false
        /// Open sockets that a thread may be waiting on.
        var open: [ObjectIdentifier: Socket] = [:]
    }

    let port: Int
    private let listener: Socket
    private let state = Guarded(State())

    init() throws {
        (listener, port) = try Socket.listening()
    }

    /// Number of accepted connections.
    var connectionCount: Int { state.with { $0.connectionCount } }

    /// - Parameter serve: called on a thread of the connection's own, with the connection and its number from 0.
    func start(_ serve: @escaping @Sendable (Socket, Int) -> Void) {
        state.with { $0.running += 1 }
        WorkerThread(name: "acceptor") { [self] in
            while let socket = listener.accepted(), let number = begin(socket) {
                WorkerThread(name: "connection-\(number)") { [self] in
                    serve(socket, number)
                    socket.close()
                    forget(socket)
                    end()
                }.detach()
            }
            listener.close()
            end()
        }.detach()
    }

    /// Lets ``stop()`` end a socket that a thread of a connection waits on.
    ///
    /// - Returns: `false` if the acceptor is stopped.
    func watch(_ socket: Socket) -> Bool {
        state.with { state in
            if !state.isStopped { state.open[ObjectIdentifier(socket)] = socket }
            return !state.isStopped
        }
    }

    func forget(_ socket: Socket) {
        state.with { _ = $0.open.removeValue(forKey: ObjectIdentifier(socket)) }
    }

    /// Waits for the given time, or until the acceptor is stopped.
    ///
    /// - Returns: `false` if the acceptor was stopped.
    func pause(milliseconds: Int64) -> Bool {
        state.wait(milliseconds: milliseconds) { $0.isStopped ? true : nil } == nil
    }

    /// Ends every connection and waits until every thread has ended.
    func stop() {
        let open = state.with { state in
            state.isStopped = true
            return Array(state.open.values)
        }
        for socket in open { socket.end() }
        // A thread that waits for a connection gets this connection, and then sees that the acceptor is stopped.
        _ = Socket.connected(to: port)
        state.wakeAll()
        _ = state.wait { $0.running == 0 ? true : nil }
    }

    /// Registers an accepted connection.
    ///
    /// - Returns: the number of the connection; `nil` if the acceptor is stopped.
    private func begin(_ socket: Socket) -> Int? {
        state.with { state in
            guard !state.isStopped else { return nil }
            defer { state.connectionCount += 1 }
            state.running += 1
            state.open[ObjectIdentifier(socket)] = socket
            return state.connectionCount
        }
    }

    private func end() {
        state.with { $0.running -= 1 }
        state.wakeAll()
    }
}
