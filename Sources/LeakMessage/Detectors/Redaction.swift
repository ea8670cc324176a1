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
            result.append(contentsOf: list(subject))
        } else {
            result.append(contentsOf: object(subject))
            result.append(contentsOf: message[subject.endIndex...])
        }
        return result[...]
    }

    private static func object(_ subject: Text) -> [UInt8] {
        guard let open = subject.firstIndex(of: UInt8(ascii: "<")),
            let description = Description(subject[open...]),
            subject[..<open].allSatisfy({ !$0.isDigit })
        else { return quotations(subject) }
        let end: Int
        if description.attributes.isEmpty {
            // A list of children follows, or an alert's title, message and buttons.
            let rest = description.rest.trimmed
            let isPrivate =
                rest.starts(with: "title:") || rest.starts(with: "message:") || rest.starts(with: "actions:")
            guard isPrivate else { return quotations(subject) }
            end = description.rest.startIndex
            return Array(subject[..<end]) + Array("\ntitle: \"…\"".utf8)
        }
        end = description.attributes.startIndex
        return Array(subject[..<end]) + Array("; …>".utf8)
    }

    /// With `…` for everything between the first quote and the last of its sort.
    private static func quotations(_ text: Text) -> [UInt8] {
        guard let start = text.firstIndex(where: { $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\"") }),
            let after = Masking.quotation(text[start...])
        else { return Array(text) }
        if let inner = text[(start + 1)..<(after.startIndex - 1)].first, inner == UInt8(ascii: "<") {
            return Array(text[...start]) + object(text[(start + 1)...])
        }
        return Array(text[...start]) + Array("…".utf8) + Array(text[(after.startIndex - 1)...])
    }

    /// Keeps what can be the name of a type.
    private static func list(_ text: Text) -> [UInt8] { Array(text) }
}
