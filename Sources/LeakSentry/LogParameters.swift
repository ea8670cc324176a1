internal import LeakGrammar
internal import LeakMessage

/// The parameters of a log entry. SDKs may let the server insert them into the message.
/// https://develop.sentry.dev/sdk/foundations/transport/event-payloads/message/
struct LogParameters {
    private static let limit = 32
    private static let byteLimit = 1024

    private(set) var values: [(name: String, text: String)] = []

    /// - Parameter name: the name of the parameter, or its number in a list.
    mutating func add(_ name: String, _ text: String) {
        guard values.count < Self.limit else { return }
        values.append((name, text.cut(to: Self.byteLimit)))
    }

    /// Returns the message with each parameter that names a type in place of its placeholder: `%s`, `%@`, `%1$@`, `%(name)s`,
    /// `{}`, `{0}` or `{name}`. The message stays unchanged if it names no class then. If it has no placeholders, the parameter
    /// is appended after a colon.
    ///
    /// Other parameters may be text of users, and each value would make another leak.
    func put(into message: String) -> String {
        guard values.contains(where: { Self.namesType($0.text) }) else { return message }
        var (text, rest) = ("", message[...])
        var (next, hasPlaceholders) = (0, false)
        while let mark = rest.firstIndex(where: { $0 == "%" || $0 == "{" }) {
            text += rest[..<mark]
            rest = rest[mark...]
            guard let place = Placeholder(rest) else {
                text.append(rest.removeFirst())
                continue
            }
            hasPlaceholders = true
            let value = value(at: place, next)
            if place.name.isEmpty { next += 1 }
            text += value.flatMap { Self.namesType($0) ? $0 : nil } ?? String(rest[..<place.end])
            rest = rest[place.end...]
            // Longer messages are cut.
            guard text.utf8.count < WireLimits.messageBytes else { break }
        }
        text += rest
        if !hasPlaceholders { return named(message) }
        return DetectorText.namesClass(text) ? text : message
    }

    private static func namesType(_ text: String) -> Bool {
        DetectorText.isTypeName(text) || text.hasPrefix("<") && DetectorMessage(text).className != nil
    }

    private func value(at place: Placeholder, _ next: Int) -> String? {
        guard !place.name.isEmpty else { return next < values.count ? values[next].text : nil }
        return values.first { $0.name == place.name }?.text
    }

    private func named(_ message: String) -> String {
        guard !DetectorText.namesClass(message) else { return message }
        let texts = values.map(\.text).filter(Self.namesType).map { "\(message): \($0)" }
        let naming = texts.filter(DetectorText.namesClass)
        return naming.count == 1 ? naming[0] : message
    }

    /// A placeholder for a parameter.
    private struct Placeholder {
        /// The name of the parameter, or its number from 0; empty for the next parameter.
        let name: String
        let end: String.Index

        /// - Parameter text: begins with `%` or `{`.
        init?(_ text: Substring) {
            let inside = text.dropFirst()
            if text.first == "{" {
                let word = inside.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                guard word.utf8.count <= 64, inside[word.endIndex...].first == "}" else { return nil }
                (name, end) = (String(word), inside.index(after: word.endIndex))
                return
            }
            var rest = inside
            var name = ""
            if rest.first == "(" {
                let word = rest.dropFirst().prefix { $0 != ")" }
                guard word.utf8.count <= 64, word.endIndex < rest.endIndex else { return nil }
                (name, rest) = (String(word), rest[rest.index(after: word.endIndex)...])
            } else {
                let digits = rest.prefix { ("0"..."9").contains($0) }
                if !digits.isEmpty, rest[digits.endIndex...].first == "$", let number = Int(digits),
                    number > 0
                {
                    (name, rest) = ("\(number - 1)", rest[digits.endIndex...].dropFirst())
                }
            }
            // The length of a number: `%ld`, `%.2f`.
            rest = rest.drop { ("0"..."9").contains($0) || ".lhqz-+".contains($0) }
            guard let kind = rest.first, "s@dirfueoxg".contains(kind) else { return nil }
            (self.name, end) = (name, rest.index(after: rest.startIndex))
        }
    }
}
