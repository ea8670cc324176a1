internal import LeakMessage

// Frames in columns: of Apple's systems, Swift 6 and ELF programs.

extension FrameReader {
    // MARK: Apple and Swift 6

    /// `3   Shop   0x00000001023bcd8a $s4Shop…F + 282`, the columns of `callStackSymbols` and of crash reports; with
    /// attributes in brackets and without an image, those of Swift 6; without an address, those of `malloc_history`.
    func columns(_ line: Text) -> CallFrame? {
        let digits = line.prefix { $0.isDigit }
        if digits.count == line.count { return digits.count > 6 ? CallFrame() : nil }
        if let address = hexadecimal(line), address.remainder.isEmpty { return CallFrame() }
        guard digits.count <= 4, let space = line[digits.endIndex...].first, space <= 0x20 else { return nil }
        let remainder = line[digits.endIndex...].trimmed
        guard let start = startOfAddress(in: remainder), let address = hexadecimal(remainder[start...]) else {
            return mallocHistory(remainder)
        }
        let image = remainder[..<start].trimmed
        let textAfter = address.remainder.trimmed
        if image.isEmpty || image.first == UInt8(ascii: "[") { return swiftBacktrace(textAfter) }
        return apple(image: image, address: address.value, textAfter)
    }

    func apple(image: Text, address: UInt64, _ textAfter: Text) -> CallFrame? {
        var frame = CallFrame(module: image.string, function: nil)
        var symbol = textAfter
        if let base = hexadecimal(textAfter), let plus = base.remainder.dropping(" + ") {
            // `0x102230000 + 25036`, perhaps with the symbol in parentheses after.
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
        let place = symbol
        symbol = withoutOffset(symbol.droppingLast(" [inlined]") ?? symbol)
        let isImage = symbol == image && !image.equals("main")
        if isImage || FunctionName.isStartOfImage(symbol),
            let plus = place[symbol.endIndex...].dropping(" + ")
        {
            // `Shop + 33208`, `_mh_execute_header + 33208`: the image replaces the symbol, and the offset is from the image's
            // start.
            frame.offset = UInt64(plus.string) ?? frame.offset
            symbol = []
        }
        frame.function = FunctionName.read(symbol, demangle)
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    /// `Shop   0x00000001023bcd8a $s4Shop…F + 282`, `Shop $s4Shop…F + 282` and `$s4Shop…F + 282`: the columns of an Apple frame without
    /// its number, its address or its image.
    func unnumbered(_ line: Text) -> CallFrame? {
        let symbol = withoutOffset(line)
        guard symbol.count < line.count else { return nil }
        let words = symbol.split(separator: UInt8(ascii: " "))
        guard let last = words.last, words.count <= 3 else { return nil }
        let isSymbol = TypeNameCleaner.looksMangled(last) || symbol.last == UInt8(ascii: ")")
        switch words.count {
        case 1 where isSymbol: return apple(image: [], address: 0, line)
        case 2 where TypeNameCleaner.looksMangled(last):
            return apple(image: words[0], address: 0, line[last.startIndex...])
        case 3:
            guard let address = hexadecimal(words[1]), address.remainder.isEmpty, words[1].count >= 8 else {
                return nil
            }
            return apple(image: words[0], address: address.value, line[last.startIndex...])
        default: return nil
        }
    }

    /// Smaller numbers are offsets in an image, larger ones addresses in a process.
    private static let offsetLimit: UInt64 = 1 << 28

    /// `reallyCrashMe() + 404 in crash at /Users/me/crash.swift:4:15`
    func swiftBacktrace(_ line: Text) -> CallFrame? {
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
    func mallocHistory(_ line: Text) -> CallFrame? {
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

    // MARK: Linux

    /// `/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x85) [0x7ff4ba06c305]`
    func elf(_ line: Text) -> CallFrame? {
        guard line.last == UInt8(ascii: "]"), let bracket = line.lastRange(of: " [0x"),
            hexadecimal(line[(bracket.lowerBound + 2)...])?.remainder.count == 1
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

    func elf(_ path: Text, symbol: Text, offset: UInt64?) -> CallFrame? {
        let image = lastComponent(path)
        guard !image.isEmpty else { return nil }
        var frame = CallFrame(
            module: image.string, function: FunctionName.read(symbol, demangle),
            // With a symbol, the offset is from the symbol and not from the image.
            offset: symbol.isEmpty ? offset : nil)
        frame.isSystem = SystemFrames.isSystem(image: image, path: path, frame)
        return frame
    }

    /// `UIKitCore⇥1012⇥-[UIViewController loadViewIfRequired] (in UIKitCore)`
    func symbolTable(_ line: Text) -> CallFrame? {
        let fields = line.split(separator: UInt8(ascii: "\t"))
        guard fields.count == 3, !fields[1].isEmpty, fields[1].allSatisfy(\.isDigit),
            let range = fields[2].lastRange(of: " (in ")
        else { return nil }
        var frame = CallFrame(
            module: fields[0].string, function: FunctionName.read(fields[2][..<range.lowerBound], demangle))
        frame.isSystem = SystemFrames.isSystem(image: fields[0], path: fields[0], frame)
        return frame
    }
}
