internal import LeakMessage

/// The name of a Swift function in the form that Xcode shows: `CartModel.add(_:to:)`, `closure #1 in CartModel.bind()`.
///
/// Crash reports print that form. lldb and the runtime's demangler also print modules, and types of arguments and results. These
/// are removed, and so are the words for code that the compiler generated for a function: thunks, specializations, continuations.
enum SwiftFunctionName {
    /// - Parameter isDemangled: the text is the runtime's, with modules; otherwise its form decides.
    static func read(_ raw: Text, isDemangled: Bool) -> String {
        var name = withoutMadeCode(raw.trimmed)
        if let suffix = name.firstRange(of: " with unmangled suffix ") { name = name[..<suffix.lowerBound] }
        if let thunk = thunk(name) { return thunk }
        if name.starts(with: "outlined ") { return withoutModules(name).string }
        var closures = ""
        // Each round removes a closure; the limit is for texts that consist only of closures.
        for _ in 0..<32 {
            guard let closure = closureNumber(of: name), let rest = behindType(closure.rest) else { break }
            closures += closure.text.string + " in "
            name = withoutMadeCode(rest)
        }
        if let local = localFunction(name) {
            return closures + local.name.string + " in "
                + entity(withoutMadeCode(local.context), isDemangled: isDemangled)
        }
        return closures + entity(name, isDemangled: isDemangled)
    }

    /// `inner` of `inner #1 () -> () in Shop.Cart.add() -> ()`, and the function that it is in.
    private static func localFunction(_ text: Text) -> (name: Text, context: Text)? {
        let name = text.prefix(while: \.isIdentifier)
        guard !name.isEmpty, let number = text[name.endIndex...].dropping(" #") else { return nil }
        let digits = number.prefix(while: \.isDigit)
        guard !digits.isEmpty, let context = behindType(number[digits.endIndex...]) else { return nil }
        return (name, context)
    }

    /// Reads `closure #1` at the start of a text, and returns it with the rest.
    static func closureNumber(of text: Text) -> (text: Text, rest: Text)? {
        let heads: [StaticString] = ["closure #", "implicit closure #", "autoclosure #"]
        for head in heads {
            guard let rest = text.dropping(head) else { continue }
            let digits = rest.prefix { $0.isDigit }
            guard !digits.isEmpty else { return nil }
            return (text[..<digits.endIndex], rest[digits.endIndex...])
        }
        return nil
    }

    /// Skips a type and ` in `, and returns the rest.
    private static func behindType(_ text: Text) -> Text? {
        if let rest = text.dropping(" in ") { return rest }
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"): index = Brackets.end(text[index...])
            case UInt8(ascii: "i") where text[index...].starts(with: "in "): return text[(index + 3)...]
            default: index += 1
            }
        }
        return nil
    }

    // MARK: Code that the compiler made

    private static let madeCode: [StaticString] = [
        "@objc ", "@nonobjc ", "dynamic ", "partial apply forwarder for ", "partial apply for ",
        "specialized ", "merged ",
        "dispatch thunk of ", "distributed thunk ", "curry thunk of ", "protocol witness for ",
        "async function pointer to ",
        "back deployment thunk for ", "back deployment fallback for ", "direct method reference for ",
    ]
    private static let specializations: [StaticString] = [
        "generic specialization <", "generic not re-abstracted specialization <",
        "generic partial specialization <",
        "generic not-reabstracted specialization <", "function signature specialization <",
        "inlined generic function <",
        "generic pre-specialization <", "generic not re-abstracted partial specialization <",
    ]

    private static func withoutMadeCode(_ raw: Text) -> Text {
        var name = raw
        for _ in 0..<32 {
            guard let rest = withoutOneLayer(name) else { break }
            name = rest.trimmed
        }
        return name
    }

    private static func withoutOneLayer(_ name: Text) -> Text? {
        for words in madeCode {
            guard let rest = name.dropping(words) else { continue }
            return rest.lastRange(of: " in conformance ").map { rest[..<$0.lowerBound] } ?? rest
        }
        for words in specializations {
            guard let rest = name.dropping(words) else { continue }
            let end = Brackets.end(name[(rest.startIndex - 1)...])
            return name[end...].dropping(" of ")
        }
        if let rest = name.dropping("vtable thunk for "), let to = rest.firstRange(of: " dispatching to ") {
            return rest[to.upperBound...]
        }
        // `(1) await resume partial function for `
        guard let number = name.dropping("(") else { return nil }
        let digits = number.prefix { $0.isDigit }
        guard !digits.isEmpty, let rest = number[digits.endIndex...].dropping(") ") else { return nil }
        return rest.dropping("await resume partial function for ")
            ?? rest.dropping("suspend resume partial function for ")
    }

    private static func thunk(_ name: Text) -> String? {
        if name.starts(with: "thunk for ") { return (name.droppingLast("partial apply") ?? name).string }
        guard var rest = name.dropping("reabstraction thunk helper ") else { return nil }
        if rest.first == UInt8(ascii: "<") { rest = rest[Brackets.end(rest)...].trimmed }
        guard let from = rest.dropping("from ") else { return nil }
        return "thunk for "
            + withoutModules(from.firstRange(of: " to @").map { from[..<$0.lowerBound] } ?? from).string
    }

    /// A type without its modules.
    private static func withoutModules(_ type: Text) -> Text {
        var plain: [UInt8] = []
        var word: [UInt8] = []
        for byte in type + [0x20] {
            if byte.isIdentifier || byte == UInt8(ascii: ".") {
                word.append(byte)
                continue
            }
            if let dot = word.firstIndex(of: UInt8(ascii: ".")), dot > 0, dot + 1 < word.count,
                word[dot + 1] != UInt8(ascii: ".")
            {
                plain += word[(dot + 1)...]
            } else {
                plain += word
            }
            word = []
            plain.append(byte)
        }
        return plain.dropLast()
    }

    // MARK: Functions, accessors and initializers

    private static func entity(_ raw: Text, isDemangled: Bool) -> String {
        var rest = raw
        var text: [UInt8] = []
        for head: StaticString in ["default argument ", "variable initialization expression of ", "static "] {
            guard let behind = rest.dropping(head) else { continue }
            text += rest[..<behind.startIndex]
            rest = behind
            if head.description.hasPrefix("default"), let of = rest.firstRange(of: " of ") {
                text += rest[..<of.upperBound]
                rest = rest[of.upperBound...]
            }
        }
        if let behind = rest.dropping("static ") {
            text += Text("static ")
            rest = behind
        }
        let entity = Entity(rest)
        let isFull = isDemangled || entity.hasTypes
        guard isFull || entity.hasValues else { return raw.string }
        return (text + entity.name(isFull: isFull)).string
    }

    /// A path of names, generic parameters, parameters, and the return type.
    private struct Entity {
        private var components: [Text] = []
        private var isExtension = false
        private var generics: Text = []
        /// The text between the parentheses; `nil` for a property or another entity without parameters.
        private var parameters: Text?
        private var tail: Text = []

        init(_ raw: Text) {
            var rest = raw
            var start = rest.startIndex
            while let byte = rest.first {
                switch byte {
                case UInt8(ascii: "(") where rest.startIndex == start && generics.isEmpty:
                    // `(extension in M):`, `(name in _HEX)`, `(unknown context at $1)`
                    let inside = Brackets.inside(rest)
                    let behind = rest[Brackets.end(rest)...]
                    if inside.starts(with: "extension in ") {
                        isExtension = true
                        rest = behind.dropping(":") ?? behind
                    } else if let discriminator = inside.lastRange(of: " in _") {
                        components.append(inside[..<discriminator.lowerBound])
                        rest = behind.dropping(".") ?? behind
                        if behind.first == UInt8(ascii: "(") {
                            parameters = Brackets.inside(behind)
                            tail = behind[Brackets.end(behind)...]
                            return
                        }
                    } else if inside.starts(with: "unknown context") {
                        rest = behind.dropping(".") ?? behind
                    } else {
                        // A tuple's: nothing that has a name.
                        components.append(rest)
                        return
                    }
                    start = rest.startIndex
                case UInt8(ascii: "("):
                    if start < rest.startIndex { components.append(raw[start..<rest.startIndex].trimmed) }
                    parameters = Brackets.inside(rest)
                    tail = rest[Brackets.end(rest)...]
                    return
                case UInt8(ascii: "<") where rest.dropFirst().first.map { $0.isIdentifier } ?? false:
                    let end = Brackets.end(rest)
                    if start < rest.startIndex { components.append(raw[start..<rest.startIndex]) }
                    generics = rest[..<end]
                    rest = rest[end...]
                    // Arguments of a type in the path.
                    if let behind = rest.dropping(".") {
                        generics = []
                        rest = behind
                    }
                    start = rest.startIndex
                case UInt8(ascii: ".")
                where start < rest.startIndex && rest.count > 1 && rest.dropFirst().first != byte:
                    components.append(raw[start..<rest.startIndex])
                    rest = rest.dropFirst()
                    start = rest.startIndex
                case UInt8(ascii: " ") where rest.starts(with: " : "):
                    if start < rest.startIndex { components.append(raw[start..<rest.startIndex]) }
                    tail = rest
                    return
                default: rest = rest.dropFirst()
                }
            }
            if start < raw.endIndex { components.append(raw[start...]) }
        }

        /// `true` when types are written out, as the runtime's demangler and lldb do.
        var hasTypes: Bool { isExtension || tail.contains(" -> ") || tail.starts(with: " : ") }

        /// `true` when lldb has printed the values of arguments: `(touch=<unavailable>)`.
        var hasValues: Bool { parameters?.contains(UInt8(ascii: "=")) ?? false }

        func name(isFull: Bool) -> Text {
            var names = components.map {
                $0.droppingLast(" infix") ?? $0.droppingLast(" prefix") ?? $0.droppingLast(" postfix") ?? $0
            }
            if isFull, names.count > 1 { names.removeFirst() }
            if isExtension, names.last?.equals("__allocating_init") ?? false {
                names[names.count - 1] = Text("init")
            }
            var text = Array(names.joined(separator: [UInt8(ascii: ".")]))
            if !generics.isEmpty {
                let end = generics.firstRange(of: " where ")?.lowerBound
                text += end.map { generics[..<$0] + [UInt8(ascii: ">")] } ?? generics
            }
            guard let parameters else { return text[...] }
            text.append(UInt8(ascii: "("))
            for parameter in Brackets.split(parameters).map(\.trimmed) where !parameter.starts(with: "self=")
            {
                text += Self.label(of: parameter) + [UInt8(ascii: ":")]
            }
            text.append(UInt8(ascii: ")"))
            return text[...]
        }

        /// `format` of `format: Swift.String`, `_` of a type alone.
        private static func label(of parameter: Text) -> Text {
            let word = parameter.prefix { $0.isIdentifier }
            return !word.isEmpty && parameter[word.endIndex...].starts(with: ": ") ? word : Text("_")
        }
    }
}
