import LeakPlatform

/// A server on 127.0.0.1 that sends exactly the bytes that a test specifies, valid or not, and records the received
/// requests.
///
/// Its threads run until it is stopped.
public final class HostilePeer: Sendable {
    /// An action after a request. Steps run in order. Without a step that ends the connection, the connection stays open.
    public enum Step: Hashable, Sendable {
        case send([UInt8])
        /// Sends one byte at a time.
        case sendBytes([UInt8], pauseMilliseconds: Int64)
        /// Sends the same bytes again and again until the client closes the connection.
        case sendEndlessly([UInt8])
        case pause(milliseconds: Int64)
        /// Closes the connection after the client has seen the end of the stream.
        case close
        case reset
        /// Sends nothing more until the client closes the connection or the peer is stopped.
        case hang
    }

    private let acceptor: Acceptor
    private let received = Guarded<[ReceivedRequest]>([])
    private let readLimit: @Sendable (_ connection: Int) -> Int?
    private let react: @Sendable (ReceivedRequest) -> [Step]

    public var port: Int { acceptor.port }
    public var connectionCount: Int { acceptor.connectionCount }
    /// The received requests, in the order in which they were read.
    public var requests: [ReceivedRequest] { received.with { $0 } }

    /// - Parameters:
    ///   - readLimit: number of bytes of a connection's requests to read before reacting; `nil` reads each request completely.
    ///   - react: returns the steps of the reaction. Called on the connection's thread.
    public init(
        readLimit: @escaping @Sendable (_ connection: Int) -> Int? = { _ in nil },
        _ react: @escaping @Sendable (ReceivedRequest) -> [Step]
    ) throws {
        acceptor = try Acceptor()
        self.readLimit = readLimit
        self.react = react
        acceptor.start { [self] in serve($0, $1) }
    }

    /// Ends every connection and waits until no thread is left.
    public func stop() { acceptor.stop() }

    private func serve(_ socket: Socket, _ connection: Int) {
        var bytes = RequestBytes()
        let limit = readLimit(connection)
        while true {
            guard let (head, body) = bytes.take(upTo: limit) else {
                // Reads no more than requested: the rest stays in the system's buffer.
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

    /// - Returns: `true` if the connection stays open.
    private func perform(_ step: Step, on socket: Socket) -> Bool {
        switch step {
        case .send(let bytes): return socket.send(bytes[...])
        case .sendBytes(let bytes, let milliseconds):
            return bytes.indices.allSatisfy { index in
                socket.send(bytes[index...index]) && acceptor.pause(milliseconds: milliseconds)
            }
        case .sendEndlessly(let bytes):
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

    /// Returns a valid answer.
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
