internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage

/// Responses to Sentry SDKs.
///
/// Every status is final for an SDK: after any response the SDK discards the data that it sent, and it keeps the data only
/// if no response came. https://develop.sentry.dev/sdk/foundations/transport/rate-limiting/
enum SentryResponse {
    /// Categories that a rate-limited SDK should hold back. They are not all categories, because client reports, which
    /// count dropped events, would be affected too.
    private static let limitedCategories = "default;error;transaction;session"

    /// Returns the response to a request whose content is on disk, from this request or an earlier one, or that has nothing to
    /// count.
    ///
    /// - Parameter rejected: entries of the translated batch that cannot be counted.
    static func accepted(_ eventID: String?, rejected: [Rejection] = []) -> Response {
        var writer = JSONWriter(capacity: 64)
        writer.object { writer in
            if let eventID { writer.field("id", eventID) }
            if !rejected.isEmpty { writer.fields(of: rejected) }
        }
        return Response(.ok, type: "application/json", body: .bytes(writer.bytes))
    }

    /// Returns the response to a problem. A problem of the server, with a status from 500 on, is not answered: the connection
    /// ends, and an SDK that can keep data keeps it. A rate limit is also sent in Sentry's own header.
    static func response(to problem: Problem) -> Response {
        var response = problem.response
        if problem.status.code >= 500 {
            response.isWithheld = true
        } else if problem.status == .tooManyRequests,
            let seconds = problem.fields.first(where: { $0.name == "Retry-After" })?.value
        {
            response.fields.append(
                ("X-Sentry-Rate-Limits", "\(seconds):\(limitedCategories):key:reports_per_second"))
        }
        return response
    }
}
