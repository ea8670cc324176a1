import HTTPServer

/// Answers every method that the server lets through, on every path, with 200 and the request's body.
struct Echo: Service {
    func screen(_ request: borrowing Request) -> Response? { nil }

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        responder.send(
            Response(.ok, type: request.field("content-type") ?? "text/plain", body: .bytes(request.body())))
    }
}
