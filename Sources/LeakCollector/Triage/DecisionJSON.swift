internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage

extension DecisionFields {
    /// Reads the body of `POST /api/v1/leaks/{leak}/decisions`.
    ///
    /// A field of another name is refused: misspelt, `until` would make a leak ignored for good.
    ///
    /// - Throws: ``Problem`` 400 with what is wrong and what there must be.
    init(json body: [UInt8]) throws(Problem) {
        self.init()
        if UTF8Validity.firstInvalidByte(in: body) != nil {
            throw Problem(.badRequest, "the body is not UTF-8")
        }
        var fields = self
        var problem: Problem?
        do throws(JSONError) {
            try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                guard try scanner.kind() == .object else {
                    problem = Problem(.badRequest, #"the body must be an object such as \#(Self.example)"#)
                    return
                }
                if try scanner.enterObject() {
                    repeat {
                        problem = try fields.read(&scanner)
                        guard problem == nil else { return }
                    } while try scanner.another(in: .object)
                }
                try scanner.finish()
            }
        } catch {
            throw Problem(.badRequest, "the body is not JSON: \(error)")
        }
        if let problem { throw problem }
        self = fields
    }

    private static let example = #"{"action": "resolve", "in": "next"}"#
    /// Characters of an unknown field's name that the problem quotes.
    private static let unknownNameLength = 64

    /// Reads one field.
    ///
    /// - Returns: what is wrong with it, whose value may then be unread.
    private mutating func read(_ scanner: inout JSONScanner) throws(JSONError) -> Problem? {
        let slice = try scanner.name()
        let name = scanner.text(of: slice)
        let field: WritableKeyPath<DecisionFields, String?>?
        switch name {
        case "action": field = \.action
        case "in": field = \.fix
        case "until": field = \.until
        case "reports": field = nil
        case "note": field = \.note
        default:
            let unknown = name.prefix(Self.unknownNameLength)
            return Problem(
                .badRequest,
                "unknown field \"\(unknown)\"; a decision has action, in, until, reports and note")
        }
        let kind = try scanner.kind()
        guard kind != .null else {
            try scanner.null()
            return nil
        }
        guard let field else {
            guard kind == .number else { return Problem(.badRequest, "reports must be a whole number") }
            let number = try scanner.number()
            // What is no whole number, or too large for one, is out of bounds as well.
            reports = scanner.integer(of: number) ?? 0
            return nil
        }
        guard kind == .string else { return Problem(.badRequest, "\(name) must be a string") }
        let text = try scanner.string()
        self[keyPath: field] = scanner.text(of: text)
        return nil
    }
}
