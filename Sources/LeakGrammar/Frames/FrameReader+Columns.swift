internal import LeakMessage

// Reads frames in columns, as Apple's systems, Swift 6 and ELF programs print them.

extension FrameReader {
    // MARK: Apple and Swift 6

    /// Reads the columns of `callStackSymbols` and of crash reports: `3   Shop   0x00000001023bcd8a $s4Shop…F + 282`. Without an
    /// image, perhaps with attributes in brackets, these are the columns of Swift 6; without an address, the columns of
    /// `malloc_history`.
    func readColumns(_ line: Text) -> CallFrame? {
        let digits = line.prefix { $0.isDigit }
        if digits.count == line.count { return digits.count > 6 ? CallFrame() : nil }
        if let address = hexadecimal(line), address.remainder.isEmpty { return CallFrame() }
        guard digits.count <= 4, let space = line[digits.endIndex...].first, space <= 0x20 else { return nil }
        let remainder = line[digits.endIndex...].trimmed
        guard let start = startOfAddress(in: remainder), let address = hexadecimal(remainder[start...]) else {
            return readMallocHistoryFrame(remainder) ?? readSwiftFrameWithoutAddress(remainder)
        }
        if SwiftBacktraceImages.isRange(line, self) { return nil }
        let image = remainder[..<start].trimmed
        let textAfter = address.remainder.trimmed
        if image.isEmpty || image.first == UInt8(ascii: "[") { return readSwiftBacktraceFrame(textAfter) }
        return readAppleFrame(image: image, address: address.value, textAfter)
    }

    func readAppleFrame(image: Text, address: UInt64, _ textAfter: Text) -> CallFrame? {
        var frame = CallFrame(module: image.string, function: nil)
        var symbol = textAfter
        if let base = hexadecimal(textAfter), let plus = base.remainder.dropping(" + ") {
            // `0x102230000 + 25036`, which a symbol in parentheses may follow.
            frame.offset =
                base.value > 0 && image != Text("???") ? UInt64(plus.prefix { $0.isDigit }.string) : nil
            let textAfterOffset = plus.drop { $0.isDigit }.trimmed
            symbol =
                textAfterOffset.first == UInt8(ascii: "(")
                ? textAfterOffset.dropFirst().droppingLast(")") ?? textAfterOffset.dropFirst() : []
        } else if address < Self.offsetLimit {
            // Crashlytics prints the offset in the image as the address.
            frame.offset = address
        }
        if let offset = symbol.dropping("<unavailable> + ") { frame.offset = UInt64(offset.string) }
        moveSourceLocation(from: &symbol, to: &frame)
        let symbolAndOffset = symbol
        symbol = withoutOffset(symbol.droppingLast(" [inlined]") ?? symbol)
        let isImageName = symbol == image && !image.equals("main")
        if isImageName || FunctionNameReader.isStartOfImage(symbol),
            let plus = symbolAndOffset[symbol.endIndex...].dropping(" + ")
        {
            // `Shop + 33208`, `_mh_execute_header + 33208`: the image replaces the symbol, and the offset is from the image's
            // start.
            frame.offset = UInt64(plus.string) ?? frame.offset
            symbol = []
        }
        frame.function = FunctionNameReader.read(symbol, demangle)
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    /// Reads the columns of an Apple frame without its number, and perhaps without its address or its image:
    /// `Shop   0x00000001023bcd8a $s4Shop…F + 282`, `Shop $s4Shop…F + 282` and `$s4Shop…F + 282`.
    func readUnnumberedFrame(_ line: Text) -> CallFrame? {
        let symbol = withoutOffset(line)
        guard symbol.count < line.count else { return nil }
        let words = symbol.split(separator: UInt8(ascii: " "))
        guard let last = words.last, words.count <= 3 else { return nil }
        let isSymbol = TypeNameCleaner.looksMangled(last) || symbol.last == UInt8(ascii: ")")
        switch words.count {
        case 1 where isSymbol: return readAppleFrame(image: [], address: 0, line)
        case 2 where TypeNameCleaner.looksMangled(last):
            return readAppleFrame(image: words[0], address: 0, line[last.startIndex...])
        case 3:
            guard let address = hexadecimal(words[1]), address.remainder.isEmpty, words[1].count >= 8 else {
                return nil
            }
            return readAppleFrame(image: words[0], address: address.value, line[last.startIndex...])
        default: return nil
        }
    }

    /// Returns `true` for two or more lines in Apple's columns whose numbers fall: `leaks` prints the outermost frame first.
    static func areOutermostFirst(_ lines: [Text]) -> Bool {
        guard let first = lines.first.flatMap(numberOfColumns),
            let last = lines.last.flatMap(numberOfColumns),
            first > last
        else { return false }
        let numbers = lines.map { numberOfColumns($0) ?? .max }
        return zip(numbers, numbers.dropFirst()).allSatisfy { $0 > $1 }
    }

    private static func numberOfColumns(_ line: Text) -> Int? {
        let line = withoutListMarks(line.trimmed)
        return isNumberedColumns(line) ? Int(line.prefix { $0.isDigit }.string) : nil
    }

    /// Numbers below 256 MiB are offsets in an image; larger numbers are addresses in a process.
    private static let offsetLimit: UInt64 = 1 << 28

    /// Reads `swift_allocObject + 39 (libswiftCore.dylib + 3127127) [0x7ff811f0d757] 16`
    func readMallocHistoryFrame(_ line: Text) -> CallFrame? {
        guard let bracket = line.lastRange(of: ") [0x"),
            let open = line[..<bracket.lowerBound].lastRange(of: " (")
        else { return nil }
        let imageAndOffset = line[open.upperBound..<bracket.lowerBound]
        guard let plus = imageAndOffset.lastRange(of: " + ") else { return nil }
        let image = imageAndOffset[..<plus.lowerBound]
        var frame = CallFrame(
            module: image.string,
            function: FunctionNameReader.read(withoutOffset(line[..<open.lowerBound]), demangle),
            offset: UInt64(imageAndOffset[plus.upperBound...].string))
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    // MARK: Linux

    /// Reads `/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x85) [0x7ff4ba06c305]`
    func readELFFrame(_ line: Text) -> CallFrame? {
        guard line.last == UInt8(ascii: "]"), let bracket = line.lastRange(of: " [0x"),
            hexadecimal(line[(bracket.lowerBound + 2)...])?.remainder.count == 1
        else { return nil }
        let imageAndSymbol = line[..<bracket.lowerBound]
        guard imageAndSymbol.last == UInt8(ascii: ")"),
            let open = imageAndSymbol.firstIndex(of: UInt8(ascii: "("))
        else {
            // `./shop [0x55dd8268e1b9]`
            let path = imageAndSymbol.trimmed
            let isPath = path.contains(UInt8(ascii: "/")) && !path.contains(UInt8(ascii: " "))
            return isPath ? readELFFrame(path, symbol: [], offset: nil) : nil
        }
        let inside = imageAndSymbol[(open + 1)...].dropLast()
        guard let plus = inside.lastRange(of: "+0x") else {
            return readELFFrame(imageAndSymbol[..<open], symbol: inside, offset: nil)
        }
        return readELFFrame(
            imageAndSymbol[..<open], symbol: inside[..<plus.lowerBound],
            offset: hexadecimal(inside[(plus.lowerBound + 1)...])?.value)
    }

    func readELFFrame(_ path: Text, symbol: Text, offset: UInt64?) -> CallFrame? {
        let image = lastComponent(path)
        guard !image.isEmpty else { return nil }
        var frame = CallFrame(
            module: image.string, function: FunctionNameReader.read(symbol, demangle),
            // With a symbol, the offset is from the symbol and not from the image.
            offset: symbol.isEmpty ? offset : nil)
        frame.isSystem = SystemFrames.isSystem(image: image, path: path, frame)
        return frame
    }

    /// Reads `UIKitCore⇥1012⇥-[UIViewController loadViewIfRequired] (in UIKitCore)`
    func readSymbolTableFrame(_ line: Text) -> CallFrame? {
        let fields = line.split(separator: UInt8(ascii: "\t"))
        guard fields.count == 3, !fields[1].isEmpty, fields[1].allSatisfy(\.isDigit),
            let range = fields[2].lastRange(of: " (in ")
        else { return nil }
        var frame = CallFrame(
            module: fields[0].string,
            function: FunctionNameReader.read(fields[2][..<range.lowerBound], demangle))
        frame.isSystem = SystemFrames.isSystem(image: fields[0], path: fields[0], frame)
        return frame
    }
}
