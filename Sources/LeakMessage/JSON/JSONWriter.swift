/// A writer that appends JSON to bytes. It writes all commas and brackets itself, so that no caller can forget one.
///
///     var writer = JSONWriter()
///     writer.object {
///         $0.field("accepted", 2)
///         $0.array("rejected") { $0.object { $0.field("index", 1) } }
///     }
///     send(writer.bytes)
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    /// `true` if an element was already written on this level.
    private var isFollowing = false

    public init() {}

    /// - Parameter capacity: bytes to make room for.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    // MARK: Containers

    /// An object, as the whole text or as an element of an array.
    public mutating func object(_ fields: (inout JSONWriter) throws -> Void) rethrows {
        separate()
        try enclose(in: UInt8(ascii: "{"), UInt8(ascii: "}"), fields)
    }

    /// An object under a name.
    public mutating func object(_ name: String, _ fields: (inout JSONWriter) -> Void) {
        self.name(name)
        enclose(in: UInt8(ascii: "{"), UInt8(ascii: "}"), fields)
    }

    /// An array, as the whole text or as an element of an array.
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        separate()
        enclose(in: UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    /// An array under a name.
    public mutating func array(_ name: String, _ elements: (inout JSONWriter) -> Void) {
        self.name(name)
        enclose(in: UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    private mutating func enclose(
        in opening: UInt8, _ closing: UInt8, _ content: (inout JSONWriter) throws -> Void
    ) rethrows {
        bytes.append(opening)
        isFollowing = false
        try content(&self)
        bytes.append(closing)
        isFollowing = true
    }

    // MARK: Fields of an object; `nil` writes `null`

    public mutating func field(_ name: String, _ value: String?) {
        self.name(name)
        if let value { append(value) } else { append("null" as StaticString) }
    }

    public mutating func field(_ name: String, _ value: Int?) {
        self.name(name)
        if let value { append(Int64(value)) } else { append("null" as StaticString) }
    }

    public mutating func field(_ name: String, _ value: Int64?) {
        self.name(name)
        if let value { append(value) } else { append("null" as StaticString) }
    }

    /// Infinity and not-a-number, which JSON cannot represent, become `null`.
    public mutating func field(_ name: String, _ value: Double?) {
        self.name(name)
        if let value { append(value) } else { append("null" as StaticString) }
    }

    public mutating func field(_ name: String, _ value: Bool?) {
        self.name(name)
        if let value { append(value) } else { append("null" as StaticString) }
    }

    public mutating func field(_ name: String, _ strings: [String]) {
        array(name) { for string in strings { $0.element(string) } }
    }

    /// Leaves the field out when there is no value.
    public mutating func fieldIfPresent(_ name: String, _ value: String?) {
        if let value { field(name, value) }
    }

    /// Leaves the field out when there is no value.
    public mutating func fieldIfPresent(_ name: String, _ value: Int?) {
        if let value { field(name, value) }
    }

    /// A value that is JSON already.
    public mutating func field(_ name: String, json: some Sequence<UInt8>) {
        self.name(name)
        bytes.append(contentsOf: json)
    }

    public mutating func nullField(_ name: String) {
        self.name(name)
        append("null" as StaticString)
    }

    // MARK: Elements of an array, or the whole text

    public mutating func element(_ value: String) {
        separate()
        append(value)
    }

    public mutating func element(_ value: Int) {
        separate()
        append(Int64(value))
    }

    public mutating func element(_ value: Double) {
        separate()
        append(value)
    }

    public mutating func element(_ value: Bool) {
        separate()
        append(value)
    }

    /// A value that is JSON already.
    public mutating func element(json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    public mutating func nullElement() {
        separate()
        append("null" as StaticString)
    }

    // MARK: Bytes

    private mutating func separate() {
        if isFollowing { bytes.append(UInt8(ascii: ",")) }
        isFollowing = true
    }

    private mutating func name(_ name: String) {
        separate()
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
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private mutating func append(_ value: Double) {
        guard value.isFinite else { return append("null" as StaticString) }
        // Up to 2⁵³ every whole number is exact, and shorter without its `.0`.
        let isNegativeZero = value == 0 && value.sign == .minus
        if value.magnitude <= 9_007_199_254_740_992, !isNegativeZero, let integer = value.wholeNumber {
            return append(Int64(integer))
        }
        bytes.append(contentsOf: value.description.utf8)
    }

    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe appendEscaped($0) }
        if isDone == nil { unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe appendEscaped($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    /// RFC 8259 §7: escapes quotes, backslashes and control characters, and appends everything else unchanged.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var plain = 0
        for index in text.indices {
            let byte = unsafe text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[plain..<index]))
            plain = index + 1
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
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[plain...]))
    }
}

extension Double {
    /// The value as an integer, when it is one that fits. Does not need the C library's rounding, as
    /// `Int(exactly:)` does.
    package var wholeNumber: Int? {
        guard magnitude < 9_223_372_036_854_775_808 else { return nil }
        let integer = Int(self)
        return Double(integer) == self ? integer : nil
    }
}
