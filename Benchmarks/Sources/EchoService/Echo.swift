import LeakHTTPServer

/// Responds with 200 and the request's body, to every method that the server accepts and on every path. If there are files, a
/// request for the path of a file gets the file.
public struct Echo: Service {
    private let files: StaticFiles?

    public init(files: StaticFiles? = nil) { self.files = files }

    public func serve(_ request: borrowing Request, _ responder: consuming Responder) {
        if let file = files?.response(to: request) {
            responder.send(file)
            return
        }
        responder.send(Response(.ok, type: "text/plain", body: .shared(request.sharedBody())))
    }
}
