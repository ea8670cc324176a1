/// Takes out of a message what users typed or read.
///
/// Where a quoted text ends cannot be told, since it may hold quotes; so everything behind the address of a
/// description goes, up to where the form of the message continues.
enum Redaction {
    /// - Parameters:
    ///   - message: what ``MessageText/withoutPrefix(_:)`` left.
    ///   - prefix: what it took off the front.
    static func redacted(_ message: Text, after prefix: Text) -> Text {
        let reading = Grammar(demangle: { _ in nil }).read(message)
        let subject = reading.subject
        var result = Array(prefix)
        result.append(contentsOf: message[message.startIndex..<subject.startIndex])
        if reading.isList {
            // What follows a list is nothing that any form reads.
            result.append(contentsOf: list(subject))
        } else {
            result.append(contentsOf: object(subject))
            result.append(contentsOf: quotations(message[subject.endIndex...]))
        }
        return result[...]
    }

    /// Keeps class and address of the first description and what it contains, or else all that is not quoted.
    private static func object(_ subject: Text) -> [UInt8] {
        guard let open = subject.firstIndex(of: UInt8(ascii: "<")),
            let description = Description(subject[open...]),
            isPlain(subject[..<open])
        else { return quotations(subject) }
        guard description.attributes.isEmpty else {
            return Array(subject[..<description.attributes.startIndex]) + Array("; …>".utf8)
        }
        let rest = description.rest
        let head = Array(subject[..<rest.startIndex])
        if rest.starts(with: ":\n[") { return head + children(rest) }
        if rest.trimmed.starts(with: "📄") { return head + pages(rest) }
        // An alert's title, message and buttons, whose quotes a format may have eaten.
        if rest.contains("title:") || rest.contains("message:") || rest.contains("actions:") {
            return head + Array("\ntitle: \"…\"".utf8)
        }
        return head + quotations(rest)
    }

    /// No quotation is open in front of a description.
    private static func isPlain(_ text: Text) -> Bool {
        let text = text.droppingLast("\"") ?? text
        return !text.contains(UInt8(ascii: "\"")) && !text.contains(UInt8(ascii: "'"))
    }

    /// The descriptions of a list of children, without their attributes.
    private static func children(_ list: Text) -> [UInt8] {
        var result = Array(":\n[".utf8)
        var rest = list
        for _ in 0..<Grammar.attempts {
            guard let open = rest.firstIndex(of: UInt8(ascii: "<")) else { break }
            rest = rest[open...]
            guard let description = Description(rest) else {
                rest = rest.dropFirst()
                continue
            }
            if result.last == UInt8(ascii: ">") { result.append(contentsOf: Array(", ".utf8)) }
            result.append(contentsOf: bare(description, in: rest))
            rest = description.rest
        }
        return result + [UInt8(ascii: "]")]
    }

    /// The same of children that stand on lines of their own.
    private static func pages(_ text: Text) -> [UInt8] {
        var result: [UInt8] = []
        for line in text.lines {
            guard let page = line.trimmed.dropping("📄")?.trimmed else { continue }
            result.append(contentsOf: Array("\n📄 ".utf8))
            if let description = Description(page) {
                result.append(contentsOf: bare(description, in: page))
            } else {
                result.append(contentsOf: quotations(page))
            }
        }
        return result
    }

    private static func bare(_ description: Description, in text: Text) -> [UInt8] {
        guard description.attributes.isEmpty else {
            return Array(text[..<description.attributes.startIndex]) + [UInt8(ascii: ">")]
        }
        return Array(text[..<description.rest.startIndex])
    }

    /// With `…` for everything between the first quote and the last of its sort, or to the end.
    private static func quotations(_ text: Text) -> [UInt8] {
        guard let start = text.indices.first(where: { isOpeningQuote(at: $0, in: text) }) else {
            return Array(text)
        }
        let quote = text[start]
        let end = text[(start + 1)...].lastIndex(of: quote) ?? text.endIndex
        return Array(text[...start]) + Array("…".utf8) + Array(text[end...])
    }

    /// A quote that is no apostrophe.
    private static func isOpeningQuote(at index: Int, in text: Text) -> Bool {
        guard text[index] == UInt8(ascii: "'") || text[index] == UInt8(ascii: "\"") else { return false }
        return index == text.startIndex || !text[index - 1].isIdentifier
    }

    /// Keeps what can be the names of types and fields.
    private static func list(_ text: Text) -> [UInt8] {
        var result: [UInt8] = []
        for string in PropertyList.strings(of: text) {
            result.append(contentsOf: Array(result.isEmpty ? "\n    \"".utf8 : ",\n    \"".utf8))
            result.append(contentsOf: isNames(string[...]) ? string : Array("…".utf8))
            result.append(UInt8(ascii: "\""))
        }
        return result + Array("\n)".utf8)
    }

    private static func isNames(_ string: Text) -> Bool {
        let marks = Array("<>()[]{}.,:-+*…".utf8)
        return string.allSatisfy { $0.isIdentifier || $0 == UInt8(ascii: " ") || marks.contains($0) }
            && string.split(separator: UInt8(ascii: " ")).count <= 24
    }
}
