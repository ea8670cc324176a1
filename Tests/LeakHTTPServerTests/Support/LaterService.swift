import LeakHTTPServer
import LeakPlatform

/// A service that keeps the responder of every request. ``answerAll(in:)`` sends the answers on the thread of its caller.
final class LaterService: Service {
    private typealias Kept = (path: String, responder: SharedResponder)

    private let kept = Guarded<[Kept]>([])

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        let one = (request.path, SharedResponder(responder))
        kept.with { $0.append(one) }
        kept.wakeAll()
    }

    /// Waits until `count` requests have arrived.
    func waitForRequests(_ count: Int) -> Bool {
        kept.wait(timeout: .seconds(30)) { $0.count >= count ? true : nil } ?? false
    }

    /// Answers all waiting requests with their paths.
    ///
    /// - Parameter order: returns the paths in the order in which their requests are answered.
    func answerAll(in order: ([String]) -> [String] = { $0 }) {
        let all = kept.with { kept in
            defer { kept = [] }
            return kept
        }
        for path in order(all.map(\.path)) {
            let one = all.first { $0.path == path }
            one?.responder.send(Response(.ok, type: "text/plain", body: .bytes(Array(path.utf8))))
        }
    }

    /// Releases all responders without an answer.
    func dropAll() { kept.with { $0 = [] } }
}
