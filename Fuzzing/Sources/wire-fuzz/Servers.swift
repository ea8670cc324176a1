internal import LeakHTTPServer
internal import Synchronization

#if canImport(Darwin)
    private import Darwin
    private let streamType = SOCK_STREAM
    private let sendFlags: Int32 = 0
#else
    private import Glibc
    private let streamType = Int32(SOCK_STREAM.rawValue)
    private let sendFlags = Int32(MSG_NOSIGNAL)
#endif

/// Two servers in this process that get inputs over a connection: one with access logs, a hook for slow calls and counters that
/// are read, and one without any of them.
struct Servers: Sendable {
    static let shared = Servers()

    private let observation = Observation()
    private let observed: Server
    private let unobserved: Server

    private init() {
        // The limits of bytes are small, so that inputs exceed them. The limits of time are long, because a machine that fuzzes
        // is busy.
        var limits = Limits()
        limits.headBytes = 2048
        limits.bodyBytes = 4096
        limits.headTime = .seconds(60)
        limits.bodyTime = .seconds(60)
        var configuration = Server.Configuration(port: 0)
        configuration.limits = limits
        do {
            unobserved = try Server(configuration, service: Echo())
            observation.observe(&configuration)
            observed = try Server(configuration, service: Echo())
        } catch {
            fatalError("\(error)")
        }
        observed.start()
        unobserved.start()
    }

    /// Sends a quarter of all streams to both servers. The others are left out, because a connection takes much longer than the
    /// parsers.
    ///
    /// - Returns: a description of the invariant that the stream violates, or `nil`.
    func violation(by stream: [UInt8]) -> String? {
        // The content of the stream decides, so that a found input violates the invariant again.
        guard stream.reduce(0, { ($0 &* 31) &+ UInt32($1) }).isMultiple(of: 4) else { return nil }
        let loud = Self.exchange(stream, port: observed.port)
        let quiet = Self.exchange(stream, port: unobserved.port)
        guard let loud, let quiet else { return "a server does not close a connection whose peer has ended" }
        guard loud == quiet else {
            let (with, without) = (
                String(decoding: loud, as: UTF8.self), String(decoding: quiet, as: UTF8.self)
            )
            return "with observers \(with), without \(without)"
        }
        // The server calls its observers last, maybe after the client has read the response.
        for _ in 0..<10_000 {
            if observation.agrees(with: observed.counters) { return nil }
            usleep(1000)
        }
        return "the observers were called for other responses than the server counted: \(observed.counters)"
    }

    /// Sends the whole stream, closes the sending side of the connection, and reads until the server closes the connection.
    ///
    /// - Returns: the responses without their dates; `nil` if the connection stays open for a minute.
    private static func exchange(_ stream: [UInt8], port: Int) -> [UInt8]? {
        let client = socket(AF_INET, streamType, 0)
        guard client >= 0 else { fatalError("no socket: \(errno)") }
        defer { close(client) }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        _ = unsafe setsockopt(
            client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { fatalError("cannot connect: \(errno)") }
        var answers: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        var rest = stream[...]
        // In turns, so that neither side waits for the other to read.
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe send(client, $0.baseAddress, min($0.count, 8 << 10), sendFlags)
            }
            // The timer of libFuzzer may interrupt the call. Any other failure means that the server rejected the rest.
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { break }
            rest = rest.dropFirst(sent)
            while true {
                let count = unsafe recv(client, &block, block.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { break }
                answers += block[..<count]
            }
        }
        _ = shutdown(client, Int32(SHUT_WR))
        while true {
            let count = unsafe recv(client, &block, block.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return nil }
            guard count > 0 else { return withoutDates(answers) }
            answers += block[..<count]
        }
    }

    /// Removes the values of `Date`, whose length is fixed.
    private static func withoutDates(_ answers: [UInt8]) -> [UInt8] {
        let name = Array("\r\nDate: ".utf8)
        var result: [UInt8] = []
        var index = 0
        while index < answers.count {
            if answers[index] == name[0], answers[index...].starts(with: name) {
                result += name
                index = min(answers.count, index + name.count + 29)
            } else {
                result.append(answers[index])
                index += 1
            }
        }
        return result
    }
}

/// Two access logs, one of each form, and the number of calls of the observers.
private final class Observation: Sendable {
    private let logs: [AccessLog]
    private let answers = Atomic(0)
    private let slowCalls = Atomic(0)

    init() {
        let file = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        logs = [AccessLog(to: file, as: .json), AccessLog(to: file, as: .text)]
        close(file)
    }

    func observe(_ configuration: inout Server.Configuration) {
        configuration.onAnswer = { [self] record in
            for log in logs { log.write(record) }
            answers.add(1, ordering: .relaxed)
        }
        configuration.onSlowCall = { [self] _ in slowCalls.add(1, ordering: .relaxed) }
    }

    func agrees(with counters: Counters) -> Bool {
        let counted =
            counters.successful + counters.redirected + counters.clientErrors + counters.serverErrors
        return answers.load(ordering: .relaxed) == counted
            && slowCalls.load(ordering: .relaxed) == counters.slowCalls
    }
}

/// Echoes the body, and rejects some requests before their body is read.
private struct Echo: Service {
    func screen(_ request: borrowing Request) -> ScreeningResult {
        ScreeningResult(request.method == .delete ? Response(.notFound) : nil)
    }

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        responder.send(Response(.ok, type: "text/plain", body: .bytes(request.body())))
    }
}
