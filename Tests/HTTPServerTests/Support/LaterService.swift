import HTTPServer
import Threads

/// Keeps every request's responder until it is told to answer, from the thread that tells it.
final class LaterService: Service {
    /// A responder in a box, since arrays hold no noncopyable values.
    private final class Kept: @unchecked Sendable {
        // Unchecked: taken out once, by whoever removed the box from the list.
        let path: String
        private var responder: Responder?

        init(_ path: String, _ responder: consuming Responder) {
            self.path = path
            self.responder = consume responder
        }

        func take() -> Responder? { responder.take() }
    }

    private let kept = Guarded<[Kept]>([])

    func screen(_ request: borrowing Request) -> Response? { nil }

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        let box = Kept(request.path, responder)
        kept.with { $0.append(box) }
        kept.wakeAll()
    }

    /// Waits until `count` requests are here.
    func waitFor(_ count: Int) -> Bool {
        kept.wait(timeout: .seconds(5)) { $0.count >= count ? true : nil } ?? false
    }

    /// Answers all that are here with their paths.
    ///
    /// - Parameter order: what to do with the list before.
    func answerAll(in order: ([String]) -> [String] = { $0 }) {
        let boxes = kept.with { kept in
            defer { kept = [] }
            return kept
        }
        for path in order(boxes.map(\.path)) {
            guard let box = boxes.first(where: { $0.path == path }), let responder = box.take() else {
                continue
            }
            responder.send(Response(.ok, type: "text/plain", body: .bytes(Array(path.utf8))))
        }
    }

    /// Lets go of all without an answer.
    func dropAll() { kept.with { $0 = [] } }
}
