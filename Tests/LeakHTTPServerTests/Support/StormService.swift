import LeakSeededRandom
import LeakHTTPServer
import LeakPlatform

/// A service that answers with the request's body, or with its path if there is no body: immediately, or for paths under
/// `/later` when the test calls ``answerWaitingRequests(_:)``. A request for `/hold` blocks its event loop until released, so
/// that the bytes of many clients have arrived when the loop continues.
final class StormService: Service {
    private typealias Kept = (responder: SharedResponder, echo: [UInt8])

    private let later = Guarded<[Kept]>([])
    private let isHeld = Guarded(false)

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        let path = request.path
        let echo = request.hasBody ? request.body() : Array(path.utf8)
        if path.hasPrefix("/later") {
            let one = (SharedResponder(responder), echo)
            return later.with { $0.append(one) }
        }
        if path == "/hold" {
            isHeld.with { $0 = true }
            isHeld.wakeAll()
            _ = isHeld.wait { $0 ? nil : true }
        }
        responder.send(Self.response(echo))
    }

    /// Waits until a request for `/hold` blocks its event loop.
    func waitUntilHeld() -> Bool { isHeld.wait(timeout: .seconds(10)) { $0 ? true : nil } ?? false }

    func releaseLoop() {
        isHeld.with { $0 = false }
        isHeld.wakeAll()
    }

    /// Answers the waiting requests in random order.
    func answerWaitingRequests(_ random: inout SeededRandom) {
        let kept = later.with { later in
            defer { later = [] }
            return later
        }
        for one in kept.shuffled(using: &random) { one.responder.send(Self.response(one.echo)) }
    }

    private static func response(_ echo: [UInt8]) -> Response {
        Response(.ok, type: "text/plain", body: .bytes(echo))
    }
}
