internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage
internal import LeakStore
internal import LeakSentry

/// Ingestion of requests from Sentry SDKs: translates each into a batch of our own format, which is processed like
/// every other batch.
struct SentryIngest: Sendable {
    /// Format of a request's body.
    enum BodyFormat: Hashable, Sendable {
        case envelope
        /// The single event of the deprecated `/store/`.
        case event
    }

    /// Maximum bytes of a request as sent, unless the server's own limit is higher. SDKs put attachments, such as
    /// screenshots, into the envelope of their event, and count the event as lost if the envelope is rejected.
    /// Attachments are skipped.
    static let maxBodyBytes = 16 << 20
    /// Maximum bytes of a request that can wait for the store. Attachments are skipped before that.
    private static let maxStoredBytes = 1 << 20
    /// Maximum bytes of a body that is parsed on the event loop of its connection. An event takes a few KiB; a larger envelope
    /// may have a thousand log items, each with a leak that takes a tenth of a millisecond to group.
    private static let maxBytesParsedOnLoop = 1 << 14

    let ingest: Ingest
    let authenticator: Authenticator
    /// Numbers of rejected reports that are not stored yet.
    private let rejections = SentryRejections()
    /// The last sender of each ingest key, for requests that name none.
    private let senders = SentrySenders()

    init(ingest: Ingest, authenticator: Authenticator) {
        self.ingest = ingest
        self.authenticator = authenticator
    }

    /// Returns the routes with and without a trailing slash, because SDKs use both.
    func routes(_ health: StoreHealth, _ now: @escaping @Sendable () -> Int64) -> [Route] {
        let paths: [(String, BodyFormat)] = [
            ("envelope/", .envelope), ("envelope", .envelope), ("store/", .event), ("store", .event),
        ]
        return paths.map { path, format in
            Route(
                .post, "/api/{project}/" + path, access: .writers, body: .parsed(atMost: Self.maxBodyBytes),
                screen: { request in rejection(of: request, health, now: now()) }
            ) { request, _, responder in
                receive(request, as: format, responder: responder, now: now())
            }
        }
    }

    // MARK: Before the body

    /// Returns the rejection of a request whose body need not be read; `nil` if the body should be read. The address
    /// determines the format, and `Content-Type` is ignored.
    ///
    /// - Parameter now: milliseconds since 1970.
    func rejection(of request: borrowing Request, _ health: StoreHealth, now: Int64) -> Response? {
        var lookup = CredentialIndex.LookupResult.unknown
        do throws(Problem) {
            let key = try SentryAuthorization.key(of: request)
            lookup = authenticator.find(key, for: [.ingest], now: now)
            try ingest.admit(lookup, health, unknownKeyProblem: Self.unknownKeyProblem)
            try ingest.requireCapacity(for: min(request.announcedLength ?? 0, Self.maxStoredBytes), health)
            return nil
        } catch {
            // The content is not known yet, so the request counts as one report.
            if case .valid(let key) = lookup { rejections.record(error, 1, of: key.id) }
            return rejection(by: error)
        }
    }

    /// Counts a request of which nothing is counted, and returns the response.
    private func rejection(by problem: Problem) -> Response {
        ingest.recordRejection(problem.kind)
        return SentryResponse.response(to: problem)
    }

    private static let unknownKeyProblem = Problem(
        .forbidden,
        "the public key of this DSN is not a valid ingest key; create one on the page /access or with collector key create",
        kind: .invalidSentryKey
    )

    // MARK: After the body

    /// Answers once the reports of the request are on disk.
    ///
    /// - Parameter now: milliseconds since 1970.
    func receive(
        _ request: borrowing Request, as format: BodyFormat, responder: consuming Responder, now: Int64
    ) {
        let presentedKey: String
        let key: Credential
        do throws(Problem) {
            presentedKey = try SentryAuthorization.key(of: request)
            // The key is looked up again, because it may have been revoked between head and body: a slow phone takes
            // minutes to send the body.
            guard case .valid(let credential) = authenticator.find(presentedKey, for: [.ingest], now: now)
            else {
                throw Ingest.revokedKeyProblem
            }
            key = credential
        } catch {
            responder.send(rejection(by: error))
            return
        }
        // An event loop must not wait for the disk, and reading a request of Sentry may need any of the symbols.
        let maxBytesOnLoop = ingest.symbolTables.areInMemory ? Self.maxBytesParsedOnLoop : 0
        ingest.parse(request, responder, maxBytesOnLoop: maxBytesOnLoop) { [rejections] problem in
            rejections.record(problem, 1, of: key.id)
            return rejection(by: problem)
        } work: { body, responder, _ in
            receive(body, as: format, presentedKey: presentedKey, from: key, responder: responder, now: now)
        }
    }

    private func receive(
        _ body: [UInt8], as format: BodyFormat, presentedKey: String, from key: Credential,
        responder: consuming Responder, now: Int64
    ) {
        let submission: SentrySubmission
        let receivedBuilder: SubmissionBuilder?
        do throws(Problem) {
            submission = try read(body, as: format, presentedKey: presentedKey, from: key)
            receivedBuilder = try receive(submission, from: key, now: now)
        } catch {
            responder.send(rejection(by: error))
            return
        }
        guard var builder = receivedBuilder else {
            responder.send(SentryResponse.accepted(submission.eventID))
            return
        }
        let answer = SentryResponse.accepted(submission.eventID, rejected: builder.rejected)
        let keyID = builder.submission.keyID
        let rejectedCount = rejections.takeCount(of: keyID)
        builder.add(dropped: rejectedCount, for: SentryRejections.reason)
        let sender =
            submission.hasOrigin
            ? builder.submission.origins.first.map {
                SentrySenders.Sender(
                    app: $0.app, environment: $0.environment, version: $0.version)
            }
            : nil
        ingest.submit(builder, responder) { outcome in
            if case .written(.counted) = outcome, let sender { senders.record(sender, of: keyID) }
            if !outcome.mayHaveCounted { rejections.add(rejectedCount, of: keyID) }
            switch outcome {
            // A repeated event is accepted, even if its content differs now: an error would not help the SDK, which
            // would discard the event as well.
            case .written: return answer
            case .failed, .full, .stopping:
                let problem = Ingest.problem(of: outcome) ?? StoreHealth.Issue.writeFailed.problem
                return rejection(by: problem)
            }
        }
    }

    /// Translates a body, and checks that its DSN, if it has one, has the key of the request.
    ///
    /// - Throws: ``Problem`` 400 if the envelope or the event cannot be read, 403 if the DSN has another key, 413 if the body
    ///   is an event above 1 MiB; 429 in place of these if the key exceeds its rate limit.
    private func read(
        _ body: [UInt8], as format: BodyFormat, presentedKey: String, from key: Credential
    ) throws(Problem) -> SentrySubmission {
        let submission: SentrySubmission
        do throws(SentryError) {
            submission =
                switch format {
                case .envelope: try SentrySubmission(envelope: body)
                case .event: try SentrySubmission(event: body)
                }
        } catch {
            try ingest.charge(key, RateLimit.unreadableCost)
            var problem = Problem(
                error.isTooLarge ? .contentTooLarge : .badRequest, error.reason,
                kind: error.isTooLarge ? .contentTooLarge : .invalidReports)
            (problem.line, problem.column) = (error.line, error.column)
            throw problem
        }
        guard submission.dsn.map({ SentryDSN.key(of: $0) == presentedKey }) ?? true else {
            try ingest.charge(key, RateLimit.unreadableCost)
            throw Problem(
                .forbidden,
                "the dsn in the envelope's header has another key than the request; use the same key in both",
                kind: .invalidSentryKey)
        }
        return submission
    }

    /// Parses and groups a translated request, and charges its key.
    ///
    /// - Returns: `nil` if there is nothing to count.
    private func receive(
        _ submission: SentrySubmission, from key: Credential, now: Int64
    ) throws(Problem) -> SubmissionBuilder? {
        guard let batch = submission.batch else {
            try ingest.charge(key, RateLimit.unreadableCost)
            return nil
        }
        let sender = submission.hasOrigin ? nil : senders.lastSender(of: key.id)
        let environment =
            submission.hasOrigin ? nil : sender?.environment ?? Self.fallbackEnvironment(of: key)
        let ingestRequest = IngestRequest(
            body: batch, format: .json, app: key.app == nil ? sender?.app : nil, version: sender?.version,
            environment: environment, keepsModules: true, isTranslated: true,
            idempotencyKey: Self.idempotencyKey(of: submission.idempotencyIDs), receivedAt: now)
        do throws(Problem) {
            return try ingest.receive(ingestRequest, from: key)
        } catch {
            rejections.record(error, submission.reportCount, of: key.id)
            throw error
        }
    }

    /// Returns the environment for a Sentry client report, which counts events that the SDK dropped and names no environment.
    /// This environment is used while no event with the same key has named one. The key may write to it: the collector would
    /// reject any other environment, and the SDK does not send a rejected client report again. `nil` stands for production.
    private static func fallbackEnvironment(of key: Credential) -> String? {
        key.environments.contains(AppKey.production) ? nil : key.environments.first
    }

    /// Returns the idempotency key for events. It contains a space, which an `Idempotency-Key` of a request cannot contain.
    /// Therefore an event and a batch never count as repeats of each other.
    ///
    /// - Parameter eventIDs: ids of all events in one envelope. Sentry allows only one event.
    /// - Returns: `nil` if there are no ids.
    static func idempotencyKey(of eventIDs: [String]) -> String? {
        guard let first = eventIDs.first else { return nil }
        guard eventIDs.count > 1 else { return "sentry \(first)" }
        let hash = SHA256Hash.hash(Array(eventIDs.joined(separator: " ").utf8))
        return "sentry " + hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension CommitQueue.Outcome {
    /// `true` if this submission was counted, or may have been. Adding its counts to another submission could then count
    /// them twice.
    var mayHaveCounted: Bool {
        switch self {
        case .written(.counted): true
        case .failed(let error): error.reason == .uncertain
        case .written, .full, .stopping: false
        }
    }
}
