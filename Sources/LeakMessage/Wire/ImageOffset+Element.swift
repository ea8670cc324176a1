// The form in which LeakReporter sends a frame without a name: an offset in an image.

extension ImageOffset {
    /// Bytes of an image's id: a build id of 32 bytes, in hexadecimal digits.
    package static let identifierBytes = 64

    /// The element of a report's `stack` for a place in an image: `0x41b9 in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)`.
    ///
    /// At most 512 bytes.
    ///
    /// - Parameters:
    ///   - offset: from the start of the image. On Apple's systems from its header, in an ELF image the address that the file
    ///     itself has for the place.
    ///   - path: of the image. Only the path of a system library is kept; of another image its name.
    ///   - imageID: the UUID of the image, or its GNU build id in hexadecimal digits.
    package static func element(offset: UInt64, path: String, imageID: String?) -> String {
        let text = Text(path)
        let image = SystemNames.isFolder(text) ? text : lastComponent(text)
        let name = image.cut(to: 256).map { $0 < 0x20 || $0 == UInt8(ascii: "(") ? UInt8(ascii: "_") : $0 }
        let id = imageID.map { " (\($0.prefix(identifierBytes)))" } ?? ""
        return "0x\(String(offset, radix: 16)) in \(name[...].string)\(id)"
    }

    private static func lastComponent(_ path: Text) -> Text {
        let slash = path.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return slash.map { path[($0 + 1)...] } ?? path
    }
}
