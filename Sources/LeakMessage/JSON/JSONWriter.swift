/// A writer that appends JSON to bytes. It writes all commas and brackets itself, so that no caller can forget any.
///
///     var writer = JSONWriter()
///     writer.object {
///         $0.field("accepted", 2)
///         $0.array("rejected") { $0.object { $0.field("index", 1) } }
///     }
///     send(writer.bytes)
public struct JSONWriter: Sendable {
    /// The JSON that was written so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// `true` if the next element or field needs a comma in front, because it is not the first in its container.
    private var needsComma = false

    /// Creates a writer without any bytes.
    public init() {}

    /// - Parameter capacity: the number of bytes to reserve.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    // MARK: Containers

    /// Writes an object, as the whole text or as an element of an array.
    public mutating func object(_ fields: (inout JSONWriter) throws -> Void) rethrows {
        writeCommaIfNeeded()
        try enclose(in: UInt8(ascii: "{"), UInt8(ascii: "}"), fields)
    }

    /// Writes a field whose value is an object.
    public mutating func object(_ name: String, _ fields: (inout JSONWriter) -> Void) {
        writeName(name)
        enclose(in: UInt8(ascii: "{"), UInt8(ascii: "}"), fields)
    }

    /// Writes an array, as the whole text or as an element of an array.
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        writeCommaIfNeeded()
        enclose(in: UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    /// Writes a field whose value is an array.
    public mutating func array(_ name: String, _ elements: (inout JSONWriter) -> Void) {
        writeName(name)
        enclose(in: UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    private mutating func enclose(
        in opening: UInt8, _ closing: UInt8, _ content: (inout JSONWriter) throws -> Void
    ) rethrows {
        bytes.append(opening)
        needsComma = false
        try content(&self)
        bytes.append(closing)
        needsComma = true
    }

    // MARK: Fields of an object; `nil` writes `null`

    /// Writes a field whose value is a string.
    public mutating func field(_ name: String, _ value: String?) {
        writeName(name)
        if let value { append(value) } else { append("null" as StaticString) }
    }

    /// Writes a field whose value is an integer.
    public mutating func field(_ name: String, _ value: Int?) {
        writeName(name)
        if let value { append(Int64(value)) } else { append("null" as StaticString) }
    }

    /// Writes a field whose value is an integer.
    public mutating func field(_ name: String, _ value: Int64?) {
        writeName(name)
        if let value { append(value) } else { append("null" as StaticString) }
    }

    /// Writes `null` for infinity and not-a-number too, which JSON cannot represent.
    public mutating func field(_ name: String, _ value: Double?) {
        writeName(name)
        if let value { append(value) } else { append("null" as StaticString) }
    }

    /// Writes a field whose value is `true` or `false`.
    public mutating func field(_ name: String, _ value: Bool?) {
        writeName(name)
        if let value { append(value) } else { append("null" as StaticString) }
    }

    /// Writes a field whose value is an array of strings.
    public mutating func field(_ name: String, _ strings: [String]) {
        array(name) { for string in strings { $0.element(string) } }
    }

    /// Writes nothing if the value is `nil`.
    public mutating func fieldIfPresent(_ name: String, _ value: String?) {
        if let value { field(name, value) }
    }

    /// Writes nothing if the value is `nil`.
    public mutating func fieldIfPresent(_ name: String, _ value: Int?) {
        if let value { field(name, value) }
    }

    /// Writes a field whose value is already JSON.
    public mutating func field(_ name: String, json: some Sequence<UInt8>) {
        writeName(name)
        bytes.append(contentsOf: json)
    }

    /// Writes a field whose value is `null`.
    public mutating func nullField(_ name: String) {
        writeName(name)
        append("null" as StaticString)
    }

    // MARK: Elements of an array, or the whole text

    /// Writes a string.
    public mutating func element(_ value: String) {
        writeCommaIfNeeded()
        append(value)
    }

    /// Writes an integer.
    public mutating func element(_ value: Int) {
        writeCommaIfNeeded()
        append(Int64(value))
    }

    /// Writes a number; `null` for infinity and not-a-number, which JSON cannot represent.
    public mutating func element(_ value: Double) {
        writeCommaIfNeeded()
        append(value)
    }

    /// Writes `true` or `false`.
    public mutating func element(_ value: Bool) {
        writeCommaIfNeeded()
        append(value)
    }

    /// Writes an element that is already JSON.
    public mutating func element(json: some Sequence<UInt8>) {
        writeCommaIfNeeded()
        bytes.append(contentsOf: json)
    }

    /// Writes `null`.
    public mutating func nullElement() {
        writeCommaIfNeeded()
        append("null" as StaticString)
    }

    // MARK: Bytes

    private mutating func writeCommaIfNeeded() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func writeName(_ name: String) {
        writeCommaIfNeeded()
        append(name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ text: StaticString) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func append(_ value: Bool) {
        append((value ? "true" : "false") as StaticString)
    }

    private mutating func append(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var remainder = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder % 10))
            remainder /= 10
        } while remainder > 0
        bytes[start...].reverse()
    }

    private mutating func append(_ value: Double) {
        guard value.isFinite else { return append("null" as StaticString) }
        // A whole number is written without `.0`. Up to 2⁵³, a Double holds every whole number exactly.
        let isNegativeZero = value == 0 && value.sign == .minus
        if value.magnitude <= 9_007_199_254_740_992, !isNegativeZero, let integer = value.wholeNumber {
            return append(Int64(integer))
        }
        bytes.append(contentsOf: value.description.utf8)
    }

    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let appended: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe appendEscaped($0) }
        if appended == nil { unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe appendEscaped($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Escapes quotes, backslashes and control characters as RFC 8259 §7 requires, and appends everything else unchanged.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var unescapedStart = 0
        for index in text.indices {
            let byte = unsafe text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[unescapedStart..<index]))
            unescapedStart = index + 1
            bytes.append(UInt8(ascii: "\\"))
            switch byte {
            case 0x08: bytes.append(UInt8(ascii: "b"))
            case 0x09: bytes.append(UInt8(ascii: "t"))
            case 0x0A: bytes.append(UInt8(ascii: "n"))
            case 0x0C: bytes.append(UInt8(ascii: "f"))
            case 0x0D: bytes.append(UInt8(ascii: "r"))
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
            default:
                append((byte < 0x10 ? "u000" : "u001") as StaticString)
                let digit = byte & 0x0F
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[unescapedStart...]))
    }
}

extension Double {
    /// The value as an integer; `nil` if the value is not whole or not in the range of `Int`. Unlike `Int(exactly:)`, this property
    /// does not call the rounding functions of the C library.
    package var wholeNumber: Int? {
        guard magnitude < 9_223_372_036_854_775_808 else { return nil }
        let integer = Int(self)
        return Double(integer) == self ? integer : nil
    }
}
