internal import LeakMessage

/// A parser of frames of Java, Kotlin and JavaScript: the text after `at `.
enum VirtualMachineFrameParser {
    /// Reads a frame; `nil` for a text of another form.
    static func read(_ text: Text) -> CallFrame? {
        guard text.last == UInt8(ascii: ")"), let open = text.firstIndex(of: UInt8(ascii: "(")) else {
            let text = text.dropping("async ") ?? text
            // Only a path in a folder may contain spaces, as in `/Applications/My App.app/x.js:8:22`.
            guard let position = SourcePositionParser.lineAndColumn(text),
                SourcePositionParser.isStartOfPath(position.path) || position.path.starts(with: "file://")
                    || !position.path.contains(UInt8(ascii: " "))
            else {
                return nil
            }
            return scriptFrame(function: nil, position: text)
        }
        let name = text[..<open].trimmed
        let position = text[(open + 1)...].dropLast()
        return isJava(name, position)
            ? javaFrame(name, position) : scriptFrame(function: name, position: position)
    }

    // MARK: JavaScript

    private static func scriptFrame(function: Text?, position positionText: Text) -> CallFrame? {
        let position = positionText.dropping("address at ") ?? positionText
        let isNative = position.equals("native")
        guard
            isNative || position.equals("<anonymous>") || SourcePositionParser.lineAndColumn(position) != nil
                || isIndex(position)
        else {
            return nil
        }
        var frame = CallFrame()
        if let name = function.map({ $0.dropping("async ") ?? $0 }), !name.equals("anonymous"),
            !name.equals("<anonymous>")
        {
            // `Cart.load [as onClick]`: the name by which the caller calls the function.
            let alias = name.last == UInt8(ascii: "]") ? name.lastRange(of: " [as ") : nil
            frame.function = name[..<(alias?.lowerBound ?? name.endIndex)].string
        }
        if !isNative { (frame.file, frame.line) = SourcePositionParser.read(position) }
        frame.isSystem =
            isNative || isIndex(position) || position.starts(with: "InternalBytecode.js")
            || position.starts(with: "node:")
        return frame
    }

    /// Returns `true` for the position in `Promise.all (index 0)`, which V8 prints for a function of its own.
    private static func isIndex(_ position: Text) -> Bool {
        position.dropping("index ").map { !$0.isEmpty && $0.allSatisfy(\.isDigit) } ?? false
    }

    // MARK: Java

    private static func isJava(_ name: Text, _ position: Text) -> Bool {
        guard name.contains(UInt8(ascii: ".")), SourcePositionParser.lineAndColumn(position) == nil else {
            return false
        }
        let isName = name.allSatisfy {
            $0.isIdentifier || ".<>-/".utf8.contains($0)
        }
        return isName
            && (position.equals("Native Method") || !position.contains(UInt8(ascii: " "))
                || position.starts(with: "Unknown Source"))
    }

    private static func javaFrame(_ qualifiedName: Text, _ position: Text) -> CallFrame {
        // `java.base/java.lang.Thread.run`
        let name =
            qualifiedName.lastIndex(of: UInt8(ascii: "/")).map { qualifiedName[($0 + 1)...] } ?? qualifiedName
        var parts = name.split(separator: UInt8(ascii: "."))
        var frame = CallFrame()
        let method = parts.popLast() ?? []
        let type = withoutProxyNumber(parts.popLast() ?? [])
        if !parts.isEmpty { frame.module = parts.map(\.string).joined(separator: ".") }
        frame.function = function(method, of: type)
        frame.isSystem = isSystem(name) || isAccessor(method)
        if !position.equals("Native Method"), !position.starts(with: "Unknown Source") {
            (frame.file, frame.line) = SourcePositionParser.read(position)
        }
        if let file = frame.file, isMappingID(file) {
            frame.imageID = file
            frame.obfuscated = ObfuscatedMethod(
                className: (parts + [type]).map(\.string).joined(separator: "."), name: method.string)
        }
        return frame
    }

    /// Returns `$Proxy` for `$Proxy12`. Proxies are numbered in the order in which a launch creates them.
    private static func withoutProxyNumber(_ type: Text) -> Text {
        guard let number = type.dropping("$Proxy"), number.allSatisfy(\.isDigit) else { return type }
        return type[..<number.startIndex]
    }

    /// Returns the frame of a method by its original names from an obfuscator's mapping.
    static func original(_ call: SymbolicatedFrame, className: String) -> CallFrame {
        var frame = javaFrame(Text("\(className).\(call.function)"), Text("Unknown Source"))
        (frame.file, frame.line) = (call.file, call.line)
        return frame
    }

    /// Returns `true` for the id of a mapping, such as `r8-map-id-7f5bbd1`. From version 8.12 of the Android Gradle plugin, R8 writes
    /// this id in place of the source file.
    private static func isMappingID(_ file: String) -> Bool {
        let head = "r8-map-id-"
        guard file.hasPrefix(head) else { return false }
        let id = file.utf8.dropFirst(head.utf8.count)
        return (1...64).contains(id.count) && id.allSatisfy(\.isHexadecimal)
    }

    /// Returns the name of a method for a frame. A lambda gets the name of the method that contains it.
    private static func function(_ method: Text, of type: Text) -> String {
        if let lambda = lambda(method, of: type) { return "lambda in " + lambda }
        let name = method.droppingLast("$default") ?? method
        return [type, name].filter { !$0.isEmpty }.map(\.string).joined(separator: ".")
    }

    /// Returns module and function of a lambda, from the class with its package and the method, as Sentry's JSON states them; `nil`
    /// for other methods.
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

    /// Returns the method that contains a lambda, or the class if the name does not state the method; `nil` if the method is not a
    /// lambda.
    private static func lambda(_ method: Text, of type: Text) -> String? {
        // Some compilers name a lambda after its method: `lambda$load$0`, `load$lambda$0`.
        if let remainder = method.dropping("lambda$") {
            return "\(type.string).\(remainder.prefix { $0 != UInt8(ascii: "$") }.string)"
        }
        if let range = method.firstRange(of: "$lambda$") {
            return "\(type.string).\(method[..<range.lowerBound].string)"
        }
        // Other compilers make a class of each lambda: `-$$Lambda$Cart$1f2e`, `Cart$$ExternalSyntheticLambda3`.
        if let remainder = type.dropping("-$$Lambda$") {
            return remainder.prefix { $0 != UInt8(ascii: "$") }.string
        }
        if let range = type.firstRange(of: "$$") { return type[..<range.lowerBound].string }
        // Others number the classes of lambdas: `Cart$load$1`, `Cart$1`.
        let parts = type.split(separator: UInt8(ascii: "$"))
        guard let number = parts.firstIndex(where: { $0.allSatisfy(\.isDigit) }), number > 0 else {
            return nil
        }
        let names = parts[..<number].map(\.string)
        let isMethodNamed = names.count > 1 && parts[number - 1].first.map { !$0.isUppercase } ?? false
        return (isMethodNamed ? names : names + [method.string]).joined(separator: ".")
    }

    /// Returns `true` for a method such as `access$100`, by which an inner class reads a private field.
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
