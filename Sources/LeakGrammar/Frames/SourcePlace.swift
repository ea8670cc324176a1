internal import LeakMessage

/// A parser of file names and line numbers after a frame.
enum SourcePlace {
    static func lastComponent(_ path: Text) -> Text {
        let slash = path.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return slash.map { path[($0 + 1)...] } ?? path
    }

    /// `/Users/me/CartView.swift:44:15` as the name of the file and the line; no file for code that a compiler made.
    static func read(_ text: Text) -> (file: String?, line: Int?) {
        let text = text.trimmed
        if let place = lineAndColumn(text) { return named(place.path, place.line) }
        guard let place = fileAndLine(text) else { return named(text, nil) }
        return place
    }

    /// `CartView.swift:44`; `nil` for anything else.
    static func fileAndLine(_ text: Text) -> (file: String?, line: Int?)? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > text.startIndex else { return nil }
        let digits = text[(colon + 1)...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return named(text[..<colon], Int(digits.string))
    }

    /// `path:44:15`
    static func lineAndColumn(_ text: Text) -> (path: Text, line: Int)? {
        guard let last = text.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let column = text[(last + 1)...]
        guard !column.isEmpty, column.allSatisfy(\.isDigit),
            let colon = text[..<last].lastIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let line = text[(colon + 1)..<last]
        guard !line.isEmpty, line.allSatisfy(\.isDigit), let number = Int(line.string) else { return nil }
        return (text[..<colon], number)
    }

    private static func named(_ path: Text, _ line: Int?) -> (file: String?, line: Int?) {
        let file = lastComponent(path)
        guard !file.isEmpty, file.first != UInt8(ascii: "<") else { return (nil, nil) }
        return (file.string, line)
    }
}
