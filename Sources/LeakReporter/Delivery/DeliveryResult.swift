import LeakPlatform
import LeakMessage
import LeakTransport

/// The result of an attempt to deliver a batch.
enum DeliveryResult: Hashable, Sendable {
    /// The collector has stored the batch: remove it. The reports at the indexes `rejected` were invalid, the first for `reason`,
    /// and `unnamedRejections` further reports whose indexes are not known. `takesExplanations` is `false` if the collector wants
    /// no explanations of leaks.
    case accepted(
        rejected: [Int], unnamedRejections: Int = 0, reason: String?, takesExplanations: Bool = true)
    /// The collector may have counted the batch: keep the batch and send the same bytes again, no sooner than
    /// `afterMilliseconds` if the collector asked for a delay.
    case postponed(afterMilliseconds: Int?, reason: String)
    /// The server failed, on this batch or on all batches. It is unknown whether the collector counted the batch: keep the
    /// batch and send the same bytes again. Other batches go first.
    case failed(reason: String)
    /// The batch was not counted, but the collector has not rejected it permanently: keep the batch and try again later. Other
    /// batches go first.
    case notCounted(reason: String)
    /// The batch was not counted because it is too long: split it and try again. If a single report is too long, it is discarded if
    /// the collector said so (`isFinal`), and kept if a gateway did.
    case tooLong(isFinal: Bool, reason: String)
    /// The collector rejects the batch permanently: remove it and count it as lost.
    case rejected(reason: String)
    /// The collector does not know the key, so it rejects all other batches with it too.
    case unauthorized(reason: String)
    /// The key may not write for the app of this batch.
    case forbidden(reason: String)

    /// - Parameter now: the wall clock, for a `Retry-After` that is a date.
    init(_ reply: TransportResult, now: WireTime) {
        switch reply {
        case .noResponse(let reason): self = .postponed(afterMilliseconds: nil, reason: reason)
        case .response(let response):
            self = Self.delivery(of: response, now: now)
            // The collector may have counted the batch before a gateway rejected the repeated request.
            if response.mayBeRepeated, let problem, !isAccepted {
                let delay = response.retryAfter.flatMap { RetryAfterParser.milliseconds($0, now: now) }
                self = .postponed(afterMilliseconds: delay, reason: problem)
            }
        }
    }

    private var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }

    private static func delivery(of response: TransportResult.Response, now: WireTime) -> DeliveryResult {
        let reason = Self.message(for: response)
        let delay = response.retryAfter.flatMap { RetryAfterParser.milliseconds($0, now: now) }
        switch response.status {
        case 200...299:
            // The sign-in page of a hotel's network answers 200 to everything; a batch sent to it is not delivered.
            guard let result = CollectorResponse(json: response.body) else {
                return .postponed(afterMilliseconds: nil, reason: Self.unexpectedResponse(response))
            }
            return .accepted(
                rejected: result.rejectedIndexes, unnamedRejections: result.unnamedRejectionCount,
                reason: result.firstReason,
                takesExplanations: result.takesExplanations)
        case 300...399:
            return .notCounted(reason: reason)
        case 500...599 where delay == nil:
            return .failed(reason: reason)
        case 408, 425, 429, 500...599:
            return .postponed(afterMilliseconds: delay, reason: reason)
        case 413:
            return .tooLong(isFinal: ProblemDetails.isFromCollector(response), reason: reason)
        case 400...499 where !ProblemDetails.isFromCollector(response):
            // A response from a firewall, a gateway or a hotel's network says nothing about the batch or the key.
            return .notCounted(reason: Self.unexpectedResponse(response))
        case 401:
            return .unauthorized(reason: reason)
        case 403:
            return .forbidden(reason: reason)
        case 404, 405:
            // The endpoint is another server, or a collector of another version, than the app was made for.
            return .notCounted(reason: reason)
        case 400...499:
            return .rejected(reason: reason)
        default:
            return .postponed(afterMilliseconds: nil, reason: reason)
        }
    }

    /// A description of the problem and its solution; `nil` if there was no problem.
    var problem: String? {
        switch self {
        case .accepted(let rejected, let unnamedRejections, let reason, _):
            rejected.isEmpty && unnamedRejections == 0
                ? nil
                : "the collector rejected \(countText(rejected.count &+ unnamedRejections, of: "report"))"
                    + (reason.map { ": \($0)" } ?? "")
        case .postponed(_, let reason), .failed(let reason), .notCounted(let reason), .tooLong(_, let reason),
            .rejected(let reason), .unauthorized(let reason), .forbidden(let reason):
            reason
        }
    }

    private static func unexpectedResponse(_ response: TransportResult.Response) -> String {
        let message = ProblemDetails(json: response.body).map { " (\($0.text))" } ?? ""
        return
            "the endpoint answered \(response.status)\(message), but not as a collector does: check the address"
    }

    private static func message(for response: TransportResult.Response) -> String {
        var text = "the collector answered \(response.status)"
        if (300...399).contains(response.status), let location = response.location {
            text =
                "the endpoint redirects to \(location.prefix(utf8: 200)), but the reporter follows no redirects: use that address"
        } else if let detail = ProblemDetails(json: response.body)?.text {
            text += ": \(detail)"
        }
        return text
    }
}

extension Backoff {
    /// The back-off of the reporter. A collector that restarts is back within a second or two; for a collector that has been away for
    /// hours, more frequent attempts do not help.
    static let ofReporter = Backoff(firstMilliseconds: 1_000, longestMilliseconds: 3_600_000)
}
