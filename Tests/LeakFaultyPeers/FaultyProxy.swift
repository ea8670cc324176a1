import LeakPlatform

/// A proxy that relays connections to another port of 127.0.0.1 and adds faults to some of them.
///
/// Its threads run until it is stopped.
public final class FaultyProxy: Sendable {
    /// Counts of the bytes that one connection has forwarded in each direction.
    public struct ForwardedBytes: Hashable, Sendable {
        public var request = 0
        public var answer = 0
    }

    private let acceptor: Acceptor
    private let target: Int
    private let fault: @Sendable (_ connection: Int) -> Fault
    private let forwardedBytes = Guarded<[Int: ForwardedBytes]>([:])

    public var port: Int { acceptor.port }
    public var connectionCount: Int { acceptor.connectionCount }

    /// - Parameter fault: returns the fault of a connection, by its number from 0. Called on the connection's thread.
    public init(to target: Int, _ fault: @escaping @Sendable (_ connection: Int) -> Fault) throws {
        acceptor = try Acceptor()
        self.target = target
        self.fault = fault
        acceptor.start { [self] in relay($0, number: $1) }
    }

    /// Ends every connection and waits until no thread is left.
    public func stop() { acceptor.stop() }

    /// The forwarded bytes of the connection with the longest answer so far.
    public var forwardedBytesOfLongestAnswer: ForwardedBytes {
        forwardedBytes.with { $0.values.max { $0.answer < $1.answer } ?? ForwardedBytes() }
    }

    private func relay(_ client: Socket, number: Int) {
        guard let server = Socket.connected(to: target), acceptor.watch(server) else { return }
        defer { acceptor.forget(server) }
        let fault = fault(number)
        if let gateway = fault.gateway { return answer(client, server, gateway) }
        var request = Flow(fault.request)
        var answer = Flow(fault.answer)
        while true {
            let ready = Socket.waitForInput(client, server)
            var ending: Fault.Ending?
            if ready.1 {
                ending = pass(from: server, to: client, &answer, of: number, as: \.answer)
            } else if ready.0 {
                ending = pass(from: client, to: server, &request, of: number, as: \.request)
            }
            if let ending { return Self.end(client, server, ending) }
        }
    }

    /// Answers one request in place of the server.
    private func answer(_ client: Socket, _ server: Socket, _ gateway: Fault.Gateway) {
        var request = RequestBytes()
        while request.take(upTo: nil) == nil {
            let piece = client.receive()
            guard !piece.isEmpty, !gateway.forwardsRequest || server.send(piece[...]) else { return }
            request.append(piece)
        }
        // The first bytes of the server's answer show that the server has processed the request.
        if gateway.forwardsRequest, server.receive().isEmpty { return }
        guard gateway.stallMilliseconds == 0 || acceptor.pause(milliseconds: gateway.stallMilliseconds),
            client.send(gateway.answer[...])
        else { return }
        Self.end(client, server, gateway.ending)
    }

    /// One direction of one connection.
    private struct Flow {
        let fault: Fault.Direction
        var passed = 0
        var hasStarted = false

        init(_ fault: Fault.Direction) { self.fault = fault }
    }

    /// Forwards the available bytes, and counts them before the other side can receive them, so that a test that has seen an
    /// answer can rely on the count.
    ///
    /// - Returns: the ending of the connection; `nil` if it stays open.
    private func pass(
        from source: Socket, to target: Socket, _ flow: inout Flow, of number: Int,
        as direction: sending WritableKeyPath<ForwardedBytes, Int>
    ) -> Fault.Ending? {
        let bytes = source.receive()
        guard !bytes.isEmpty else { return .close }
        if !flow.hasStarted {
            flow.hasStarted = true
            let wait = flow.fault.delayMilliseconds
            guard wait == 0 || acceptor.pause(milliseconds: wait) else { return .close }
        }
        let room = flow.fault.cut.map { $0.afterBytes - flow.passed } ?? .max
        let piece = bytes.prefix(room)
        flow.passed += piece.count
        let passed = flow.passed
        forwardedBytes.with { $0[number, default: ForwardedBytes()][keyPath: direction] = passed }
        guard send(piece, to: target, flow.fault) else { return .close }
        if let cut = flow.fault.cut, flow.passed >= cut.afterBytes { return cut.ending }
        return nil
    }

    private func send(_ bytes: ArraySlice<UInt8>, to target: Socket, _ fault: Fault.Direction) -> Bool {
        guard let wait = fault.bytePauseMilliseconds else { return target.send(bytes) }
        return bytes.indices.allSatisfy { index in
            target.send(bytes[index...index]) && acceptor.pause(milliseconds: wait)
        }
    }

    private static func end(_ client: Socket, _ server: Socket, _ ending: Fault.Ending) {
        switch ending {
        case .close:
            server.close()
            client.finish()
        case .reset:
            server.reset()
            client.reset()
        }
    }
}
