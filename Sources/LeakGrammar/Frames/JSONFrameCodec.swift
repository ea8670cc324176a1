internal import LeakMessage

/// A reader and writer of frames in JSON. It reads the fields of `.ips` crash reports, MetricKit, Sentry and KSCrash.
enum JSONFrameCodec {
    /// The fields of a frame in any of these formats.
    struct Fields {
        var symbol: String?
        var image: String?
        var module: String?
        var imageID: String?
        var imageStart: UInt64?
        var address: UInt64?
        var offset: UInt64?
        var textOffset: UInt64?
        var isOfApp: Bool?
        var file: String?
        var line: Int?
        /// The index of the image in the report's list of images.
        var imageIndex: Int?
        /// `true` if at least one field was set.
        var isFrame = false

        /// The offset from the start of the image, computed from the fields; `nil` if they do not state it.
        var offsetInImage: UInt64? {
            if let textOffset {
                // Some versions of iOS give the address of the image in place of the offset in it.
                guard textOffset > UInt64(UInt32.max) / 2 else { return textOffset }
                return address.flatMap { $0 >= textOffset ? $0 - textOffset : nil }
            }
            if let address, let imageStart, address >= imageStart { return address - imageStart }
            return offset
        }
    }

    static func read(_ text: Text, _ reader: FrameReader) -> CallFrame? {
        fields(of: text).map { frame($0, reader) }
    }

    private static func fields(of text: Text) -> Fields? {
        let bytes = Array(text)
        guard UTF8Validator.firstInvalidByte(in: bytes) == nil,
            let fields = try? JSONScanner.scan(bytes, { scanner throws(JSONError) in try read(&scanner) }),
            fields.isFrame
        else { return nil }
        return fields
    }

    /// Returns the object with only the fields that ``read(_:_:)`` reads, and without text that users typed in them; `nil` if the
    /// object is not a frame.
    static func redacted(_ text: Text) -> String? {
        guard text.trimmed.first == UInt8(ascii: "{") else { return nil }
        return fields(of: text).map { redacted($0) }
    }

    static func redacted(_ fields: Fields) -> String {
        var writer = JSONWriter(capacity: 256)
        writer.object { writer in
            func field(_ name: String, _ value: String?) { if let value { writer.field(name, value) } }
            func address(_ name: String, _ value: UInt64?) {
                field(name, value.map { "0x" + String($0, radix: 16) })
            }
            func number(_ name: String, _ value: Int?) { if let value { writer.field(name, value) } }
            field("function", fields.symbol)
            field("package", fields.image)
            field("module", fields.module)
            field("debug_id", fields.imageID)
            field("filename", fields.file)
            number("lineno", fields.line)
            if let offset = fields.offsetInImage {
                // Written in hexadecimal digits, so that the offset is not mistaken for a telephone number.
                address("imageOffset", offset)
            } else {
                address("image_addr", fields.imageStart)
                address("instruction_addr", fields.address)
                number("offsetIntoBinaryTextSegment", fields.textOffset.map(Int.init(clamping:)))
            }
            if let isOfApp = fields.isOfApp { writer.field("in_app", isOfApp) }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func frame(_ fields: Fields, _ reader: FrameReader) -> CallFrame {
        let path = withoutVersion(Text(fields.image ?? ""))
        let image = SourcePositionParser.lastComponent(path)
        // An offset belongs to the image, a function to the module.
        let names = fields.symbol == nil ? [image.string, fields.module] : [fields.module, image.string]
        var frame = CallFrame(
            module: names.compactMap(\.self).first { !$0.isEmpty },
            function: fields.symbol.flatMap { FunctionNameReader.read(Text($0), reader.demangle) },
            offset: fields.offsetInImage)
        frame.imageID = fields.imageID
        if let symbol = fields.symbol, let module = fields.module,
            let lambda = VirtualMachineFrameParser.lambda(className: Text(module), method: Text(symbol))
        {
            (frame.module, frame.function) = lambda
        }
        frame.isSystem = fields.isOfApp.map { !$0 } ?? SystemFrames.isSystem(image: image, path: path, frame)
        frame.file = fields.file
        frame.line = fields.line
        return frame
    }

    /// Returns `Shop` for `Shop, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null`, as .NET names an assembly.
    private static func withoutVersion(_ image: Text) -> Text {
        image.firstRange(of: ", Version=").map { image[..<$0.lowerBound] } ?? image
    }

    private static func read(_ scanner: inout JSONScanner) throws(JSONError) -> Fields {
        var fields = Fields()
        guard try scanner.enterObject() else { return fields }
        repeat {
            let name = scanner.text(of: try scanner.name())
            switch try scanner.kind() {
            case .string: set(&fields, name, text: scanner.text(of: try scanner.string()))
            case .number:
                if let number = try scanner.number().integer { set(&fields, name, number: number) }
            case .boolean:
                let isSet = try scanner.boolean()
                if name == "in_app" { fields.isOfApp = isSet }
            default: _ = try scanner.skip()
            }
        } while try scanner.hasAnotherElement(in: .object)
        try scanner.finish()
        return fields
    }

    static func set(_ fields: inout Fields, _ name: String, text originalText: String) {
        let text = MessageRedactor.redactedName(originalText)
        switch name {
        case "symbol", "symbol_name", "function": fields.symbol = text
        case "binaryName", "package", "object_name", "imageName": fields.image = text
        case "module": fields.module = text
        case "binaryUUID", "debug_id": fields.imageID = imageID(text)
        case "filename": fields.file = SourcePositionParser.lastComponent(Text(text)).string
        case "imageOffset": fields.offset = address(text)
        case "image_addr": fields.imageStart = address(text)
        case "instruction_addr": fields.address = address(text)
        default: return
        }
        fields.isFrame = true
    }

    static func set(_ fields: inout Fields, _ name: String, number: Int) {
        guard number >= 0 else { return }
        switch name {
        case "imageOffset": fields.offset = UInt64(number)
        case "offsetIntoBinaryTextSegment": fields.textOffset = UInt64(number)
        case "address", "instruction_addr": fields.address = UInt64(number)
        case "object_addr", "image_addr": fields.imageStart = UInt64(number)
        case "lineno", "sourceLine": fields.line = number
        case "imageIndex": fields.imageIndex = number
        default: return
        }
        fields.isFrame = true
    }

    /// Returns a UUID, or another id of up to 64 hexadecimal digits and dashes, in upper case; `nil` for any other text, and
    /// for zeros only.
    private static func imageID(_ text: String) -> String? { CallFrame.normalizedImageID(Text(text)) }

    private static func address(_ text: String) -> UInt64? {
        UInt64(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
    }
}
