import LeakSeededRandom
import LeakHTTPVectors

/// One client of a storm. It sends its bursts, reads at random times, and compares the received answers with the expected
/// answers.
final class StormClient {
    enum Ending { case stopsSending, resets, staysSilent }

    let name: String
    /// The connection; `nil` after the client has reset it.
    private(set) var client: Client?
    private let stream: StormStream
    private let ending: Ending
    /// The number of bytes after which the client stops sending.
    private let stopsAfter: Int
    /// The most bytes read at a time; 0 reads nothing before ``completeExchange(_:)``.
    private let readBytes: Int
    private var toSend: ArraySlice<UInt8> = []
    private var nextBurst = 0
    private var sent = 0
    private var hasEnded = false
    private var violationBeforeReset: String?

    init(wellBehaved name: String, port: Int, bursts: Int, _ random: inout SeededRandom) {
        self.name = name
        stream = StormStream(wellBehaved: name, bursts: bursts, &random)
        ending = .staysSilent
        stopsAfter = .max
        readBytes = 65536
        client = Client(port: port)
    }

    init(hostile name: String, port: Int, bursts: Int, _ random: inout SeededRandom) {
        self.name = name
        stream = StormStream(hostile: name, bursts: bursts, &random)
        ending =
            [.stopsSending, .stopsSending, .resets, .staysSilent].randomElement(using: &random)
            ?? .stopsSending
        // The client stops at the end of a burst, or at any byte.
        let last = random.number(1...stream.bursts.count)
        let bytes = stream.bursts[..<last].reduce(0) { $0 + $1.count }
        stopsAfter = random.once(in: 4) ? random.number(1...bytes) : bytes
        readBytes = [0, 100, 5000, 65536].randomElement(using: &random) ?? 0
        client = Client(port: port, receiveBufferBytes: random.once(in: 3) ? 4096 : nil)
    }

    /// Sends as much of the next burst as the connection accepts. After the last byte that the client sends, the connection ends
    /// as ``Ending`` says.
    func sendNextBurst() {
        if nextBurst < stream.bursts.count {
            toSend += stream.bursts[nextBurst]
            nextBurst += 1
        }
        sendRest()
        if readBytes > 0 { client?.read(milliseconds: 0, upTo: readBytes) }
    }

    /// Sends the bytes for which there was no room before.
    private func sendRest() {
        guard let client, !hasEnded else { return }
        let piece = toSend.prefix(stopsAfter - sent)
        if !piece.isEmpty {
            let count = client.sendNow(piece)
            sent += count
            toSend = toSend.dropFirst(count)
        }
        guard sent == stopsAfter else { return }
        hasEnded = true
        switch ending {
        case .stopsSending: client.endSending()
        case .resets:
            violationBeforeReset = violation(isAtRest: false)
            client.reset()
            self.client = nil
        case .staysSilent: break
        }
    }

    /// Sends and reads until all expected answers have arrived, and calls `meanwhile` repeatedly.
    ///
    /// - Returns: the error in the received answers, if any.
    func completeExchange(_ meanwhile: () -> Void) -> String? {
        guard let client else { return violationBeforeReset }
        let clock = ContinuousClock()
        var progress = clock.now
        var count = 0
        while true {
            meanwhile()
            let before = (sent, client.received.count)
            sendRest()
            guard self.client != nil else { return violationBeforeReset }
            let came = client.read(milliseconds: 2)
            if came || before != (sent, client.received.count) { progress = clock.now }
            if client.isEnded { break }
            if !came && (toSend.isEmpty || sent == stopsAfter) {
                if count != client.received.count { count = Reply.all(in: client.received).count }
                if count >= dueAnswers.count { break }
            }
            if clock.now - progress > .seconds(10) { break }
        }
        return violation()
    }

    /// Closes its sending side and reads the remaining bytes.
    ///
    /// - Returns: the error in the received answers, if any.
    func disconnect() -> String? {
        client?.endSending()
        guard client?.waitForEnd() ?? true else { return "\(name) was not disconnected" }
        return violation()
    }

    private var dueAnswers: [[UInt8]] {
        stream.expectedAnswers.filter { $0.dueAfterBytes <= sent }.map(\.body)
    }

    /// - Parameter isAtRest: `true` if all expected answers must have arrived by now.
    private func violation(isAtRest: Bool = true) -> String? {
        guard let client else { return nil }
        let replies = Reply.all(in: client.received)
        let expectedAnswers = dueAnswers
        for (index, reply) in replies.enumerated() {
            let answer = "\(name) got \(reply.status) \(reply.text.prefix(60))"
            guard index < expectedAnswers.count else {
                let isRefusal =
                    isCutOff && (400..<500).contains(reply.status) && !reply.text.contains(Self.mark)
                guard index == expectedAnswers.count, isRefusal else {
                    return "\(answer) and expects nothing"
                }
                continue
            }
            guard reply.status == 200, reply.body == expectedAnswers[index] else {
                return "\(answer) for \(Self.text(expectedAnswers[index]))"
            }
        }
        let part = client.received.dropFirst(replies.reduce(0) { $0 + $1.byteCount })
        if let body = Self.body(of: part),
            replies.count >= expectedAnswers.count || !expectedAnswers[replies.count].starts(with: body)
        {
            return "\(name) got a part of an answer that it does not expect: \(Self.text(body))"
        }
        guard !isAtRest || (part.isEmpty && replies.count >= expectedAnswers.count) else {
            let rest = "\(part.count) bytes\(client.isEnded ? " and an end" : "")"
            return "\(name) got \(replies.count) of \(expectedAnswers.count) answers, \(rest)"
        }
        return nil
    }

    /// Returns the received part of the body, or `nil` if the head of the answer is incomplete.
    private static func body(of part: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let end = part.indices.dropLast(3).first { part[$0..<$0 + 4].elementsEqual([13, 10, 13, 10]) }
        return end.map { part[($0 + 4)...] }
    }

    private static func text(_ body: some Collection<UInt8>) -> String {
        String(decoding: body.prefix(60), as: UTF8.self)
    }

    /// A text that every answer of the service contains, and no rejection by the server.
    private static let mark = "client"

    /// `true` if the last request is broken or was not sent completely.
    private var isCutOff: Bool { stream.isBroken || sent < stream.bursts.reduce(0) { $0 + $1.count } }
}
