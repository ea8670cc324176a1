internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage
internal import LeakStore
internal import LeakSentry

/// Accepts requests of Sentry SDKs: translates each into a batch of our own format, which is processed like every other
/// batch.
struct SentryIngest: Sendable {
    /// Format of a request's body.
    enum Form: Hashable, Sendable {
        case envelope
        /// The single event of the deprecated `/store/`.
        case event
    }

    /// Maximum bytes of a request as sent, if the server's own limit is lower. SDKs put attachments, such as
    /// screenshots, into the envelope of their event, and count the event as lost if the envelope is rejected.
    /// Attachments are skipped.
    static let bodyBytes = 16 << 20
    /// Bytes of a request that may be waiting for the store; attachments never reach it.
    private static let storedBytes = 1 << 20

    let ingest: Ingest
    let gate: Gate
    private let refusals = SentryRefusals()
    private let senders = SentrySenders()

    init(ingest: Ingest, gate: Gate) {
        self.ingest = ingest
        self.gate = gate
    }

    /// Returns the endpoints with and without a trailing slash, because SDKs use both.
    func endpoints(_ health: StoreHealth, _ now: @escaping @Sendable () -> Int64) -> [Endpoint] {
        let paths: [(String, Form)] = [
            ("envelope/", .envelope), ("envelope", .envelope), ("store/", .event), ("store", .event),
        ]
        return paths.map { path, form in
            Endpoint(
                .post, "/api/{project}/" + path, access: .writers, body: .parsed(atMost: Self.bodyBytes),
                screen: { request in refusal(of: request, health, now: now()) }
            ) { request, _, responder in
                receive(request, as: form, responder: responder, now: now())
            }
        }
    }

    // MARK: Before the body

    /// Returns the rejection of a request whose body need not be read; `nil` if the body should be read. The address
    /// determines the format, whatever `Content-Type` says.
    ///
    /// - Parameter now: milliseconds since 1970.
    func refusal(of request: borrowing Request, _ health: StoreHealth, now: Int64) -> Response? {
        var verdict = KeyRing.Verdict.unknown
        do throws(Problem) {
            let key = try SentryAuthorization.key(of: request)
            verdict = gate.find(key, for: [.ingest], now: now)
            try ingest.admit(verdict, health, stranger: Self.stranger)
            try ingest.makeSureOfRoom(for: min(request.announcedLength ?? 0, Self.storedBytes), health)
            return nil
        } catch {
            // The content is not known yet, so the request counts as one report.
            if case .valid(let key) = verdict { refusals.note(error, 1, of: key.id) }
            return SentryAnswer.response(to: error)
        }
    }

    private static let stranger = Problem(
        .forbidden,
        "the public key of this DSN is not a valid ingest key; create one on the page /access or with collector key create"
    )

    // MARK: After the body

    /// Answers once the reports of the request are on disk.
    ///
    /// - Parameter now: milliseconds since 1970.
    func receive(
        _ request: borrowing Request, as form: Form, responder: consuming Responder, now: Int64
    ) {
        let presented: String
        let key: Credential
        do throws(Problem) {
            presented = try SentryAuthorization.key(of: request)
            // Looked up again: between head and body, which a slow phone stretches to minutes, a key may be revoked.
            guard case .valid(let found) = gate.find(presented, for: [.ingest], now: now) else {
                throw Problem(.forbidden, "this ingest key was revoked; use another one")
            }
            key = found
        } catch {
            responder.send(SentryAnswer.response(to: error))
            return
        }
        ingest.parse(request, responder) { [refusals] problem in
            refusals.note(problem, 1, of: key.id)
            return SentryAnswer.response(to: problem)
        } work: { body, responder in
            receive(body, as: form, presented: presented, from: key, responder: responder, now: now)
        }
    }

    private func receive(
        _ body: [UInt8], as form: Form, presented: String, from key: Credential,
        responder: consuming Responder, now: Int64
    ) {
        let submission: SentrySubmission
        let received: Reception?
        do throws(Problem) {
            submission = try read(body, as: form, presented: presented, from: key)
            received = try receive(submission, from: key, now: now)
        } catch {
            responder.send(SentryAnswer.response(to: error))
            return
        }
        guard var reception = received else {
            responder.send(SentryAnswer.taken(submission.eventID))
            return
        }
        let answer = SentryAnswer.taken(submission.eventID, rejected: reception.rejected)
        let keyID = reception.submission.keyID
        let refused = refusals.take(of: keyID)
        reception.add(dropped: refused, for: SentryRefusals.reason)
        let sender =
            submission.hasOrigin
            ? reception.submission.origins.first.map {
                SentrySenders.Sender(app: $0.app, version: $0.version)
            }
            : nil
        ingest.submit(reception, responder) { [refusals, senders] outcome in
            if case .written(.counted) = outcome, let sender { senders.note(sender, of: keyID) }
            if !outcome.mayHaveCounted { refusals.add(refused, of: keyID) }
            switch outcome {
            // A repeated event is done, even if its content differs now: an error would not help the SDK, which would
            // discard the event as well.
            case .written: return answer
            case .failed, .full, .stopping:
                let problem = Ingest.problem(of: outcome) ?? StoreHealth.Trouble.unwritable.problem
                return SentryAnswer.response(to: problem)
            }
        }
    }

    /// - Throws: ``Problem`` 400 if the body is no envelope or no event, 403 if it has another DSN, 413 for an event
    ///   above 1 MiB.
    private func read(
        _ body: [UInt8], as form: Form, presented: String, from key: Credential
    ) throws(Problem) -> SentrySubmission {
        let submission: SentrySubmission
        do throws(SentryError) {
            submission =
                switch form {
                case .envelope: try SentrySubmission(envelope: body)
                case .event: try SentrySubmission(event: body)
                }
        } catch {
            try ingest.charge(key, RateLimit.unreadableCost)
            var problem = Problem(error.isTooLarge ? .contentTooLarge : .badRequest, error.reason)
            (problem.line, problem.column) = (error.line, error.column)
            throw problem
        }
        guard submission.dsn.map({ SentryDSN.key(of: $0) == presented }) ?? true else {
            try ingest.charge(key, RateLimit.unreadableCost)
            throw Problem(
                .forbidden,
                "the dsn in the envelope's header has another key than the request; use the same key in both")
        }
        return submission
    }

    /// - Returns: `nil` if there is nothing to count.
    private func receive(
        _ submission: SentrySubmission, from key: Credential, now: Int64
    ) throws(Problem) -> Reception? {
        guard let batch = submission.batch else {
            try ingest.charge(key, RateLimit.unreadableCost)
            return nil
        }
        let sender = submission.hasOrigin || key.app != nil ? nil : senders.last(of: key.id)
        let letter = Letter(
            body: batch, format: .json, app: sender?.app, version: sender?.version, keepsModules: true,
            isTranslated: true,
            idempotencyKey: Self.idempotencyKey(of: submission.repeatIDs), receivedAt: now)
        do throws(Problem) {
            return try ingest.receive(letter, from: key)
        } catch {
            refusals.note(error, submission.reportCount, of: key.id)
            throw error
        }
    }

    /// Returns the idempotency key for events. It contains a space, which no sender can have in its `Idempotency-Key`,
    /// so that an event and a batch with the same name, by mistake or intent, are not repeats of each other.
    ///
    /// - Parameter eventIDs: ids of all events in one envelope, for which Sentry has only one.
    /// - Returns: `nil` if there are no ids.
    static func idempotencyKey(of eventIDs: [String]) -> String? {
        guard let first = eventIDs.first else { return nil }
        guard eventIDs.count > 1 else { return "sentry \(first)" }
        let hash = SHA256.hash(Array(eventIDs.joined(separator: " ").utf8))
        return "sentry " + hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension CommitQueue.Outcome {
    /// `true` if the submission is counted, or may be. Submitting it again would count it twice.
    var mayHaveCounted: Bool {
        switch self {
        case .written(.counted): true
        case .failed(let error): error.reason == .uncertain
        case .written, .full, .stopping: false
        }
    }
}
