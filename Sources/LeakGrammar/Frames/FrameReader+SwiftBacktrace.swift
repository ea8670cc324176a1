internal import LeakMessage

// Reads the backtraces of Swift 6: of the crash handler, and of `Backtrace` of the module `Runtime`.

extension FrameReader {
    /// Reads the columns after the address of a frame. A crash prints `[ra] [thunk] Cart.load() + 404 in Shop at /Users/me/Cart.swift:4:15`,
    /// `Backtrace` prints `[ra] [0] Shop Cart.load() + 404 at /Users/me/Cart.swift:4:15`, with the number of the image in its own list.
    ///
    /// - Returns: a frame without a name if there is only an attribute, or nothing.
    func readSwiftBacktraceFrame(_ columns: Text) -> CallFrame? {
        let (text, hasImageNumber) = Self.withoutAttributes(columns)
        var frame = CallFrame()
        var symbol = moveSwiftSourceLocation(from: text, to: &frame)
        let image: Text
        if hasImageNumber {
            image = symbol.prefix { $0 != UInt8(ascii: " ") }
            symbol = symbol[image.endIndex...]
        } else if let range = symbol.lastRange(of: " in ") {
            image = symbol[range.upperBound...]
            symbol = symbol[..<range.lowerBound]
        } else {
            image = []
        }
        if !image.isEmpty { frame.module = image.string }
        frame.function = FunctionNameReader.read(withoutOffset(symbol), demangle)
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    /// Reads a frame without an address, which the crash handler prints at a terminal, after its number:
    /// `Cart.load() + 404 in Shop at /Users/me/Cart.swift:4:15`.
    ///
    /// - Returns: `nil` for text without an image, or without a source location in a folder.
    func readSwiftFrameWithoutAddress(_ columns: Text) -> CallFrame? {
        guard columns.contains(" at "), columns.contains(" in ") else { return nil }
        let (text, hasImageNumber) = Self.withoutAttributes(columns)
        var frame = CallFrame()
        let symbol = moveSwiftSourceLocation(from: text, to: &frame)
        guard !hasImageNumber, symbol.endIndex < text.endIndex, let range = symbol.lastRange(of: " in "),
            !symbol[range.upperBound...].contains(UInt8(ascii: " ")),
            frame.line != nil || text.ends(with: "/<compiler-generated>")
        else { return nil }
        let name = symbol[..<range.lowerBound]
        // Other text, such as `3 leaks in Shop at /tmp/a.txt:1`, has neither an offset nor parentheses.
        guard withoutOffset(name).count < name.count || name.last == UInt8(ascii: ")") else { return nil }
        return readSwiftBacktraceFrame(columns)
    }

    /// Returns the text after attributes in brackets such as `[ra]` and `[inlined]`, and after the number of an image such as `[12]`.
    private static func withoutAttributes(_ columns: Text) -> (text: Text, hasImageNumber: Bool) {
        var text = columns.trimmed
        while let bracket = text.dropping("["), let end = bracket.firstIndex(of: UInt8(ascii: "]")) {
            let attribute = bracket[..<end]
            let isNumber = attribute.allSatisfy(\.isDigit)
            guard !attribute.isEmpty, isNumber || attribute.allSatisfy(\.isLetter) else { break }
            text = bracket[(end + 1)...].trimmed
            if isNumber { return (text, true) }
        }
        return (text, false)
    }

    /// Returns the text before ` at /Users/me/Cart.swift:4:15`, and moves file and line to the frame.
    private func moveSwiftSourceLocation(from text: Text, to frame: inout CallFrame) -> Text {
        guard let at = text.firstRange(of: " at ") else { return text }
        let location = text[at.upperBound...]
        guard location.contains(UInt8(ascii: "/")) || location.contains(UInt8(ascii: "\\")) else {
            return text
        }
        (frame.file, frame.line) = SourcePositionParser.read(location)
        return text[..<at.lowerBound]
    }
}

/// The list of images with which the description of a `Backtrace` ends. It gives the offsets of frames without a name.
struct SwiftBacktraceImages {
    /// The first line of the list.
    static let heading: StaticString = "Images:"

    private struct Image {
        var addresses: Range<UInt64>
        var id: Text
        var path: Text
    }

    private var images: [Image] = []

    /// Returns the lines of a backtrace without the list of its images, and with offsets in images instead of the addresses of
    /// frames without a name: `0x1234 in /usr/bin/shop (5e7b2f44…)`.
    ///
    /// - Returns: `nil` if the lines have no list of images.
    static func resolved(_ lines: [Text], _ reader: FrameReader) -> [Text]? {
        guard let heading = lines.firstIndex(where: { $0.trimmed.equals(Self.heading) }) else { return nil }
        var list = SwiftBacktraceImages()
        for line in lines[(heading + 1)...] {
            if let image = read(line.trimmed, reader) { list.images.append(image) }
        }
        guard !list.images.isEmpty else { return nil }
        return lines[..<heading].map { list.withOffset($0.trimmed, reader) ?? $0 }
    }

    /// Returns `true` for a line of the list: `3⇥0x7f1b8000-0x7f1b9000 5e7b2f44… libShop.so /usr/lib/libShop.so`.
    static func isImage(_ line: Text, _ reader: FrameReader) -> Bool { read(line, reader) != nil }

    private static func read(_ line: Text, _ reader: FrameReader) -> Image? {
        let number = line.prefix { $0.isDigit }
        guard !number.isEmpty, let start = reader.hexadecimal(line[number.endIndex...].trimmed),
            let end = reader.hexadecimal(start.remainder.dropping("-") ?? []), start.value < end.value
        else { return nil }
        let fields = end.remainder.trimmed.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard fields.count == 3 else { return nil }
        return Image(addresses: start.value..<end.value, id: fields[0], path: fields[2].trimmed)
    }

    /// Returns a frame without a name as an offset in an image; `nil` for any other line.
    private func withOffset(_ line: Text, _ reader: FrameReader) -> Text? {
        let number = line.prefix { $0.isDigit }
        guard !number.isEmpty, let address = reader.hexadecimal(line[number.endIndex...].trimmed) else {
            return nil
        }
        let attributes = address.remainder.trimmed
        guard attributes.isEmpty || attributes.equals("[ra]") || attributes.equals("[async]"),
            let image = images.first(where: { $0.addresses.contains(address.value) })
        else { return nil }
        var offset = address.value - image.addresses.lowerBound
        // The innermost frame is looked up at its own offset, all others at the byte before: see `CallStack.named(by:)`.
        if number.equals("0"), attributes.equals("[ra]"), offset > 0 { offset -= 1 }
        return Text("0x\(String(offset, radix: 16)) in \(image.path.string) (\(image.id.string))")
    }
}
