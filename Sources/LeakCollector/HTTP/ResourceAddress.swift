internal import LeakHTTPServer
internal import LeakMessage

/// One address of a resource, in one form.
struct ResourceAddress: Hashable, Sendable {
    /// How a resource answers.
    enum Form: Hashable, Sendable {
        case json, page, text
    }

    let path: String
    let form: Form
    /// Reads the parameters of a request.
    let question: @Sendable (borrowing Request, Parameters) throws(Problem) -> Question

    static func json<Content: JSONResource>(_: Content.Type) -> ResourceAddress {
        ResourceAddress(path: "/api/v1" + Content.jsonPath, form: .json) {
            (request, parameters) throws(Problem) in
            let resource = try Content(request, parameters)
            return Question(description: request.path, form: .json) { view in
                var writer = JSONWriter()
                try writer.object { writer throws in try resource.writeJSON(to: &writer, from: view) }
                return Answer.response(writer.bytes)
            }
        }
    }

    static func page<Content: PageResource>(_: Content.Type) -> ResourceAddress {
        ResourceAddress(path: Content.pagePath, form: .page) { (request, parameters) throws(Problem) in
            let resource = try Content(request, parameters)
            return Question(
                description: request.path, form: .page, remembered: Content.isRemembered ? resource : nil
            ) { view in
                Response(page: try resource.page(from: view))
            }
        }
    }

    static func text<Content: TextResource>(_: Content.Type) -> ResourceAddress {
        ResourceAddress(path: "/api/v1" + Content.textPath, form: .text) {
            (request, parameters) throws(Problem) in
            let resource = try Content(request, parameters)
            return Question(description: request.path, form: .text) { view in
                let bytes = Array(try resource.text(from: view).utf8)
                var response = Answer.response(bytes)
                response.type = Content.mediaType
                return response
            }
        }
    }

    /// True if the address names a leak.
    var namesLeak: Bool { path.contains("{leak}") }

    // Not the closure: no two addresses have the same path.
    static func == (one: ResourceAddress, other: ResourceAddress) -> Bool { one.path == other.path }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
