internal import LeakMessage

// Frames without a name: offsets in images, which LeakReporter sends, and obfuscated methods.

extension CallFrame {
    /// Offsets from 4 GiB on are ignored, because no image is that large.
    private static let offsetLimit: UInt64 = 1 << 32

    /// Returns the name of a function for pages and keys: the symbol without argument types, modules and offsets.
    ///
    /// - Parameters:
    ///   - symbol: the symbol in the form of a symbol table or of debug data, mangled or not.
    ///   - demangle: demangles one name; `nil` if the text is not a mangled name.
    /// - Returns: at most 512 bytes; `nil` if the symbol is not a name.
    package static func functionName(of symbol: String, demangle: (String) -> String?) -> String? {
        FunctionNameReader.read(Text(symbol), demangle).flatMap {
            FrameReader.bounded($0, to: FrameReader.functionByteLimit)
        }
    }

    static func isImageID(_ text: Text) -> Bool {
        text.count <= ImageOffset.maxIdentifierBytes && text.count(where: \.isHexadecimal) >= 8
            && text.allSatisfy { $0.isHexadecimal || $0 == UInt8(ascii: "-") }
    }

    /// Returns an id in capital letters. A UUID gets its hyphens if it has none or other ones.
    ///
    /// - Returns: `nil` for a text that is no id, and for zeros only, which stand for an image without an id.
    static func normalizedImageID(_ id: Text) -> String? {
        guard isImageID(id), id.contains(where: { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") }) else {
            return nil
        }
        let digits = id.filter { $0 != UInt8(ascii: "-") }.map { Character(UnicodeScalar($0)).uppercased() }
        guard digits.count == 32 else { return id.string.uppercased() }
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }.joined(separator: "-")
    }

    /// Returns `true` for an offset that the cache of groups distinguishes: it masks numbers from 4 GiB on, as addresses.
    static func isOffset(_ offset: UInt64) -> Bool { offset < offsetLimit }
}

extension CallFrame {
    /// Returns the location to look up in symbols: an obfuscated method, or an offset in an image. `nil` for a frame without an image
    /// id, and for a frame that has the name of its function or has no offset.
    ///
    /// - Parameter isFirst: `true` for the innermost frame, whose offset is not a return address.
    fileprivate func codeLocation(isFirst: Bool) -> CodeLocation? {
        guard imageID != nil else { return nil }
        if let obfuscated {
            return .method(className: obfuscated.className, name: obfuscated.name, line: line)
        }
        guard function == nil, let offset else { return nil }
        return .offset(isFirst || offset == 0 ? offset : offset - 1)
    }
}

extension FrameReader {
    /// Reads `0x41b9 in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)`, see ``ImageOffset/element(offset:path:imageID:)``.
    func readImageOffsetFrame(_ line: Text) -> CallFrame? {
        guard let offset = hexadecimal(line), let remainder = offset.remainder.dropping(" in "),
            let first = remainder.first, first != UInt8(ascii: "(")
        else { return nil }
        // gdb prints the same form without the number of a frame, with an address and a function.
        if let frame = readGDBFrame(remainder) { return frame }
        if let function = remainder.droppingLast(" ()") {
            var frame = CallFrame(module: nil, function: FunctionNameReader.read(function, demangle))
            frame.isSystem = SystemFrames.isSystem(image: [], path: [], frame)
            return frame
        }
        var path = remainder
        var imageID: Text?
        if remainder.last == UInt8(ascii: ")"), let open = remainder.lastRange(of: " ("),
            open.lowerBound > remainder.startIndex
        {
            let id = remainder[open.upperBound...].dropLast()
            if CallFrame.isImageID(id) { (path, imageID) = (remainder[..<open.lowerBound], id) }
        }
        let image = lastComponent(path)
        guard !image.isEmpty else { return nil }
        var frame = CallFrame(module: image.string, function: nil, offset: offset.value)
        frame.imageID = imageID.flatMap(CallFrame.normalizedImageID)
        frame.isSystem = SystemFrames.isSystem(image: image, path: path, frame)
        return frame
    }
}

/// A method of Java or Kotlin with the names that an obfuscator gave to the class and the method.
struct ObfuscatedMethod: Hashable, Sendable {
    var className: String
    var name: String
}

/// A location in code that uploaded symbols may name.
package enum CodeLocation: Hashable, Sendable {
    /// The offset of an instruction in an image.
    case offset(UInt64)
    /// Obfuscated names, and the line number in the frame.
    case method(className: String, name: String, line: Int?)
}

/// A function at a location in code, by the names in uploaded symbols.
package struct SymbolicatedFrame: Hashable, Sendable {
    /// The name that ``CallFrame/functionName(of:demangle:)`` returns for the symbol. For Java and Kotlin, the name of the method.
    package var function: String
    /// The class with its package; only for Java and Kotlin.
    package var className: String?
    /// The source file's name without its folder.
    package var file: String?
    package var line: Int?

    package init(
        function: String, className: String? = nil, file: String? = nil, line: Int? = nil
    ) {
        self.function = function
        self.className = className
        self.file = file
        self.line = line
    }
}

extension CallStack {
    /// A lookup of the functions at a location, innermost first. It returns several functions if functions are inlined there, and
    /// none without symbols for the image, or if the symbols do not cover the location.
    package typealias Symbols = (_ imageID: String, _ location: CodeLocation) -> [SymbolicatedFrame]

    /// Returns the stack with names for frames that have an image id and no name, and for obfuscated frames. A frame becomes several
    /// frames if functions are inlined at its location.
    ///
    /// Each offset after the first is a return address, so the byte before the offset is looked up.
    package func named(by symbols: Symbols) -> CallStack {
        guard frames.contains(where: { $0.codeLocation(isFirst: true) != nil }) else { return self }
        var namedFrames: [CallFrame] = []
        for (index, frame) in frames.enumerated() {
            guard let imageID = frame.imageID, let location = frame.codeLocation(isFirst: index == 0) else {
                namedFrames.append(frame)
                continue
            }
            let calls = symbols(imageID, location)
            guard !calls.isEmpty else {
                namedFrames.append(frame)
                continue
            }
            namedFrames += calls.map { call in
                if let className = call.className {
                    var namedFrame = VirtualMachineFrameParser.original(call, className: className)
                    namedFrame.isSymbolicated = true
                    return namedFrame
                }
                var namedFrame = frame
                // Symbol files of Breakpad may contain the types of arguments.
                let function = CPlusPlusSignatureReader.read(Text(call.function)) ?? call.function
                namedFrame.function = FrameReader.bounded(function, to: FrameReader.functionByteLimit)
                namedFrame.file = call.file
                namedFrame.line = call.line
                namedFrame.isSymbolicated = true
                namedFrame.isSystem = frame.isSystem || SystemFrames.isRuntime(call.function)
                return namedFrame
            }
        }
        return CallStack(frames: Array(namedFrames.prefix(WireLimits.stackCount)))
    }

    /// The image ids of frames that have no name or an obfuscated name, so that symbols or a mapping could name them.
    package var imageIDsOfUnnamedFunctions: Set<String> {
        Set(frames.lazy.filter { $0.codeLocation(isFirst: true) != nil }.compactMap(\.imageID))
    }

    /// Returns the ids of the binary images or mappings of those elements of ``displayedElements`` or ``keyElements`` that have no
    /// function name, such as `at 6F1B0C3E-… + 0x41b9`, or an obfuscated name, in the order of the elements.
    package static func imageIDs(ofUnnamedFunctionsIn elements: [String]) -> [String] {
        var ids: [String] = []
        for title in titles(of: elements) ?? [] {
            guard let id = imageID(in: title), !ids.contains(id) else { continue }
            ids.append(id)
        }
        return ids
    }

    /// Returns `true` for elements of ``keyElements`` that are all offsets in images, so that no function has a name.
    package static func hasOnlyOffsets(_ elements: [String]) -> Bool {
        guard let titles = titles(of: elements) else { return false }
        return titles.allSatisfy { title in
            let text = Text(title)
            guard let plus = text.lastRange(of: " + 0x") else { return false }
            return text[plus.upperBound...].allSatisfy(\.isHexadecimal)
        }
    }

    /// Returns the id of the binary image in `6F1B0C3E-… + 0x41b9`, or the id of the mapping in `c.d in a.b (r8-map-id-7f5bbd1:12)`.
    private static func imageID(in title: String) -> String? {
        let text = Text(title)
        // `c.d in a.b (r8-map-id-7f5bbd1:12)`
        if let mapping = text.lastRange(of: " (r8-map-id-") {
            return text[(mapping.lowerBound + 2)...].prefix {
                $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ")")
            }
            .string
        }
        guard let plus = text.lastRange(of: " + 0x"), text[plus.upperBound...].allSatisfy(\.isHexadecimal)
        else {
            return nil
        }
        let id = text[..<plus.lowerBound]
        return id.count >= 16 && CallFrame.isImageID(id) ? id.string : nil
    }
}
