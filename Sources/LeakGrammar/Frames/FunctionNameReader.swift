internal import LeakMessage

/// A reader of names of functions, as symbol tables, debuggers and crash reporters give them.
enum FunctionNameReader {
    /// Returns the name in the form for pages and keys; `nil` for a text that is not the name of a function, such as a
    /// placeholder or an address.
    static func read(_ raw: Text, _ demangle: (String) -> String?) -> String? {
        var symbol = raw.trimmed
        guard !symbol.isEmpty, !isPlaceholder(symbol), !isStartOfImage(symbol), !isAddress(symbol),
            !isPartOfLine(symbol)
        else { return nil }
        // `$VARIANT$` names the variant of a function for this processor.
        if let variant = symbol.firstRange(of: "$VARIANT$") { symbol = symbol[..<variant.lowerBound] }
        symbol = withoutOptimizerSuffix(symbol)
        if let kotlin = symbol.dropping("kfun:") { return KotlinNameReader.read(kotlin) }
        if symbol.starts(with: "_Z") || symbol.starts(with: "__Z") { return CPlusPlusDemangler.read(symbol) }
        if let block = functionOfBlock(symbol) { return "block in " + block.string }
        if let method = objectiveCMethod(symbol) { return method.string }
        if symbol.allSatisfy({ $0.isIdentifier || $0 == UInt8(ascii: ".") }) {
            let mangled = symbol.string
            if let function = Swift3Demangler.function(symbol) { return function }
            if let plain = demangle(mangled), plain != mangled {
                return SwiftFunctionNameReader.read(Text(plain), isDemangled: true)
            }
            return withoutContinuation(symbol).string
        }
        if let function = CPlusPlusSignatureReader.read(symbol) { return function }
        return SwiftFunctionNameReader.read(symbol, isDemangled: false)
    }

    /// Reads a name of Dart, such as `Foo.bar.<anonymous closure>` or `Foo.<function_name_async_body>`.
    static func dart(_ name: Text) -> String {
        var text = name
        var isClosure = false
        while let closure = text.droppingLast(".<anonymous closure>") ?? text.droppingLast(".<fn>") {
            text = closure
            isClosure = true
        }
        if let open = text.lastIndex(of: UInt8(ascii: "<")), let body = text.droppingLast("_async_body>"),
            body.endIndex > open
        {
            text = text[..<open] + body[(open + 1)...]
        }
        return (isClosure ? "closure in " : "") + text.string
    }

    /// Returns the function that contains a closure, block or lambda: the name without the closures at its start.
    static func enclosing(_ function: String) -> String {
        var text = Text(function)
        while let remainder = withoutClosure(text) { text = remainder }
        return text.string
    }

    private static func withoutClosure(_ text: Text) -> Text? {
        let prefixes: [StaticString] = ["block in ", "lambda in ", "closure in "]
        for prefix in prefixes {
            if let remainder = text.dropping(prefix) { return remainder }
        }
        guard let number = SwiftFunctionNameReader.closureNumber(of: text) else { return nil }
        return number.remainder.dropping(" in ")
    }

    /// Returns `true` for the rest of a line that was cut in its attributes, in an address or in a note: `[ra`, `-0`, `<unk`.
    private static func isPartOfLine(_ symbol: Text) -> Bool {
        if symbol.first == UInt8(ascii: "<"), Text("<unknown>").starts(with: symbol) { return true }
        return symbol.first == UInt8(ascii: "[") && !symbol.contains(UInt8(ascii: "]"))
            || symbol.first == UInt8(ascii: "-") && !symbol.starts(with: "-[")
    }

    private static func isAddress(_ symbol: Text) -> Bool {
        symbol.dropping("0x")?.allSatisfy(\.isHexadecimal) ?? false
    }

    private static func isPlaceholder(_ symbol: Text) -> Bool {
        let names: [StaticString] = [
            "<redacted>", "<unavailable>", "<unknown>", "?", "??", "???", "(Missing)", "(null)", "<private>",
            "<signal handler called>",
        ]
        return names.contains { symbol.equals($0) }
    }

    /// Returns `true` for the linker's name of an image's first byte. In a stripped image, this is the nearest symbol before every
    /// address.
    static func isStartOfImage(_ symbol: Text) -> Bool {
        let names: [StaticString] = ["_mh_execute_header", "_mh_dylib_header", "_mh_bundle_header"]
        return names.contains { symbol.equals($0) || symbol.dropping("_")?.equals($0) ?? false }
    }

    /// Removes suffixes such as `.cold.1` and `.constprop.0.cold` of parts and copies of a function that an optimizer created.
    private static func withoutOptimizerSuffix(_ symbol: Text) -> Text {
        var name = symbol
        // Each round removes a suffix. The limit protects against texts that consist only of suffixes.
        for _ in 0..<8 {
            guard let shorter = withoutOneOptimizerSuffix(name), !shorter.isEmpty else { break }
            name = shorter
        }
        return name
    }

    private static func withoutOneOptimizerSuffix(_ symbol: Text) -> Text? {
        if let part = symbol.droppingLast(".cold") { return part }
        let marks: [StaticString] = [
            " (.resume.", " (.cold.", ".cold.", ".llvm.", ".isra.", ".part.", ".constprop.", ".resume.",
            " [inlined]",
        ]
        for mark in marks {
            guard let range = symbol.lastRange(of: mark) else { continue }
            let number = symbol[range.upperBound...]
            if number.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ")") }) {
                return symbol[..<range.lowerBound]
            }
        }
        return nil
    }

    // MARK: Objective-C

    /// Returns `-[Cart add:]` without the arguments that lldb prints after it; `nil` for any other text.
    private static func objectiveCMethod(_ symbol: Text) -> Text? {
        guard symbol.starts(with: "-[") || symbol.starts(with: "+[") else { return nil }
        return symbol.firstIndex(of: UInt8(ascii: "]")).map { symbol[...$0] }
    }

    /// Returns the function that contains a block such as `__64-[Scene update:]_block_invoke.215` or `__write_block_invoke_2`; `nil`
    /// for any other symbol.
    private static func functionOfBlock(_ symbol: Text) -> Text? {
        guard let head = symbol.dropping("__"), let tail = head.lastRange(of: "_block_invoke"),
            head[tail.upperBound...].allSatisfy({
                $0.isDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        let name = head[..<tail.lowerBound]
        let method = name.drop { $0.isDigit }
        let isMethod = method.starts(with: "-[") || method.starts(with: "+[")
        return isMethod ? method : name
    }

    /// Removes the ending that marks a part of an asynchronous function: `async_Main` for `async_MainTQ0_`.
    private static func withoutContinuation(_ symbol: Text) -> Text {
        guard let remainder = symbol.droppingLast("_") else { return symbol }
        var name = remainder
        while name.last?.isDigit ?? false { name = name.dropLast() }
        return name.droppingLast("TQ") ?? name.droppingLast("TY") ?? symbol
    }
}

/// A reader of names of Kotlin/Native functions, such as `kotlin.Throwable#<init>(kotlin.String?){}`.
enum KotlinNameReader {
    /// - Parameter symbol: the text after `kfun:`.
    static func read(_ symbol: Text) -> String {
        let head = symbol.prefix { $0 != UInt8(ascii: "(") }
        var name = head.map { $0 == UInt8(ascii: "#") ? UInt8(ascii: ".") : $0 }[...]
        if name.first == UInt8(ascii: ".") { name = name.dropFirst() }
        guard head.endIndex < symbol.endIndex else { return name.string }
        let inside = Brackets.inside(symbol[head.endIndex...])
        let types = Brackets.split(inside).map { type in
            let plain = type.trimmed.prefix { $0 != UInt8(ascii: "<") }
            let isOptional = type.trimmed.last == UInt8(ascii: "?") && plain.last != UInt8(ascii: "?")
            let dot = plain.lastIndex(of: UInt8(ascii: "."))
            return (dot.map { plain[($0 + 1)...] } ?? plain).string + (isOptional ? "?" : "")
        }
        return name.string + "(" + types.joined(separator: ", ") + ")"
    }
}
