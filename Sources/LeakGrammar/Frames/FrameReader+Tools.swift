internal import LeakMessage

// Reads frames as `sample`, `atos`, gdb, Valgrind and Go print them.

extension FrameReader {
    // MARK: Apple's tools

    /// Reads a line in the tree of `sample`: `+ ! 2489 main  (in Shop) + 76  [0x1042b1a4c]  main.swift:12`.
    func readSampleFrame(_ line: Text) -> CallFrame? {
        let call = line.drop { "+!:| ".utf8.contains($0) }
        let digits = call.prefix { $0.isDigit }
        guard !digits.isEmpty, digits.count <= 9, call[digits.endIndex...].first == UInt8(ascii: " ") else {
            return nil
        }
        let text = call[digits.endIndex...].trimmed
        guard let range = text.firstRange(of: "  (in ") else { return nil }
        return readAppleToolFrame(symbol: text[..<range.lowerBound], image: text[range.upperBound...])
    }

    /// Reads `Cart.load() (in Shop) (Cart.swift:12)` and `-[Cart add] (in Shop) + 52`
    func readAtosFrame(_ line: Text) -> CallFrame? {
        guard let range = line.firstRange(of: " (in "), range.lowerBound > line.startIndex else { return nil }
        return readAppleToolFrame(symbol: line[..<range.lowerBound], image: line[range.upperBound...])
    }

    /// - Parameter image: the text after `(in `, such as `Shop) + 76 …` or `Shop) (Cart.swift:12)`. A name in parentheses with
    ///   nothing after it may be any text, so it is not a frame.
    private func readAppleToolFrame(symbol: Text, image: Text) -> CallFrame? {
        guard let close = image.firstIndex(of: UInt8(ascii: ")")), close > image.startIndex else {
            return nil
        }
        let name = image[..<close]
        let textAfter = image[(close + 1)...].trimmed
        var frame = CallFrame(module: name.string, function: nil)
        if let start = hexadecimal(textAfter.dropping("load address ") ?? []),
            let offset = hexadecimal(start.remainder.dropping(" + ") ?? [])
        {
            frame.offset = offset.value
        } else if let distance = textAfter.dropping("+ ") {
            let digits = distance.prefix { $0.isDigit }
            let remainder = distance[digits.endIndex...].drop {
                $0 == UInt8(ascii: ",") || $0.isDigit || $0 == UInt8(ascii: ".")
            }
            guard !digits.isEmpty, remainder.isEmpty || remainder.first == UInt8(ascii: " ") else {
                return nil
            }
            if let gap = remainder.lastRange(of: "]  ") {
                (frame.file, frame.line) = SourcePositionParser.read(remainder[gap.upperBound...])
            }
        } else if textAfter.first == UInt8(ascii: "("), textAfter.last == UInt8(ascii: ")"),
            let position = SourcePositionParser.fileAndLine(textAfter.dropFirst().dropLast())
        {
            (frame.file, frame.line) = position
        } else {
            return nil
        }
        let symbol = symbol.trimmed
        let isAddress = hexadecimal(symbol)?.remainder.isEmpty ?? false
        frame.function = isAddress ? nil : FunctionNameReader.read(symbol, demangle)
        frame.isSystem = SystemFrames.isSystem(image: name, path: name, frame)
        return frame
    }

    // MARK: gdb

    /// Reads `Cart::add (this=0x7ffe, n=3) at cart.cpp:12` and `__libc_start_main () from /lib/libc.so.6`
    func readGDBFrame(_ text: Text) -> CallFrame? {
        var frame = CallFrame()
        var path: Text = []
        let call: Text
        if let at = text.lastRange(of: ") at "),
            SourcePositionParser.fileAndLine(text[at.upperBound...]) != nil
        {
            (frame.file, frame.line) = SourcePositionParser.read(text[at.upperBound...])
            call = text[...at.lowerBound]
        } else if let from = text.lastRange(of: ") from "),
            text[from.upperBound...].contains(UInt8(ascii: "/"))
        {
            path = text[from.upperBound...]
            frame.module = lastComponent(path).string
            call = text[...from.lowerBound]
        } else {
            return nil
        }
        guard let end = Self.startOfArguments(call) else { return nil }
        frame.function = FunctionNameReader.read(call[..<end], demangle)
        frame.isSystem = SystemFrames.isSystem(image: lastComponent(path), path: path, frame)
        return frame
    }

    /// Returns the index of the ` (` before the values of arguments. A ` (` inside of the brackets of a type, as in
    /// `function<void (int)>`, does not count.
    private static func startOfArguments(_ call: Text) -> Int? {
        var index = call.startIndex
        while index < call.endIndex {
            let remainder = call[index...]
            switch call[index] {
            case UInt8(ascii: " ") where index > call.startIndex && remainder.starts(with: " ("): return index
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"):
                index = Brackets.endIndex(ofBracketAtStartOf: remainder)
            case UInt8(ascii: "o"):
                let sign = remainder.dropping("operator").flatMap { textAfter in
                    operatorSigns.first { textAfter.starts(with: $0) }
                }
                index += sign.map { 8 + $0.utf8CodeUnitCount } ?? 1
            default: index += 1
            }
        }
        return nil
    }

    /// The signs of operators with `<` or `>`, which are not brackets here.
    private static let operatorSigns: [StaticString] = [
        "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
    ]

    // MARK: Valgrind

    /// Reads `by 0x109196: cart_save (cart.c:3)` and `at 0x4843848: malloc (in /usr/lib/valgrind/vgpreload_memcheck.so)`.
    func readValgrindFrame(_ line: Text) -> CallFrame? {
        guard let address = hexadecimal(line.dropping("at ") ?? line.dropping("by ") ?? []),
            let call = address.remainder.dropping(": "), call.last == UInt8(ascii: ")"),
            let open = call.lastRange(of: " ("), open.lowerBound > call.startIndex
        else { return nil }
        var frame = CallFrame()
        var path: Text = []
        let place = call[open.upperBound...].dropLast()
        if let image = place.dropping("in ") {
            path = image
            frame.module = lastComponent(image).string
        } else if let position = SourcePositionParser.fileAndLine(place) {
            (frame.file, frame.line) = position
        } else {
            return nil
        }
        let symbol = call[..<open.lowerBound]
        frame.function = FunctionNameReader.read(symbol, demangle)
        // Valgrind's own allocation functions are in this file and in these images.
        frame.isSystem =
            place.starts(with: "vg_replace_malloc.c:") || lastComponent(path).starts(with: "vgpreload_")
            || symbol.equals("(below main)")
            || SystemFrames.isSystem(image: lastComponent(path), path: path, frame)
        return frame
    }

    // MARK: Go

    /// Reads a call and its source location, which Go prints in the next line:
    /// `main.(*Cart).Add(0xc000012345, 0x1) /home/me/shop/cart.go:12 +0x1d`.
    func readGoFrame(_ line: Text) -> CallFrame? {
        guard let space = line.lastRange(of: " +0x"),
            hexadecimal(line[(space.lowerBound + 2)...])?.remainder.isEmpty ?? false,
            let mark = line[..<space.lowerBound].lastRange(of: ".go:"),
            line[mark.upperBound..<space.lowerBound].allSatisfy(\.isDigit)
        else { return nil }
        let front = line[..<mark.lowerBound]
        guard let pathStart = front.lastRange(of: " /") ?? front.lastRange(of: " ") else { return nil }
        var call = front[..<pathStart.lowerBound].trimmed
        if let creator = call.dropping("created by ") {
            call = creator.firstRange(of: " in goroutine ").map { creator[..<$0.lowerBound] } ?? creator
        } else if let arguments = Self.startOfLastBrackets(call) {
            call = call[..<arguments]
        } else {
            return nil
        }
        // Go prints `[...]` in place of type arguments.
        while let range = call.firstRange(of: "[...]") {
            call = call[..<range.lowerBound] + call[range.upperBound...]
        }
        let slash = call.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? call.startIndex
        guard let dot = call[slash...].firstIndex(of: UInt8(ascii: ".")), dot + 1 < call.endIndex,
            !call.contains(UInt8(ascii: " "))
        else { return nil }
        let package = call[..<dot]
        var frame = CallFrame(module: package.string, function: Self.goFunction(call[(dot + 1)...]))
        (frame.file, frame.line) = SourcePositionParser.read(
            line[(pathStart.lowerBound + 1)..<space.lowerBound])
        let first = package.prefix { $0 != UInt8(ascii: "/") }
        frame.isSystem = Self.goPackages.contains(first.string)
        return frame
    }

    /// Returns the function of a frame. A closure gets the name of the function that contains it: `closure in main` for
    /// `main.func1` and `main.func1.2`. A closure that a variable of a package holds, `glob..func1`, is not inside another
    /// function, so its name stays.
    private static func goFunction(_ name: Text) -> String {
        // `-range` marks the body of a `range` over a function, `-fm` a method as a value.
        let body = name.firstRange(of: "-range").map { name[..<$0.lowerBound] }
        let function = body ?? name.droppingLast("-fm") ?? name
        var parts = function.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let count = parts.count
        let minCount = name.starts(with: "glob..func") ? 3 : 1
        while parts.count > minCount, let last = parts.last, isGoClosure(last) { parts.removeLast() }
        let enclosingFunction = parts.map(\.string).joined(separator: ".")
        return parts.count < count || body != nil ? "closure in \(enclosingFunction)" : enclosingFunction
    }

    private static func isGoClosure(_ part: Text) -> Bool {
        let number = part.dropping("func") ?? part.dropping("gowrap") ?? part.dropping("deferwrap") ?? part
        return !number.isEmpty && number.allSatisfy(\.isDigit)
    }

    /// Returns the index of the bracket that the last byte closes; `nil` if the last byte closes none, or if that
    /// bracket is the first byte.
    private static func startOfLastBrackets(_ text: Text) -> Int? {
        guard text.last == UInt8(ascii: ")") else { return nil }
        var depth = 0
        for index in text.indices.reversed() {
            if text[index] == UInt8(ascii: ")") { depth += 1 }
            if text[index] == UInt8(ascii: "(") { depth -= 1 }
            if depth == 0 { return index > text.startIndex ? index : nil }
        }
        return nil
    }

    /// First components of the packages of Go's standard library.
    private static let goPackages: Set<String> = [
        "archive", "bufio", "bytes", "compress", "container", "context", "crypto", "database", "debug",
        "embed", "encoding",
        "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter",
        "log", "maps",
        "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort",
        "strconv",
        "strings", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "vendor",
        "weak",
    ]
}

/// A converter of call stacks of Go, which print each call in two lines.
enum GoStack {
    /// Returns the lines with each call and its source location in one line, and without the headings of goroutines.
    static func joined(_ lines: [Text]) -> [Text] {
        guard lines.contains(where: isSourceLocation) else { return lines }
        var joined: [Text] = []
        for line in lines {
            if isSourceLocation(line), let call = joined.last?.trimmed, isCall(call) {
                joined[joined.count - 1] = call + [UInt8(ascii: " ")] + line.trimmed
            } else if !isHeading(line) {
                joined.append(line)
            }
        }
        return joined
    }

    /// Returns `true` for a source location with an offset, such as `/home/me/shop/cart.go:12 +0x1d`.
    private static func isSourceLocation(_ line: Text) -> Bool {
        let line = line.trimmed
        guard let mark = line.lastRange(of: ".go:"), !line.contains(UInt8(ascii: "(")),
            !line.contains(UInt8(ascii: ","))
        else {
            return false
        }
        let number = line[mark.upperBound...]
        let remainder = number.drop { $0.isDigit }
        return remainder.startIndex > number.startIndex && remainder.starts(with: " +0x")
            && !line[..<mark.lowerBound].contains(UInt8(ascii: " "))
    }

    private static func isCall(_ line: Text) -> Bool {
        line.last == UInt8(ascii: ")") || line.starts(with: "created by ")
    }

    /// Returns `true` for the heading of a goroutine, such as `goroutine 7 [chan receive]:`.
    private static func isHeading(_ line: Text) -> Bool {
        let line = line.trimmed
        return line.starts(with: "goroutine ") && line.ends(with: "]:")
    }
}
