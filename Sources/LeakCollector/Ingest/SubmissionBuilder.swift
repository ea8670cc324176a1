internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// The reason why one report of a batch is rejected. The raw value is a label of a metric.
enum ReportRejection: String, CaseIterable, Sendable {
    /// The report cannot be read, or has an invalid value.
    case invalid
    /// The ingest key is restricted to another app or to other environments.
    case keyRestriction = "key_restriction"
    case tooManyLeaks = "too_many_leaks"
}

/// Builder of the submission and the response of an ingest request. It groups the reports of the request. It reads no clock,
/// because the time of receipt comes with the request.
struct SubmissionBuilder {
    /// The app of reports that name no app, if their ingest key is not restricted to an app.
    static let defaultApp = "default"
    static let unknownVersion = CurrentRelease.unknownVersion
    /// Milliseconds that a report's time may be ahead of the time of receipt. Beyond this the device's clock is
    /// considered wrong, and the time of receipt counts.
    static let maxLeadMilliseconds: Int64 = 24 * 3600 * 1000
    /// Maximum age of a report in milliseconds: 30 days. An older report, for example of a phone that was off for
    /// months, counts as 30 days old.
    static let maxAgeMilliseconds: Int64 = 30 * 24 * 3600 * 1000

    private static let tooManyLeaksReason =
        "rejected: a request may contain at most \(WireLimits.leaksCount) different leaks; send this report in another request"

    var submission: Submission
    /// The rejected reports, in their order in the request.
    private(set) var rejected: [Rejection]
    /// Number of ``rejected`` reports by reason.
    private(set) var rejectedCounts: [ReportRejection: Int] = [:]
    /// `true` if the builder stopped, because more than `maxUncachedReports` reports were not in the cache, or because of
    /// ``GroupCache/lacksSymbols``. The submission must then be built again, with a higher limit, and with a cache that reads
    /// symbols. The groups that were found so far stay in the cache.
    private(set) var isIncomplete = false
    private let storesExplanations: Bool
    /// Number of rejected explanations, and the reason for the first rejection.
    private var rejectedExplanations: (count: Int, firstReason: String?) = (0, nil)
    /// Number of accepted reports. A text that describes several leaks is one report, and one sighting of each leak.
    private var acceptedCount = 0
    /// Number of reports that do not count at their own time, because it is too old or too far ahead.
    private(set) var clampedTimeCount = 0

    /// - Parameters:
    ///   - key: the ingest key, which may be restricted to one app.
    ///   - cache: groups of earlier reports.
    /// - Throws: ``Problem`` if nothing of the request can be counted.
    init(_ ingestRequest: IngestRequest, key: Credential, cache: inout GroupCache) throws(Problem) {
        try self.init(Self.read(ingestRequest), of: ingestRequest, key: key, cache: &cache)
    }

    /// Parses a request without grouping its reports.
    static func read(_ ingestRequest: IngestRequest) throws(Problem) -> WireDocument {
        do throws(WireError) {
            return try WireReader.read(ingestRequest.body, as: ingestRequest.format)
        } catch {
            var problem = Problem(.badRequest, error.reason, kind: .invalidReports)
            (problem.line, problem.column) = (error.line, error.column)
            throw problem
        }
    }

    /// - Parameters:
    ///   - document: the document that ``read(_:)`` returned for the request.
    ///   - storesExplanations: `false` stores no explanations, and tells the sender to send none.
    ///   - maxUncachedReports: maximum number of reports that are grouped without an entry in the cache.
    init(
        _ document: WireDocument, of ingestRequest: IngestRequest, key: Credential, cache: inout GroupCache,
        storesExplanations: Bool = true, maxUncachedReports: Int = .max
    ) throws(Problem) {
        self.storesExplanations = storesExplanations
        var originTable = try OriginTable(ingestRequest: ingestRequest, key: key)
        submission = Submission(keyID: key.id, receivedAt: ingestRequest.receivedAt)
        rejected = document.rejected
        if !rejected.isEmpty { rejectedCounts[.invalid] = rejected.count }
        submission.body = document.body
        submission.sightings.reserveCapacity(document.reports.count)
        var leaks: Set<LeakID> = []
        leaks.reserveCapacity(min(document.reports.count, WireLimits.leaksCount))
        for report in document.reports {
            guard leaks.count <= WireLimits.leaksCount else {
                // Further reports are not even grouped, because grouping them all would block an event loop.
                reject(report, .tooManyLeaks, reason: Self.tooManyLeaksReason)
                continue
            }
            let originIndex: Int
            switch originTable.admission(of: document.origin(of: report), in: document) {
            case .admitted(let index): originIndex = index
            case .rejected(let reason):
                reject(report, .keyRestriction, reason: reason)
                continue
            }
            let groups = cache.group(
                document, report, app: originTable.apps[originIndex],
                module: originTable.modules[originIndex])
            guard cache.missCount <= maxUncachedReports, !cache.lacksSymbols else {
                isIncomplete = true
                return
            }
            leaks.insert(groups.first.identity.id)
            for other in groups.others { leaks.insert(other.identity.id) }
            guard leaks.count <= WireLimits.leaksCount else {
                reject(report, .tooManyLeaks, reason: Self.tooManyLeaksReason)
                continue
            }
            acceptedCount += 1
            let countedAt = Self.countedTime(report.at, receivedAt: ingestRequest.receivedAt)
            if let at = report.at, at.milliseconds != countedAt { clampedTimeCount += 1 }
            addSighting(of: groups.first, in: report, originIndex: originIndex, at: countedAt)
            for other in groups.others {
                addSighting(of: other, in: report, originIndex: originIndex, at: countedAt)
            }
            addExplanation(
                document.explanation(report.why), of: groups.first.identity, originIndex: originIndex,
                at: countedAt,
                cache: &cache)
            if groups.omittedCount > 0 {
                submission.dropped.append(
                    .init(
                        app: originTable.origins[originIndex].app,
                        environment: originTable.origins[originIndex].environment,
                        reason: Self.leaksOverLimitReason,
                        count: groups.omittedCount))
            }
        }
        rejectedExplanations = (document.rejectedExplanationCount, document.firstExplanationProblem)
        for report in document.explanations {
            // The parser limits the explanations of a batch, so their different leaks need no limit here.
            let originIndex: Int
            switch originTable.admission(of: document.origin(of: report), in: document) {
            case .admitted(let index): originIndex = index
            case .rejected(let reason):
                rejectedExplanations.count += 1
                rejectedExplanations.firstReason = rejectedExplanations.firstReason ?? reason
                continue
            }
            let groups = cache.group(
                document, report, app: originTable.apps[originIndex],
                module: originTable.modules[originIndex])
            guard cache.missCount <= maxUncachedReports, !cache.lacksSymbols else {
                isIncomplete = true
                return
            }
            addExplanation(
                document.explanation(report.why), of: groups.first.identity, originIndex: originIndex,
                at: Self.countedTime(report.at, receivedAt: ingestRequest.receivedAt), cache: &cache)
        }
        // The closures of the last explanation.
        guard !cache.lacksSymbols else {
            isIncomplete = true
            return
        }
        try addUsageCounts(document, &originTable, isTranslated: ingestRequest.isTranslated)
        submission.origins = originTable.origins
        rejected.sort { $0.index < $1.index }
        try rejectIfEmpty(document, key)
        if !storesExplanations { submission.explanations = [] }
        if let idempotencyKey = ingestRequest.idempotencyKey {
            submission.idempotency = .init(
                key: idempotencyKey, bodyHash: ingestRequest.contentHash)
            submission.response = storedResponse
        }
    }

    private mutating func reject(_ report: ReportSlices, _ kind: ReportRejection, reason: String) {
        rejected.append(Rejection(index: report.index, reason: reason))
        rejectedCounts[kind, default: 0] += 1
    }

    private mutating func addSighting(
        of grouped: GroupedReport, in report: ReportSlices, originIndex: Int, at countedAt: Int64
    ) {
        submission.sightings.append(
            Submission.Sighting(
                leak: grouped.identity, originIndex: originIndex, isFreed: grouped.isFreed, at: countedAt,
                count: report.count, alive: report.alive, livedMilliseconds: grouped.livedMilliseconds,
                jsonRange: report.raw.range))
    }

    private mutating func addExplanation(
        _ explanation: RetainExplanation?, of leak: LeakIdentity, originIndex: Int, at countedAt: Int64,
        cache: inout GroupCache
    ) {
        guard let explanation = explanation?.redacted else { return }
        let reason = StoredReason(explanation)
        let closures = StoredClosures(explanation, of: reason).map { cache.symbolicated($0) }
        submission.explanations.append(
            Submission.Explanation(
                leak: leak, originIndex: originIndex, at: countedAt, reason: reason.text,
                closures: closures?.text,
                bytes: explanation.cost?.bytes))
    }

    /// Adds the sessions, checks and dropped reports of the batch's sender.
    private mutating func addUsageCounts(
        _ document: WireDocument, _ originTable: inout OriginTable, isTranslated: Bool
    ) throws(Problem) {
        guard !document.sessions.isEmpty || !document.checks.isEmpty || !document.dropped.isEmpty else {
            return
        }
        let originIndex: Int
        switch originTable.admission(of: document.origin, in: document) {
        case .admitted(let index): originIndex = index
        case .rejected(let reason): throw Problem(.forbidden, reason, kind: .keyRestriction)
        }
        let origin = originTable.origins[originIndex]
        var checks = ClassCounts()
        for check in document.checks {
            checks.add(
                check.count,
                to: GroupingRules.className(check.className, module: originTable.modules[originIndex]))
        }
        if !document.sessions.isEmpty || !document.checks.isEmpty {
            submission.usageCounts = [
                Submission.UsageCounts(
                    app: origin.app, environment: origin.environment, version: origin.version,
                    build: origin.build, installHash: origin.installHash,
                    sessions: document.sessions.count { $0.isConclusive },
                    leakySessions: document.sessions.count { $0.leaks > 0 }, checks: checks.counts)
            ]
            submission.usageCounts[0].earlierSessions = earlierSessions(of: document)
            submission.usageCounts += checks.collidingCounts.map {
                Submission.UsageCounts(
                    app: origin.app, environment: origin.environment, version: origin.version,
                    build: origin.build, installHash: origin.installHash, sessions: 0, leakySessions: 0,
                    checks: $0)
            }
        }
        submission.dropped += Self.drops(of: document, isTranslated: isTranslated).map {
            Submission.Dropped(
                app: origin.app, environment: origin.environment, reason: $0.reason, count: $0.count)
        }
    }

    /// Returns the number of conclusive sessions by the hour in which they count, for hours before the hour of arrival only.
    private func earlierSessions(of document: WireDocument) -> [Int: Int] {
        let arrival = submission.receivedAt
        var sessions: [Int: Int] = [:]
        for session in document.sessions where session.isConclusive {
            let hour = Calendar.countedHour(
                of: Self.countedTime(session.startedAt, receivedAt: arrival), arrival: arrival)
            if hour < Calendar.hour(of: arrival) { sessions[hour, default: 0] += 1 }
        }
        return sessions
    }

    /// Maximum number of dropped reports that one batch may count, over all its reasons. The largest known loss is a burst of
    /// 100,000 sightings that came while the reporter's queue was full. Without the limit, anyone with the ingest key, which is
    /// in every copy of an app, could hide the true counts of dropped reports under invented counts.
    static let maxDroppedReports = 100_000
    /// Maximum number of unseen objects (objects that a detector did not watch) that one batch may count over all its sessions,
    /// the same as for one session. Unseen objects have a limit of their own, because objects far outnumber reports.
    static let maxUnseenObjects = WireLimits.sessionUnseen
    /// The reason under which unseen objects are counted.
    static let unseenReason = "unseen"
    /// The reason under which the leaks of a text beyond ``MessageSplitter/limit`` are counted.
    static let leaksOverLimitReason = "text_over_limit"
    /// The reason that counts the batches whose dropped reports or unseen objects exceed a limit.
    static let droppedOverLimitReason = "over_limit"

    /// The collector's own reasons, beside those that begin with ``sentryReasonPrefix``. If a batch names one of them, the
    /// prefix `device_` is added to the reason.
    static let collectorReasons: Set<String> = [
        unseenReason, leaksOverLimitReason, droppedOverLimitReason, SentryRejections.reason,
        DiscardedLeak.reason,
    ]
    /// The prefix of reasons from requests of Sentry SDKs. Batches of other senders may not use it.
    static let sentryReasonPrefix = "sentry_"

    /// Returns the dropped reports and the unseen objects of a batch that are counted. Dropped reports are counted in the
    /// order in which the batch names them, up to ``maxDroppedReports``, and unseen objects up to
    /// ``maxUnseenObjects``.
    ///
    /// - Parameter isTranslated: ``IngestRequest/isTranslated``
    static func drops(of document: WireDocument, isTranslated: Bool = false) -> [DroppedReports] {
        var remainingCount = maxDroppedReports
        var drops: [DroppedReports] = []
        var isReduced = false
        for part in document.dropped {
            let count = min(part.count, remainingCount)
            isReduced = isReduced || count < part.count
            remainingCount -= count
            guard count > 0 else { continue }
            let isReserved =
                collectorReasons.contains(part.reason)
                || !isTranslated && part.reason.hasPrefix(sentryReasonPrefix)
            let reason = isReserved ? "device_" + part.reason : part.reason
            drops.append(DroppedReports(reason: reason, count: count))
        }
        let unseen = document.sessions.reduce(0) { $0 + $1.unseen }
        if unseen > 0 {
            drops.append(DroppedReports(reason: unseenReason, count: min(unseen, maxUnseenObjects)))
            isReduced = isReduced || unseen > maxUnseenObjects
        }
        if isReduced { drops.append(DroppedReports(reason: droppedOverLimitReason, count: 1)) }
        return drops
    }

    /// Adds dropped reports to the counts of the first sender's app.
    mutating func add(dropped count: Int, for reason: String) {
        guard count > 0, let origin = submission.origins.first else { return }
        submission.dropped.append(
            Submission.Dropped(
                app: origin.app, environment: origin.environment, reason: reason, count: count))
    }

    private func rejectIfEmpty(_ document: WireDocument, _ key: Credential) throws(Problem) {
        let isEmpty =
            submission.sightings.isEmpty && submission.explanations.isEmpty && submission.usageCounts.isEmpty
            && submission.dropped.isEmpty
        guard isEmpty else { return }
        guard document.reportCount > 0 || !document.explanations.isEmpty else {
            if let reason = document.firstExplanationProblem {
                throw Problem(.badRequest, reason, kind: .invalidReports)
            }
            throw Problem(
                .badRequest,
                "the request is empty: it must have at least one report, explanation, session, check or dropped count",
                kind: .emptyBatch)
        }
        guard document.reports.isEmpty && document.explanations.isEmpty else {
            let restriction =
                (key.app.map { ["the app \($0)"] } ?? [])
                + (key.environmentList.map { ["the environments \($0)"] } ?? [])
            throw Problem(
                .forbidden, "this ingest key is restricted to \(restriction.joined(separator: " and "))",
                kind: .keyRestriction)
        }
        var problem = Problem(
            .badRequest,
            document.reportCount == 1
                ? rejected[0].reason
                : "none of the reports is valid; the field `rejected` has the reasons of the first \(JSONWriter.maxNamedRejections)",
            kind: .invalidReports)
        problem.rejected = rejected
        throw problem
    }

    /// Returns the time at which a report or session counts, in milliseconds since 1970: its own time, but not more than
    /// ``maxAgeMilliseconds`` ago. The time of receipt counts if the report has no time, or a time more than
    /// ``maxLeadMilliseconds`` ahead.
    static func countedTime(_ at: WireTime?, receivedAt: Int64) -> Int64 {
        guard let at = at?.milliseconds, at <= receivedAt + maxLeadMilliseconds else { return receivedAt }
        return max(at, receivedAt - maxAgeMilliseconds)
    }

    // MARK: Response

    func response(isDuplicate: Bool) -> Response {
        Response(.ok, type: "application/json", body: .bytes(responseBody(isDuplicate: isDuplicate)))
    }

    /// Maximum bytes of a response that is stored for a repeated request. In SQLite, a response that takes more than 1,002
    /// bytes together with its day needs an overflow page of the index.
    static let maxStoredResponseBytes = 960

    /// The response to a repeated request. If it would be too long, it lists fewer rejections.
    private var storedResponse: [UInt8] {
        var limit = JSONWriter.maxNamedRejections
        var response = responseBody(isDuplicate: true)
        while response.count > Self.maxStoredResponseBytes, limit > 0 {
            limit /= 2
            response = responseBody(isDuplicate: true, naming: limit)
        }
        return response
    }

    private func responseBody(isDuplicate: Bool, naming limit: Int = JSONWriter.maxNamedRejections) -> [UInt8]
    {
        var writer = JSONWriter(capacity: 64)
        writer.object { writer in
            writer.field("accepted", acceptedCount)
            writer.field("duplicate", isDuplicate)
            writer.fields(of: rejected, naming: limit)
            if rejectedExplanations.count > 0 {
                writer.object("rejected_explanations") { writer in
                    writer.field("count", rejectedExplanations.count)
                    writer.field("first", rejectedExplanations.firstReason)
                }
            }
            if !storesExplanations { writer.field("explanations", false) }
        }
        return writer.bytes
    }
}

extension EndedSession {
    /// `false` for a session without a leak in which a detector did not watch all objects: it counts neither as leak-free
    /// nor as leaky.
    fileprivate var isConclusive: Bool { leaks > 0 || unseen == 0 }
}
