internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// A request that is answered on a thread that may wait for the store.
///
/// `Lent` is what the thread lends: its reader, for one.
struct StoreWork<Lent>: Sendable {
    /// Names the work in the log.
    private let name: String
    /// Called once, when the work begins or is rejected.
    private let responders: @Sendable () -> [SharedResponder]
    private let rejection: @Sendable (Problem) -> Response
    private let response: @Sendable (Lent) throws -> Response

    init(
        _ name: String, responders: @escaping @Sendable () -> [SharedResponder],
        rejection: @escaping @Sendable (Problem) -> Response,
        response: @escaping @Sendable (Lent) throws -> Response
    ) {
        self.name = name
        self.responders = responders
        self.rejection = rejection
        self.response = response
    }

    /// Answers. Blocks on the store.
    func run(with lent: Lent, log: Log) {
        let responders = responders()
        let answer: Response
        do {
            answer = try response(lent)
        } catch {
            let problem = Problem(from: error)
            if problem.status.code >= 500 { log.error("\(name): \(problem.cause ?? problem.detail)") }
            answer = rejection(problem)
        }
        for responder in responders { responder.send(answer) }
    }

    /// Answers without running.
    func reject(_ problem: Problem) {
        let response = rejection(problem)
        for responder in responders() { responder.send(response) }
    }
}

/// The services that answer requests to the store.
struct RequestContext: Sendable {
    let store: any Store
    let gate: Gate
    let threads: StoreThreads
    let health: StoreHealth
    let tables: SymbolTables
    /// The address of this collector. Known once the server is bound: port 0 becomes a real one only then.
    var address: String { boundAddress.with { $0 } }
    let boundAddress = Guarded("")
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64
}
