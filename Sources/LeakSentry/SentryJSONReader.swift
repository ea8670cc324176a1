internal import LeakGrammar
internal import LeakMessage

/// A reader of one JSON object of a request. Its errors name the position at which the object is invalid.
enum SentryJSONReader {
    /// Checks that a range is a JSON object in UTF-8, and reads it.
    ///
    /// - Parameters:
    ///   - what: the name of the object in messages, such as `the event`.
    ///   - read: reads the object with the scanner.
    static func scan(
        _ body: [UInt8], in range: Range<Int>, as what: String,
        _ read: (inout JSONScanner) throws(JSONError) -> Void
    ) throws(SentryJSONError) {
        if let offset = UTF8Validator.firstInvalidByte(in: body, range: range) {
            throw SentryJSONError(reason: "\(what) is not UTF-8, but JSON must be UTF-8", offset: offset)
        }
        do throws(JSONError) {
            try JSONScanner.scan(body, in: range) { (scanner) throws(JSONError) in
                guard try scanner.kind() == .object else {
                    throw JSONError(.expected("an object"), at: scanner.offset)
                }
                try read(&scanner)
                try scanner.finish()
            }
        } catch {
            throw SentryJSONError(reason: "\(what) is not a JSON object: \(error)", offset: error.offset)
        }
    }
}

extension JSONScanner {
    /// Reads the next value if it is an object: calls `read` with the name of each field, and `read` must read the field's
    /// value. Skips any other value.
    mutating func readFields(_ read: (inout JSONScanner, String) throws(JSONError) -> Void) throws(JSONError)
    {
        guard try kind() == .object else {
            try skip()
            return
        }
        guard try enterObject() else { return }
        repeat {
            let name = text(of: try name())
            try read(&self, name)
        } while try hasAnotherElement(in: .object)
    }

    /// Reads the next value if it is an array: calls `read` for each element, and `read` must read the element. Skips any other
    /// value.
    mutating func readElements(_ read: (inout JSONScanner) throws(JSONError) -> Void) throws(JSONError) {
        guard try kind() == .array else {
            try skip()
            return
        }
        guard try enterArray() else { return }
        repeat { try read(&self) } while try hasAnotherElement(in: .array)
    }

    /// Reads the next list like ``readElements(_:)``. Sentry writes a list as `{"values": […]}` or as the array alone.
    mutating func readList(_ read: (inout JSONScanner) throws(JSONError) -> Void) throws(JSONError) {
        guard try kind() == .object else { return try readElements(read) }
        try readFields { (scanner, name) throws(JSONError) in
            if name == "values" { try scanner.readElements(read) } else { try scanner.skip() }
        }
    }

    /// Reads the next value if it is a string. Skips any other value and returns `nil`.
    mutating func readOptionalString() throws(JSONError) -> String? {
        guard try kind() == .string else {
            try skip()
            return nil
        }
        return text(of: try string())
    }

    /// Reads the next value if it is a number. Skips any other value and returns `nil`, even for a number that is not whole.
    mutating func readOptionalInteger() throws(JSONError) -> Int? {
        guard try kind() == .number else {
            try skip()
            return nil
        }
        return integer(of: try number())
    }

    /// Reads the next value if it is a boolean. Skips any other value and returns `nil`.
    mutating func readOptionalBoolean() throws(JSONError) -> Bool? {
        guard try kind() == .boolean else {
            try skip()
            return nil
        }
        return try boolean()
    }

    /// Reads the first `maxCount` strings of the next array, and skips its other values.
    mutating func firstStrings(_ maxCount: Int) throws(JSONError) -> [String] {
        var strings: [String] = []
        try readElements { (scanner) throws(JSONError) in
            guard strings.count < maxCount else {
                try scanner.skip()
                return
            }
            if let string = try scanner.readOptionalString() { strings.append(string) }
        }
        return strings
    }

    /// Reads the next array, and returns the last `maxCount` of its strings.
    mutating func lastStrings(_ maxCount: Int) throws(JSONError) -> [String] {
        var strings = LastElements<String>(maxCount)
        try readElements { (scanner) throws(JSONError) in
            if let string = try scanner.readOptionalString() { strings.append(string) }
        }
        return Array(strings.elements)
    }

    /// Reads the next string, number or boolean; returns `nil` for any other value, which is skipped, and for a number that is
    /// too large for `Double`.
    mutating func scalar() throws(JSONError) -> CustomKey.Value? {
        switch try kind() {
        case .string: return .string(text(of: try string()))
        case .boolean: return .boolean(try boolean())
        case .number:
            let number = try number()
            return Double(text(of: number.slice)).flatMap { $0.isFinite ? .number($0) : nil }
        case .null, .array, .object:
            try skip()
            return nil
        }
    }

    /// Reads the next string, number or boolean as text; a number stays as it is written. Skips any other value and returns
    /// `nil`.
    mutating func scalarText() throws(JSONError) -> String? {
        switch try kind() {
        case .string: return text(of: try string())
        case .boolean: return try boolean() ? "true" : "false"
        case .number: return text(of: try number().slice)
        case .null, .array, .object:
            try skip()
            return nil
        }
    }
}
