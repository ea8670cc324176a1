internal import LeakHTTPServer

/// The kinds of problems, each with its own `type` in problem details (RFC 9457 §3.1.1). docs/PROBLEMS.md describes each kind.
///
/// The raw value is the end of the type. It is stable: programs compare it, and it is a label of a metric.
enum ProblemKind: String, CaseIterable, Sendable {
    // Kinds that only their status distinguishes.
    case badRequest = "bad-request"
    case unauthorized
    case forbidden
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case requestTimeout = "request-timeout"
    case conflict
    case contentTooLarge = "content-too-large"
    case targetTooLong = "uri-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case expectationFailed = "expectation-failed"
    case fieldsTooLarge = "request-header-fields-too-large"
    case internalError = "internal-server-error"
    case notImplemented = "not-implemented"
    case unavailable = "service-unavailable"
    case versionNotSupported = "http-version-not-supported"
    case insufficientStorage = "insufficient-storage"

    // 400
    case invalidParameter = "invalid-parameter"
    case invalidBody = "invalid-body"
    case invalidReports = "invalid-reports"
    case emptyBatch = "empty-batch"
    // 403
    case revokedKey = "revoked-key"
    case revokedToken = "revoked-token"
    case keyRestriction = "key-restriction"
    case missingRole = "missing-role"
    case otherApp = "other-app"
    case otherSite = "other-site"
    case invalidSentryKey = "invalid-sentry-key"
    // 422
    case reusedIdempotencyKey = "reused-idempotency-key"
    // 429
    case rateLimit = "rate-limit"
    // 503
    case overloaded
    case stopping
    case diskFull = "disk-full"
    case databaseFull = "database-full"
    case databaseDamaged = "database-damaged"
    case databaseUnreachable = "database-unreachable"
    case dataFolderReplaced = "data-folder-replaced"
    case writeFailed = "write-failed"
    case uncertainCommit = "uncertain-commit"

    /// The kind of a problem without a kind of its own.
    init(status: Status) {
        self = Self.kindsByStatus[Int(status.code)] ?? (status.code < 500 ? .badRequest : .internalError)
    }

    private static let kindsByStatus: [Int: ProblemKind] = [
        400: .badRequest, 401: .unauthorized, 403: .forbidden, 404: .notFound, 405: .methodNotAllowed,
        408: .requestTimeout, 409: .conflict, 413: .contentTooLarge, 414: .targetTooLong,
        415: .unsupportedMediaType, 417: .expectationFailed, 431: .fieldsTooLarge, 500: .internalError,
        501: .notImplemented,
        503: .unavailable, 505: .versionNotSupported, 507: .insufficientStorage,
    ]

    /// `true` if a request that sends reports often gets problems of the kind.
    var isOfBatches: Bool {
        switch self {
        case .unauthorized, .revokedKey, .keyRestriction, .invalidSentryKey, .contentTooLarge,
            .unsupportedMediaType, .invalidReports, .badRequest, .invalidParameter, .unavailable,
            .emptyBatch, .reusedIdempotencyKey, .rateLimit, .overloaded, .stopping, .diskFull, .databaseFull,
            .databaseDamaged, .databaseUnreachable, .dataFolderReplaced, .writeFailed, .uncertainCommit:
            true
        default: false
        }
    }

    /// The `type` of the problem details.
    var type: String { Status.problemTypePrefix + rawValue }
}
