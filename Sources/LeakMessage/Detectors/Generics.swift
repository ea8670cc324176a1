/// What stands between `<` and `>` in a type's name.
enum Generics {
    /// Replaces arguments by `…`, except those of hosting wrappers.
    ///
    /// - Returns: the name, and whether a type of the app stood among the arguments.
    static func erased(_ name: Text) -> (name: Text, hasAppType: Bool) {
        guard name.contains(UInt8(ascii: "<")) else { return (name, false) }
        var result: [UInt8] = []
        var hasAppType = false
        var rest = name
        // Of the part in front of the brackets; carried on, so that no byte is looked at once for each bracket.
        var (isHosting, looked) = (false, name.startIndex)
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            result.append(contentsOf: rest[...open])
            isHosting = self.isHosting(name[looked..<open], wasHosting: isHosting)
            looked = open
            let close = closing(of: open, in: rest)
            let arguments = rest[(open + 1)..<(close ?? rest.endIndex)]
            if SystemNames.hasAppType(arguments) { hasAppType = true }
            if close != nil, isHosting {
                result.append(contentsOf: arguments)
            } else {
                result.append(contentsOf: Array("…".utf8))
            }
            result.append(UInt8(ascii: ">"))
            guard let close else {
                rest = rest[rest.endIndex...]
                break
            }
            rest = rest[(close + 1)...]
        }
        result.append(contentsOf: rest)
        return (result[...], hasAppType)
    }

    /// Whether the last dotted part names a host: `UIHostingController`, `_UIHostingView`, `NSHostingController`, and
    /// whatever else the system hosts SwiftUI views with.
    ///
    /// - Parameter wasHosting: whether the part that `text` goes on did.
    private static func isHosting(_ text: Text, wasHosting: Bool) -> Bool {
        guard let dot = text.lastIndex(of: UInt8(ascii: ".")) else {
            return wasHosting || text.contains("Hosting")
        }
        return text[(dot + 1)...].contains("Hosting")
    }

    /// Where the `>` stands that closes the `<` at `open`; that of an arrow `->` closes nothing.
    static func closing(of open: Int, in name: Text) -> Int? {
        var depth = 0
        for index in open..<name.endIndex {
            switch name[index] {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"):
                if name[index - 1] == UInt8(ascii: "-") { continue }
                depth -= 1
                if depth == 0 { return index }
            default: continue
            }
        }
        return nil
    }

    /// Puts each dotted name inside the arguments through `change`.
    static func mapArguments(of name: Text, _ change: (Text) -> Text) -> Text {
        guard let open = name.firstIndex(of: UInt8(ascii: "<")) else { return name }
        var result = Array(name[..<open])
        var word = open
        for index in open..<name.endIndex
        where !(name[index].isIdentifier || name[index] == UInt8(ascii: ".")) {
            result.append(contentsOf: change(name[word..<index]))
            result.append(name[index])
            word = index + 1
        }
        result.append(contentsOf: change(name[word...]))
        return result[...]
    }

    /// Calls `visit` with each dotted name of the arguments.
    static func words(of arguments: Text) -> [Text] {
        arguments.split { !($0.isIdentifier || $0 == UInt8(ascii: ".")) }
    }
}
