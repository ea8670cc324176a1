/// The faults of one connection.
public struct Fault: Hashable, Sendable {
    public enum Ending: Hashable, Sendable, CaseIterable {
        case close
        case reset
    }

    /// Ends the connection on both sides as soon as this number of bytes was forwarded; with 0, as soon as the first byte
    /// arrives.
    public struct Cut: Hashable, Sendable {
        public var afterBytes: Int
        public var ending: Ending

        public init(afterBytes: Int, _ ending: Ending) {
            self.afterBytes = afterBytes
            self.ending = ending
        }
    }

    /// The faults in one direction.
    public struct Direction: Hashable, Sendable {
        public var cut: Cut?
        /// Delay before the first byte is forwarded.
        public var delayMilliseconds: Int64 = 0
        /// Pause after each byte, which is forwarded alone; `nil` forwards all available bytes together.
        public var bytePauseMilliseconds: Int64?

        public init(cut: Cut? = nil, delayMilliseconds: Int64 = 0, bytePauseMilliseconds: Int64? = nil) {
            self.cut = cut
            self.delayMilliseconds = delayMilliseconds
            self.bytePauseMilliseconds = bytePauseMilliseconds
        }
    }

    /// An answer that the proxy sends itself, in place of the server's answer.
    public struct Gateway: Hashable, Sendable {
        /// The whole answer, with its head.
        public var answer: [UInt8]
        /// True if the proxy forwards the request to the server before it answers.
        public var forwardsRequest: Bool
        /// Delay before the answer.
        public var stallMilliseconds: Int64
        public var ending: Ending

        public init(
            answer: [UInt8], forwardsRequest: Bool = false, stallMilliseconds: Int64 = 0,
            ending: Ending = .close
        ) {
            self.answer = answer
            self.forwardsRequest = forwardsRequest
            self.stallMilliseconds = stallMilliseconds
            self.ending = ending
        }

        /// - Parameter bytes: number of bytes of the answer that are sent; `nil` sends all.
        public init(
            status: Int, type: String, body: String, cutAfter bytes: Int? = nil,
            forwardsRequest: Bool = false,
            stallMilliseconds: Int64 = 0, ending: Ending = .close
        ) {
            let head =
                "HTTP/1.1 \(status) Gateway\r\nContent-Type: \(type)\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
            self.init(
                answer: Array((head + body).utf8.prefix(bytes ?? .max)), forwardsRequest: forwardsRequest,
                stallMilliseconds: stallMilliseconds, ending: ending)
        }
    }

    /// Faults of the bytes from the client.
    public var request: Direction
    /// Faults of the bytes from the server. After a cut at 0 bytes, the server has processed the request and the client gets no
    /// answer.
    public var answer: Direction

    /// The answer of the proxy; `nil` forwards the server's own answer.
    public var gateway: Gateway?

    public init(
        request: Direction = Direction(), answer: Direction = Direction(), gateway: Gateway? = nil
    ) {
        self.request = request
        self.answer = answer
        self.gateway = gateway
    }

    public static let none = Fault()
}
