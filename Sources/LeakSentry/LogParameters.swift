internal import LeakGrammar
internal import LeakMessage

/// The parameters of a log entry. SDKs may let the server insert them into the message.
/// https://develop.sentry.dev/sdk/foundations/transport/event-payloads/message/
struct LogParameters {
    /// Maximum number of parameters; further parameters are ignored.
    private static let limit = 32
    /// Maximum number of bytes of one parameter; a longer parameter is truncated.
    private static let byteLimit = 1024

    private(set) var parameters: [(name: String, text: String)] = []

    /// - Parameter name: the name of the parameter, or its number in a list.
    mutating func add(_ name: String, _ text: String) {
        guard parameters.count < Self.limit else { return }
        parameters.append((name, text.cut(to: Self.byteLimit)))
    }

    /// Returns the message with the parameters that name a type. Such a parameter replaces its placeholder: `%s`, `%@`, `%1$@`,
    /// `%(name)s`, `{}`, `{0}` or `{name}`. If the result names no class, the message is returned unchanged.
    ///
    /// A message without placeholders that names no class gets a parameter appended after a colon, but only if exactly one
    /// parameter gives the message a class in this way. Other parameters are not inserted: they may be texts of users, and each
    /// different text would make another leak.
    func put(into message: String) -> String {
        guard parameters.contains(where: { Self.hasTypeName($0.text) }) else { return message }
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
            text += value.flatMap { Self.hasTypeName($0) ? $0 : nil } ?? String(rest[..<place.end])
            rest = rest[place.end...]
            // A report cuts longer messages.
            guard text.utf8.count < WireLimits.messageBytes else { break }
        }
        text += rest
        if !hasPlaceholders { return appendingClass(to: message) }
        return DetectorText.containsClassName(text) ? text : message
    }

    /// Returns `true` for a type's name, and for the description of an object, such as `<Shop.Cart: 0x1f>`.
    private static func hasTypeName(_ text: String) -> Bool {
        DetectorText.isTypeName(text) || text.hasPrefix("<") && DetectorMessage(text).className != nil
    }

    /// Returns the parameter for a placeholder.
    ///
    /// - Parameter next: index of the parameter for a placeholder without a name.
    private func value(at place: Placeholder, _ next: Int) -> String? {
        guard !place.name.isEmpty else { return next < parameters.count ? parameters[next].text : nil }
        return parameters.first { $0.name == place.name }?.text
    }

    /// Returns the message with the only parameter that gives it a class, after a colon. Returns the message unchanged if it
    /// names a class already, or if not exactly one parameter does this.
    private func appendingClass(to message: String) -> String {
        guard !DetectorText.containsClassName(message) else { return message }
        let texts = parameters.map(\.text).filter(Self.hasTypeName).map { "\(message): \($0)" }
        let naming = texts.filter(DetectorText.containsClassName)
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
            // Skips the width, precision and length of a number: `%ld`, `%.2f`.
            rest = rest.drop { ("0"..."9").contains($0) || ".lhqz-+".contains($0) }
            guard let kind = rest.first, "s@dirfueoxg".contains(kind) else { return nil }
            (self.name, end) = (name, rest.index(after: rest.startIndex))
        }
    }
}
