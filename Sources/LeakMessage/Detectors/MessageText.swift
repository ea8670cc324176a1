/// Brings a text to one form before it is read.
enum MessageText {
    /// Twice what the wire format lets through.
    static let byteLimit = 16 * 1024

    /// With `\n` for every line end, spaces for tabs, and without byte order marks and zero-width spaces.
    static func plain(_ text: String) -> Text {
        var plain: [UInt8] = []
        let bytes = Text(text).cut(to: byteLimit)
        plain.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\r"):
                plain.append(UInt8(ascii: "\n"))
                rest = rest.dropping("\r\n") ?? rest.dropFirst()
            case UInt8(ascii: "\n"):
                plain.append(byte)
                rest = rest.dropFirst()
            case 0..<0x20, 0x7F:
                plain.append(UInt8(ascii: " "))
                rest = rest.dropFirst()
            case 0xE2, 0xEF:
                if let after = rest.dropping("\u{200B}") ?? rest.dropping("\u{FEFF}") {
                    rest = after
                } else {
                    plain.append(byte)
                    rest = rest.dropFirst()
                }
            default:
                plain.append(byte)
                rest = rest.dropFirst()
            }
        }
        return plain[...].trimmed
    }

    /// Without what loggers, the Swift runtime and test runners put around a message.
    static func withoutPrefix(_ text: Text) -> Text {
        var text = text
        // A log line may carry a trap that carries a failed assertion.
        for _ in 0..<4 {
            let before = text.startIndex
            text = (withoutLogHead(text) ?? text).trimmed
            text = (withoutTrapHead(text) ?? text).trimmed
            if text.startIndex == before { break }
        }
        return withoutTrapTail(text)
    }

    /// `2017-11-14 11:58:37.373501+0800 app[3933:3009455] `, as `NSLog` and the unified log print it.
    private static func withoutLogHead(_ text: Text) -> Text? {
        let shape = Array("dddd-dd-dd dd:dd:dd".utf8)
        guard text.count > shape.count else { return nil }
        for (byte, want) in zip(text, shape) {
            guard want == UInt8(ascii: "d") ? byte.isDigit : byte == want else { return nil }
        }
        let line = text.firstLine.line.prefix(256)
        var rest = line.dropFirst(shape.count)
        while let open = rest.firstIndex(of: UInt8(ascii: "[")) {
            rest = rest[(open + 1)...]
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let numbers = rest[..<close]
            if !numbers.isEmpty, numbers.allSatisfy({ $0.isHexadecimal || $0 == UInt8(ascii: ":") }) {
                let after = text[(close + 1)...]
                return after.dropping(":") ?? after
            }
        }
        return nil
    }

    /// `App/File.swift:7: Fatal error: ` and its relatives, `…error: -[Suite test] : ` of XCTest, and the head of
    /// an exception that nobody caught.
    private static func withoutTrapHead(_ text: Text) -> Text? {
        let line = text.firstLine.line
        let marks: [StaticString] = [
            "Fatal error: ", "Assertion failed: ", "Precondition failed: ", "Assertion failure: ",
        ]
        for mark in marks {
            guard let range = line.firstRange(of: mark) else { continue }
            if isPlace(text[..<range.lowerBound]) { return text[range.upperBound...] }
        }
        if let range = line.firstRange(of: "error: -["), isPlace(text[..<range.lowerBound]),
            let end = line[range.upperBound...].firstRange(of: "] : ")
        {
            return text[end.upperBound...]
        }
        if text.starts(with: "*** Terminating app due to"), let range = text.firstRange(of: "reason: '") {
            let reason = text[range.upperBound...]
            return reason[..<(reason.lastIndex(of: UInt8(ascii: "'")) ?? reason.endIndex)]
        }
        return nil
    }

    /// Nothing, or `path:line: `, or the name of a thread; nothing that a message could hold.
    private static func isPlace(_ text: Text) -> Bool {
        guard !text.isEmpty else { return true }
        guard let place = text.droppingLast(": ") else { return false }
        if place.contains(where: {
            $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\"")
        }) {
            return false
        }
        return place.last?.isDigit ?? false
    }

    /// `: file /path/File.swift, line 33`, which older runtimes put behind.
    private static func withoutTrapTail(_ text: Text) -> Text {
        guard let range = text.lastRange(of: ": file "),
            let line = text[range.upperBound...].lastRange(of: ", line "),
            line.upperBound < text.endIndex, text[line.upperBound...].allSatisfy(\.isDigit)
        else { return text }
        return text[..<range.lowerBound]
    }
}
