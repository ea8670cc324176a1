/// A request as a handler sees it: a view into bytes of the loop, which cannot be kept because it is only ever lent.
@safe
public struct Request: ~Copyable {
    // Safe: made for one call, not copyable, lent by `borrowing`; every extent was made by the parser of these bytes.
    private let bytes: UnsafeBufferPointer<UInt8>
    private let head: Head
    private let content: UnsafeBufferPointer<UInt8>

    init(bytes: UnsafeBufferPointer<UInt8>, head: Head, content: UnsafeBufferPointer<UInt8>) {
        unsafe self.bytes = unsafe bytes
        self.head = head
        unsafe self.content = unsafe content
    }

    public var method: Method { head.method }

    /// As sent, query included.
    public var target: String { unsafe bytes.text(at: head.target) }

    /// Percent-decoded once, without the query; starts with a slash, or is `*`.
    public var path: String {
        let raw = unsafe UnsafeBufferPointer(rebasing: bytes[head.path.range])
        guard unsafe raw.contains(0x25) else {
            return unsafe raw.isEmpty ? "/" : String(decoding: raw, as: UTF8.self)
        }
        return unsafe String(decoding: PercentDecoding.decode(raw, plusIsSpace: false), as: UTF8.self)
    }

    /// The first value of a name in the query, decoded as forms are; `nil` when it is not there.
    public func query(_ name: String) -> String? {
        guard let query = head.query else { return nil }
        let raw = unsafe UnsafeBufferPointer(rebasing: bytes[query.range])
        for pair in unsafe raw.split(separator: 0x26) {
            let parts = unsafe pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = unsafe PercentDecoding.decode(
                UnsafeBufferPointer(rebasing: parts[0]), plusIsSpace: true)
            guard decoded.elementsEqual(name.utf8) else { continue }
            guard unsafe parts.count == 2 else { return "" }
            return unsafe String(
                decoding: PercentDecoding.decode(UnsafeBufferPointer(rebasing: parts[1]), plusIsSpace: true),
                as: UTF8.self)
        }
        return nil
    }

    /// The first value of a field; `name` in lower case.
    public func field(_ name: StaticString) -> String? {
        for field in head.fields where unsafe bytes.spells(name, at: field.name) {
            return unsafe bytes.text(at: field.value)
        }
        return nil
    }

    /// What `Content-Length` announces; `nil` where there is no body, or a chunked one of unknown length.
    public var announcedBodyCount: Int? {
        if case .length(let count) = head.framing { count } else { nil }
    }

    /// Whether a body follows or has come.
    public var hasBody: Bool { head.framing != .none }

    /// Bytes of the body, decoded; 0 before it has arrived.
    public var bodyCount: Int { unsafe content.count }

    /// The body, decoded.
    public func body() -> [UInt8] { unsafe Array(content) }
}

/// Percent-encoded text. RFC 3986 §2.1
enum PercentDecoding {
    /// What is no valid triplet stands as it is.
    static func decode(_ raw: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var text: [UInt8] = []
        unsafe text.reserveCapacity(raw.count)
        var index = 0
        while unsafe index < raw.count {
            let byte = unsafe raw[index]
            if byte == 0x25, unsafe index + 2 < raw.count, let high = unsafe raw[index + 1].hexadecimalValue,
                let low = unsafe raw[index + 2].hexadecimalValue
            {
                text.append(high << 4 | low)
                index += 3
            } else {
                text.append(plusIsSpace && byte == 0x2B ? 0x20 : byte)
                index += 1
            }
        }
        return text
    }
}
