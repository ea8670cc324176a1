/// Reads one call frame. Each form is tried by how it begins; text of another form is no frame.
struct FrameReader {
    let demangle: (String) -> String?

    /// Longer lines are cut. Names of generic Swift functions take a few hundred bytes.
    private static let byteLimit = 4 * 1024

    /// Demangled names may be much longer than symbols.
    private static let functionByteLimit = 512
    private static let moduleByteLimit = 128

    func read(_ raw: Text) -> CallFrame? {
        let line = raw.cut(to: Self.byteLimit).trimmed
        guard let first = line.first, var frame = form(first, of: line) else { return nil }
        frame.function = frame.function.flatMap { Self.bounded($0, to: Self.functionByteLimit) }
        frame.module =
            frame.module == "???" ? nil : frame.module.flatMap { Self.bounded($0, to: Self.moduleByteLimit) }
        return frame
    }

    private func form(_ first: UInt8, of line: Text) -> CallFrame? {
        switch first {
        case UInt8(ascii: "{"): return JSONFrame.read(line, self)
        case UInt8(ascii: "*"): return debugger(line.dropFirst().trimmed)
        case UInt8(ascii: "#"): return numbered(line)
        case UInt8(ascii: "f"): if let frame = debugger(line) { return frame }
        case UInt8(ascii: "a"): if let frame = at(line) { return frame }
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return columns(line)
        default: break
        }
        return elf(line) ?? symbolTable(line) ?? safari(line)
    }

    // MARK: Apple's columns

    /// `3   Shop   0x00000001023bcd8a $s4Shop…F + 282`, the columns of `callStackSymbols` and of crash reports; with
    /// attributes in brackets and without an image, those of Swift 6; without an address, those of `malloc_history`.
    private func columns(_ line: Text) -> CallFrame? {
        let digits = line.prefix { $0.isDigit }
        if digits.count == line.count { return digits.count > 6 ? CallFrame() : nil }
        if let address = hexadecimal(line), address.rest.isEmpty { return CallFrame() }
        guard digits.count <= 4, let space = line[digits.endIndex...].first, space <= 0x20 else { return nil }
        let rest = line[digits.endIndex...].trimmed
        guard let start = startOfAddress(in: rest), let address = hexadecimal(rest[start...]) else {
            return mallocHistory(rest)
        }
        let image = rest[..<start].trimmed
        let behind = address.rest.trimmed
        if image.isEmpty || image.first == UInt8(ascii: "[") { return swiftBacktrace(behind) }
        return apple(image, address.value, behind)
    }

    private func apple(_ image: Text, _ address: UInt64, _ behind: Text) -> CallFrame? {
        var frame = CallFrame(module: image.string, function: nil)
        var symbol = behind
        if let base = hexadecimal(behind), let plus = base.rest.dropping(" + ") {
            // `0x102230000 + 25036`, perhaps with the symbol in parentheses behind.
            frame.offset =
                base.value > 0 && image != Text("???") ? UInt64(plus.prefix { $0.isDigit }.string) : nil
            let last = plus.drop { $0.isDigit }.trimmed
            symbol =
                last.first == UInt8(ascii: "(") ? last.dropFirst().droppingLast(")") ?? last.dropFirst() : []
        } else if address < Self.offsetLimit {
            // Crashlytics prints the offset in the image as the address.
            frame.offset = address
        }
        if let unnamed = symbol.dropping("<unavailable> + ") { frame.offset = UInt64(unnamed.string) }
        place(in: &symbol, &frame)
        symbol = withoutOffset(symbol.droppingLast(" [inlined]") ?? symbol)
        frame.function = FunctionName.read(symbol, demangle)
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    /// A distance in an image is below, an address in a process above.
    private static let offsetLimit: UInt64 = 1 << 28

    /// `reallyCrashMe() + 404 in crash at /Users/me/crash.swift:4:15`
    private func swiftBacktrace(_ line: Text) -> CallFrame? {
        var frame = CallFrame()
        var text = line
        if let at = text.firstRange(of: " at "),
            text[at.upperBound...].contains(UInt8(ascii: "/"))
                || text[at.upperBound...].contains(UInt8(ascii: "\\"))
        {
            (frame.file, frame.line) = SourcePlace.read(text[at.upperBound...])
            text = text[..<at.lowerBound]
        }
        let range = text.lastRange(of: " in ")
        let image = range.map { text[$0.upperBound...] } ?? text[text.endIndex...]
        frame.module = image.string
        frame.function = FunctionName.read(
            withoutOffset(text[..<(range?.lowerBound ?? text.endIndex)]), demangle)
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    /// `swift_allocObject + 39 (libswiftCore.dylib + 3127127) [0x7ff811f0d757] 16`
    private func mallocHistory(_ line: Text) -> CallFrame? {
        guard let bracket = line.lastRange(of: ") [0x"),
            let open = line[..<bracket.lowerBound].lastRange(of: " (")
        else { return nil }
        let place = line[open.upperBound..<bracket.lowerBound]
        guard let plus = place.lastRange(of: " + ") else { return nil }
        let image = place[..<plus.lowerBound]
        var frame = CallFrame(
            module: image.string,
            function: FunctionName.read(withoutOffset(line[..<open.lowerBound]), demangle),
            offset: UInt64(place[plus.upperBound...].string))
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    // MARK: Debuggers, sanitizers and Dart

    /// `frame #2: 0x00000001090dd6c0 libdispatch.dylib`_dispatch_client_callout + 20`
    private func debugger(_ line: Text) -> CallFrame? {
        guard let rest = line.dropping("frame #") else { return nil }
        let behind = rest.drop { $0.isDigit }
        guard let colon = behind.dropping(": "), let address = hexadecimal(colon) else { return nil }
        let text = address.rest.trimmed
        guard let tick = text.firstIndex(of: UInt8(ascii: "`")) else { return CallFrame() }
        let image = text[..<tick]
        var frame = CallFrame(module: image.string, function: nil)
        var symbol = text[(tick + 1)...]
        while let bracket = symbol.lastRange(of: " ["), symbol.last == UInt8(ascii: "]"),
            symbol[bracket.upperBound...].dropLast().allSatisfy(\.isLetter)
        {
            symbol = symbol[..<bracket.lowerBound]
        }
        if let at = symbol.lastRange(of: " at ") {
            (frame.file, frame.line) = SourcePlace.read(symbol[at.upperBound...])
            symbol = symbol[..<at.lowerBound]
        }
        frame.function = FunctionName.read(withoutOffset(symbol), demangle)
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    private func numbered(_ line: Text) -> CallFrame? {
        let number = line.dropFirst().prefix { $0.isDigit }
        guard !number.isEmpty else { return nil }
        let rest = line[number.endIndex...]
        let text = rest.trimmed
        if let symbol = text.dropping("(null) in ") {
            var frame = CallFrame(
                module: nil, function: FunctionName.read(symbol.droppingLast(" ()") ?? symbol, demangle))
            frame.isSystem = SystemFrames.isSystem(image: [], path: [], frame)
            return frame
        }
        if let address = hexadecimal(text), let symbol = address.rest.dropping(" in ") {
            return sanitizer(symbol)
        }
        if text.starts(with: "abs ") { return obfuscatedDart(text) }
        if let native = text.dropping("pc ") { return androidNative(native) }
        return dart(line, column: line.startIndex + 8, rest)
    }

    /// `0000000000012345  /data/app/…/lib/arm64/libshop.so (Cart::add()+24) (BuildId: abc)`
    private func androidNative(_ text: Text) -> CallFrame? {
        let digits = text.prefix { $0.isHexadecimal }
        let rest = text[digits.endIndex...].trimmed
        let path = rest.prefix { $0 != UInt8(ascii: " ") }
        guard !path.isEmpty else { return nil }
        let image = lastComponent(path)
        var frame = CallFrame(module: image.string, function: nil, offset: UInt64(digits.string, radix: 16))
        let behind = rest[path.endIndex...].trimmed
        if behind.first == UInt8(ascii: "("), !behind.starts(with: "(BuildId:") {
            let symbol = Brackets.inside(behind)
            let plus = symbol.lastIndex(of: UInt8(ascii: "+"))
            frame.function = FunctionName.read(plus.map { symbol[..<$0] } ?? symbol, demangle)
        }
        frame.isSystem = SystemFrames.isSystem(image: image, path: path, frame)
        return frame
    }

    /// `malloc /home/me/asan_malloc_linux.cpp:129:3`, `f() -> Swift.Int (/usr/lib/swift/linux/libXCTest.so+0x3ea258)`
    private func sanitizer(_ text: Text) -> CallFrame? {
        var frame = CallFrame()
        var text = text
        if text.last == UInt8(ascii: ")"), let id = text.lastRange(of: " (BuildId: ") {
            text = text[..<id.lowerBound]
        }
        var symbol = text
        var path: Text = []
        if let at = text.lastRange(of: " at "), SourcePlace.fileAndLine(text[at.upperBound...]) != nil {
            (frame.file, frame.line) = SourcePlace.read(text[at.upperBound...])
            symbol = text[..<at.lowerBound].droppingLast(" ()") ?? text[..<at.lowerBound]
        } else if text.last == UInt8(ascii: ")"), let open = text.lastRange(of: " (") {
            let place = text[open.upperBound...].dropLast()
            if let plus = place.lastRange(of: "+0x") {
                path = place[..<plus.lowerBound]
                frame.offset = hexadecimal(place[(plus.lowerBound + 1)...])?.value
                frame.module = lastComponent(path).string
                symbol = text[..<open.lowerBound]
            }
        } else if let slash = text.firstRange(of: " /") {
            (frame.file, frame.line) = SourcePlace.read(text[(slash.lowerBound + 1)...])
            symbol = text[..<slash.lowerBound]
        }
        frame.function = FunctionName.read(symbol, demangle)
        frame.isSystem = SystemFrames.isSystem(image: lastComponent(path), path: path, frame)
        return frame
    }

    /// `#49     StatefulElement._firstBuild (package:flutter/src/widgets/framework.dart:3769:11)`, or with `_` for each
    /// space, as leak_tracker prints it.
    ///
    /// - Parameter column: where the name begins, behind the number and the padding.
    private func dart(_ line: Text, column: Int, _ rest: Text) -> CallFrame? {
        let name: Text
        let open: Range<Int>
        if rest.first == UInt8(ascii: "_"), column < line.endIndex, let range = line.lastRange(of: "_(") {
            guard column <= range.lowerBound else { return nil }
            (name, open) = (line[column..<range.lowerBound], range)
        } else if let range = rest.lastRange(of: " (") {
            (name, open) = (rest[..<range.lowerBound].trimmed, range)
        } else {
            return nil
        }
        guard line.last == UInt8(ascii: ")"), !name.isEmpty else { return nil }
        let place = line[open.upperBound...].dropLast()
        guard SourcePlace.fileAndLine(place) != nil else { return nil }
        var frame = CallFrame()
        if let package = place.dropping("package:") {
            frame.module = package.prefix { $0 != UInt8(ascii: "/") }.string
            frame.isSystem = frame.module == "flutter"
        } else if place.starts(with: "dart:") {
            frame.module = place.prefix { $0 != UInt8(ascii: "/") }.string
            frame.isSystem = true
        }
        (frame.file, frame.line) = SourcePlace.read(place)
        frame.function = FunctionName.dart(name)
        return frame
    }

    /// `#00 abs 000000723d6346d7 virt 00000000001ed6d7 _kDartIsolateSnapshotInstructions+0x1e26d7`
    private func obfuscatedDart(_ text: Text) -> CallFrame? {
        guard let range = text.firstRange(of: " virt ") else { return nil }
        var frame = CallFrame()
        frame.offset = UInt64(text[range.upperBound...].prefix { $0.isHexadecimal }.string, radix: 16)
        return frame.offset == nil ? nil : frame
    }

    // MARK: Virtual machines

    private func at(_ line: Text) -> CallFrame? {
        guard let rest = line.dropping("at ") else { return nil }
        let text = rest.trimmed
        if text.first?.isDigit ?? false { return columns(text) }
        return VirtualMachineFrame.read(text)
    }

    /// `fooIterator@http://localhost:5000/test:20:26`
    private func safari(_ line: Text) -> CallFrame? {
        guard let at = line.firstIndex(of: UInt8(ascii: "@")), !line.contains(UInt8(ascii: " ")),
            let place = SourcePlace.lineAndColumn(line[(at + 1)...])
        else { return nil }
        let name = line[..<at]
        guard name.allSatisfy({ $0.isIdentifier || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") })
        else {
            return nil
        }
        var frame = CallFrame(module: nil, function: name.isEmpty ? nil : name.string)
        (frame.file, frame.line) = (lastComponent(place.path).string, place.line)
        frame.isSystem = place.path.starts(with: "[native")
        return frame
    }

    // MARK: Linux

    /// `/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x85) [0x7ff4ba06c305]`
    private func elf(_ line: Text) -> CallFrame? {
        guard line.last == UInt8(ascii: "]"), let bracket = line.lastRange(of: " [0x"),
            hexadecimal(line[(bracket.lowerBound + 2)...])?.rest.count == 1
        else { return nil }
        let place = line[..<bracket.lowerBound]
        guard place.last == UInt8(ascii: ")"), let open = place.firstIndex(of: UInt8(ascii: "(")) else {
            // `./shop [0x55dd8268e1b9]`
            let path = place.trimmed
            let isPath = path.contains(UInt8(ascii: "/")) && !path.contains(UInt8(ascii: " "))
            return isPath ? elf(path, symbol: [], offset: nil) : nil
        }
        let inside = place[(open + 1)...].dropLast()
        guard let plus = inside.lastRange(of: "+0x") else {
            return elf(place[..<open], symbol: inside, offset: nil)
        }
        return elf(
            place[..<open], symbol: inside[..<plus.lowerBound],
            offset: hexadecimal(inside[(plus.lowerBound + 1)...])?.value)
    }

    private func elf(_ path: Text, symbol: Text, offset: UInt64?) -> CallFrame? {
        let image = lastComponent(path)
        guard !image.isEmpty else { return nil }
        var frame = CallFrame(
            module: image.string, function: FunctionName.read(symbol, demangle),
            // Behind a symbol, the distance is from there.
            offset: symbol.isEmpty ? offset : nil)
        frame.isSystem = SystemFrames.isSystem(image: image, path: path, frame)
        return frame
    }

    /// `UIKitCore⇥1012⇥-[UIViewController loadViewIfRequired] (in UIKitCore)`
    private func symbolTable(_ line: Text) -> CallFrame? {
        let fields = line.split(separator: UInt8(ascii: "\t"))
        guard fields.count == 3, !fields[1].isEmpty, fields[1].allSatisfy(\.isDigit),
            let range = fields[2].lastRange(of: " (in ")
        else { return nil }
        var frame = CallFrame(
            module: fields[0].string, function: FunctionName.read(fields[2][..<range.lowerBound], demangle))
        frame.isSystem = SystemFrames.isSystem(image: fields[0], path: fields[0], frame)
        return frame
    }

    // MARK: Parts

    /// A name without control characters, which separate the parts of a key, and without the digits of addresses; `nil` when
    /// nothing is left.
    private static func bounded(_ name: String, to limit: Int) -> String? {
        var rest = TypeNameCleaning.withoutControls(Text(name).cut(to: limit))
        guard !rest.isEmpty else { return nil }
        var bounded: [UInt8] = []
        while let mark = rest.firstRange(of: "0x") {
            bounded += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...].drop(while: \.isHexadecimal)
        }
        return (bounded + rest)[...].string
    }

    /// Takes the source place off the end: ` (CartView.swift:44)`, `  CartView.swift:44`.
    private func place(in symbol: inout Text, _ frame: inout CallFrame) {
        if symbol.last == UInt8(ascii: ")"), let open = symbol.lastRange(of: " ("),
            SourcePlace.fileAndLine(symbol[open.upperBound...].dropLast()) != nil
        {
            (frame.file, frame.line) = SourcePlace.read(symbol[open.upperBound...].dropLast())
            symbol = symbol[..<open.lowerBound]
        } else if let gap = symbol.lastRange(of: "  "),
            let place = SourcePlace.fileAndLine(symbol[gap.upperBound...])
        {
            (frame.file, frame.line) = place
            symbol = symbol[..<gap.lowerBound].trimmed
        }
    }

    /// Without ` + 282` at the end.
    private func withoutOffset(_ symbol: Text) -> Text {
        guard let range = symbol.lastRange(of: " + "), !symbol[range.upperBound...].isEmpty,
            symbol[range.upperBound...].allSatisfy(\.isDigit)
        else { return symbol.trimmed }
        return symbol[..<range.lowerBound].trimmed
    }

    /// Where ` 0x` and digits stand that end in white space, or the start of the text.
    private func startOfAddress(in text: Text) -> Int? {
        var rest = text
        if hexadecimal(rest) != nil { return rest.startIndex }
        while let range = rest.firstRange(of: "0x") {
            let isStart = range.lowerBound > text.startIndex && text[range.lowerBound - 1] <= 0x20
            if isStart, let number = hexadecimal(text[range.lowerBound...]),
                number.rest.first.map({ $0 <= 0x20 }) ?? true
            {
                return range.lowerBound
            }
            rest = text[range.upperBound...]
        }
        return nil
    }

    /// `0x1f` and what follows; `nil` without digits, and for more than an address has.
    private func hexadecimal(_ text: Text) -> (value: UInt64, rest: Text)? {
        guard let behind = text.dropping("0x") else { return nil }
        let digits = behind.prefix { $0.isHexadecimal }
        guard !digits.isEmpty, digits.count <= 16, let value = UInt64(digits.string, radix: 16) else {
            return nil
        }
        return (value, behind[digits.endIndex...])
    }

    private func lastComponent(_ path: Text) -> Text { SourcePlace.lastComponent(path) }
}

/// Where code stands in a source file.
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
