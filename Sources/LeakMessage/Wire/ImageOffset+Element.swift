// The form in which LeakReporter sends a frame without a name: an offset in an image.

extension ImageOffset {
    /// Limit of an image's identifier: the 64 hexadecimal digits of a build id of 32 bytes.
    package static let maxIdentifierBytes = 64

    /// Returns the element of a report's `stack` for an offset in an image:
    /// `0x41b9 in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)`.
    ///
    /// The element has at most 512 bytes.
    ///
    /// - Parameters:
    ///   - offset: the bytes from the image's header on Apple's systems; for an ELF image the virtual address that the file itself
    ///     declares.
    ///   - path: the path of the image. The element has the whole path of a library of the system, and only the file name of
    ///     another image.
    ///   - imageID: the UUID of the image, or its GNU build id in hexadecimal digits.
    package static func element(offset: UInt64, path: String, imageID: String?) -> String {
        let text = Text(path)
        let image = SystemNames.isSystemPath(text) ? text : lastComponent(text)
        let name = image.cut(to: 256).map { $0 < 0x20 || $0 == UInt8(ascii: "(") ? UInt8(ascii: "_") : $0 }
        let id = imageID.map { " (\($0.cut(to: maxIdentifierBytes)))" } ?? ""
        return "0x\(String(offset, radix: 16)) in \(name[...].string)\(id)"
    }

    private static func lastComponent(_ path: Text) -> Text {
        let slash = path.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return slash.map { path[($0 + 1)...] } ?? path
    }
}
