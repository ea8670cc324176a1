import LeakSeededRandom

/// The bytes that one client sends, in bursts, and the answers that it expects.
struct StormStream {
    /// Lists of bytes, each of which is sent without a pause.
    private(set) var bursts: [[UInt8]] = []
    /// The bodies of the expected answers, in order, each with the number of bytes that must have been sent before it is due.
    private(set) var expectedAnswers: [(body: [UInt8], dueAfterBytes: Int)] = []
    /// `true` if the stream ends in bytes for which no answer is expected, but a rejection may arrive.
    private(set) var isBroken = false

    private let name: String
    private var count = 0
    private var current: [UInt8] = []

    /// The number of bytes that an event loop reads in one call.
    private static let readBytes = 65536
    private static let largestBody = 200 << 10

    /// Creates a stream of valid requests.
    init(wellBehaved name: String, bursts: Int, _ random: inout SeededRandom) {
        self.name = name
        for _ in 0..<bursts {
            for _ in 0..<random.number(1...3) {
                random.once(in: 8) ? addBody(random.number(1...Self.largestBody)) : addSmall(&random)
            }
            endBurst()
        }
    }

    /// Creates a stream of requests of every kind. Requests of the last burst may be broken.
    init(hostile name: String, bursts: Int, _ random: inout SeededRandom) {
        self.name = name
        for burst in 1...bursts {
            if random.once(in: 3) {
                fillRead(&random)
            } else {
                for _ in 0..<random.number(1...4) { add(&random) }
                if burst == bursts { truncateStream(&random) }
            }
            endBurst()
        }
    }

    private mutating func add(_ random: inout SeededRandom) {
        switch random.number(0...3) {
        case 0: addBody(random.number(1...Self.largestBody))
        case 1: addChunked(random.number(1...Self.largestBody), &random)
        default: for _ in 0..<random.number(1...40) { addSmall(&random) }
        }
    }

    private mutating func addSmall(_ random: inout SeededRandom) {
        let path = "/\(random.once(in: 6) ? "later" : "now")/\(nextName())"
        if random.once(in: 2) {
            send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            expectResponse(Array(path.utf8))
        } else {
            let body = body(random.number(1...200))
            send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
            current += body
            expectResponse(body)
        }
    }

    private mutating func addBody(_ length: Int) {
        let body = body(length)
        send(head("Content-Length: \(length)"))
        current += body
        expectResponse(body)
    }

    private mutating func addChunked(_ length: Int, _ random: inout SeededRandom) {
        let body = body(length)
        send(head("Transfer-Encoding: chunked"))
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(random.once(in: 2) ? random.number(1...300) : random.number(1...70_000))
            send(String(chunk.count, radix: 16) + "\r\n")
            current += chunk
            send("\r\n")
            rest = rest.dropFirst(chunk.count)
        }
        send("0\r\n\r\n")
        expectResponse(body)
    }

    /// Adds small requests and the beginning of a large body, so that the burst has exactly the size that is read in one call.
    /// The rest of the body, if any, is the next burst.
    private mutating func fillRead(_ random: inout SeededRandom) {
        for _ in 0..<random.number(0...4) { addSmall(&random) }
        let body = body(Self.largestBody)
        send(head("Content-Length: \(body.count)"))
        let part = Self.readBytes - current.count
        current += body[..<part]
        endBurst()
        current += body[part...]
        expectResponse(body)
    }

    private mutating func truncateStream(_ random: inout SeededRandom) {
        isBroken = true
        switch random.number(0...4) {
        case 0: send("GET /\(nextName()) HT")
        case 1: send("GARBAGE\r\n\r\n" + String(repeating: "x", count: random.number(0...70_000)))
        case 2:
            let body = body(random.number(2...Self.largestBody))
            send(head("Content-Length: \(body.count)"))
            current += body[..<random.number(0...body.count - 1)]
        case 3:
            send(head("Transfer-Encoding: chunked") + "10000\r\n")
            current += body(random.number(0...0xFFFF))
        default: send(head("Transfer-Encoding: chunked") + "5\r\nhello\r\nno size\r\n")
        }
    }

    private func head(_ framing: String) -> String { "POST /now HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n" }

    private mutating func nextName() -> String {
        count += 1
        return "\(name).\(count)"
    }

    /// Returns `length` bytes that repeat the name of their request.
    private mutating func body(_ length: Int) -> [UInt8] {
        let word = nextName() + " "
        return Array(String(repeating: word, count: length / word.utf8.count + 1).utf8.prefix(length))
    }

    private mutating func send(_ text: String) { current += Array(text.utf8) }

    private mutating func expectResponse(_ body: [UInt8]) {
        expectedAnswers.append((body, bursts.reduce(current.count) { $0 + $1.count }))
    }

    private mutating func endBurst() {
        if !current.isEmpty { bursts.append(current) }
        current = []
    }
}
