internal import LeakMessage

/// A parser of source positions: file names with line numbers, which follow the function of a frame.
enum SourcePositionParser {
    /// Returns the text after the last slash or backslash of a path.
    static func lastComponent(_ path: Text) -> Text {
        let slash = path.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return slash.map { path[($0 + 1)...] } ?? path
    }

    /// Returns the index of the first path in a folder, such as `/Users/me` or `C:\Users\me`, after a separator such as ` at `; `nil` if
    /// there is none.
    static func startOfPath(after separator: StaticString, in text: Text) -> Int? {
        var remainder = text
        while let range = remainder.firstRange(of: separator) {
            remainder = text[range.upperBound...]
            if isStartOfPath(remainder) { return range.upperBound }
        }
        return nil
    }

    /// Returns `true` if a text begins with `/` or with a drive such as `C:\`.
    static func isStartOfPath(_ text: Text) -> Bool {
        text.first == UInt8(ascii: "/")
            || text.first?.isLetter ?? false
                && (text.dropFirst().starts(with: ":\\") || text.dropFirst().starts(with: ":/"))
    }

    /// Removes the folders and the line of a path in a home folder, which has the name of a user: `Object.index.js` for
    /// `Object./Users/me/index.js`, as JavaScript names the function of a file, and `load in cart.cs` for
    /// `load in C:\Users\me\cart.cs:line 3`.
    static func withoutHomeFolder(_ text: Text) -> Text {
        guard text.count > 6, let mark = firstHomeFolder(in: text) else { return text }
        let word = text[..<mark].suffix(
            from: text[..<mark].lastIndex { $0 <= 0x20 || "(<[\"'".utf8.contains($0) }.map { $0 + 1 }
                ?? text.startIndex)
        let folder = word.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let front = word[..<(folder ?? word.endIndex)]
        // `C:`, `file:` and `/var` begin the path. `Object../src/home/cart.js` is a folder of the project.
        let isStart = front.isEmpty || front.last == UInt8(ascii: ":")
        guard isStart || folder == nil && !(front.last?.isIdentifier ?? false) else { return text }
        let start = isStart ? word.startIndex : mark
        // A path may have spaces before its last component.
        let path = text[start...].prefix { $0 != UInt8(ascii: ")") }
        let names = text[mark..<path.endIndex].split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let last = lastComponent(path).prefix { $0 != UInt8(ascii: ":") }
        let remainder = text[last.endIndex...].drop { $0 == UInt8(ascii: ":") || $0.isDigit }
        // The name of the user is not kept if it is the last one.
        return text[..<start] + (names.count > 2 ? last : [])
            + (remainder.dropping("line ")?.drop(while: \.isDigit) ?? remainder)
    }

    private static func firstHomeFolder(in text: Text) -> Int? {
        let lowercased = text.map { $0.isUppercase ? $0 | 0x20 : $0 }[...]
        let folders: [StaticString] = ["/users/", "/home/", "\\users\\"]
        return folders.lazy.compactMap { lowercased.firstRange(of: $0) }.first.map {
            text.startIndex + $0.lowerBound
        }
    }

    /// Reads `/Users/me/CartView.swift:44:15`, `CartView.swift:44` or a path alone. File and line are `nil` for
    /// names such as `<compiler-generated>`.
    static func read(_ text: Text) -> (file: String?, line: Int?) {
        let text = text.trimmed
        if let position = lineAndColumn(text) { return Self.position(position.path, position.line) }
        guard let position = fileAndLine(text) else { return Self.position(text, nil) }
        return position
    }

    /// Reads `CartView.swift:44`; `nil` for any other text.
    static func fileAndLine(_ text: Text) -> (file: String?, line: Int?)? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > text.startIndex else { return nil }
        let digits = text[(colon + 1)...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return position(text[..<colon], Int(digits.string))
    }

    /// Reads `path:44:15`; `nil` for any other text.
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

    /// Returns the last component of the path, with the line.
    private static func position(_ path: Text, _ line: Int?) -> (file: String?, line: Int?) {
        let file = lastComponent(path)
        guard !file.isEmpty, file.first != UInt8(ascii: "<") else { return (nil, nil) }
        return (file.string, line)
    }
}
