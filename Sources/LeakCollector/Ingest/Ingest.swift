internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage
internal import LeakStore
internal import LeakPlatform

/// Ingestion of reports: parses a request's body, groups its reports, passes them to the writer, and answers once
/// they are on disk.
final class Ingest: Sendable {
    /// Value of the header `Accept-Post`: the media types that a body may have. The header is registered as the
    /// counterpart of `Accept-Patch` (RFC 5789 §3.1) for POST.
    static let mediaTypes = "application/json, application/x-ndjson, text/plain"
    /// Seconds that a sender should wait if reports arrive faster than the store writes them. Reporters keep their batches
    /// meanwhile.
    static let retrySeconds = 2

    /// Maximum bytes of a decoded body that is parsed on the event loop of its connection. A batch of fifty reports with call
    /// stacks of thirty frames has 150 KB.
    static let maxBytesParsedOnLoop = 1 << 18
    /// Maximum number of reports without an entry in the ``GroupCache`` that an event loop groups for one body, which takes
    /// about 3 milliseconds. If a body has more such reports, the pool groups its reports.
    static let maxUncachedReportsOnLoop = 32
    /// Typical number of decompressed bytes per compressed byte, used to estimate the work for a body before it is inflated.
    private static let usualInflationRatio = 20
    private static let maxInflatedBytes = Limits().inflatedBytes

    private let queue: CommitQueue
    private let parsingPool: ParsingPool
    private let rateLimit: RateLimit
    let symbolTables: SymbolTableCache
    private let rules: RulesCache
    private let storesExplanations: Bool
    private let now: @Sendable () -> Int64
    private let rejectedBatches = Guarded<[ProblemKind: Int]>([:])
    /// Caches that no thread uses at the moment. A thread takes one for the time of a request, so there are as many caches as
    /// threads that ever grouped reports at the same time.
    private let caches = Guarded<[GroupCache]>([])

    init(
        queue: CommitQueue, parsingPool: ParsingPool, rateLimit: RateLimit, symbolTables: SymbolTableCache,
        rules: RulesCache, storesExplanations: Bool, now: @escaping @Sendable () -> Int64
    ) {
        self.queue = queue
        self.parsingPool = parsingPool
        self.rateLimit = rateLimit
        self.symbolTables = symbolTables
        self.rules = rules
        self.storesExplanations = storesExplanations
        self.now = now
    }

    /// Returns the route `POST /api/v1/reports`.
    func route(_ authenticator: Authenticator, _ health: StoreHealth) -> Route {
        Route(
            .post, "/api/v1/reports", access: .writers, body: .parsed(atMost: 0),
            screen: { [self] request in
                rejection(of: request, keyLookup: authenticator.ingestKey(of: request, now: now()), health)
            }
        ) { [self] request, _, responder in
            // The key is looked up again, because it may have been revoked between head and body: a slow phone takes
            // minutes to send the body.
            guard case .valid(let key) = authenticator.ingestKey(of: request, now: now()) else {
                responder.send(rejection(by: Self.revokedKeyProblem))
                return
            }
            process(request, key: key, responder)
        }
    }

    // MARK: Before the body

    /// The parameters of the address. Other parameters are ignored, because senders may add some. But a name that differs from
    /// one of these only in case is rejected, because the reports would count for the wrong app.
    private static let queryParameters = ["app", "version", "module", "environment"]

    /// Returns the rejection of a request whose body need not be read; `nil` if the body should be read.
    func rejection(
        of request: borrowing Request, keyLookup: CredentialIndex.LookupResult, _ health: StoreHealth
    ) -> Response? {
        do throws(Problem) {
            guard request.fieldCount("x-leak-key") <= 1 else {
                throw Problem(.badRequest, "X-Leak-Key is given twice; send one key")
            }
            try admit(keyLookup, health, unknownKeyProblem: Self.unknownKeyProblem)
            guard Self.format(of: request) != nil else { throw Self.unknownTypeProblem }
            if let charset = request.charset, !["utf-8", "utf8", "us-ascii"].contains(charset) {
                throw Problem(.unsupportedMediaType, "the charset in Content-Type must be utf-8, or left out")
            }
            for name in request.queryNames where !Self.queryParameters.contains(name) {
                guard let known = Self.queryParameters.first(where: { $0 == name.lowercased() }) else {
                    continue
                }
                throw Problem.invalidParameter(
                    "unknown parameter “\(name)”; write it in lower case: \(known)")
            }
            if let key = request.field("idempotency-key"), !Self.isIdempotencyKey(key) {
                throw Problem(.badRequest, "Idempotency-Key must be 1 to 64 visible ASCII characters")
            }
            try requireCapacity(for: request.announcedLength ?? 0, health)
            return nil
        } catch {
            return rejection(by: error)
        }
    }

    /// Counts a batch of which nothing is counted, and returns the response.
    private func rejection(by problem: Problem) -> Response {
        recordRejection(problem.kind)
        return problem.response
    }

    /// Counts a batch of which nothing is counted.
    func recordRejection(_ kind: ProblemKind) {
        rejectedBatches.with { $0[kind, default: 0] += 1 }
    }

    /// Number of batches of which nothing was counted since the start of the process, by the kind of problem.
    var rejectedBatchCounts: [ProblemKind: Int] { rejectedBatches.with { $0 } }

    static let revokedKeyProblem = Problem(
        .forbidden, "this ingest key was revoked; use another one", kind: .revokedKey)

    private static let unknownKeyProblem = Problem.unauthorized(
        "sending reports needs a valid ingest key: Authorization: Bearer KEY, or X-Leak-Key: KEY")
    private static let unknownTypeProblem = Problem(
        .unsupportedMediaType, "Content-Type must be one of \(mediaTypes)"
    ).withField("Accept-Post", mediaTypes)

    /// Checks that a request has a valid ingest key, and that the key does not exceed its rate limit.
    ///
    /// - Parameter unknownKeyProblem: the problem of a request without a key that the collector knows.
    /// - Throws: ``Problem`` 403, 429, 503, or `unknownKeyProblem`.
    func admit(_ keyLookup: CredentialIndex.LookupResult, _ health: StoreHealth, unknownKeyProblem: Problem)
        throws(Problem)
    {
        switch keyLookup {
        case .valid(let key):
            if let seconds = rateLimit.secondsToWait(of: key.id, now: now(), isBehind: queue.isBehind) {
                throw Self.rateLimitProblem(seconds)
            }
        case .revoked:
            throw Self.revokedKeyProblem
        case .unknown:
            // While the database cannot be reached, a key that was created a moment ago cannot be looked up. A sender that
            // is told that its key is unknown gives up.
            throw health.mostSerious == .databaseUnreachable
                ? StoreHealth.Issue.databaseUnreachable.problem : unknownKeyProblem
        }
    }

    /// Checks that a body can be accepted now.
    ///
    /// - Parameter bytes: size of the body.
    /// - Throws: ``Problem`` 503 if reports cannot be written because of a problem of the database, if too many bytes wait to
    ///   be written, or if the collector is stopping.
    func requireCapacity(for bytes: Int, _ health: StoreHealth) throws(Problem) {
        if let issue = health.mostSerious, issue.blocksWrites { throw issue.problem }
        guard queue.hasRoom(for: bytes) else { throw Self.overloadedProblem }
    }

    private static func rateLimitProblem(_ seconds: Int) -> Problem {
        Problem(
            .tooManyRequests,
            "nothing was counted: this ingest key exceeds its rate limit; send again after the seconds in Retry-After",
            kind: .rateLimit
        )
        .withField("Retry-After", "\(seconds)")
    }

    static let overloadedProblem = Problem.unavailable(
        "nothing was counted: the database is overloaded; send again later", kind: .overloaded,
        afterSeconds: retrySeconds)

    private static let stoppingProblem = Problem.unavailable(
        "nothing was counted: the collector is stopping; send again later", kind: .stopping,
        afterSeconds: 5)

    /// Returns the format of a body by its media type; `nil` for another type.
    static func format(of request: borrowing Request) -> WireFormat? {
        if request.hasContentType("application/json") { return .json }
        if request.hasContentType("application/x-ndjson") { return .ndjson }
        return request.hasContentType("text/plain") ? .text : nil
    }

    static func isIdempotencyKey(_ key: String) -> Bool {
        (1...64).contains(key.utf8.count) && key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    // MARK: After the body

    /// Counts the content of a request. The response is 200 once all valid content is on disk, or else the reason why nothing
    /// was counted, or why that is unknown.
    func process(_ request: borrowing Request, key: Credential, _ responder: consuming Responder) {
        guard let format = Self.format(of: request) else {
            responder.send(rejection(by: Self.unknownTypeProblem))
            return
        }
        let (app, version) = (request.query("app"), request.query("version"))
        let (module, environment) = (request.query("module"), request.query("environment"))
        let (idempotencyKey, receivedAt) = (request.field("idempotency-key"), now())
        parse(request, responder) { [self] in
            rejection(by: $0)
        } work: { [self] body, responder, thread in
            let ingestRequest = IngestRequest(
                body: body, format: format, app: app, version: version, module: module,
                environment: environment, idempotencyKey: idempotencyKey, receivedAt: receivedAt)
            process(ingestRequest, key: key, responder, on: thread)
        }
    }

    /// The kind of thread that parses a body.
    enum ParsingThread: Sendable {
        /// The event loop of the connection, which must not be blocked for long.
        case loop
        /// A thread of the ``ParsingPool``.
        case pool
    }

    /// Parses a body: at once if it is small and already decompressed, otherwise on a thread of the pool, which also inflates
    /// it.
    ///
    /// - Parameters:
    ///   - maxBytesOnLoop: maximum bytes of a body that is parsed at once.
    ///   - rejection: returns the response if the pool does not accept the body or stops before its turn, or if the body cannot be
    ///     inflated.
    ///   - work: parses the body and sends the response. It gets a copy of the body, and the kind of thread on which it runs.
    func parse(
        _ request: borrowing Request, _ responder: consuming Responder,
        maxBytesOnLoop: Int = maxBytesParsedOnLoop, rejection: @escaping @Sendable (Problem) -> Response,
        work: @escaping @Sendable ([UInt8], consuming Responder, ParsingThread) -> Void
    ) {
        guard request.codedBody != nil || request.bodyCount > maxBytesOnLoop else {
            work(request.body(), responder, .loop)
            return
        }
        let sharedResponder = SharedResponder(responder)
        let bytes: Int
        let job: ParsingPool.Job
        if let coded = request.codedBody {
            bytes = min(coded.count * Self.usualInflationRatio, Self.maxInflatedBytes)
            job = {
                guard let responder = sharedResponder.take() else { return }
                do throws(CodedBody.Failure) {
                    work(try coded.inflated(), responder, .pool)
                } catch {
                    var problem = Problem(error.response.status, error.detail)
                    problem.fields = error.response.fields
                    responder.send(rejection(problem))
                }
            }
        } else {
            let body = request.sharedBody()
            bytes = body.count
            job = { if let responder = sharedResponder.take() { work(body.copy(), responder, .pool) } }
        }
        enqueue(bytes: bytes, job, sharedResponder, rejection: rejection)
    }

    /// Passes a job to the pool. If the pool does not accept it, or stops before its turn, the answer is `rejection`.
    private func enqueue(
        bytes: Int, _ job: @escaping ParsingPool.Job, _ sharedResponder: SharedResponder,
        rejection: @escaping @Sendable (Problem) -> Response
    ) {
        let admission = parsingPool.enqueue(bytes: bytes, job) {
            sharedResponder.send(rejection(Self.stoppingProblem))
        }
        switch admission {
        case .accepted: break
        case .full: sharedResponder.send(rejection(Self.overloadedProblem))
        case .stopping: sharedResponder.send(rejection(Self.stoppingProblem))
        }
    }

    private func process(
        _ ingestRequest: IngestRequest, key: Credential, _ responder: consuming Responder,
        on thread: ParsingThread
    ) {
        let document: WireDocument
        let builder: SubmissionBuilder
        do throws(Problem) {
            document = try read(ingestRequest, from: key)
            builder = try group(document, of: ingestRequest, from: key, on: thread)
        } catch {
            responder.send(rejection(by: error))
            return
        }
        guard builder.isIncomplete else {
            submit(builder, responder)
            return
        }
        let sharedResponder = SharedResponder(responder)
        let job: ParsingPool.Job = { [self] in
            guard let responder = sharedResponder.take() else { return }
            do throws(Problem) {
                submit(try group(document, of: ingestRequest, from: key, on: .pool), responder)
            } catch {
                responder.send(rejection(by: error))
            }
        }
        enqueue(bytes: ingestRequest.body.count, job, sharedResponder) { [self] in rejection(by: $0) }
    }

    private func submit(_ builder: SubmissionBuilder, _ responder: consuming Responder) {
        // The answer is made here, by the thread that grouped the reports, because the writer is busy with one transaction
        // after another.
        let answer = builder.response(isDuplicate: false)
        let repeatedBody = builder.submission.response
        submit(builder, responder) { [self] in
            self.answer($0, written: answer, repeatedBody: repeatedBody)
        }
    }

    /// Passes the received reports to the writer.
    func submit(
        _ builder: SubmissionBuilder, _ responder: consuming Responder,
        answer: @escaping @Sendable (CommitQueue.Outcome) -> Response
    ) {
        queue.submit(
            builder.submission, rejectedReports: builder.rejectedCounts, responder, answer: answer)
    }

    /// Parses a request, charges its ingest key, and groups its reports. Reads symbols from the store if they are not in memory.
    func receive(_ ingestRequest: IngestRequest, from key: Credential) throws(Problem) -> SubmissionBuilder {
        try group(read(ingestRequest, from: key), of: ingestRequest, from: key, on: .pool)
    }

    /// Parses a request, and charges its ingest key.
    private func read(_ ingestRequest: IngestRequest, from key: Credential) throws(Problem) -> WireDocument {
        let document: WireDocument
        do throws(Problem) {
            document = try SubmissionBuilder.read(ingestRequest)
        } catch {
            try charge(key, RateLimit.unreadableCost)
            throw error
        }
        try charge(key, RateLimit.cost(of: document))
        return document
    }

    /// Groups the reports of a document. On an event loop the result may be incomplete: ``SubmissionBuilder/isIncomplete``.
    private func group(
        _ document: WireDocument, of ingestRequest: IngestRequest, from key: Credential,
        on thread: ParsingThread
    ) throws(Problem) -> SubmissionBuilder {
        var cache = caches.with { $0.popLast() } ?? GroupCache(symbolTables: symbolTables, rules: rules)
        defer { returnCache(cache) }
        cache.begin(readsSymbols: thread == .pool)
        defer { cache.end() }
        var builder = try SubmissionBuilder(
            document, of: ingestRequest, key: key, cache: &cache, storesExplanations: storesExplanations,
            maxUncachedReports: thread == .loop ? Self.maxUncachedReportsOnLoop : .max)
        guard !builder.isIncomplete else { return builder }
        builder.submission.dropped = rateLimit.countableDrops(
            builder.submission.dropped, of: key.id, now: now())
        if let symbolError = cache.symbolError {
            var problem = Problem.unavailable(
                "nothing was counted: the symbols of a frame cannot be read now; send again later",
                kind: .unavailable, afterSeconds: 5)
            problem.cause = "\(symbolError)"
            throw problem
        }
        return builder
    }

    private func returnCache(_ cache: consuming GroupCache) {
        let cache = cache
        caches.with { $0.append(cache) }
    }

    /// Charges a key for a request.
    ///
    /// - Parameter cost: cost of the request in tokens.
    /// - Throws: ``Problem`` 429.
    func charge(_ key: Credential, _ cost: Int) throws(Problem) {
        if let seconds = rateLimit.charge(key.id, cost: cost, now: now(), isBehind: queue.isBehind) {
            throw Self.rateLimitProblem(seconds)
        }
    }

    /// Returns the response for the outcome of a submission.
    ///
    /// - Parameter repeatedBody: body of the response to a repeated request if the first response is not stored.
    private func answer(
        _ outcome: CommitQueue.Outcome, written answer: Response, repeatedBody: [UInt8]
    ) -> Response {
        switch outcome {
        case .written(.counted): answer
        case .written(.repeated(let answer)):
            Response(.ok, type: "application/json", body: .bytes(answer.isEmpty ? repeatedBody : answer))
        case .written(.keyReused), .failed, .full, .stopping:
            Self.problem(of: outcome).map { rejection(by: $0) } ?? answer
        }
    }

    /// Returns the reason why nothing was counted, or why that is unknown.
    ///
    /// - Returns: `nil` if the submission was counted, now or before.
    static func problem(of outcome: CommitQueue.Outcome) -> Problem? {
        switch outcome {
        case .written(.counted), .written(.repeated):
            nil
        case .written(.keyReused):
            Problem(
                .unprocessableContent,
                "this Idempotency-Key was used before with another body or address; use a new key for each batch",
                kind: .reusedIdempotencyKey)
        case .failed(let error) where error.reason == .diskFull:
            .unavailable(
                "nothing was counted: the disk is full; free some space", kind: .diskFull, afterSeconds: 60)
        case .failed(let error) where error.reason == .databaseFull:
            .unavailable(
                "nothing was counted: the database has reached its size limit (--database-bytes)",
                kind: .databaseFull, afterSeconds: 60)
        case .failed(let error) where error.reason == .locked:
            overloadedProblem
        case .failed(let error) where error.reason == .damaged:
            StoreHealth.Issue.damaged.problem
        case .failed(let error) where error.reason == .unavailable:
            StoreHealth.Issue.databaseUnreachable.problem
        case .failed(let error) where error.reason == .uncertain:
            .unavailable(
                "it is not known whether the reports were counted: send them again with the same Idempotency-Key",
                kind: .uncertainCommit, afterSeconds: 5)
        case .failed:
            StoreHealth.Issue.writeFailed.problem
        case .full:
            overloadedProblem
        case .stopping:
            stoppingProblem
        }
    }
}

extension Request {
    /// The parameter `charset` of the media type in lower case; `nil` if there is none. RFC 9110 §8.3.2
    fileprivate var charset: String? {
        for parameter in field("content-type")?.lowercased().split(separator: ";").dropFirst() ?? [] {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].filter({ !$0.isWhitespace }) == "charset" else { continue }
            return parts[1].filter { !$0.isWhitespace && $0 != "\"" }
        }
        return nil
    }
}
