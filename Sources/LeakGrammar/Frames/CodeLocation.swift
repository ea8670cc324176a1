internal import LeakMessage

// A frame without a name: an offset in an image. Our reporter sends this form.

extension CallFrame {
    /// Offsets from here on are ignored, because no image is that large.
    private static let offsetLimit: UInt64 = 1 << 32

    /// The name that pages and keys show of a function, from its symbol: without argument types, modules and offsets.
    ///
    /// - Parameters:
    ///   - symbol: the symbol in the form of a symbol table or of debug data, mangled or not.
    ///   - demangle: demangles one name; `nil` if the text is not a mangled name.
    /// - Returns: at most 512 bytes; `nil` if the symbol is not a name.
    package static func functionName(of symbol: String, demangle: (String) -> String?) -> String? {
        FunctionName.read(Text(symbol), demangle).flatMap {
            FrameReader.bounded($0, to: FrameReader.functionByteLimit)
        }
    }

    fileprivate static func isImageID(_ text: Text) -> Bool {
        (8...ImageOffset.identifierBytes).contains(text.count)
            && text.allSatisfy { $0.isHexadecimal || $0 == UInt8(ascii: "-") }
    }

    fileprivate static func isOffset(_ offset: UInt64) -> Bool { offset < offsetLimit }
}

extension CallFrame {
    /// Returns the place to look up in symbols: obfuscated names, or an offset in an image. `nil` for a frame with the name of its
    /// function, and for a frame without the id of its image or without both of these.
    ///
    /// - Parameter isFirst: `true` if the offset is no return address.
    fileprivate func place(isFirst: Bool) -> CodeLocation? {
        guard imageID != nil else { return nil }
        if let obfuscated {
            return .method(className: obfuscated.className, name: obfuscated.name, line: line)
        }
        guard function == nil, let offset else { return nil }
        return .offset(isFirst || offset == 0 ? offset : offset - 1)
    }
}

extension FrameReader {
    /// `0x41b9 in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)`, see ``ImageOffset/element(offset:path:imageID:)``.
    func imagePlace(_ line: Text) -> CallFrame? {
        guard let offset = hexadecimal(line), CallFrame.isOffset(offset.value),
            let remainder = offset.remainder.dropping(" in "), !remainder.isEmpty
        else { return nil }
        var path = remainder
        var imageID: Text?
        if remainder.last == UInt8(ascii: ")") {
            guard let open = remainder.lastRange(of: " ("), open.lowerBound > remainder.startIndex else {
                return nil
            }
            let id = remainder[open.upperBound...].dropLast()
            guard CallFrame.isImageID(id) else { return nil }
            (path, imageID) = (remainder[..<open.lowerBound], id)
        }
        let image = lastComponent(path)
        guard !image.isEmpty else { return nil }
        var frame = CallFrame(module: image.string, function: nil, offset: offset.value)
        frame.imageID = imageID?.string.uppercased()
        frame.isSystem = SystemFrames.isSystem(image: image, path: path, frame)
        return frame
    }
}

/// A method of Java or Kotlin under the names that an obfuscator gave.
struct ObfuscatedMethod: Hashable, Sendable {
    var className: String
    var name: String
}

/// A place in code that symbols may name.
package enum CodeLocation: Hashable, Sendable {
    case offset(UInt64)
    /// Obfuscated names, and the line that the frame has.
    case method(className: String, name: String, line: Int?)
}

/// One function at a place in an image, as the symbols of the image name it.
package struct SymbolicatedFrame: Hashable, Sendable {
    /// The name that ``CallFrame/functionName(of:demangle:)`` makes of its symbol; of Java and Kotlin the method.
    package var function: String
    /// The class with its package, of Java and Kotlin alone.
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
    /// Finds the functions at a place in an image, or of an obfuscator's mapping, innermost first: several where functions are
    /// inlined, none where there are no symbols or they do not cover the place.
    package typealias Symbols = (_ imageID: String, _ place: CodeLocation) -> [SymbolicatedFrame]

    /// The same stack with names for those frames that have an image's id and an offset in place of a name. A frame becomes as many
    /// as functions are inlined there.
    ///
    /// After the first frame an offset is a return address, so the byte in front of it is looked up.
    package func named(by symbols: Symbols) -> CallStack {
        guard frames.contains(where: { $0.place(isFirst: true) != nil }) else { return self }
        var named: [CallFrame] = []
        for (index, frame) in frames.enumerated() {
            guard let imageID = frame.imageID, let place = frame.place(isFirst: index == 0) else {
                named.append(frame)
                continue
            }
            let calls = symbols(imageID, place)
            guard !calls.isEmpty else {
                named.append(frame)
                continue
            }
            named += calls.map { call in
                if let className = call.className {
                    var one = VirtualMachineFrame.original(call, className: className)
                    one.isSymbolicated = true
                    return one
                }
                var one = frame
                // Tables of Breakpad's files may have the types of arguments.
                let function = CPlusPlusSignature.read(Text(call.function)) ?? call.function
                one.function = FrameReader.bounded(function, to: FrameReader.functionByteLimit)
                one.file = call.file
                one.line = call.line
                one.isSymbolicated = true
                one.isSystem = frame.isSystem || SystemFrames.isRuntime(call.function)
                return one
            }
        }
        return CallStack(frames: Array(named.prefix(WireLimits.stackCount)))
    }

    /// The ids of the images in which frames have an offset in place of a name.
    package var unnamedImages: Set<String> {
        Set(frames.lazy.filter { $0.place(isFirst: true) != nil }.compactMap(\.imageID))
    }

    /// The ids of the images of which ``shown`` or ``key`` have places: of `at 6F1B0C3E-… + 0x41b9`. In the order of the elements.
    package static func unnamedImages(in elements: [String]) -> [String] {
        var images: [String] = []
        for title in titles(of: elements) ?? [] {
            guard let id = imageID(ofPlace: title), !images.contains(id) else { continue }
            images.append(id)
        }
        return images
    }

    /// `true` for the elements of a ``key`` without the name of a function.
    package static func isOfPlaces(_ elements: [String]) -> Bool {
        guard let titles = titles(of: elements) else { return false }
        return titles.allSatisfy { title in
            let text = Text(title)
            guard let plus = text.lastRange(of: " + 0x") else { return false }
            return text[plus.upperBound...].allSatisfy(\.isHexadecimal)
        }
    }

    private static func imageID(ofPlace title: String) -> String? {
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
