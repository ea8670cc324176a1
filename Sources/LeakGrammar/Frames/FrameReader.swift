internal import LeakMessage

/// A parser of single call frames. The first characters of a line select the form. A line of an unknown form is not a frame.
struct FrameReader {
    let demangle: (String) -> String?

    /// Limit of a line; longer lines are cut. Names of generic Swift functions take a few hundred bytes.
    static let lineByteLimit = 4 * 1024

    /// Limit of the name of a function. Demangled names may be much longer than symbols.
    static let functionByteLimit = 512
    static let moduleByteLimit = 128

    /// Reads one line; `nil` for a line that is not a call frame.
    func read(_ raw: Text) -> CallFrame? {
        let line = Self.withoutListMarks(raw.cut(to: Self.lineByteLimit).trimmed)
        guard let first = line.first, let frame = frame(startingWith: first, in: line) else { return nil }
        return Self.bounded(frame)
    }

    /// Returns the frame with its names cut to the limits, with the digits of addresses in them removed, and without an offset that
    /// no image is large enough for.
    static func bounded(_ frame: CallFrame) -> CallFrame {
        var frame = frame
        frame.offset = frame.offset.flatMap { CallFrame.isOffset($0) ? $0 : nil }
        frame.function = frame.function.flatMap {
            Self.bounded(SourcePositionParser.withoutHomeFolder(Text($0)).string, to: Self.functionByteLimit)
        }
        frame.module =
            frame.module == "???"
            ? nil
            : frame.module.flatMap { Self.bounded(Self.withoutFolder($0), to: Self.moduleByteLimit) }
        return frame
    }

    /// Removes the folders of a path: `Shop` for `/Users/me/Shop`, `./Shop` and `~/Shop`. The name of a package, such as
    /// `github.com/acme/shop`, stays unchanged.
    private static func withoutFolder(_ module: String) -> String {
        let path = Text(module)
        let isPath =
            SourcePositionParser.isStartOfPath(path) || path.starts(with: "./") || path.starts(with: "../")
            || path.starts(with: "~/") || path.starts(with: "file://") || path.starts(with: "\\\\")
        return isPath ? SourcePositionParser.lastComponent(path).string : module
    }

    /// Removes the text with which a log, a quotation or a list begins the line of a frame:
    /// `2026-11-24 10:33:00.1 Shop[1:2] 3   Shop …`, `[10:33:00] 3   Shop …`, `> 3   Shop …`, `"3   Shop …",`, `- 3   Shop …`,
    /// `[3] 3   Shop …`, `4. 3   Shop …`, `==4232== …`, `web-1  | 3   Shop …`, `11-24 10:33:00.1  12  34 E Tag: 3   Shop …`.
    static func withoutListMarks(_ line: Text) -> Text {
        let (text, hasTime) = withoutTimeAndMarks(line)
        if let textAfter = textAfterLogPrefix(text) { return textAfter }
        return isLogPrefixAlone(text, hasTime: hasTime) ? text[text.endIndex...] : text
    }

    /// Returns the text after a time and a process, a quote or a list mark, and `true` if there was a time.
    static func withoutTimeAndMarks(_ line: Text) -> (text: Text, hasTime: Bool) {
        var line = line
        let entry = withoutTime(line)
        if let entry { line = withoutProcess(entry)?.trimmed ?? entry }
        return (withoutMarks(line), entry != nil)
    }

    private static func withoutMarks(_ line: Text) -> Text {
        var line = line
        if let quoted = line.equals(">") ? [] : line.dropping("> ") { line = quoted.trimmed }
        if let process = line.dropping("==") {
            // Valgrind begins each line with the id of the process: `==4232==    by 0x109196: cart_save (cart.c:3)`.
            line = process.drop(while: \.isDigit).dropping("==")?.trimmed ?? line
        }
        if line.last == UInt8(ascii: ",") { line = line.dropLast().trimmed }
        if line.first == UInt8(ascii: "\""), line.last == UInt8(ascii: "\""), line.count > 2 {
            line = line.dropFirst().dropLast().trimmed
        }
        if let element = line.dropping("- ") { return element.trimmed }
        let textAfterNumber = line.drop { $0.isDigit }
        if textAfterNumber.startIndex > line.startIndex,
            let element = textAfterNumber.dropping(". ") ?? textAfterNumber.dropping(") ")
        {
            return element.trimmed
        }
        if let number = line.dropping("[") {
            let textAfter = number.drop { $0.isDigit }
            if textAfter.startIndex > number.startIndex, let element = textAfter.dropping("] ") {
                return element.trimmed
            }
        }
        return line
    }

    /// Returns the text after the time in a line that begins with `10:33:00.123 `, `[10:33:00] `, `2026-11-24T10:33:00Z ` or
    /// `11-24 10:33:00.123 `, or is only a time; `nil` for any other line.
    private static func withoutTime(_ line: Text) -> Text? {
        /// Returns the text after a part of the given shape, in which `d` is any digit; `nil` if the text begins otherwise.
        func skip(_ shape: StaticString, in text: Text) -> Text? {
            guard text.count >= shape.utf8CodeUnitCount else { return nil }
            let hasShape = unsafe zip(
                text, UnsafeBufferPointer(start: shape.utf8Start, count: shape.utf8CodeUnitCount)
            )
            .allSatisfy { $1 == UInt8(ascii: "d") ? $0.isDigit : $0 == $1 }
            return hasShape ? text.dropFirst(shape.utf8CodeUnitCount) : nil
        }
        let bracket = line.dropping("[")
        var remainder = bracket ?? line
        guard remainder.first?.isDigit ?? false else { return nil }
        if let day = skip("dddd-dd-dd", in: remainder) {
            remainder = day.dropping("T") ?? day.dropping(" ") ?? day
        } else if let day = skip("dd-dd ", in: remainder) {
            remainder = day
        }
        guard let time = skip("dd:dd:dd", in: remainder) else { return nil }
        remainder = time
        if let fraction = remainder.dropping(".") ?? remainder.dropping(",") {
            remainder = fraction.drop(while: \.isDigit)
        }
        remainder =
            remainder.dropping("Z") ?? skip("+dddd", in: remainder) ?? skip("-dddd", in: remainder) ?? skip(
                "+dd:dd", in: remainder)
            ?? skip("-dd:dd", in: remainder) ?? remainder
        if bracket != nil {
            guard let closed = remainder.dropping("]") else { return nil }
            remainder = closed
        }
        return remainder.first ?? UInt8(ascii: " ") == UInt8(ascii: " ") ? remainder.trimmed : nil
    }

    private func frame(startingWith first: UInt8, in line: Text) -> CallFrame? {
        if isAddress(line) { return CallFrame() }
        switch first {
        case UInt8(ascii: "{"): return JSONFrameCodec.read(line, self)
        case UInt8(ascii: "*"): return readDebuggerFrame(line.dropFirst().trimmed)
        case UInt8(ascii: "#"): return readNumberedFrame(line)
        case UInt8(ascii: "p"), UInt8(ascii: "d"): if let frame = readDartTraceFrame(line) { return frame }
        case UInt8(ascii: "f"): if let frame = readDebuggerFrame(line) { return frame }
        case UInt8(ascii: "a"):
            if let frame = readValgrindFrame(line) ?? readVirtualMachineFrame(line) { return frame }
        case UInt8(ascii: "b"): if let frame = readValgrindFrame(line) { return frame }
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return readImageOffsetFrame(line) ?? readSampleFrame(line) ?? readColumns(line)
                ?? readAtosFrame(line)
        case UInt8(ascii: "+"): if let frame = readSampleFrame(line) { return frame }
        default: break
        }
        return readELFFrame(line) ?? readSymbolTableFrame(line) ?? readSafariFrame(line) ?? readAtosFrame(
            line) ?? readGoFrame(line) ?? readUnnumberedFrame(line) ?? readJavaFrameWithoutAt(line)
    }

    // MARK: Virtual machines

    /// Reads a frame that begins with `at `, as virtual machines print it.
    func readVirtualMachineFrame(_ line: Text) -> CallFrame? {
        guard let remainder = line.dropping("at ") else { return nil }
        let text = remainder.trimmed
        if text.first?.isDigit ?? false { return readColumns(text) }
        return VirtualMachineFrameParser.read(text)
    }

    /// Reads a frame of Java without `at `, as Netty and Tomcat print it: `io.netty.buffer.Pool.allocate(Pool.java:363)`.
    ///
    /// - Returns: `nil` also for a frame without a package, or without a source file of Java, Kotlin, Scala or Groovy: it may be
    ///   any text.
    func readJavaFrameWithoutAt(_ line: Text) -> CallFrame? {
        Self.isJavaFrameWithoutAt(line) ? VirtualMachineFrameParser.read(line) : nil
    }

    /// Reads a frame of Safari or Firefox: `fooIterator@http://localhost:5000/test:20:26`, `forEach@[native code]`,
    /// `promise callback*openCart/<@http://localhost:5000/test:20:26`
    func readSafariFrame(_ line: Text) -> CallFrame? {
        if let name = line.droppingLast("@[native code]"), name.allSatisfy(\.isIdentifier) {
            var frame = CallFrame(module: nil, function: name.isEmpty ? nil : name.string)
            frame.isSystem = true
            return frame
        }
        guard let at = line.firstIndex(of: UInt8(ascii: "@")),
            let position = SourcePositionParser.lineAndColumn(line[(at + 1)...])
        else { return nil }
        // Only a path in a folder may contain spaces.
        let isInFolder =
            SourcePositionParser.isStartOfPath(position.path) || position.path.starts(with: "file://")
        guard isInFolder || !position.path.contains(UInt8(ascii: " ")),
            let function = Self.firefoxFunction(line[..<at])
        else { return nil }
        var frame = CallFrame(module: nil, function: function.isEmpty ? nil : function)
        (frame.file, frame.line) = (lastComponent(position.path).string, position.line)
        return frame
    }

    /// Returns `openCart` for `async*openCart`, and `closure in openCart` for `promise callback*openCart/<`, as Firefox names functions
    /// that another function calls later, and functions without a name inside of `openCart`.
    ///
    /// - Returns: `nil` for text that is no function of Safari or Firefox. Empty for a function without a name.
    private static func firefoxFunction(_ text: Text) -> String? {
        var name = text
        if let star = text.lastIndex(of: UInt8(ascii: "*")) {
            guard text[..<star].allSatisfy({ $0.isIdentifier || " ./<*".utf8.contains($0) }) else {
                return nil
            }
            name = text[(star + 1)...]
        }
        guard name.allSatisfy({ $0.isIdentifier || "./<".utf8.contains($0) }) else { return nil }
        guard name.last == UInt8(ascii: "<") else { return name.string }
        // Inside of `openCart`, a function that a property holds is `openCart/this.load<`.
        let outer = name.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "<") }
        return outer.isEmpty ? "" : "closure in " + outer.string
    }

    // MARK: Parts

    /// Returns a name of at most `limit` bytes without control characters, which separate the parts of a key, and without the digits
    /// of addresses; `nil` if nothing is left.
    static func bounded(_ name: String, to limit: Int) -> String? {
        let name = TypeNameCleaner.withoutControls(TypeNameCleaner.withoutAddresses(Text(name)))
        return name.isEmpty ? nil : name.string.shortened(to: limit)
    }

    /// Moves the source location from the end of a symbol to the frame: ` (CartView.swift:44)` or `  CartView.swift:44`.
    func moveSourceLocation(from symbol: inout Text, to frame: inout CallFrame) {
        if SourcePositionParser.isStartOfPath(symbol) {
            // There is no name, only `/Users/me/CartView.swift:44`.
            (frame.file, frame.line) = SourcePositionParser.read(symbol)
            symbol = []
        } else if symbol.last == UInt8(ascii: ")"), let open = symbol.lastRange(of: " ("),
            SourcePositionParser.fileAndLine(symbol[open.upperBound...].dropLast()) != nil
        {
            (frame.file, frame.line) = SourcePositionParser.read(symbol[open.upperBound...].dropLast())
            symbol = symbol[..<open.lowerBound]
        } else if let gap = symbol.lastRange(of: "  "),
            let position = SourcePositionParser.fileAndLine(symbol[gap.upperBound...])
        {
            (frame.file, frame.line) = position
            symbol = symbol[..<gap.lowerBound].trimmed
        }
    }

    /// Returns the symbol without ` + 282` at its end.
    func withoutOffset(_ symbol: Text) -> Text {
        // A line may have been cut after the sign.
        let symbol = symbol.trimmed.droppingLast(" +") ?? symbol
        guard let range = symbol.lastRange(of: " + "), !symbol[range.upperBound...].isEmpty,
            symbol[range.upperBound...].allSatisfy(\.isDigit)
        else { return symbol.trimmed }
        return symbol[..<range.lowerBound].trimmed
    }

    /// Returns the start of a hexadecimal address between white space or the ends of the text.
    func startOfAddress(in text: Text) -> Int? {
        var remainder = text
        if hexadecimal(remainder) != nil { return remainder.startIndex }
        while let range = remainder.firstRange(of: "0x") {
            let isStart = range.lowerBound > text.startIndex && text[range.lowerBound - 1] <= 0x20
            if isStart, let number = hexadecimal(text[range.lowerBound...]),
                number.remainder.first.map({ $0 <= 0x20 }) ?? true
            {
                return range.lowerBound
            }
            remainder = text[range.upperBound...]
        }
        return nil
    }

    /// Reads `0x1f` at the start of a text; `nil` for another text, and for more than the 16 digits of an address.
    func hexadecimal(_ text: Text) -> (value: UInt64, remainder: Text)? {
        guard let textAfter = text.dropping("0x") else { return nil }
        let digits = textAfter.prefix { $0.isHexadecimal }
        guard !digits.isEmpty, digits.count <= 16, let value = UInt64(digits.string, radix: 16) else {
            return nil
        }
        return (value, textAfter[digits.endIndex...])
    }

    /// Returns `true` for the digits of an address without `0x`, such as `0000000104008ab8`.
    private func isAddress(_ line: Text) -> Bool {
        (12...16).contains(line.count) && line.allSatisfy(\.isHexadecimal) && line.contains(where: \.isDigit)
    }

    func lastComponent(_ path: Text) -> Text { SourcePositionParser.lastComponent(path) }
}
