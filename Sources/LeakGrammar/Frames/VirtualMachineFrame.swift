internal import LeakMessage

/// A parser of frames of Java, Kotlin and JavaScript: the text after `at `.
enum VirtualMachineFrame {
    static func read(_ text: Text) -> CallFrame? {
        guard text.last == UInt8(ascii: ")"), let open = text.firstIndex(of: UInt8(ascii: "(")) else {
            guard let place = SourcePlace.lineAndColumn(text), !place.path.contains(UInt8(ascii: " ")) else {
                return nil
            }
            return script(function: nil, place: text)
        }
        let name = text[..<open].trimmed
        let place = text[(open + 1)...].dropLast()
        return isJava(name, place) ? java(name, place) : script(function: name, place: place)
    }

    // MARK: JavaScript

    private static func script(function: Text?, place given: Text) -> CallFrame? {
        let place = given.dropping("address at ") ?? given
        let isNative = place.equals("native")
        guard isNative || place.equals("<anonymous>") || SourcePlace.lineAndColumn(place) != nil else {
            return nil
        }
        var frame = CallFrame()
        if let name = function.map({ $0.dropping("async ") ?? $0 }), !name.equals("anonymous"),
            !name.equals("<anonymous>")
        {
            // `Cart.load [as onClick]`: the name that the caller has for it.
            let alias = name.last == UInt8(ascii: "]") ? name.lastRange(of: " [as ") : nil
            frame.function = name[..<(alias?.lowerBound ?? name.endIndex)].string
        }
        if !isNative { (frame.file, frame.line) = SourcePlace.read(place) }
        frame.isSystem = isNative || place.starts(with: "InternalBytecode.js") || place.starts(with: "node:")
        return frame
    }

    // MARK: Java

    private static func isJava(_ name: Text, _ place: Text) -> Bool {
        guard name.contains(UInt8(ascii: ".")), SourcePlace.lineAndColumn(place) == nil else { return false }
        let isName = name.allSatisfy {
            $0.isIdentifier || ".<>-/".utf8.contains($0)
        }
        return isName
            && (place.equals("Native Method") || !place.contains(UInt8(ascii: " "))
                || place.starts(with: "Unknown Source"))
    }

    private static func java(_ given: Text, _ place: Text) -> CallFrame {
        // `java.base/java.lang.Thread.run`
        let name = given.lastIndex(of: UInt8(ascii: "/")).map { given[($0 + 1)...] } ?? given
        var parts = name.split(separator: UInt8(ascii: "."))
        var frame = CallFrame()
        let method = parts.popLast() ?? []
        let type = withoutProxyNumber(parts.popLast() ?? [])
        if !parts.isEmpty { frame.module = parts.map(\.string).joined(separator: ".") }
        frame.function = function(method, of: type)
        frame.isSystem = isSystem(name) || isAccessor(method)
        if !place.equals("Native Method"), !place.starts(with: "Unknown Source") {
            (frame.file, frame.line) = SourcePlace.read(place)
        }
        if let file = frame.file, isMapping(file) {
            frame.imageID = file
            frame.obfuscated = ObfuscatedMethod(
                className: (parts + [type]).map(\.string).joined(separator: "."), name: method.string)
        }
        return frame
    }

    /// `$Proxy` of `$Proxy12`: proxies are numbered in the order in which a launch makes them.
    private static func withoutProxyNumber(_ type: Text) -> Text {
        guard let number = type.dropping("$Proxy"), number.allSatisfy(\.isDigit) else { return type }
        return type[..<number.startIndex]
    }

    /// The frame that a mapping names.
    static func original(_ call: SymbolicatedFrame, className: String) -> CallFrame {
        var frame = java(Text("\(className).\(call.function)"), Text("Unknown Source"))
        (frame.file, frame.line) = (call.file, call.line)
        return frame
    }

    /// `r8-map-id-7f5bbd1`: R8 writes the id of its mapping in the place of the source file, from version 8.12 of the Android
    /// Gradle plugin on.
    private static func isMapping(_ file: String) -> Bool {
        let head = "r8-map-id-"
        guard file.hasPrefix(head) else { return false }
        let id = file.utf8.dropFirst(head.utf8.count)
        return (1...64).contains(id.count) && id.allSatisfy(\.isHexadecimal)
    }

    /// A lambda has the name of its method, and a number.
    private static func function(_ method: Text, of type: Text) -> String {
        if let lambda = lambda(method, of: type) { return "lambda in " + lambda }
        let name = method.droppingLast("$default") ?? method
        return [type, name].filter { !$0.isEmpty }.map(\.string).joined(separator: ".")
    }

    /// Module and function of a lambda, from the class with its package and the method, as Sentry's JSON has them; `nil` for other methods.
    static func lambda(className: Text, method: Text) -> (module: String?, function: String?)? {
        guard (className + method).contains(UInt8(ascii: "$")) else { return nil }
        let start = className.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? className.startIndex
        guard let name = lambda(method, of: className[start...]).map({ Text($0) }) else { return nil }
        let package = className[..<start]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else {
            return (package.isEmpty ? nil : package.dropLast().string, "lambda in \(name.string)")
        }
        return ((package + name[..<dot]).string, "lambda in \(name[(dot + 1)...].string)")
    }

    /// The method that a lambda is written in, or its class where the name does not say.
    private static func lambda(_ method: Text, of type: Text) -> String? {
        // Compilers name lambdas after their method, …
        if let remainder = method.dropping("lambda$") {
            return "\(type.string).\(remainder.prefix { $0 != UInt8(ascii: "$") }.string)"
        }
        if let range = method.firstRange(of: "$lambda$") {
            return "\(type.string).\(method[..<range.lowerBound].string)"
        }
        // … make a class of each: `-$$Lambda$Cart$1f2e`, `Cart$$ExternalSyntheticLambda3`, …
        if let remainder = type.dropping("-$$Lambda$") {
            return remainder.prefix { $0 != UInt8(ascii: "$") }.string
        }
        if let range = type.firstRange(of: "$$") { return type[..<range.lowerBound].string }
        // … or number classes: `Cart$load$1`, `Cart$1`.
        let parts = type.split(separator: UInt8(ascii: "$"))
        guard let number = parts.firstIndex(where: { $0.allSatisfy(\.isDigit) }), number > 0 else {
            return nil
        }
        let names = parts[..<number].map(\.string)
        let isMethodNamed = names.count > 1 && parts[number - 1].first.map { !$0.isUppercase } ?? false
        return (isMethodNamed ? names : names + [method.string]).joined(separator: ".")
    }

    /// `access$100`, which lets an inner class read a private field.
    private static func isAccessor(_ method: Text) -> Bool {
        guard let number = method.dropping("access$") else { return false }
        return number.allSatisfy(\.isDigit)
    }

    private static func isSystem(_ name: Text) -> Bool {
        let packages: [StaticString] = [
            "android.", "androidx.", "java.", "javax.", "kotlin.", "kotlinx.", "com.android.", "dalvik.",
            "sun.", "jdk.",
            "libcore.",
        ]
        return packages.contains { name.starts(with: $0) }
    }
}
