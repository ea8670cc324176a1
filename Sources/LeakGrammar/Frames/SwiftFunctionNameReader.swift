internal import LeakMessage

/// A reader of names of Swift functions. It returns the form that Xcode shows: `CartModel.add(_:to:)`, `closure #1 in CartModel.bind()`.
///
/// Crash reports print this form. lldb and the runtime's demangler also print modules, and types of arguments and results. The
/// reader removes these, and the words for code that the compiler generated for a function: thunks, specializations and
/// continuations.
enum SwiftFunctionNameReader {
    /// - Parameter isDemangled: `true` for a text of the runtime's demangler, which has modules. Otherwise the form of the text shows
    ///   if it has modules.
    static func read(_ raw: Text, isDemangled: Bool) -> String {
        var name = withoutGeneratedCode(raw.trimmed)
        if let suffix = name.firstRange(of: " with unmangled suffix ") { name = name[..<suffix.lowerBound] }
        if let thunk = thunk(name) { return thunk }
        if name.starts(with: "outlined ") { return withoutModules(name).string }
        var closures = ""
        // Each round removes a closure. The limit protects against texts that consist only of closures.
        for _ in 0..<32 {
            guard let closure = closureNumber(of: name), let remainder = textAfterType(closure.remainder)
            else {
                break
            }
            closures += closure.text.string + " in "
            name = withoutGeneratedCode(remainder)
        }
        if let local = localFunction(name) {
            return closures + local.name.string + " in "
                + entity(withoutGeneratedCode(local.context), isDemangled: isDemangled)
        }
        return closures + entity(name, isDemangled: isDemangled)
    }

    /// Returns `inner` and the function that contains it, from a text such as `inner #1 () -> () in Shop.Cart.add() -> ()`.
    private static func localFunction(_ text: Text) -> (name: Text, context: Text)? {
        let name = text.prefix(while: \.isIdentifier)
        guard !name.isEmpty, let number = text[name.endIndex...].dropping(" #") else { return nil }
        let digits = number.prefix(while: \.isDigit)
        guard !digits.isEmpty, let context = textAfterType(number[digits.endIndex...]) else { return nil }
        return (name, context)
    }

    /// Reads `closure #1`, `implicit closure #1` or `autoclosure #1` at the start of a text.
    ///
    /// - Returns: these words and the text after them; `nil` if the text begins differently.
    static func closureNumber(of text: Text) -> (text: Text, remainder: Text)? {
        let heads: [StaticString] = ["closure #", "implicit closure #", "autoclosure #"]
        for head in heads {
            guard let remainder = text.dropping(head) else { continue }
            let digits = remainder.prefix { $0.isDigit }
            guard !digits.isEmpty else { return nil }
            return (text[..<digits.endIndex], remainder[digits.endIndex...])
        }
        return nil
    }

    /// Returns the text after a type and ` in `; `nil` if no ` in ` follows.
    private static func textAfterType(_ text: Text) -> Text? {
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"):
                index = Brackets.endIndex(ofBracketAtStartOf: text[index...])
            case UInt8(ascii: " ") where text[index...].starts(with: " in "): return text[(index + 4)...]
            default: index += 1
            }
        }
        return nil
    }

    // MARK: Code that the compiler generated

    private static let generatedCodePrefixes: [StaticString] = [
        "@objc ", "@nonobjc ", "dynamic ", "partial apply forwarder for ", "partial apply for ",
        "specialized ", "merged ",
        "dispatch thunk of ", "distributed thunk ", "curry thunk of ",
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

    private static func withoutGeneratedCode(_ raw: Text) -> Text {
        var name = raw
        for _ in 0..<32 {
            guard let remainder = withoutOneLayer(name) else { break }
            name = remainder.trimmed
        }
        return name
    }

    private static func withoutOneLayer(_ name: Text) -> Text? {
        for words in generatedCodePrefixes {
            if let remainder = name.dropping(words) { return remainder }
        }
        if let witness = name.dropping("protocol witness for ") {
            // A witness of a witness is not a form of the demangler, so it is not searched through in each round.
            return witness.starts(with: "protocol witness for ") ? witness : methodOfWitness(witness)
        }
        for words in specializations {
            guard let remainder = name.dropping(words) else { continue }
            let end = Brackets.endIndex(ofBracketAtStartOf: name[(remainder.startIndex - 1)...])
            return name[end...].dropping(" of ")
        }
        if let remainder = name.dropping("vtable thunk for "),
            let to = remainder.firstRange(of: " dispatching to ")
        {
            return remainder[to.upperBound...]
        }
        // `(1) await resume partial function for `
        guard let number = name.dropping("(") else { return nil }
        let digits = number.prefix { $0.isDigit }
        guard !digits.isEmpty, let remainder = number[digits.endIndex...].dropping(") ") else { return nil }
        return remainder.dropping("await resume partial function for ")
            ?? remainder.dropping("suspend resume partial function for ")
    }

    /// Returns `CartModel.load()` for `Loader.load() in conformance CartModel`: the method of the type, and not of the protocol. An
    /// optimizer may inline the method into its witness, so that the witness is the only frame of the method.
    private static func methodOfWitness(_ witness: Text) -> Text {
        guard let range = witness.lastRange(of: " in conformance ") else { return witness }
        let isStatic = witness.starts(with: "static ")
        let requirement = (witness.dropping("static ") ?? witness)[..<range.lowerBound]
        let conformance = witness[range.upperBound...]
        let mark = conformance.firstRange(of: " : ")
        var type = conformance[..<(mark?.lowerBound ?? conformance.endIndex)].trimmed
        // `<A> Shop.Store<A>`: the parameters of a generic type.
        if type.first == UInt8(ascii: "<") {
            type = type[Brackets.endIndex(ofBracketAtStartOf: type)...].trimmed
        }
        // A method is named without the arguments of its type.
        if let open = type.firstIndex(of: UInt8(ascii: "<")), open > type.startIndex,
            Brackets.endIndex(ofBracketAtStartOf: type[open...]) == type.endIndex
        {
            type = type[..<open]
        }
        var method: Text?
        if let mark {
            // The text names the protocol and its module: `Shop.CartModel : Shop.Loader in Shop`.
            let rule = conformance[mark.upperBound...]
            let name = rule.lastRange(of: " in ").map { rule[..<$0.lowerBound] } ?? rule
            if requirement.starts(with: name) {
                method = requirement[(requirement.startIndex + name.count)...]
            }
        }
        let dotAndMethod = method ?? Self.dotAndMethod(of: requirement)
        guard !type.isEmpty, dotAndMethod.first == UInt8(ascii: ".") else { return requirement }
        return (isStatic ? Text("static ") : []) + type + dotAndMethod
    }

    /// Returns `.load()` for `Loader.load()`, and `.items.getter` for `Loader.items.getter`.
    private static func dotAndMethod(of requirement: Text) -> Text {
        let path = requirement.prefix { $0.isIdentifier || $0 == UInt8(ascii: ".") }
        let accessors: [StaticString] = [
            ".getter", ".setter", ".modify", ".read", ".unsafeAddressor", ".unsafeMutableAddressor",
        ]
        let name = accessors.lazy.compactMap { path.droppingLast($0) }.first ?? path
        // The name of an operator is no identifier: `Equatable.== infix(_:_:)`.
        let isOperator = name.last == UInt8(ascii: ".")
        let dot = isOperator ? name.firstIndex(of: UInt8(ascii: ".")) : name.lastIndex(of: UInt8(ascii: "."))
        return dot.map { requirement[$0...] } ?? []
    }

    private static func thunk(_ name: Text) -> String? {
        if name.starts(with: "thunk for ") { return (name.droppingLast("partial apply") ?? name).string }
        guard var remainder = name.dropping("reabstraction thunk helper ") else { return nil }
        if remainder.first == UInt8(ascii: "<") {
            remainder = remainder[Brackets.endIndex(ofBracketAtStartOf: remainder)...].trimmed
        }
        guard let from = remainder.dropping("from ") else { return nil }
        return "thunk for "
            + withoutModules(from.firstRange(of: " to @").map { from[..<$0.lowerBound] } ?? from).string
    }

    /// Returns a type without its modules.
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

    /// Returns the name of a function, an accessor or an initializer.
    private static func entity(_ raw: Text, isDemangled: Bool) -> String {
        var remainder = raw
        var text: [UInt8] = []
        for head: StaticString in ["default argument ", "variable initialization expression of ", "static "] {
            guard let textAfter = remainder.dropping(head) else { continue }
            text += remainder[..<textAfter.startIndex]
            remainder = textAfter
            if head.description.hasPrefix("default"), let of = remainder.firstRange(of: " of ") {
                text += remainder[..<of.upperBound]
                remainder = remainder[of.upperBound...]
            }
        }
        if let textAfter = remainder.dropping("static ") {
            text += Text("static ")
            remainder = textAfter
        }
        let entity = Entity(remainder)
        let hasModule = isDemangled || entity.hasTypes
        guard hasModule || entity.hasValues || entity.isPrivate else { return withInitializer(raw).string }
        return (text + entity.name(hasModule: hasModule)).string
    }

    /// Returns `CartModel.init(id:)` for `CartModel.__allocating_init(id:)`. Depending on optimization, one of the two is part of the
    /// other, or both are frames.
    private static func withInitializer(_ name: Text) -> Text {
        guard let range = name.lastRange(of: ".__allocating_init"),
            name[range.upperBound...].first ?? UInt8(ascii: "(") == UInt8(ascii: "(")
        else { return name }
        return name[..<range.lowerBound] + Text(".init") + name[range.upperBound...]
    }

    /// The parts of a declaration: a path of names, generic parameters, parameters, and the return type.
    private struct Entity {
        private var components: [Text] = []
        private var isExtension = false
        /// `true` if a component has the discriminator or the context of a private declaration, as in `(load in _9B7A…)`.
        private(set) var isPrivate = false
        private var generics: Text = []
        /// The text between the parentheses; `nil` for a property or another entity without parameters.
        private var parameters: Text?
        private var tail: Text = []

        init(_ raw: Text) {
            var remainder = raw
            var start = remainder.startIndex
            while let byte = remainder.first {
                switch byte {
                case UInt8(ascii: "(") where remainder.startIndex == start && generics.isEmpty:
                    // `(extension in M):`, `(name in _HEX)`, `(unknown context at $1)`
                    let inside = Brackets.inside(remainder)
                    let textAfter = remainder[Brackets.endIndex(ofBracketAtStartOf: remainder)...]
                    if inside.starts(with: "extension in ") {
                        isExtension = true
                        remainder = textAfter.dropping(":") ?? textAfter
                    } else if let discriminator = inside.lastRange(of: " in _") {
                        components.append(inside[..<discriminator.lowerBound])
                        isPrivate = true
                        remainder = textAfter.dropping(".") ?? textAfter
                        if textAfter.first == UInt8(ascii: "(") {
                            parameters = Brackets.inside(textAfter)
                            tail = textAfter[Brackets.endIndex(ofBracketAtStartOf: textAfter)...]
                            return
                        }
                    } else if inside.starts(with: "unknown context") {
                        isPrivate = true
                        remainder = textAfter.dropping(".") ?? textAfter
                    } else {
                        // A tuple, which has no name.
                        components.append(remainder)
                        return
                    }
                    start = remainder.startIndex
                case UInt8(ascii: "("):
                    if start < remainder.startIndex {
                        components.append(raw[start..<remainder.startIndex].trimmed)
                    }
                    parameters = Brackets.inside(remainder)
                    tail = remainder[Brackets.endIndex(ofBracketAtStartOf: remainder)...]
                    return
                case UInt8(ascii: "<") where remainder.dropFirst().first.map { $0.isIdentifier } ?? false:
                    let end = Brackets.endIndex(ofBracketAtStartOf: remainder)
                    if start < remainder.startIndex { components.append(raw[start..<remainder.startIndex]) }
                    generics = remainder[..<end]
                    remainder = remainder[end...]
                    // The brackets contain arguments of a type in the path, and not of the function.
                    if let textAfter = remainder.dropping(".") {
                        generics = []
                        remainder = textAfter
                    }
                    start = remainder.startIndex
                case UInt8(ascii: ".")
                where start < remainder.startIndex && remainder.count > 1
                    && remainder.dropFirst().first != byte:
                    components.append(raw[start..<remainder.startIndex])
                    remainder = remainder.dropFirst()
                    start = remainder.startIndex
                case UInt8(ascii: " ") where remainder.starts(with: " : "):
                    if start < remainder.startIndex { components.append(raw[start..<remainder.startIndex]) }
                    tail = remainder
                    return
                default: remainder = remainder.dropFirst()
                }
            }
            if start < raw.endIndex { components.append(raw[start...]) }
        }

        /// `true` if the types are written out, as the runtime's demangler and lldb do.
        var hasTypes: Bool { isExtension || tail.contains(" -> ") || tail.starts(with: " : ") }

        /// `true` if the parameters are values of arguments, as lldb prints them: `(touch=<unavailable>)`.
        var hasValues: Bool { parameters?.contains(UInt8(ascii: "=")) ?? false }

        /// - Parameter hasModule: `true` if the first component is a module, which is left out.
        func name(hasModule: Bool) -> Text {
            var names = components.map {
                $0.droppingLast(" infix") ?? $0.droppingLast(" prefix") ?? $0.droppingLast(" postfix") ?? $0
            }
            if hasModule, names.count > 1 { names.removeFirst() }
            if names.last?.equals("__allocating_init") ?? false {
                names[names.count - 1] = Text("init")
            }
            var text = Array(names.joined(separator: [UInt8(ascii: ".")]))
            if !generics.isEmpty {
                let end = generics.firstRange(of: " where ")?.lowerBound
                text += end.map { generics[..<$0] + [UInt8(ascii: ">")] } ?? generics
            }
            guard let parameters else { return text[...] }
            text.append(UInt8(ascii: "("))
            // `bind(to:with:)` has labels only.
            if parameters.last == UInt8(ascii: ":") { return text + parameters + [UInt8(ascii: ")")] }
            for parameter in Brackets.split(parameters).map(\.trimmed) where !parameter.starts(with: "self=")
            {
                text += Self.label(of: parameter) + [UInt8(ascii: ":")]
            }
            text.append(UInt8(ascii: ")"))
            return text[...]
        }

        /// Returns `format` for `format: Swift.String`, and `_` for a type without a label.
        private static func label(of parameter: Text) -> Text {
            let word = parameter.prefix { $0.isIdentifier }
            return !word.isEmpty && parameter[word.endIndex...].starts(with: ": ") ? word : Text("_")
        }
    }
}
