internal import LeakGrammar
internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// An error in the form in which the API returns it: problem details (RFC 9457).
struct Problem: Error, Sendable {
    var status: Status
    var kind: ProblemKind
    /// Description of what is wrong with this request and what to do, in one sentence.
    var detail: String
    /// Line of the error in the body, counted from 1.
    var line: Int?
    /// Column of the error in its line, counted from 1.
    var column: Int?
    /// The rejected reports of a request, if no report was accepted.
    var rejected: [Rejection] = []
    /// Header fields of the response.
    var fields: [(name: String, value: String)] = []
    /// Cause of the problem, for the log only.
    var cause: String?

    /// - Parameter kind: `nil` for the kind of problems that only their status distinguishes.
    init(_ status: Status, _ detail: String, kind: ProblemKind? = nil) {
        self.status = status
        self.kind = kind ?? ProblemKind(status: status)
        self.detail = detail
    }

    /// Returns the problem with one more header field.
    func withField(_ name: String, _ value: String) -> Problem {
        var problem = self
        problem.fields.append((name, value))
        return problem
    }

    var response: Response {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("type", kind.type)
            writer.field("title", status.reason)
            writer.field("status", Int(status.code))
            writer.field("detail", detail)
            if let line { writer.field("line", line) }
            if let column { writer.field("column", column) }
            if !rejected.isEmpty { writer.fields(of: rejected) }
        }
        var response = Response(status, type: "application/problem+json", body: .bytes(writer.bytes))
        response.requestIDPosition = .lastMember
        response.fields += fields
        return response
    }

    /// Returns the problem of a request with a wrong parameter in its query or path.
    static func invalidParameter(_ detail: String) -> Problem {
        Problem(.badRequest, detail, kind: .invalidParameter)
    }

    /// Returns the problem of a request with a wrong field in its body, or with a body that cannot be read.
    static func invalidBody(_ detail: String) -> Problem {
        Problem(.badRequest, detail, kind: .invalidBody)
    }

    /// Returns the problem of a request without a credential, or with an unknown one.
    static func unauthorized(_ detail: String) -> Problem {
        Problem(.unauthorized, detail).withField("WWW-Authenticate", #"Bearer realm="leaks""#)
    }

    /// Returns the problem of a store that is overloaded or cannot be reached. The client should retry.
    static func unavailable(_ detail: String, kind: ProblemKind, afterSeconds: Int) -> Problem {
        Problem(.serviceUnavailable, detail, kind: kind).withField("Retry-After", "\(afterSeconds)")
    }

    static let noClass = Problem(
        .notFound,
        "there is no leak of this class; the class must be spelled as in the list of leaks, without its module"
    )
    static let noLeak = Problem(.notFound, "there is no leak with this id; /api/v1/leaks lists the ids")
}

extension JSONWriter {
    /// Maximum number of rejections that a response names. If a request has a hundred rejections, they usually have
    /// the same reason.
    static let maxNamedRejections = 100

    /// Writes the rejected reports of a request with their reasons, and their number.
    ///
    /// - Parameter limit: number of rejections to name; all are counted.
    mutating func fields(of rejected: [Rejection], naming limit: Int = maxNamedRejections) {
        array("rejected") { writer in
            for rejection in rejected.prefix(limit) {
                writer.object {
                    $0.field("index", rejection.index)
                    $0.field("reason", rejection.reason)
                }
            }
        }
        field("rejected_count", rejected.count)
    }
}

extension Problem {
    /// Converts an error to a problem.
    init(from error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as StoreError: self.init(error)
        default:
            self.init(.internalServerError, "internal error; see the collector's log")
            cause = "\(error)"
        }
    }

    /// Converts an error of the store to the problem that the API reports.
    init(_ error: StoreError) {
        switch error.reason {
        case .invalidArgument:
            self.init(.badRequest, error.description)
        case .locked, .diskFull, .databaseFull, .readOnly, .unavailable, .uncertain, .damaged:
            self = .unavailable(
                "the database is not available now; try again", kind: ProblemKind(error.reason),
                afterSeconds: 5)
            cause = error.description
        case .notADatabase, .newerSchema, .corrupt, .missing, .other:
            self.init(.internalServerError, "the database cannot be read; see the collector's log")
            cause = error.description
        }
    }
}

extension ProblemKind {
    /// The kind of a problem of the store because of which a request is answered with 503.
    fileprivate init(_ reason: StoreError.Reason) {
        self =
            switch reason {
            case .diskFull: .diskFull
            case .databaseFull: .databaseFull
            case .damaged: .databaseDamaged
            case .unavailable: .databaseUnreachable
            case .uncertain: .uncertainCommit
            default: .unavailable
            }
    }
}
