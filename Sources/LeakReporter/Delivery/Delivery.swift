import LeakMessage
import ReportTransport

/// What an attempt to deliver a batch came to.
enum Delivery: Hashable, Sendable {
    /// The collector has it: forget the batch. The reports of the indexes `rejected` were invalid, the first for `reason`.
    case accepted(rejected: [Int], reason: String?)
    /// Nobody has it, or nobody said so: keep the batch and come back, no sooner than `afterMilliseconds` if the
    /// collector asked for that.
    case postponed(afterMilliseconds: Int?, why: String)
    /// Too long for whoever answered: try again in smaller pieces.
    case tooLong(why: String)
    /// It will never be taken: forget the batch, count it as lost.
    case refused(why: String)
    /// Neither this batch nor any other will be taken with this key: stop.
    case unauthorized(why: String)

    /// - Parameter now: the wall clock, for a `Retry-After` that is a date.
    init(_ reply: Reply, now: WireTime) {
        switch reply {
        case .none(let why): self = .postponed(afterMilliseconds: nil, why: why)
        case .answer(let answer): self = Self.meaning(of: answer, now: now)
        }
    }

    private static func meaning(of answer: Reply.Answer, now: WireTime) -> Delivery {
        let why = Self.words(for: answer)
        switch answer.status {
        case 200...299:
            // A sign-in page of a hotel's network answers 200 to everything; what it took is not delivered.
            guard let result = CollectorAnswer(json: answer.body) else {
                return .postponed(afterMilliseconds: nil, why: Self.stranger(answer.status))
            }
            return .accepted(rejected: result.rejected, reason: result.firstReason)
        case 300...399:
            return .postponed(afterMilliseconds: nil, why: why)
        case 408, 425, 429, 500...599:
            let wait = answer.retryAfter.flatMap { RetryAfter.milliseconds($0, now: now) }
            return .postponed(afterMilliseconds: wait, why: why)
        case 413:
            return .tooLong(why: why)
        case 400...499 where !ProblemDetails.isCarried(by: answer):
            // A firewall or a hotel's network answers so as well, and says nothing about the batch or the key.
            return .postponed(afterMilliseconds: nil, why: Self.stranger(answer.status))
        case 401, 403:
            return .unauthorized(why: why)
        case 400...499:
            return .refused(why: why)
        default:
            return .postponed(afterMilliseconds: nil, why: why)
        }
    }

    /// What went wrong, in words that say what to do; `nil` if nothing did.
    var trouble: String? {
        switch self {
        case .accepted(let rejected, let reason):
            rejected.isEmpty
                ? nil : "the collector refused \(rejected.count) reports\(reason.map { ": \($0)" } ?? "")"
        case .postponed(_, let why), .tooLong(let why), .refused(let why), .unauthorized(let why): why
        }
    }

    private static func stranger(_ status: Int) -> String {
        "the endpoint answered \(status), but not as a collector does: check the address"
    }

    private static func words(for answer: Reply.Answer) -> String {
        var text = "the collector answered \(answer.status)"
        if (300...399).contains(answer.status), let location = answer.location {
            text =
                "the endpoint redirects to \(location.prefix(200)), which is not followed: use that address"
        } else if let detail = ProblemDetails(json: answer.body)?.text {
            text += ": \(detail)"
        }
        return text
    }
}
