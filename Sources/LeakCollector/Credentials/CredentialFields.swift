internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage

/// Fields of a request to create or rename a credential, not validated.
struct CredentialFields: Hashable, Sendable {
    /// Maximum bytes of a body: enough for a name and an app in which each byte is written as `\u0000`.
    static let maxBodyBytes = 4096

    var name: String?
    var app: String?
    /// Names of environments, separated by commas.
    var environments: String?
    /// The role of a token.
    var role: String?

    init() {}

    /// Reads the fields of a form. An empty app or list of environments counts as missing.
    init(_ form: Form) {
        name = form["name"]
        app = form["app"].flatMap { $0.isEmpty ? nil : $0 }
        environments = form["environments"].flatMap { $0.isEmpty ? nil : $0 }
        role = form["role"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads the fields of a JSON object. Unknown fields are rejected, because a misspelled `app` would create a key
    /// for all apps.
    ///
    /// - Throws: ``Problem`` 400.
    init(json body: [UInt8]) throws(Problem) {
        guard UTF8Validator.firstInvalidByte(in: body) == nil else {
            throw Problem.invalidBody("the body is not UTF-8")
        }
        do {
            self = try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                var fields = CredentialFields()
                if try scanner.enterObject() {
                    repeat { try fields.read(&scanner) } while try scanner.hasAnotherElement(in: .object)
                }
                try scanner.finish()
                return fields
            }
        } catch {
            throw Problem.invalidBody("the body must be a JSON object such as {\"name\": \"shop\"}: \(error)")
        }
    }

    private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        let start = scanner.offset
        let slice = try scanner.name()
        let field: WritableKeyPath<CredentialFields, String?>
        switch scanner.text(of: slice) {
        case "name": field = \.name
        case "app": field = \.app
        case "environments": field = \.environments
        case "role": field = \.role
        default:
            throw JSONError(
                .expected("name, app, environments or role, and no other field"), at: start)
        }
        guard try scanner.kind() != .null else { return try scanner.null() }
        guard try scanner.kind() == .string else {
            throw JSONError(.expected("a string as \(scanner.text(of: slice))"), at: scanner.offset)
        }
        let value = try scanner.string()
        self[keyPath: field] = scanner.text(of: value)
    }
}
