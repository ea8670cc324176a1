internal import LeakHTTPServer
internal import LeakStore

extension Problem {
    /// The problem that an error amounts to.
    init(from error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as StoreError: self.init(error)
        default:
            self.init(.internalServerError, "the collector's log says what happened")
            cause = "\(error)"
        }
    }

    /// The error of the store as the API reports it.
    init(_ error: StoreError) {
        switch error.reason {
        case .invalidArgument:
            self.init(.badRequest, error.description)
        case .locked, .diskFull, .databaseFull, .readOnly, .unavailable, .uncertain, .damaged:
            self = .unavailable("the store does not answer just now", afterSeconds: 5)
            cause = error.description
        case .notADatabase, .newerSchema, .corrupt, .missing, .other:
            self.init(.internalServerError, "the store cannot answer; the collector's log says why")
            cause = error.description
        }
    }
}
