/// The elements of one `Forwarded` field line. RFC 7239 §4
struct ForwardedElements {
    struct Element: Hashable {
        /// The address in `for`; `nil` if there is no `for`, or if its value is not an address, such as `unknown` or an
        /// obfuscated identifier.
        var address: IPAddress?
        /// `true` if `proto` is `https`; `nil` if there is no `proto`.
        var usesTLS: Bool?
    }

    /// The elements, from the last to the first. If the line violates the grammar, a single `nil` replaces all of them: a
    /// quotation mark that the client opened would hide the elements that proxies appended.
    private(set) var elementsLastFirst: [Element?] = []

    init(_ line: [UInt8]) {
        var elements: [Element] = []
        var remaining = line[...]
        var element = Element()
        var isEmpty = true
        while true {
            Self.dropBlanks(&remaining)
            if remaining.first == UInt8(ascii: ",") || remaining.isEmpty {
                if !isEmpty { elements.append(element) }
                (element, isEmpty) = (Element(), true)
                if remaining.popFirst() == nil { break }
                continue
            }
            if remaining.first == UInt8(ascii: ";") {
                remaining.removeFirst()
                continue
            }
            guard let (name, value) = Self.takePair(&remaining) else {
                elementsLastFirst = [nil]
                return
            }
            isEmpty = false
            switch name {
            case "for": element.address = Self.address(value[...])
            case "proto": element.usesTLS = Self.isHTTPS(value[...])
            default: break
            }
        }
        elementsLastFirst = elements.reversed()
    }

    /// Parses `name=value`, where the value may be quoted, and removes it from `remaining`.
    private static func takePair(_ remaining: inout ArraySlice<UInt8>) -> (name: String, value: [UInt8])? {
        let name = remaining.prefix { ASCII.isToken($0) }
        remaining = remaining.dropFirst(name.count)
        guard !name.isEmpty, remaining.popFirst() == UInt8(ascii: "=") else { return nil }
        var value: [UInt8] = []
        if remaining.first == UInt8(ascii: "\"") {
            remaining.removeFirst()
            while true {
                guard let byte = remaining.popFirst() else { return nil }
                if byte == UInt8(ascii: "\"") { break }
                guard byte == UInt8(ascii: "\\") else {
                    value.append(byte)
                    continue
                }
                guard let escaped = remaining.popFirst() else { return nil }
                value.append(escaped)
            }
        } else {
            // Some proxies omit the quotes that are required around an IPv6 address or a port.
            value = Array(remaining.prefix { ASCII.isToken($0) || ":[]".utf8.contains($0) })
            remaining = remaining.dropFirst(value.count)
        }
        dropBlanks(&remaining)
        guard
            remaining.isEmpty || remaining.first == UInt8(ascii: ",") || remaining.first == UInt8(ascii: ";")
        else {
            return nil
        }
        return (String(decoding: name.map(ASCII.lowercased), as: UTF8.self), value)
    }

    /// Parses the address in `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`.
    static func address(_ text: ArraySlice<UInt8>) -> IPAddress? {
        let colon = UInt8(ascii: ":")
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let inner = text[(text.startIndex + 1)..<end]
            guard inner.contains(colon), isPort(text[(end + 1)...]) else { return nil }
            return IPAddress(inner)
        }
        guard let first = text.firstIndex(of: colon), first == text.lastIndex(of: colon) else {
            return IPAddress(text)
        }
        return isPort(text[first...]) ? IPAddress(text[..<first]) : nil
    }

    /// Returns `true` if the text is empty or a colon and a port, which may be obfuscated.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard !text.isEmpty else { return true }
        let port = text.dropFirst()
        guard text.first == UInt8(ascii: ":"), !port.isEmpty else { return false }
        return port.count <= 5 && port.allSatisfy(ASCII.isDigit)
            || port.first == UInt8(ascii: "_") && port.allSatisfy { ASCII.isToken($0) }
    }

    static func isHTTPS(_ text: ArraySlice<UInt8>) -> Bool {
        text.elementsEqual("https".utf8) { ASCII.lowercased($0) == $1 }
    }

    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        dropBlanks(&text)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    private static func dropBlanks(_ text: inout ArraySlice<UInt8>) { text = text.drop(while: isBlank) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
}
