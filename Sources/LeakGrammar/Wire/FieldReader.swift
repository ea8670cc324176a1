internal import LeakMessage

/// A reader of the fields of an object. It records the first problem with a field.
///
/// Invalid JSON throws an error. A value of the wrong kind or beyond a limit is only recorded, so that the rest of the body can
/// still be read.
@safe
struct FieldReader {
    var scanner: JSONScanner
    /// The first problem, such as `class is 700 bytes, the limit is 512`, and its offset.
    private(set) var problem: (reason: String, offset: Int)?

    init(_ scanner: JSONScanner) { self.scanner = scanner }

    /// Records a problem, unless a problem is recorded already.
    mutating func recordProblem(_ reason: @autoclosure () -> String, at offset: Int) {
        if problem == nil { problem = (reason(), offset) }
    }

    mutating func clearProblem() { problem = nil }

    /// Checks the kind of the next value, and skips a value of another kind.
    ///
    /// - Returns: `false` if the value was skipped. `null` counts as a missing field; any other wrong kind is recorded as a
    ///   problem.
    mutating func expect(
        _ expectedKind: JSONScanner.Kind, field: @autoclosure () -> String,
        description: @autoclosure () -> String
    )
        throws(JSONError) -> Bool
    {
        let kind = try scanner.kind()
        if kind == expectedKind { return true }
        let offset = scanner.offset
        try scanner.skip()
        if kind != .null {
            recordProblem("\(field()) is \(kind.rawValue), must be \(description())", at: offset)
        }
        return false
    }

    /// Reads a string of at most `limit` bytes, counted after its escape sequences are resolved.
    mutating func string(_ field: @autoclosure () -> String, atMost limit: Int) throws(JSONError) -> JSONSlice
    {
        guard try expect(.string, field: field(), description: "a string") else { return .absent }
        let offset = scanner.offset
        let slice = try scanner.string()
        // Resolving escape sequences never makes a text longer.
        if slice.count > limit {
            let count = textByteCount(slice)
            if count > limit {
                recordProblem("\(field()) is \(count) bytes, the limit is \(limit)", at: offset)
            }
        }
        return slice
    }

    /// Reads a name: a string of at most `limit` bytes without control characters.
    mutating func nameText(_ field: @autoclosure () -> String, atMost limit: Int) throws(JSONError)
        -> JSONSlice
    {
        let offset = scanner.offset
        let slice = try string(field(), atMost: limit)
        if slice.isPresent, hasControlCharacter(slice) {
            recordProblem("\(field()) has a control character", at: offset)
        }
        return slice
    }

    /// Reads an array of at most `countLimit` strings, each of at most `elementBytes` bytes.
    mutating func strings(_ field: StaticString, countLimit: Int, elementBytes: Int) throws(JSONError)
        -> JSONSlice
    {
        guard try expect(.array, field: "\(field)", description: "an array of strings") else {
            return .absent
        }
        let start = scanner.offset
        var index = 0
        if try scanner.enterArray() {
            repeat {
                index += scanner.skipPlainStrings(ofAtMost: elementBytes)
                if try scanner.kind() == .null {
                    recordProblem("\(field)[\(index)] is null, must be a string", at: scanner.offset)
                }
                _ = try string("\(field)[\(index)]", atMost: elementBytes)
                index += 1
            } while try scanner.hasAnotherElement(in: .array)
        }
        if index > countLimit {
            recordProblem("\(field) has \(index) entries, the limit is \(countLimit)", at: start)
        }
        return JSONSlice(start..<scanner.offset)
    }

    /// Reads a whole number in a range.
    ///
    /// - Parameter expected: the description of the allowed values in the text of the problem.
    mutating func integer(
        _ field: @autoclosure () -> String, in range: ClosedRange<Int>, _ expected: @autoclosure () -> String
    ) throws(JSONError) -> Int? {
        guard try expect(.number, field: field(), description: expected()) else { return nil }
        let offset = scanner.offset
        let number = try scanner.number()
        guard let value = scanner.integer(of: number), range.contains(value) else {
            let text = number.slice.count <= 24 ? scanner.text(of: number.slice) : "too large"
            recordProblem("\(field()) is \(text), must be \(expected())", at: offset)
            return nil
        }
        return value
    }

    /// Reads a whole number from 0 to `limit`.
    mutating func amount(_ field: @autoclosure () -> String, atMost limit: Int) throws(JSONError) -> Int? {
        try integer(field(), in: 0...limit, "an integer from 0 to \(limit)")
    }

    /// Reads a time: RFC 3339, or milliseconds since 1970.
    mutating func time(_ field: @autoclosure () -> String) throws(JSONError) -> WireTime? {
        let expected = "a time such as 2026-11-20T12:00:00Z, or milliseconds since 1970"
        if try scanner.kind() == .number {
            return try integer(field(), in: Int.min...Int.max, expected).map {
                WireTime(milliseconds: Int64($0))
            }
        }
        guard try expect(.string, field: field(), description: expected) else { return nil }
        let offset = scanner.offset
        let slice = try scanner.string()
        let time =
            slice.isEscaped
            ? WireTime(rfc3339: scanner.text(of: slice))
            : unsafe scanner.withBytes(of: slice) { unsafe WireTime(rfc3339: $0) }
        if time == nil { recordProblem("\(field()) is not a time, must be \(expected)", at: offset) }
        return time
    }

    /// Returns the number of bytes in the text of a string after its escape sequences are resolved.
    func textByteCount(_ slice: JSONSlice) -> Int {
        guard slice.isEscaped else { return slice.count }
        return unsafe scanner.withBytes(of: slice) { unsafe JSONText.unescaped($0).count }
    }

    func hasControlCharacter(_ slice: JSONSlice) -> Bool {
        unsafe scanner.withBytes(of: slice) { bytes in
            if slice.isEscaped { return unsafe WireName.hasControlCharacter(JSONText.unescaped(bytes)) }
            return unsafe WireName.hasControlCharacter(bytes)
        }
    }
}
