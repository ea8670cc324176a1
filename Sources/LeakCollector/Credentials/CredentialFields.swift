internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage

/// Fields of a request to create or rename a credential, not validated.
struct CredentialFields: Hashable, Sendable {
    /// Bytes of a body: a name and an app, each byte of them written as `\u0000`, and a little more.
    static let bodyBytes = 4096

    var name: String?
    var app: String?

    init() {}

    /// An app left empty is none.
    init(_ form: Form) {
        name = form["name"]
        app = form["app"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A field of another name is refused: misspelt, `app` would make a key for all apps.
    ///
    /// - Throws: ``Problem`` 400.
    init(json body: [UInt8]) throws(Problem) {
        guard UTF8Validity.firstInvalidByte(in: body) == nil else {
            throw Problem(.badRequest, "the body is not UTF-8")
        }
        do {
            self = try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                var fields = CredentialFields()
                if try scanner.enterObject() {
                    repeat { try fields.read(&scanner) } while try scanner.another(in: .object)
                }
                try scanner.finish()
                return fields
            }
        } catch {
            throw Problem(.badRequest, "the body must be an object such as {\"name\": \"shop\"}: \(error)")
        }
    }

    private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        let start = scanner.offset
        let slice = try scanner.name()
        let field: WritableKeyPath<CredentialFields, String?>
        switch scanner.text(of: slice) {
        case "name": field = \.name
        case "app": field = \.app
        default: throw JSONError(.expected("name or app, and no other field"), at: start)
        }
        guard try scanner.kind() != .null else { return try scanner.null() }
        let value = try scanner.string()
        self[keyPath: field] = scanner.text(of: value)
    }
}
