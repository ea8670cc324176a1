import LeakHTTPServer
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct SubmissionBuilderTests {
    static let now: Int64 = 1_795_000_000_000

    private func receive(
        _ body: String, _ format: WireFormat = .json, app: String? = nil, version: String? = nil,
        module: String? = nil, keyApp: String? = nil, idempotencyKey: String? = nil
    ) throws(Problem) -> SubmissionBuilder {
        var cache = GroupCache()
        return try SubmissionBuilder(
            IngestRequest(
                body: Array(body.utf8), format: format, app: app, version: version,
                module: module, idempotencyKey: idempotencyKey, receivedAt: Self.now),
            key: Credential(id: 7, purpose: .ingest, name: "k", hash: [], app: keyApp, createdAt: 0),
            cache: &cache)
    }

    @Test func `a builder stops at the first report over the limit of reports without a cache entry`() throws
    {
        let body = "[" + (0..<50).map { #"{"class":"Cart\#($0)Model"}"# }.joined(separator: ",") + "]"
        let request = IngestRequest(body: Array(body.utf8), format: .json, receivedAt: Self.now)
        let document = try SubmissionBuilder.read(request)
        let key = Credential(id: 7, purpose: .ingest, name: "k", hash: [], createdAt: 0)
        var cache = GroupCache()
        func build(_ limit: Int) throws -> SubmissionBuilder {
            cache.begin()
            return try SubmissionBuilder(
                document, of: request, key: key, cache: &cache, maxUncachedReports: limit)
        }
        let first = try build(20)
        #expect(first.isIncomplete && cache.count == 21)
        let second = try build(29)
        #expect(!second.isIncomplete && second.submission.sightings.count == 50)
        #expect(try !build(0).isIncomplete)
    }

    @Test(
        arguments: [
            (#"{"class":"A"}"#, nil, nil, nil, "default", "unknown"),
            (#"{"class":"A"}"#, "query", "1", nil, "query", "1"),
            (#"{"class":"A"}"#, nil, nil, "bound", "bound", "unknown"),
            (#"{"class":"A","app":{"id":"own","version":"2"}}"#, "query", "1", nil, "own", "2"),
            (#"{"class":"A","app":{"version":"2"}}"#, nil, "1", "bound", "bound", "2"),
        ] as [(String, String?, String?, String?, String, String)])
    func `the app of a report is read from its fields, else from the URL, else from the ingest key`(
        body: String, queryApp: String?, queryVersion: String?, keyApp: String?, app: String, version: String
    ) throws {
        let builder = try receive(body, app: queryApp, version: queryVersion, keyApp: keyApp)
        #expect(builder.submission.origins.map(\.app) == [app])
        #expect(builder.submission.origins.map(\.version) == [version])
    }

    @Test(
        arguments: [
            ("Shop", "ListVC"), ("FeatureA", "Shop.ListVC"), (nil, "ListVC"), ("", "ListVC"),
        ] as [(String?, String)])
    func `the module of a report is read from its fields, else from the URL`(
        module: String?, className: String
    ) throws {
        let text = try receive("Expected deallocation of Shop.ListVC", .text, module: module)
        #expect(text.submission.sightings.map(\.leak.className) == [className])
        let named = #"{"class":"Shop.ListVC","app":{"module":"Shop"}}"#
        let report = try receive(named, module: module)
        #expect(report.submission.sightings.map(\.leak.className) == ["ListVC"])
        #expect(throws: Problem.self) { try receive("x", .text, module: String(repeating: "M", count: 257)) }
    }

    /// The response to a request with an idempotency key is stored.
    @Test(arguments: [1, 15, 110])
    func `the stored response has at most 960 bytes, and counts all rejections`(rejected: Int) throws {
        let reports = (0..<rejected).map { _ in "{\"class\":\"\(String(repeating: "\\u0001", count: 40))\"}" }
        let body = #"{"reports":[{"class":"A"},\#(reports.joined(separator: ","))]}"#
        let answer = try receive(body, idempotencyKey: "k").submission.response
        #expect(answer.count <= SubmissionBuilder.maxStoredResponseBytes)
        let text = String(decoding: answer, as: UTF8.self)
        #expect(text.contains(#""rejected_count":\#(rejected)"#), "\(text)")
        #expect(rejected > 1 || text.contains(#""index":1"#))
    }

    @Test func `a request with another module in its URL does not count as a repeat`() {
        var ingestRequest = IngestRequest(
            body: [1], format: .text, app: "a", version: nil, idempotencyKey: "k", receivedAt: Self.now)
        let content = ingestRequest.contentHash
        ingestRequest.module = "Shop"
        #expect(ingestRequest.contentHash != content)
    }

    @Test func `an ingest key that is restricted to an app may write only for that app`() throws {
        let mixed = #"[{"class":"A","app":{"id":"mine"}},{"class":"B","app":{"id":"other"}}]"#
        let builder = try receive(mixed, keyApp: "mine")
        #expect(builder.submission.sightings.count == 1)
        // The store creates each app of a submission: a rejected report must not create another app.
        #expect(builder.submission.origins.map(\.app) == ["mine"])
        let turned = #"[{"class":"B","app":{"id":"other"}},{"class":"A","app":{"id":"mine"}}]"#
        #expect(try receive(turned, keyApp: "mine").submission.origins.map(\.app) == ["mine"])
        let answer = String(decoding: Self.bytes(builder.response(isDuplicate: false)), as: UTF8.self)
        #expect(
            answer
                == #"{"accepted":1,"duplicate":false,"rejected":[{"index":1,"reason":"app is other, but this ingest key is restricted to mine"}],"rejected_count":1}"#
        )

        let foreign = #"{"app":{"id":"other"},"reports":[{"class":"A"}]}"#
        #expect { try receive(foreign, keyApp: "mine") } throws: { ($0 as? Problem)?.status == .forbidden }
        let usageCounts = #"{"app":{"id":"other"},"sessions":[{"id":"s","checks":1,"leaks":0}]}"#
        #expect { try receive(usageCounts, keyApp: "mine") } throws: {
            ($0 as? Problem)?.status == .forbidden
        }
    }

    @Test func `the response names rejected explanations for an app that the key may not write for`() throws {
        let explanation = #"{"class":"A","why":{"path":[{"owner":"A","field":"a"}]}"#
        let builder = try receive(
            #"{"reports":[{"class":"A"}],"explanations":[\#(explanation)},"#
                + #"\#(explanation),"app":{"id":"other"}}]}"#,
            app: "mine", keyApp: "mine")
        #expect(builder.submission.explanations.count == 1)
        let answer = String(decoding: Self.bytes(builder.response(isDuplicate: false)), as: UTF8.self)
        #expect(
            answer.contains(
                #""rejected_explanations":{"count":1,"first":"app is other, but this ingest key is restricted to mine"}"#
            ), "\(answer)")
    }

    @Test(
        arguments: [
            (nil, 0), (-1, -1), (3_600_000, 3_600_000),
            (SubmissionBuilder.maxLeadMilliseconds, SubmissionBuilder.maxLeadMilliseconds),
            (SubmissionBuilder.maxLeadMilliseconds + 1, 0),
            (-SubmissionBuilder.maxAgeMilliseconds, -SubmissionBuilder.maxAgeMilliseconds),
            (-SubmissionBuilder.maxAgeMilliseconds - 1, -SubmissionBuilder.maxAgeMilliseconds),
            (-Int64(4) * 365 * 24 * 3600 * 1000, -SubmissionBuilder.maxAgeMilliseconds),
        ] as [(Int64?, Int64)])
    func `a report's time is limited: too old becomes the oldest allowed time, too far ahead becomes now`(
        offset: Int64?, expected: Int64
    ) {
        let at = offset.map { WireTime(milliseconds: Self.now + $0) }
        #expect(SubmissionBuilder.countedTime(at, receivedAt: Self.now) == Self.now + expected)
    }

    @Test func `reports of a batch have the sender of the batch, unless a report names its own sender`()
        throws
    {
        let builder = try receive(
            #"""
            {"app":{"id":"a","version":"1"},"device":{"os":"iOS","os_version":"19.1","model":"iPhone17,1"},"install":"i",
             "reports":[{"class":"A"},{"class":"B","install":"j"},{"class":"C"},{"class":"D","device":{"os":"tvOS"}}]}
            """#)
        #expect(builder.submission.sightings.map(\.originIndex) == [0, 1, 0, 2])
        #expect(builder.submission.origins.map(\.install) == ["i", "j", "i"])
        #expect(builder.submission.origins.map(\.system) == ["iOS 19.1", "iOS 19.1", "tvOS"])
        #expect(Set(builder.submission.origins.map(\.installHash)).count == 2)
    }

    @Test func `the sessions, checks and dropped reports of a batch without reports are counted`() throws {
        let builder = try receive(
            #"""
            {"app":{"id":"a","module":"Shop","version":"1","build":"8"},
             "sessions":[{"id":"s","checks":3,"leaks":0},{"id":"t","checks":3,"leaks":2}],
             "checks":[{"class":"Shop.Cart","count":2},{"class":"Cart","count":3}],"dropped":{"budget":4}}
            """#)
        #expect(
            builder.submission.usageCounts == [
                Submission.UsageCounts(
                    app: "a", version: "1", build: "8", sessions: 2, leakySessions: 1, checks: ["Cart": 5])
            ])
        #expect(builder.submission.dropped == [Submission.Dropped(app: "a", reason: "budget", count: 4)])
    }

    /// A session with unchecked objects is leaky if an object leaked in it. Otherwise it is neither leak-free nor leaky.
    @Test func `a session without a leak is not counted if some objects were not checked`() throws {
        let builder = try receive(
            #"""
            {"app":{"id":"a","version":"1"},
             "sessions":[{"id":"s","checks":3,"leaks":0,"unseen":5},{"id":"t","checks":3,"leaks":2,"unseen":6},
               {"id":"u","checks":1,"leaks":0,"unseen":0}]}
            """#)
        #expect(
            builder.submission.usageCounts == [
                Submission.UsageCounts(
                    app: "a", version: "1", build: nil, sessions: 2, leakySessions: 1, checks: [:])
            ])
        #expect(builder.submission.dropped == [Submission.Dropped(app: "a", reason: "unseen", count: 11)])
    }

    @Test func `the response to a repeated request says that it is a duplicate`() throws {
        let builder = try receive(#"[{"class":"A"},{"class":""}]"#, idempotencyKey: "k1")
        #expect(builder.submission.idempotency?.key == "k1")
        #expect(builder.submission.idempotency?.bodyHash.count == 8)
        let stored = String(decoding: builder.submission.response, as: UTF8.self)
        #expect(stored.hasPrefix(#"{"accepted":1,"duplicate":true,"rejected":[{"index":1,"#))
    }

    @Test(arguments: [
        ("", WireFormat.json), ("{", .json), ("[]", .json), ("{}", .json), (#"{"reports":[]}"#, .json),
        (#"{"class":1}"#, .json), (#"[{"count":0,"class":"A"}]"#, .json), ("\n\n", .ndjson), ("", .text),
        ("{\"class\":\"A\"}\n{", .ndjson),
    ])
    func `a body in which nothing can be counted gets 400 with the reason`(body: String, format: WireFormat) {
        #expect {
            try receive(body, format)
        } throws: {
            guard let problem = $0 as? Problem else { return false }
            return problem.status == .badRequest && !problem.detail.isEmpty
        }
    }

    @Test func `the error about invalid JSON names the line and column of the mistake`() {
        #expect {
            try receive("{\"class\": \"A\",\n \"count\": x}")
        } throws: {
            guard let problem = $0 as? Problem else { return false }
            return problem.line == 2 && problem.column == 11
        }
    }

    @Test func `sums of checks stop at the largest Int, and class names are compared byte by byte`() {
        var counts = ClassCounts()
        for name in ["A", "caf\u{E9}", "cafe\u{301}"] {
            counts.add(.max, to: name)
            counts.add(.max, to: name)
        }
        #expect(counts.counts.count == 2)
        #expect(counts.collidingCounts.map(\.count) == [1])
        #expect(
            (Array(counts.counts.values) + counts.collidingCounts.flatMap(\.values)).allSatisfy { $0 == .max }
        )
        #expect(counts.collidingCounts[0].keys.first?.utf8.count == 6)
    }

    @Test func `the app of a restricted key is compared byte by byte`() {
        #expect {
            try receive(#"{"class":"A","app":{"id":"cafe\u0301"}}"#, keyApp: "caf\u{E9}")
        } throws: {
            ($0 as? Problem)?.status == .forbidden
        }
    }

    @Test(
        arguments: [
            (String(repeating: "a", count: 257), nil, "app is 257 bytes, the limit is 256"),
            ("com.a\u{1F}Foo", nil, "app has a control character"),
            (nil, String(repeating: "1", count: 65), "version is 65 bytes, the limit is 64"),
            (nil, "1\n2", "version has a control character"),
        ] as [(String?, String?, String)])
    func `a request whose URL has an invalid app or version is refused`(
        app: String?, version: String?, reason: String
    ) {
        #expect {
            try receive(#"{"class":"A"}"#, app: app, version: version)
        } throws: {
            guard let problem = $0 as? Problem else { return false }
            return problem.status == .badRequest && problem.detail == "the address's parameter \(reason)"
        }
    }

    @Test func `an empty app or version in a request's URL is treated as missing`() throws {
        let builder = try receive(#"{"class":"A"}"#, app: "", version: "")
        #expect(builder.submission.origins.map(\.app) == ["default"])
        #expect(builder.submission.origins.map(\.version) == ["unknown"])
    }

    private static func bytes(_ response: Response) -> [UInt8] {
        guard case .bytes(let bytes) = response.body else { return [] }
        return bytes
    }
}
