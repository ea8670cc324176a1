internal import LeakMessage

// Reads frames that begin with `frame #3:` or `#3`, as debuggers, sanitizers, Android and Dart print them.

extension FrameReader {
    /// Reads `frame #2: 0x00000001090dd6c0 libdispatch.dylib`_dispatch_client_callout + 20`
    func readDebuggerFrame(_ line: Text) -> CallFrame? {
        guard let remainder = line.dropping("frame #") else { return nil }
        let textAfter = remainder.drop { $0.isDigit }
        guard let colon = textAfter.dropping(": "), let address = hexadecimal(colon) else { return nil }
        let text = address.remainder.trimmed
        guard let tick = text.firstIndex(of: UInt8(ascii: "`")) else { return CallFrame() }
        let image = text[..<tick]
        var frame = CallFrame(module: image.string, function: nil)
        var symbol = text[(tick + 1)...]
        while let bracket = symbol.lastRange(of: " ["), symbol.last == UInt8(ascii: "]"),
            symbol[bracket.upperBound...].dropLast().allSatisfy(\.isLetter)
        {
            symbol = symbol[..<bracket.lowerBound]
        }
        if let start = SourcePositionParser.startOfPath(after: " at ", in: symbol)
            ?? symbol.lastRange(of: " at ")?.upperBound
        {
            (frame.file, frame.line) = SourcePositionParser.read(symbol[start...])
            symbol = symbol[..<(start - 4)]
        }
        // The function before ` [inlined] ` contains the inlined code. lldb prints that function as a separate frame, too.
        if let inlined = symbol.lastRange(of: " [inlined] ") { symbol = symbol[inlined.upperBound...] }
        // `_block_invoke(.block_descriptor=0x…)`
        if let block = symbol.lastRange(of: "_block_invoke") {
            symbol =
                symbol[..<(symbol[block.upperBound...].firstIndex(of: UInt8(ascii: "(")) ?? symbol.endIndex)]
        }
        frame.function = FunctionNameReader.read(withoutOffset(symbol), demangle)
        frame.isSystem = SystemFrames.isSystem(image: image, path: image, frame)
        return frame
    }

    /// Reads a frame that begins with `#` and a number.
    func readNumberedFrame(_ line: Text) -> CallFrame? {
        let number = line.dropFirst().prefix { $0.isDigit }
        guard !number.isEmpty else { return nil }
        let remainder = line[number.endIndex...]
        let text = remainder.trimmed
        if let symbol = text.dropping("(null) in ") {
            var frame = CallFrame(
                module: nil, function: FunctionNameReader.read(symbol.droppingLast(" ()") ?? symbol, demangle)
            )
            frame.isSystem = SystemFrames.isSystem(image: [], path: [], frame)
            return frame
        }
        if let address = hexadecimal(text) {
            if address.remainder.isEmpty { return CallFrame() }
            if let symbol = address.remainder.dropping(" in ") {
                return readGDBFrame(symbol) ?? readSanitizerFrame(symbol)
            }
            // A stripped program has no symbols: `#1 0x560e4317118d  (/usr/bin/shop+0x118d)`.
            let image = address.remainder.trimmed
            if image.first == UInt8(ascii: "("), let frame = readSanitizerFrame(Text(" ") + image),
                frame.offset != nil
            {
                return frame
            }
        }
        if text.starts(with: "abs ") { return readObfuscatedDartFrame(text) }
        if let native = text.dropping("pc ") {
            return readAndroidNativeFrame(native.dropping("0x") ?? native)
        }
        if let columns = readNumberedColumns(text) { return columns }
        return readDartFrame(line, column: line.startIndex + 8, remainder) ?? readGDBFrame(text)
    }

    /// Reads `Shop 0x0000000104b1c000 Cart.load() + 7 (Cart.swift:7)`: Apple's columns after the number of a frame.
    private func readNumberedColumns(_ text: Text) -> CallFrame? {
        let image = text.prefix { $0 > 0x20 }
        guard hexadecimal(image) == nil, let address = hexadecimal(text[image.endIndex...].trimmed),
            address.remainder.first == UInt8(ascii: " ")
        else { return nil }
        return readAppleFrame(image: image, address: address.value, address.remainder.trimmed)
    }

    /// Reads `0000000000012345  /data/app/…/base.apk!libshop.so (offset 0x2f000) (Cart::add()+24) (BuildId: abc)`
    func readAndroidNativeFrame(_ text: Text) -> CallFrame? {
        let digits = text.prefix { $0.isHexadecimal }
        let remainder = text[digits.endIndex...].trimmed
        guard !remainder.isEmpty else { return nil }
        var frame = CallFrame(module: nil, function: nil, offset: UInt64(digits.string, radix: 16))
        var path = remainder
        // The notes in parentheses are read from the right, because a symbol may contain parentheses itself.
        if path.last == UInt8(ascii: ")"), let id = path.lastRange(of: " (BuildId: ") {
            frame.imageID = CallFrame.normalizedImageID(path[id.upperBound...].dropLast())
            path = path[..<id.lowerBound].trimmed
        }
        let isMapped = remainder.first == UInt8(ascii: "[")
        let end = isMapped ? remainder.firstRange(of: "]")?.upperBound : nil
        if let open = (end.map { path[min($0, path.endIndex)...] } ?? path).firstRange(of: " (") {
            var notes = path[(open.lowerBound + 1)...]
            path = path[..<open.lowerBound]
            for note: StaticString in ["(deleted)", "(offset 0x"] {
                guard notes.starts(with: note) else { continue }
                notes =
                    notes[(notes.firstIndex(of: UInt8(ascii: ")")).map { $0 + 1 } ?? notes.endIndex)...]
                    .trimmed
            }
            if notes.first == UInt8(ascii: "(") {
                let symbol = Brackets.inside(notes)
                let plus = symbol.lastIndex(of: UInt8(ascii: "+"))
                frame.function = FunctionNameReader.read(plus.map { symbol[..<$0] } ?? symbol, demangle)
            }
        }
        // `[anon:dalvik-classes.dex …]` and `<anonymous:7f12345000>` are memory without an image.
        let isAnonymous = isMapped || path.first == UInt8(ascii: "<")
        if isAnonymous { frame.offset = nil }
        let image = lastComponent(path)
        let name = image.lastIndex(of: UInt8(ascii: "!")).map { image[($0 + 1)...] } ?? image
        frame.module = isAnonymous ? nil : name.string
        frame.isSystem = SystemFrames.isSystem(image: isAnonymous ? [] : name, path: path, frame)
        return frame
    }

    /// Reads `malloc /home/me/asan_malloc_linux.cpp:129:3` and `f() -> Swift.Int (/usr/lib/swift/linux/libXCTest.so+0x3ea258)`
    func readSanitizerFrame(_ text: Text) -> CallFrame? {
        var frame = CallFrame()
        var text = text
        if text.last == UInt8(ascii: ")"), let id = text.lastRange(of: " (BuildId: ") {
            frame.imageID = CallFrame.normalizedImageID(text[id.upperBound...].dropLast())
            text = text[..<id.lowerBound]
        }
        var symbol = text
        var path: Text = []
        if let at = text.lastRange(of: " at "),
            SourcePositionParser.fileAndLine(text[at.upperBound...]) != nil
        {
            (frame.file, frame.line) = SourcePositionParser.read(text[at.upperBound...])
            symbol = text[..<at.lowerBound].droppingLast(" ()") ?? text[..<at.lowerBound]
        } else if text.last == UInt8(ascii: ")"), let open = text.lastRange(of: " (") {
            let position = text[open.upperBound...].dropLast()
            if let plus = position.lastRange(of: "+0x") {
                path = Self.withoutArchitecture(position[..<plus.lowerBound])
                frame.offset = hexadecimal(position[(plus.lowerBound + 1)...]).map { Self.offset($0.value) }
                frame.module = lastComponent(path).string
                symbol = text[..<open.lowerBound]
            }
        } else if let start = SourcePositionParser.startOfPath(after: " ", in: text) {
            (frame.file, frame.line) = SourcePositionParser.read(text[start...])
            symbol = text[..<(start - 1)]
        } else if let space = text.lastRange(of: " "),
            let position = SourcePositionParser.fileAndLine(text[space.upperBound...])
        {
            // `main csu/libc-start.c:58:16`
            (frame.file, frame.line) = position
            symbol = text[..<space.lowerBound]
        }
        symbol = symbol.droppingLast(" ()") ?? symbol
        // `main+0x94`
        if let plus = symbol.lastRange(of: "+0x"), symbol[plus.upperBound...].allSatisfy(\.isHexadecimal) {
            symbol = symbol[..<plus.lowerBound]
        }
        frame.function = FunctionNameReader.read(symbol, demangle)
        frame.isSystem = SystemFrames.isSystem(image: lastComponent(path), path: path, frame)
        return frame
    }

    /// Removes the architecture that sanitizers on a Mac print after an image: `Shop` for `Shop:arm64`.
    private static func withoutArchitecture(_ image: Text) -> Text {
        let architectures: [StaticString] = [":arm64", ":arm64e", ":x86_64", ":x86_64h"]
        return architectures.lazy.compactMap { image.droppingLast($0) }.first ?? image
    }

    /// Converts an address in the file of an image to the offset from its start. Programs for a Mac start at the address 4 GiB.
    private static func offset(_ address: UInt64) -> UInt64 {
        let start: UInt64 = 0x1_0000_0000
        return address >= start && address < 2 * start ? address - start : address
    }

    /// Reads `#49     StatefulElement._firstBuild (package:flutter/src/widgets/framework.dart:3769:11)`, or with `_` for each
    /// space, as leak_tracker prints it.
    ///
    /// - Parameter column: the index at which the name begins, after the number and the padding.
    func readDartFrame(_ line: Text, column: Int, _ remainder: Text) -> CallFrame? {
        let name: Text
        let open: Range<Int>
        if remainder.first == UInt8(ascii: "_"), column < line.endIndex, let range = line.lastRange(of: "_(")
        {
            guard column <= range.lowerBound else { return nil }
            (name, open) = (line[column..<range.lowerBound], range)
        } else if let range = remainder.lastRange(of: " (") {
            (name, open) = (remainder[..<range.lowerBound].trimmed, range)
        } else {
            return nil
        }
        guard line.last == UInt8(ascii: ")"), !name.isEmpty else { return nil }
        let position = line[open.upperBound...].dropLast()
        guard SourcePositionParser.fileAndLine(position) != nil else { return nil }
        var frame = readDartFrame(name, of: position)
        (frame.file, frame.line) = SourcePositionParser.read(position)
        return frame
    }

    /// Reads `package:shop/cart.dart 12:5   CartState.load`, as Dart's package `stack_trace` prints it.
    func readDartTraceFrame(_ line: Text) -> CallFrame? {
        let library = line.prefix { $0 != UInt8(ascii: " ") }
        guard library.starts(with: "package:") || library.starts(with: "dart:") else { return nil }
        let remainder = line[library.endIndex...].trimmed
        let position = remainder.prefix { $0.isDigit || $0 == UInt8(ascii: ":") }
        let name = remainder[position.endIndex...].trimmed
        guard !position.isEmpty, name.startIndex > position.endIndex, !name.contains(UInt8(ascii: " ")) else {
            return nil
        }
        var frame = readDartFrame(name, of: library)
        frame.file = lastComponent(library).string
        frame.line = Int(position.prefix { $0.isDigit }.string)
        return frame
    }

    /// - Parameter library: the source of the function, such as `package:shop/cart.dart` or `dart:async/zone.dart`.
    private func readDartFrame(_ name: Text, of library: Text) -> CallFrame {
        var frame = CallFrame()
        if let package = library.dropping("package:") {
            frame.module = package.prefix { $0 != UInt8(ascii: "/") }.string
            frame.isSystem = frame.module == "flutter"
        } else if library.starts(with: "dart:") {
            frame.module = library.prefix { $0 != UInt8(ascii: "/") }.string
            frame.isSystem = true
        }
        frame.function = FunctionNameReader.dart(name)
        return frame
    }

    /// Reads `#00 abs 000000723d6346d7 virt 00000000001ed6d7 _kDartIsolateSnapshotInstructions+0x1e26d7`
    func readObfuscatedDartFrame(_ text: Text) -> CallFrame? {
        guard let range = text.firstRange(of: " virt ") else { return nil }
        var frame = CallFrame()
        frame.offset = UInt64(text[range.upperBound...].prefix { $0.isHexadecimal }.string, radix: 16)
        return frame.offset == nil ? nil : frame
    }
}
