import LeakFaultyPeers

/// Misbehaviour of a server that says nothing about the batch. The reporter must keep the batch and send it again.
struct HostileAnswer: Sendable, CustomStringConvertible {
    let description: String
    /// Bytes of the request that the server reads before it answers; `nil` reads the whole request.
    var bytesReadBefore: Int?
    let steps: [HostilePeer.Step]
    /// A text that ``LeakReporter/Statistics/lastFailure`` contains.
    let failureText: String

    /// `true` if the answer shows that no collector counted the batch, because another server answered.
    var isRetry: Bool {
        let statuses = [301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 422]
        return description == "401 in plain text"
            || statuses.contains { description.hasSuffix("status \($0)") }
    }
    /// `true` if only the reporter's timeout ends the request.
    var isSlow: Bool { failureText == Self.timeout }

    private init(
        _ description: String, bytesReadBefore: Int? = nil, failureText: String, _ steps: HostilePeer.Step...
    ) {
        self.description = description
        self.bytesReadBefore = bytesReadBefore
        self.steps = steps
        self.failureText = failureText
    }

    private static let json = "Content-Type: application/json\r\n"
    private static let acceptedJSON = #"{"accepted": 3, "duplicate": false, "rejected": []}"#
    private static let timeout = "curl code 28"
    private static let otherServerText = "not as a collector does: check the address"

    static let all = otherServers + lengths + endless + garbage + closedOrSilent + busy

    /// Answers of servers that are not a collector.
    private static let otherServers =
        [200, 400, 401, 403, 404, 422].map { status in
            HostileAnswer(
                "a page of HTML with status \(status)", failureText: otherServerText,
                .answer(status, type: "text/html", "<html><body>Welcome to the hotel</body></html>"))
        } + [
            HostileAnswer(
                "200 with no body", failureText: otherServerText, .answer(200, type: "application/json")),
            HostileAnswer("204", failureText: otherServerText, .send("HTTP/1.1 204 No Content\r\n\r\n")),
            HostileAnswer(
                "200 with JSON of another service", failureText: otherServerText,
                .answer(200, type: "application/json", #"{"status": "ok"}"#)),
            HostileAnswer(
                "401 in plain text", failureText: otherServerText,
                .answer(401, type: "text/plain", "who are you")),
            HostileAnswer(
                "500 as HTML", failureText: "500", .answer(500, type: "text/html", "<html>oops</html>")),
            HostileAnswer("status 304", failureText: "304", .send("HTTP/1.1 304 Not Modified\r\n\r\n")),
            HostileAnswer(
                "status 999", failureText: "999", .send("HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n")),
        ]
        + [301, 302, 303, 307, 308].map { status in
            HostileAnswer(
                "a redirect with status \(status)", failureText: "redirects to http://127.0.0.1:9/elsewhere",
                .answer(status, fields: ["Location: http://127.0.0.1:9/elsewhere"]))
        }

    /// Answers whose announced length is wrong or missing, or that end too early.
    private static let lengths = [
        HostileAnswer(
            "a length that is too long, then the end", failureText: "curl code 18",
            .send("HTTP/1.1 200 OK\r\n\(json)Content-Length: 500\r\n\r\n\(acceptedJSON)"), .close),
        HostileAnswer(
            "a length that is too long, then silence", failureText: timeout,
            .send("HTTP/1.1 200 OK\r\n\(json)Content-Length: 500\r\n\r\n\(acceptedJSON)"), .hang),
        HostileAnswer(
            "a length that is too short", failureText: otherServerText,
            .send("HTTP/1.1 200 OK\r\n\(json)Content-Length: 20\r\n\r\n\(acceptedJSON)"), .close),
        HostileAnswer(
            "a length that is not a number", failureText: "curl code",
            .send("HTTP/1.1 200 OK\r\n\(json)Content-Length: many\r\n\r\n{"), .close),
        HostileAnswer(
            "a length below zero", failureText: "curl code",
            .send("HTTP/1.1 200 OK\r\n\(json)Content-Length: -1\r\n\r\n{"), .close),
        HostileAnswer(
            "a chunk without a size", failureText: "curl code",
            .send("HTTP/1.1 200 OK\r\n\(json)Transfer-Encoding: chunked\r\n\r\nzz\r\n\(acceptedJSON)"), .close
        ),
        HostileAnswer(
            "chunks without the last", failureText: "curl code",
            .send("HTTP/1.1 200 OK\r\n\(json)Transfer-Encoding: chunked\r\n\r\n5\r\n{\"acc\r\n"), .close),
        HostileAnswer(
            "a gzip that was not asked for", failureText: otherServerText,
            .answer(200, type: "application/json", fields: ["Content-Encoding: gzip"], "\u{1F}gzip?")),
        HostileAnswer(
            "half an answer without a length", failureText: otherServerText,
            .send("HTTP/1.1 200 OK\r\n\(json)\r\n{\"accepted\": 3, \"dupl"), .close),
        HostileAnswer(
            "half an answer, then a reset", failureText: "curl code",
            .send("HTTP/1.1 200 OK\r\n\(json)Content-Length: \(acceptedJSON.utf8.count)\r\n\r\n{\"acc"),
            .reset),
        HostileAnswer(
            "half a head, then silence", failureText: timeout, .send("HTTP/1.1 200 OK\r\nConte"), .hang),
    ]

    /// Answers that never end.
    private static let endless = [
        HostileAnswer(
            "an endless body", failureText: "the response is longer than 65536 bytes",
            .send("HTTP/1.1 200 OK\r\n\(json)\r\n"), .sendEndlessly(Array(repeating: 0x20, count: 4_096))),
        HostileAnswer(
            "an endless body in chunks", failureText: "the response is longer than 65536 bytes",
            .send("HTTP/1.1 200 OK\r\n\(json)Transfer-Encoding: chunked\r\n\r\n"),
            .sendEndlessly(Array("8\r\n        \r\n".utf8))),
        HostileAnswer(
            "a body of a tebibyte", failureText: "the response is longer than 65536 bytes",
            .send("HTTP/1.1 200 OK\r\n\(json)Content-Length: 1099511627776\r\n\r\n"),
            .sendEndlessly(Array(repeating: 0x5B, count: 4_096))),
        HostileAnswer(
            "an endless head", failureText: "the response is longer", .send("HTTP/1.1 200 OK\r\n"),
            .sendEndlessly(Array("X-Again: and again\r\n".utf8))),
        HostileAnswer(
            "an endless line", failureText: "curl code", .send("HTTP/1.1 200 OK\r\nX-Long: "),
            .sendEndlessly(Array(repeating: 0x61, count: 4_096))),
        HostileAnswer(
            "interim answers without end", failureText: "the response is longer",
            .sendEndlessly(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))),
        HostileAnswer(
            "early hints without end", failureText: "the response is longer",
            .sendEndlessly(Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8))),
        HostileAnswer(
            "a body that is sent byte by byte", failureText: timeout,
            .send("HTTP/1.1 200 OK\r\n\(json)Content-Length: 60000\r\n\r\n"),
            .sendBytes(Array(repeating: 0x20, count: 60_000), pauseMilliseconds: 20)),
    ]

    /// Bytes that are not HTTP.
    private static let garbage = [
        HostileAnswer(
            "another protocol", failureText: "curl code", .send("SSH-2.0-OpenSSH_9.2p1\r\n"), .close),
        HostileAnswer("zeros", failureText: "curl code", .send(Array(repeating: 0, count: 10_000)), .close),
        HostileAnswer("a TLS alert", failureText: "curl code", .send([0x15, 3, 1, 0, 2, 2, 0x28]), .close),
        HostileAnswer("every byte value", failureText: "curl code", .send(Array(0...255)), .close),
        HostileAnswer(
            "a status that is not a number", failureText: "curl code", .send("HTTP/1.1 OK\r\n\r\n"), .close),
        HostileAnswer("an answer of HTTP/3", failureText: "curl code", .send("HTTP/3 200\r\n\r\n"), .close),
    ]

    /// Peers that close the connection, or keep it open and send nothing.
    private static let closedOrSilent =
        [
            HostileAnswer("the end, before any byte", failureText: "curl code 52", .close),
            HostileAnswer("a reset, before any byte", failureText: "curl code 56", .reset),
            HostileAnswer("silence", failureText: timeout, .hang),
        ]
        + [1, 20, 300, 400].flatMap { (bytes: Int) in
            [
                HostileAnswer(
                    "the end after \(bytes) bytes", bytesReadBefore: bytes, failureText: "curl code", .close),
                HostileAnswer(
                    "a reset after \(bytes) bytes", bytesReadBefore: bytes, failureText: "curl code", .reset),
                HostileAnswer(
                    "silence after \(bytes) bytes", bytesReadBefore: bytes, failureText: timeout, .hang),
            ]
        }

    /// A collector that asks for another attempt.
    private static let busy = [408, 425, 429, 500, 502, 503, 504, 507].map { status in
        HostileAnswer(
            "\(status) with Retry-After", failureText: "the collector answered \(status): later",
            .answer(status, fields: ["Retry-After: 0"], #"{"title": "later"}"#))
    }
}
