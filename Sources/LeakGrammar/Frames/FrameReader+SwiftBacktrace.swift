internal import LeakMessage

// Reads the backtraces of Swift 6: of the crash handler, and of `Backtrace` of the module `Runtime`.

extension FrameReader {
    /// Reads the columns after the address of a frame. A crash prints `[ra] [thunk] Cart.load() + 404 in Shop at /Users/me/Cart.swift:4:15`,
    /// `Backtrace` prints `[ra] [0] Shop Cart.load() + 404 at /Users/me/Cart.swift:4:15`, with the number of the image in its own list.
    ///
    /// - Returns: a frame without a name if there is only an attribute, or nothing.
    func readSwiftBacktraceFrame(_ columns: Text) -> CallFrame? {
        let (text, imageNumber) = Self.withoutAttributes(columns)
        var frame = CallFrame()
        var symbol = moveSwiftSourceLocation(from: text, to: &frame)
        let image: Text
        if imageNumber != nil {
            // An image whose name has a space is known only from the list of images: see `SwiftBacktraceImages`.
            image = symbol.droppingLast(" <unknown>") ?? symbol.prefix { $0 != UInt8(ascii: " ") }
            symbol = symbol[image.endIndex...]
        } else if let range = rangeBeforeImage(in: symbol) {
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

    /// Returns the range of the ` in ` before the name of an image: the first one after an offset, because the name may contain
    /// ` in `, else the last one, because the function may be `closure #1 in load()`.
    private func rangeBeforeImage(in symbol: Text) -> Range<Int>? {
        var remainder = symbol
        while let range = remainder.firstRange(of: " in ") {
            let front = symbol[..<range.lowerBound]
            // Only the bytes before this ` in ` are read, so that the time stays linear.
            let sign = front.dropLast(front.reversed().prefix(while: \.isDigit).count)
            if sign.count < front.count, sign.ends(with: " + ") { return range }
            remainder = symbol[range.upperBound...]
        }
        return symbol.lastRange(of: " in ")
    }

    /// Reads a frame without an address, which the crash handler prints at a terminal, after its number:
    /// `Cart.load() + 404 in Shop at /Users/me/Cart.swift:4:15`.
    ///
    /// - Returns: `nil` for text without an image, or without a source location in a folder.
    func readSwiftFrameWithoutAddress(_ columns: Text) -> CallFrame? {
        guard columns.contains(" at "), columns.contains(" in ") else { return nil }
        let (text, imageNumber) = Self.withoutAttributes(columns)
        var frame = CallFrame()
        let symbol = moveSwiftSourceLocation(from: text, to: &frame)
        guard imageNumber == nil, symbol.endIndex < text.endIndex, let range = rangeBeforeImage(in: symbol),
            frame.line != nil || text.ends(with: "/<compiler-generated>")
        else { return nil }
        let (name, image) = (symbol[..<range.lowerBound], symbol[range.upperBound...])
        // Other text, such as `3 leaks in Shop at /tmp/a.txt:1`, has neither an offset nor parentheses. With an offset, even the name
        // of an image may have a few spaces.
        guard
            withoutOffset(name).count < name.count
                ? image.count(where: { $0 == UInt8(ascii: " ") }) < 3
                : name.last == UInt8(ascii: ")") && !image.contains(UInt8(ascii: " "))
        else { return nil }
        return readSwiftBacktraceFrame(columns)
    }

    /// Returns the text after attributes in brackets such as `[ra]` and `[inlined]`, and after the number of an image such as `[12]`.
    fileprivate static func withoutAttributes(_ columns: Text) -> (text: Text, imageNumber: Text?) {
        var text = columns.trimmed
        while let bracket = text.dropping("["), let end = bracket.firstIndex(of: UInt8(ascii: "]")) {
            let attribute = bracket[..<end]
            let isNumber = attribute.allSatisfy(\.isDigit)
            guard !attribute.isEmpty, isNumber || attribute.allSatisfy(\.isLetter) else { break }
            text = bracket[(end + 1)...].trimmed
            if isNumber { return (text, attribute) }
        }
        return (text, nil)
    }

    /// Returns the text before ` at /Users/me/Cart.swift:4:15`, and moves file and line to the frame.
    private func moveSwiftSourceLocation(from text: Text, to frame: inout CallFrame) -> Text {
        guard let start = SourcePositionParser.startOfPath(after: " at ", in: text) else { return text }
        (frame.file, frame.line) = SourcePositionParser.read(text[start...])
        return text[..<(start - 4)]
    }
}

/// The list of images with which the description of a `Backtrace` ends. It gives the offsets of frames without a name, and the
/// names of images.
struct SwiftBacktraceImages {
    /// The first line of the list.
    static let heading: StaticString = "Images:"

    private struct Image {
        var number: Text
        var start: UInt64
        var end: UInt64
        /// `nil` for an image without a build id.
        var id: Text?
        var name: Text
        var path: Text
    }

    private var images: [Image] = []

    /// Returns the lines of a backtrace without the list of its images and without the line that names the processor. Frames
    /// without a name have their offset in an image instead of their address, such as `0x1234 in /usr/bin/shop (5e7b2f44…)`; other
    /// frames have the form of the crash handler.
    ///
    /// - Returns: `nil` if the lines have no list of images.
    static func resolved(_ lines: [Text], _ reader: FrameReader) -> [Text]? {
        var (resolvedLines, remainder): ([Text], [Text]) = ([], lines)
        for round in 0..<listLimit {
            guard let (frames, images, textAfter) = split(remainder, reader) else {
                return round == 0 ? nil : resolvedLines + remainder
            }
            let list = SwiftBacktraceImages(images: images)
            var isFirst = true
            resolvedLines += frames.map { line in
                let frame = list.resolved(
                    FrameReader.withoutListMarks(line.trimmed), reader, isFirst: isFirst)
                if frame != nil { isFirst = false }
                return frame ?? line
            }
            remainder = textAfter
        }
        return resolvedLines + remainder
    }

    /// Limit of lists that are read: one for each backtrace of a text. It protects against texts that consist only of lists.
    private static let listLimit = 8

    /// Returns a text without the lists of images, whose order differs in each launch, and without the lines that name the
    /// processor.
    static func textWithoutImages(_ text: Text) -> Text {
        guard text.contains("Images") else { return text }
        let reader = FrameReader(demangle: { _ in nil })
        var lines = text.lines
        for _ in 0..<listLimit {
            guard let (frames, _, remainder) = split(lines, reader) else { break }
            lines = frames + remainder
        }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))[...]
    }

    /// Separates the lines before and after the first list of images; `nil` without such a list.
    private static func split(
        _ lines: [Text], _ reader: FrameReader
    ) -> (frames: [Text], images: [Image], remainder: [Text])? {
        // A log prints a time before each line.
        let plain = lines.map { FrameReader.withoutListMarks($0.trimmed) }
        var start = 0
        while let heading = plain[start...].firstIndex(where: isHeading) {
            let list = plain[(heading + 1)...].indices.prefix { index in
                plain[index].isEmpty || isRange(plain[index], reader)
                    || index == plain.indices.last && isStartOfRange(plain[index])
            }
            if list.contains(where: { isRange(plain[$0], reader) }) {
                let frames = lines.indices[..<heading].filter { !plain[$0].starts(with: "Architecture: ") }
                return (
                    frames.map { lines[$0] }, list.compactMap { image(plain[$0], reader) },
                    Array(lines[list.endIndex...])
                )
            }
            start = heading + 1
        }
        return nil
    }

    /// Returns `true` for `Images:` and `Images (23 omitted):`.
    private static func isHeading(_ line: Text) -> Bool {
        line.equals(heading) || line.starts(with: "Images (") && line.ends(with: "):")
    }

    /// Returns `true` for a line that begins like a line of the list: `3⇥0x7f1b8000-0x7f1b9000 …`. A text may have been cut after that.
    static func isRange(_ line: Text, _ reader: FrameReader) -> Bool {
        let number = line.prefix { $0.isDigit }
        guard !number.isEmpty, let start = reader.hexadecimal(line[number.endIndex...].trimmed) else {
            return false
        }
        return start.remainder.first == UInt8(ascii: "-")
    }

    /// Returns `true` for a line that was cut in its first address: `3⇥0x7f1b`.
    private static func isStartOfRange(_ line: Text) -> Bool {
        guard line.first?.isDigit ?? false else { return false }
        let textAfterNumber = line.drop { $0.isDigit }.trimmed
        return (textAfterNumber.dropping("0x") ?? textAfterNumber).allSatisfy(\.isHexadecimal)
    }

    private static func image(_ line: Text, _ reader: FrameReader) -> Image? {
        let number = line.prefix { $0.isDigit }
        guard !number.isEmpty, let start = reader.hexadecimal(line[number.endIndex...].trimmed),
            let end = reader.hexadecimal(start.remainder.dropping("-") ?? [])
        else { return nil }
        var remainder = end.remainder.trimmed
        var id: Text?
        if let textAfter = remainder.dropping("<no build ID>") {
            remainder = textAfter.trimmed
        } else {
            let word = remainder.prefix { $0 != UInt8(ascii: " ") }
            // An id with few digits says too little.
            guard word.allSatisfy({ $0.isHexadecimal || $0 == UInt8(ascii: "-") }) else { return nil }
            (id, remainder) = (CallFrame.isImageID(word) ? word : nil, remainder[word.endIndex...].trimmed)
        }
        // Name and path may have spaces.
        guard let path = SourcePositionParser.startOfPath(after: " ", in: remainder) else { return nil }
        return Image(
            number: number, start: start.value, end: end.value, id: id, name: remainder[..<(path - 1)],
            path: remainder[path...])
    }

    /// Returns a line that names the image of a frame, and for a frame without a name also its offset in the image; `nil` for
    /// any other line, and for an image that is not in the list.
    private func resolved(_ line: Text, _ reader: FrameReader, isFirst: Bool) -> Text? {
        let number = line.prefix { $0.isDigit }
        guard !number.isEmpty, let address = reader.hexadecimal(line[number.endIndex...].trimmed) else {
            return nil
        }
        let (text, imageNumber) = FrameReader.withoutAttributes(address.remainder)
        let isUnnamed = text.isEmpty || text.equals("<unknown>") || text.ends(with: " <unknown>")
        guard isUnnamed else {
            guard let imageNumber, let image = images.first(where: { $0.number == imageNumber }),
                text.starts(with: image.name),
                let symbol = text[(text.startIndex + image.name.count)...].dropping(" ")
            else { return nil }
            let path = SourcePositionParser.startOfPath(after: " at ", in: symbol)
            let location = path.map { $0 - 4 } ?? symbol.endIndex
            let front = line[..<address.remainder.startIndex] + [UInt8(ascii: " ")]
            return front + symbol[..<location] + Text(" in ") + image.name + symbol[location...]
        }
        guard let image = images.first(where: { $0.start <= address.value && address.value < $0.end }) else {
            return nil
        }
        var offset = address.value - image.start
        // `CallStack.named(by:)` looks up the first frame at its own offset and all others at the byte before. Only a return address
        // (`ra`) is one byte after its call.
        let isReturnAddress = address.remainder.contains("[ra]")
        if isFirst, isReturnAddress, offset > 0 { offset -= 1 }
        if !isFirst, !isReturnAddress { offset += 1 }
        let id = image.id.map { " (\($0.string))" } ?? ""
        return Text("0x\(String(offset, radix: 16)) in \(image.path.string)\(id)")
    }
}
