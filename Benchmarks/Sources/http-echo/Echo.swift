import HTTPServer

/// Answers every method that the server lets through, on every path, with 200 and the request's body; with files,
/// their paths with the file.
struct Echo: Service {
    var files: StaticFiles?

    func screen(_ request: borrowing Request) -> Response? { nil }

    func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        if let file = files?.response(to: request) {
            responder.send(file)
            return
        }
        responder.send(Response(.ok, type: "text/plain", body: .shared(request.sharedBody())))
    }
}
