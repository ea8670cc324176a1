internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage

/// What a Sentry SDK is answered.
///
/// Every status is final for it: it throws away what it sent, whatever the status says, and keeps it only where no
/// answer came. https://develop.sentry.dev/sdk/foundations/transport/rate-limiting/
enum SentryAnswer {
    /// What an SDK is to keep back: not all, since client reports, which count what it dropped, would go as well.
    private static let limited = "default;error;transaction;session"

    /// All is on disk, or was before.
    ///
    /// - Parameter rejected: what the translation gave and cannot be counted.
    static func taken(_ eventID: String?, rejected: [Rejection] = []) -> Response {
        var writer = JSONWriter(capacity: 64)
        writer.object { writer in
            if let eventID { writer.field("id", eventID) }
            if !rejected.isEmpty { writer.fields(of: rejected) }
        }
        return Response(.ok, type: "application/json", body: .bytes(writer.bytes))
    }

    /// What a sender of ours would be told to send again is not answered: the connection ends, and an SDK that keeps
    /// anything keeps it then. Of a rate limit it is told in its own words, too.
    static func response(to problem: Problem) -> Response {
        var response = problem.response
        if problem.status.code >= 500 {
            response.isWithheld = true
        } else if problem.status == .tooManyRequests,
            let seconds = problem.fields.first(where: { $0.name == "Retry-After" })?.value
        {
            response.fields.append(("X-Sentry-Rate-Limits", "\(seconds):\(limited):key:reports_per_second"))
        }
        return response
    }
}
