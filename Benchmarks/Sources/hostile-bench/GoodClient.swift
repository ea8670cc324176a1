#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

enum Pause {
    static func milliseconds(_ count: Int32) { _ = poll(nil, 0, count) }
}

/// A well-behaved client: sends a request, reads the response, waits a while, and sends the next request.
final class GoodClient {
    private let port: Int
    private let request: ArraySlice<UInt8>
    /// Nanoseconds from one request to the next.
    private let pause: UInt64
    /// `true` if each request has a connection of its own.
    private let connectsAnew: Bool
    private var wire: ClientConnection?
    private var unsent: ArraySlice<UInt8> = []
    private var answer: [UInt8] = []
    /// Time at which the current request was started; `nil` between two requests.
    private var asked: UInt64?
    /// Time at which the next request may start.
    private(set) var due: UInt64
    /// Time at which the connection was opened or last used.
    private var lastUse: UInt64 = 0
    /// Nanoseconds from ``lastUse`` to the sending of the current request.
    private var idle: UInt64 = 0
    /// `true` if the current request was sent a second time.
    private var isRepeated = false

    /// Nanoseconds from the start of a request, including connecting, to the last byte of the response.
    private(set) var latencies: [UInt64] = []
    /// Requests that were refused or cut off, or took longer than ``patience``.
    private(set) var failures = 0
    /// Requests that were repeated because this client itself had left its connection idle.
    private(set) var repeats = 0

    /// Idle time in nanoseconds from which a closed connection is not the fault of the server. The server may close a
    /// connection that is idle for 50 ms while other connections wait, and on a busy machine this much time may pass between
    /// connecting and sending a request.
    private static let harmlessIdle: UInt64 = 40_000_000

    /// Nanoseconds after which a request counts as failed.
    static let patience: UInt64 = 5_000_000_000

    init(port: Int, request: String, pause: UInt64, connectsAnew: Bool, due: UInt64) {
        self.port = port
        self.request = Array(request.utf8)[...]
        self.pause = pause
        self.connectsAnew = connectsAnew
        self.due = due
    }

    /// The events to poll for while a response is awaited.
    var awaitedEvents: pollfd? {
        guard asked != nil, let wire else { return nil }
        return pollfd(
            fd: wire.descriptor, events: Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
    }

    func act(at now: UInt64, scratch: inout [UInt8]) {
        if let asked {
            if now - asked > Self.patience { end(at: now, isFailure: true) } else { proceed(&scratch) }
        } else if now >= due {
            asked = now
            if wire == nil || connectsAnew {
                lastUse = nanoseconds()
                wire = ClientConnection(port: port)
            }
            unsent = request
            idle = 0
            proceed(&scratch)
        }
    }

    private func proceed(_ scratch: inout [UInt8]) {
        guard let wire else { return end(at: nanoseconds(), isFailure: true) }
        if !unsent.isEmpty {
            let sent = wire.send(unsent)
            if unsent.count == request.count { idle = nanoseconds() - lastUse }
            if case .bytes(let count) = sent { unsent = unsent.dropFirst(count) }
        }
        switch wire.receive(into: &scratch, atMost: scratch.count) {
        case .nothingNow: return
        case .ended:
            return answer.isEmpty && mayBeEvicted ? askAgain() : end(at: nanoseconds(), isFailure: true)
        case .bytes(let count):
            answer += scratch[..<count]
            lastUse = nanoseconds()
        }
        let now = nanoseconds()
        if let isOK = Self.isSuccess(answer) { end(at: now, isFailure: !isOK) }
    }

    /// `true` if the server may have closed this connection to make room for another connection.
    private var mayBeEvicted: Bool { idle >= Self.harmlessIdle && !isRepeated }

    /// Sends the same request on another connection; its time counts from the first attempt on.
    private func askAgain() {
        repeats += 1
        isRepeated = true
        lastUse = nanoseconds()
        wire = ClientConnection(port: port)
        unsent = request
        idle = 0
    }

    private func end(at now: UInt64, isFailure: Bool) {
        defer { asked = nil }
        answer = []
        if isFailure {
            wire = nil
            failures += 1
        } else if let asked {
            latencies.append(now - asked)
        }
        isRepeated = false
        if connectsAnew { wire = nil }
        due = max(now, (asked ?? now) + pause)
    }

    /// - Returns: `true` if the response is a 200, `false` for another response, `nil` if it is not complete yet.
    private static func isSuccess(_ bytes: [UInt8]) -> Bool? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound]
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) } ?? 0
        guard text[end.upperBound...].utf8.count >= length else { return nil }
        return head.hasPrefix("HTTP/1.1 200 ")
    }
}

/// Observations of all good clients together.
struct ClientStatistics {
    var latencies: [UInt64] = []
    var failures = 0
    /// Repeated requests: ``GoodClient/repeats``.
    var repeats = 0

    /// Returns the latency in milliseconds that this share of the requests did not exceed.
    func percentile(_ share: Double) -> Double {
        guard !latencies.isEmpty else { return .nan }
        let sorted = latencies.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1e6
    }

    static func + (left: ClientStatistics, right: ClientStatistics) -> ClientStatistics {
        ClientStatistics(
            latencies: left.latencies + right.latencies, failures: left.failures + right.failures,
            repeats: left.repeats + right.repeats)
    }

    static func sum(of clients: [GoodClient]) -> ClientStatistics {
        clients.reduce(ClientStatistics()) {
            $0 + ClientStatistics(latencies: $1.latencies, failures: $1.failures, repeats: $1.repeats)
        }
    }

    /// Runs `clients` on this thread for some seconds, and returns their observations so far.
    static func running(_ clients: [GoodClient], seconds: Double) -> ClientStatistics {
        let end = nanoseconds() + UInt64(seconds * 1e9)
        var scratch = [UInt8](repeating: 0, count: 65536)
        while true {
            let now = nanoseconds()
            guard now < end else { break }
            for client in clients { client.act(at: now, scratch: &scratch) }
            var awaited = clients.compactMap(\.awaitedEvents)
            let next = clients.filter { $0.awaitedEvents == nil }.map(\.due).min() ?? end
            let wait = next - min(next, nanoseconds())
            unsafe poll(&awaited, nfds_t(awaited.count), Int32(min(wait / 1_000_000, 20)))
        }
        return sum(of: clients)
    }
}
