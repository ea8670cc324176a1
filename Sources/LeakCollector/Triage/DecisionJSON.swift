internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage

extension DecisionFields {
    /// Parses the body of `POST /api/v1/leaks/{leak}/decisions`.
    ///
    /// Unknown fields are rejected, because a misspelled `until` would ignore a leak forever.
    ///
    /// - Throws: ``Problem`` 400 that names the wrong field and its valid values.
    init(json body: [UInt8]) throws(Problem) {
        self.init()
        if UTF8Validator.firstInvalidByte(in: body) != nil {
            throw Problem.invalidBody("the body is not UTF-8")
        }
        var fields = self
        var problem: Problem?
        var names: Set<String> = []
        do throws(JSONError) {
            try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                guard try scanner.kind() == .object else {
                    problem = Problem.invalidBody(#"the body must be a JSON object such as \#(Self.example)"#)
                    return
                }
                if try scanner.enterObject() {
                    repeat {
                        problem = try fields.read(&scanner, earlierNames: &names)
                        guard problem == nil else { return }
                    } while try scanner.hasAnotherElement(in: .object)
                }
                try scanner.finish()
            }
        } catch {
            throw Problem.invalidBody("the body is not JSON: \(error)")
        }
        if let problem { throw problem }
        self = fields
    }

    private static let example = #"{"action": "resolve", "in": "next"}"#
    /// Maximum characters of an unknown field's name that the problem quotes.
    private static let maxQuotedNameLength = 64

    /// Reads one field. A repeated name is rejected, because programs disagree on which of its values counts.
    ///
    /// - Parameter names: the names of the fields that were read before. The name of this field is added.
    /// - Returns: the problem of the field; `nil` if the field is valid. After a problem, the scanner may stand before the
    ///   field's value.
    private mutating func read(
        _ scanner: inout JSONScanner, earlierNames names: inout Set<String>
    ) throws(JSONError) -> Problem? {
        let slice = try scanner.name()
        let name = scanner.text(of: slice)
        guard names.insert(name).inserted else {
            return Problem.invalidBody("the field “\(name.prefix(Self.maxQuotedNameLength))” is given twice")
        }
        let field: WritableKeyPath<DecisionFields, String?>?
        switch name {
        case "action": field = \.action
        case "in": field = \.fixVersion
        case "build": field = \.fixBuild
        case "until": field = \.until
        case "reports": field = nil
        case "note": field = \.note
        default:
            let unknown = name.prefix(Self.maxQuotedNameLength)
            return Problem.invalidBody(
                "unknown field \"\(unknown)\"; a decision has action, in, build, until, reports and note")
        }
        let kind = try scanner.kind()
        guard kind != .null else {
            try scanner.null()
            return nil
        }
        guard let field else {
            guard kind == .number else {
                return Problem.invalidBody("the field “reports” must be a whole number")
            }
            let number = try scanner.number()
            // 0 is out of bounds, and stands for a number that is not whole or too large.
            reports = scanner.integer(of: number) ?? 0
            return nil
        }
        guard kind == .string else { return Problem.invalidBody("the field “\(name)” must be a string") }
        let text = try scanner.string()
        self[keyPath: field] = scanner.text(of: text)
        return nil
    }
}
