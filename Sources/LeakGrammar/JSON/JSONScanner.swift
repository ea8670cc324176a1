internal import LeakMessage

/// A scanner that reads JSON bytes in one pass. It accepts only RFC 8259, and neither copies bytes nor allocates memory.
///
/// The caller reads the values that it expects:
///
///     try JSONScanner.scan(body) { (scanner) throws(JSONError) in
///         guard try scanner.enterObject() else { return }
///         repeat {
///             let name = try scanner.name()
///             if scanner.matches(name, "count") { count = try scanner.number().integer } else { try scanner.skip() }
///         } while try scanner.hasAnotherElement(in: .object)
///     }
///
/// The bytes must be valid UTF-8: check the whole body once with ``UTF8Validator``.
@safe
package struct JSONScanner {
    // Safe: every read is bounded by `end`, and `scan` lends the pointer for one call.
    let base: UnsafePointer<UInt8>
    let end: Int
    /// The index of the next byte to read, counted from the start of the body.
    package internal(set) var offset: Int
    private var depth = 0
    private let depthLimit: Int

    /// The usual limit of nested arrays and objects. A batch needs six.
    package static let depthLimit = 32

    package enum Container: Hashable, Sendable {
        case object, array

        var closing: UInt8 { self == .object ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    /// The kind of a value.
    package enum Kind: String, Hashable, Sendable {
        case object = "an object"
        case array = "an array"
        case string = "a string"
        case number = "a number"
        case boolean = "a boolean"
        case null = "null"
    }

    private init(_ base: UnsafePointer<UInt8>, _ range: Range<Int>, depthLimit: Int) {
        unsafe self.base = base
        self.depthLimit = depthLimit
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Calls `body` with a scanner over `range` of `bytes`, or over all bytes if it is `nil`. `body` must not keep the scanner.
    package static func scan<Result>(
        _ bytes: [UInt8], in range: Range<Int>? = nil, depthLimit: Int = Self.depthLimit,
        _ body: (inout JSONScanner) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        return try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            // An empty array has no address.
            guard let base = buffer.baseAddress else { throw JSONError(.unexpectedEnd, at: 0) }
            var scanner = unsafe JSONScanner(base, range, depthLimit: depthLimit)
            return try body(&scanner)
        }
    }

    /// Returns the kind of the next value without reading the value.
    package mutating func kind() throws(JSONError) -> Kind {
        switch try peek() {
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
        default: throw JSONError(.expected("a value"), at: offset)
        }
    }

    /// Reads `{`.
    ///
    /// - Returns: `true` if a name follows; `false` if the object is empty and was read to its end.
    package mutating func enterObject() throws(JSONError) -> Bool {
        try enter(.object, opening: UInt8(ascii: "{"), name: "an object")
    }

    /// Reads `[`.
    ///
    /// - Returns: `true` if a value follows; `false` if the array is empty and was read to its end.
    package mutating func enterArray() throws(JSONError) -> Bool {
        try enter(.array, opening: UInt8(ascii: "["), name: "an array")
    }

    private mutating func enter(
        _ container: Container, opening: UInt8, name: StaticString
    ) throws(JSONError) -> Bool {
        guard try peek() == opening else { throw JSONError(.expected("\(name)"), at: offset) }
        guard depth < depthLimit else { throw JSONError(.tooDeep, at: offset) }
        offset &+= 1
        guard try peek() != container.closing else {
            offset &+= 1
            return false
        }
        depth &+= 1
        return true
    }

    /// Reads the comma or the closing bracket after a value of a container.
    ///
    /// - Returns: `true` after a comma, `false` after the end of the container.
    package mutating func hasAnotherElement(in container: Container) throws(JSONError) -> Bool {
        let byte = try peek()
        if byte == UInt8(ascii: ",") {
            offset &+= 1
            return true
        }
        guard byte == container.closing else {
            let closing = container == .object ? "a comma or }" : "a comma or ]"
            throw JSONError(.expected(closing), at: offset)
        }
        offset &+= 1
        depth &-= 1
        return false
    }

    /// Reads a name and its colon.
    package mutating func name() throws(JSONError) -> JSONSlice {
        guard try peek() == UInt8(ascii: "\"") else {
            throw JSONError(.expected("a name in quotes"), at: offset)
        }
        let name = try string()
        guard try peek() == UInt8(ascii: ":") else { throw JSONError(.expected("a colon"), at: offset) }
        offset &+= 1
        return name
    }

    /// Reads one value of any kind.
    ///
    /// - Returns: the position of the value, quotes and brackets included.
    @discardableResult
    package mutating func skip() throws(JSONError) -> JSONSlice {
        let kind = try kind()
        let start = offset
        switch kind {
        case .string: _ = try string()
        case .number: _ = try number()
        case .boolean: _ = try boolean()
        case .null: try null()
        case .array:
            if try enterArray() {
                repeat { try skip() } while try hasAnotherElement(in: .array)
            }
        case .object:
            if try enterObject() {
                repeat {
                    _ = try name()
                    try skip()
                } while try hasAnotherElement(in: .object)
            }
        }
        return JSONSlice(start..<offset)
    }

    /// Checks that nothing but white space is left.
    package mutating func finish() throws(JSONError) {
        skipSpace()
        guard offset == end else { throw JSONError(.trailingText, at: offset) }
    }

    mutating func skipSpace() {
        while offset < end {
            switch unsafe base[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset &+= 1
            default: return
            }
        }
    }

    @inline(__always)
    mutating func peek() throws(JSONError) -> UInt8 {
        skipSpace()
        guard offset < end else { throw JSONError(.unexpectedEnd, at: end) }
        return unsafe base[offset]
    }

    /// Returns an error at the next byte, or ``JSONError/Rule/unexpectedEnd`` at the end of the text.
    func failure(_ rule: JSONError.Rule) -> JSONError {
        offset < end ? JSONError(rule, at: offset) : JSONError(.unexpectedEnd, at: end)
    }

    /// Calls `body` with the bytes of a slice. Escape sequences stay unresolved.
    func withBytes<Result>(of slice: JSONSlice, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let range = slice.range.clamped(to: 0..<end)
        return unsafe body(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// Returns the text of a string, with resolved escape sequences.
    package func text(of slice: JSONSlice) -> String {
        unsafe withBytes(of: slice) { unsafe JSONText.string($0, isEscaped: slice.isEscaped) }
    }
}
