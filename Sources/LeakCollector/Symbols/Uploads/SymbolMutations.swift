internal import LeakHTTPServer

/// The mutation that stores the symbols of an image.
struct SymbolUploadMutation: Mutation {
    private static let type: StaticString = "application/octet-stream"

    let uploads: SymbolUploadWorker
    let ingest: Ingest

    let permission = Permission.uploadSymbols
    let path = "/api/v1/symbols"
    let body = Route.Body.parsed(atMost: SymbolTable.Limits.bytes)
    let needsToken = true

    func screen(_ request: borrowing Request, in context: RequestContext) -> Response? {
        if let issue = context.health.mostSerious, issue.blocksWrites { return issue.problem.response }
        guard request.hasContentType(Self.type) else {
            return Problem(.unsupportedMediaType, "Content-Type must be \(Self.type)")
                .withField("Accept-Post", "\(Self.type)").response
        }
        guard request.announcedLength ?? 0 <= SymbolTable.Limits.bytes else {
            let detail = "a symbol table has at most \(SymbolTable.Limits.bytes) bytes"
            return Problem(.contentTooLarge, detail).response
        }
        return nil
    }

    func start(_ request: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        guard let responder = change.responder.take() else { return }
        ingest.parse(request, responder, rejection: change.rejection) { [uploads] body, responder, _ in
            var change = change
            change.responder = SharedResponder(responder)
            do throws(Problem) {
                try uploads.put(body, change)
            } catch {
                change.responder.send(change.rejection(error))
            }
        }
    }
}

/// The mutation that removes the symbols of an image.
struct SymbolRemovalMutation: Mutation {
    let uploads: SymbolUploadWorker

    let method = LeakHTTPServer.Method.delete
    let permission = Permission.administer
    let path = "/api/v1/symbols/{image}"
    let needsToken = true

    func start(_: borrowing Request, _ change: ChangeRequest) throws(Problem) {
        let text = change.match.parameters["image"] ?? ""
        guard let image = ImageID(text) else {
            throw Problem.invalidParameter(
                "“\(text.prefix(80))” is not the id of an image; collector symbols list shows the ids")
        }
        uploads.remove(image, change)
    }
}
