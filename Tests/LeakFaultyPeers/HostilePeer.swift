import LeakPlatform

/// A server on 127.0.0.1 that says exactly what a test tells it to, right or wrong, and keeps what it was sent.
///
/// Stop it: until then its threads go on.
public final class HostilePeer: Sendable {
    /// What to do after a request, one step after the other. Without one that ends it, the connection goes on.
    public enum Step: Hashable, Sendable {
        case send([UInt8])
        /// One byte at a time.
        case sendBytes([UInt8], pauseMilliseconds: Int64)
        /// The same again and again, until the client goes.
        case sendForEver([UInt8])
        case pause(milliseconds: Int64)
        /// Close, once the client has seen that nothing more comes.
        case close
        case reset
        /// Say nothing more, until the client goes or the peer is stopped.
        case hang
    }

    private let acceptor: Acceptor
    private let received = Guarded<[ReceivedRequest]>([])
    private let reading: @Sendable (_ connection: Int) -> Int?
    private let react: @Sendable (ReceivedRequest) -> [Step]

    public var port: Int { acceptor.port }
    public var connections: Int { acceptor.connections }
    /// In the order in which they were read.
    public var requests: [ReceivedRequest] { received.with { $0 } }

    /// - Parameters:
    ///   - reading: how many bytes of a connection's requests to read before acting; `nil` is all of each.
    ///   - react: what to do then. Called on the connection's thread.
    public init(
        reading: @escaping @Sendable (_ connection: Int) -> Int? = { _ in nil },
        _ react: @escaping @Sendable (ReceivedRequest) -> [Step]
    ) throws {
        acceptor = try Acceptor()
        self.reading = reading
        self.react = react
        acceptor.start { [self] in serve($0, $1) }
    }

    /// Ends every connection and waits until no thread is left.
    public func stop() { acceptor.stop() }

    private func serve(_ socket: Socket, _ connection: Int) {
        var bytes = RequestBytes()
        let limit = reading(connection)
        while true {
            guard let (head, body) = bytes.take(upTo: limit) else {
                // No more than asked for: the rest stays with the system.
                let piece = socket.receive(atMost: limit ?? 65_536)
                guard !piece.isEmpty else { return }
                bytes.append(piece)
                continue
            }
            let request = received.with { received in
                let request = ReceivedRequest(
                    connection: connection, number: received.count, head: head, body: body)
                received.append(request)
                return request
            }
            guard react(request).allSatisfy({ perform($0, on: socket) }) else { return }
        }
    }

    /// - Returns: whether the connection goes on.
    private func perform(_ step: Step, on socket: Socket) -> Bool {
        switch step {
        case .send(let bytes): return socket.send(bytes[...])
        case .sendBytes(let bytes, let milliseconds):
            return bytes.indices.allSatisfy { index in
                socket.send(bytes[index...index]) && acceptor.pause(milliseconds: milliseconds)
            }
        case .sendForEver(let bytes):
            while socket.send(bytes[...]) {}
        case .pause(let milliseconds): return acceptor.pause(milliseconds: milliseconds)
        case .close: socket.finish()
        case .reset: socket.reset()
        case .hang: while !socket.receive().isEmpty {}
        }
        return false
    }
}

extension HostilePeer.Step {
    public static func send(_ text: String) -> Self { .send(Array(text.utf8)) }

    /// An answer by the rules.
    ///
    /// - Parameter fields: lines without their ends, such as `Retry-After: 1`.
    public static func answer(
        _ status: Int, type: String = "application/problem+json", fields: [String] = [], _ body: String = ""
    ) -> Self {
        let lines =
            ["HTTP/1.1 \(status) Status", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)"]
            + fields
        return .send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }
}
