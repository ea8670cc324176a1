import LeakPlatform

/// The received answers to one vector, and a summary in the notation of the vector's file. The summary, `text`, has a `?`
/// if there are bytes that are not an answer.
public struct Outcome: Sendable {
    public let text: String
    public let replies: [Reply]
    private let isEnded: Bool

    private init(of client: Client, _ vector: Vector) {
        let heads: Set<Int> = vector.asksHeadFirst ? [0] : []
        replies = Reply.all(in: client.received, heads: heads)
        isEnded = client.isEnded
        let isWhole = replies.reduce(0) { $0 + $1.byteCount } == client.received.count
        text =
            replies.map { "\($0.status)" }.joined(separator: ",") + (isWhole ? "" : "?")
            + (isEnded ? "!" : "~")
    }

    /// Sends each of `vectors` over a separate connection, some at the same time.
    ///
    /// - Parameter isExpected: returns `true` if an outcome is the expected outcome.
    public static func all(
        of vectors: [Vector], port: Int,
        isExpected: @escaping @Sendable (Outcome, Vector) -> Bool = { $1.matches($0.text) }
    ) -> [Outcome] {
        let shared = Guarded((next: 0, outcomes: [Int: Outcome]()))
        let senders = (0..<64).map { number in
            WorkerThread(name: "sender-\(number)") {
                while true {
                    let index = shared.with { state in
                        defer { state.next += 1 }
                        return state.next
                    }
                    guard index < vectors.count else { return }
                    let vector = vectors[index]
                    let outcome = one(of: vector, port: port) { isExpected($0, vector) }
                    shared.with { $0.outcomes[index] = outcome }
                }
            }
        }
        for sender in senders { sender.join() }
        return shared.with { $0.outcomes }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Sends a vector and reads until it has the expected outcome and the outcome no longer changes. A busy machine only makes
    /// this slower.
    private static func one(
        of vector: Vector, port: Int, isExpected: (Outcome) -> Bool
    ) -> Outcome {
        let client = Client(port: port)
        for step in vector.steps {
            switch step {
            case .bytes(let bytes): client.send(bytes)
            case .wait(let milliseconds):
                // Waits longer for an expected interim answer, which is sent only before the body has arrived.
                let patience = vector.outcome.hasPrefix("(100,)2") ? 10_000 : milliseconds
                client.read(milliseconds: Int32(patience))
            case .endSending: client.endSending()
            }
        }
        for _ in 0..<25 {
            while client.read(milliseconds: 400) {}
            let outcome = Outcome(of: client, vector)
            if client.isEnded || isExpected(outcome) { return outcome }
        }
        return Outcome(of: client, vector)
    }

    /// Returns the errors in fields and bodies of the answers, one line each. Statuses are not checked.
    public func errorsBesidesStatus(for vector: Vector) -> [String] {
        var complaints = breaches(in: vector)
        if let body = vector.body, replies.last?.text != body {
            complaints.append("the body is \(replies.last?.text ?? "missing"), not \(body)")
        }
        for (name, value) in vector.fields where replies.last?.field(name) != value {
            complaints.append(
                "\(name) is \(replies.last?.field(name) ?? "missing"), not \(value ?? "missing")")
        }
        return complaints
    }

    /// Returns the rules that these answers break, among the rules that hold for all answers of any service.
    public func breaches(in vector: Vector) -> [String] {
        replies.enumerated().flatMap { index, reply in
            reply.breaches(isFinal: index == replies.count - 1 && isEnded && !vector.endsSending)
        }
    }
}

extension Reply {
    /// Returns the rules that the answer breaks, about fields that it must have or must not have.
    ///
    /// - Parameter isFinal: `true` if the server closed the connection after the answer, and not because the client did.
    fileprivate func breaches(isFinal: Bool) -> [String] {
        var breaches: [String] = []
        func expect(_ holds: Bool, _ rule: String) { if !holds { breaches.append("\(status): \(rule)") } }
        let hasNoBody = status < 200 || status == 204 || status == 304
        expect(
            (field("content-length") == nil) == hasNoBody,
            "Content-Length is there if the status allows a body")
        expect(field("transfer-encoding") == nil, "no answer is chunked")
        expect(field("server") == nil, "the field Server is missing")
        guard status >= 200 else { return breaches }
        expect(field("date")?.hasSuffix(" GMT") == true, "Date is there")
        expect(field("x-content-type-options") == "nosniff", "X-Content-Type-Options is nosniff")
        expect(
            ["no-referrer", "same-origin"].contains(field("referrer-policy") ?? ""),
            "Referrer-Policy sends no address to other sites")
        expect(
            field("cross-origin-resource-policy") == "same-origin",
            "Cross-Origin-Resource-Policy is same-origin")
        expect(status != 405 || field("allow") != nil, "405 comes with Allow")
        expect(status != 401 || field("www-authenticate") != nil, "401 comes with WWW-Authenticate")
        expect(!isFinal || field("connection") == "close", "the last answer says Connection: close")
        expect(
            isFinal || status < 500 || status == 503,
            "no status is above 499 except 503, unless the answer is final")
        return breaches
    }
}
