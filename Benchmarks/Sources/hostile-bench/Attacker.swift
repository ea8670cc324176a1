/// One hostile connection, opened again whenever the server closes it.
final class Attacker {
    /// Kind of attack. The rates are high enough to harm an unprepared server, and low enough that the processor, which
    /// attackers, good clients and server share, is not the bottleneck.
    enum Kind: String, CaseIterable {
        /// Sends a field line each second, never the last line.
        case slowHead
        /// Sends a byte of a body each second.
        case slowBody
        /// Requests 512 KiB and reads 16 bytes each second.
        case slowReader
        /// Sends one request, then keeps its connection.
        case idle
        /// Sends 4 KiB of chunks ten times a second, without end.
        case endlessChunks
        /// Requests 8 KiB forty times a second until the sockets are full, and reads no response.
        case pipelining
        /// Sends bytes that are not HTTP, twice a second.
        case garbage
        /// Sends half a request and a reset, twice a second.
        case reset
        /// Sends one byte of a head, then nothing.
        case oneByte
    }

    private let kind: Kind
    private let port: Int
    private var wire: ClientConnection?
    /// Bytes that are still to be sent before the actual attack.
    private var opening: ArraySlice<UInt8> = []
    /// Time of the next action, in nanoseconds of the monotonic clock.
    private(set) var due: UInt64

    /// - Parameter due: the time of the attacker's first action, so that not all attackers act at once.
    init(_ kind: Kind, port: Int, due: UInt64) {
        self.kind = kind
        self.port = port
        self.due = due
    }

    private var pause: UInt64 {
        switch kind {
        case .slowHead, .slowBody, .slowReader, .idle, .oneByte: 1_000_000_000
        case .endlessChunks, .pipelining: 100_000_000
        case .garbage, .reset: 500_000_000
        }
    }

    func act(at now: UInt64, scratch: inout [UInt8]) {
        due = now + pause
        guard let wire else { return open() }
        if !opening.isEmpty {
            switch wire.send(opening) {
            case .bytes(let count): opening = opening.dropFirst(count)
            case .nothingNow: break
            case .ended: self.wire = nil
            }
            // The echoed bytes are not read before all bytes are sent. `slowReader` tests reading.
            if !opening.isEmpty { due = now + 20_000_000 }
            return
        }
        if !attackOnce(wire, &scratch) { self.wire = nil }
    }

    private func open() {
        wire = ClientConnection(
            port: port, receiveBufferBytes: kind == .slowReader || kind == .pipelining ? 4096 : nil)
        opening = Self.openings[kind] ?? []
        due = nanoseconds()
    }

    /// Sends or reads the next bytes of the attack.
    ///
    /// - Returns: `true` if the connection is still open.
    private func attackOnce(_ wire: ClientConnection, _ scratch: inout [UInt8]) -> Bool {
        switch kind {
        case .slowHead: return isOpen(wire, &scratch) && wire.send(Self.field) != .ended
        case .slowBody: return isOpen(wire, &scratch) && wire.send(Self.field.prefix(1)) != .ended
        case .slowReader: return wire.receive(into: &scratch, atMost: 16) != .ended
        case .idle, .oneByte: return isOpen(wire, &scratch)
        case .endlessChunks: return isOpen(wire, &scratch) && wire.send(Self.chunks) != .ended
        case .pipelining:
            opening = Self.requests
            return true
        case .garbage: return false
        case .reset:
            wire.resetAtEnd()
            return false
        }
    }

    private func isOpen(_ wire: ClientConnection, _ scratch: inout [UInt8]) -> Bool {
        wire.receive(into: &scratch, atMost: scratch.count) != .ended
    }

    private static let field = Array("X-Field: value\r\n".utf8)[...]
    private static let chunks = Array(
        String(repeating: "40\r\n" + String(repeating: "c", count: 64) + "\r\n", count: 58).utf8)[...]
    private static let requests = Array(
        String(
            repeating: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8192\r\n\r\n"
                + String(repeating: "p", count: 8192), count: 4
        ).utf8)[...]
    private static let openings: [Kind: ArraySlice<UInt8>] = [
        .slowHead: Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)[...],
        .slowBody: Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n".utf8)[...],
        .slowReader: Array(
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 524288\r\n\r\n"
                + String(repeating: "b", count: 524_288)).utf8)[...],
        .idle: Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)[...],
        .endlessChunks: Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)[...],
        .garbage: (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }[...],
        .reset: Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Le".utf8)[...],
        .oneByte: Array("G".utf8)[...],
    ]
}

/// Many attackers of all kinds in one thread; runs until it is killed.
enum AttackerPool {
    static func run(port: Int, count: Int, kinds: [Attacker.Kind]) -> Never {
        let start = nanoseconds()
        let attackers = (0..<count).map { index in
            // All attackers connect within half a second.
            Attacker(
                kinds[index % kinds.count], port: port,
                due: start + UInt64(index) * 500_000_000 / UInt64(count))
        }
        var scratch = [UInt8](repeating: 0, count: 65536)
        while true {
            let now = nanoseconds()
            for attacker in attackers where attacker.due <= now { attacker.act(at: now, scratch: &scratch) }
            Pause.milliseconds(5)
        }
    }
}
