/// The images in an ELF or Mach-O file, parsed from its headers. The caller reads the bytes.
package struct ObjectFile: Sendable {
    /// The image for one architecture.
    package struct Slice: Hashable, Sendable {
        package var image: ImageID
        /// Name of the architecture for LLVM's tools: `arm64`, `x86_64`.
        package var architecture: String
        /// The address from which the offsets of frames count: the address of `__TEXT` in Mach-O, 0 in ELF.
        package var base: UInt64
        /// Address ranges that contain all machine code.
        package var code: [Range<UInt64>]
    }

    /// Error for a file without an image that symbols can be created for.
    package struct Unreadable: Error, Hashable, CustomStringConvertible {
        package var description: String
        package init(_ description: String) { self.description = description }
    }

    /// One slice for each architecture of the file.
    package let slices: [Slice]
    package let isMachO: Bool

    /// Maximum bytes of load commands or headers that are read.
    private static let maxHeaderBytes = 1 << 20

    /// Parses the headers of a file.
    ///
    /// - Parameter read: returns bytes from an offset on, fewer at the end of the file.
    package init(_ read: (_ offset: UInt64, _ count: Int) throws -> [UInt8]) throws {
        let magic = try read(0, 4)
        switch magic {
        case [0x7F, 0x45, 0x4C, 0x46]:
            isMachO = false
            slices = [try Self.parseELF(read)]
        case [0xCF, 0xFA, 0xED, 0xFE]:
            isMachO = true
            slices = [try Self.parseMachO(at: 0, read)]
        case [0xCA, 0xFE, 0xBA, 0xBE], [0xCA, 0xFE, 0xBA, 0xBF]:
            isMachO = true
            slices = try Self.parseUniversal(is64: magic[3] == 0xBF, read)
        default: throw Unreadable("it is not a 64-bit ELF or Mach-O file")
        }
    }

    // MARK: ELF. https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html

    private static func parseELF(_ read: (UInt64, Int) throws -> [UInt8]) throws -> Slice {
        let head = Fields(try read(0, 64))
        guard head[4, 1] == 2, head[5, 1] == 1 else {
            throw Unreadable("it is not a little-endian 64-bit ELF file")
        }
        let architecture =
            switch head[18, 2] {
            case 62: "x86_64"
            case 183: "aarch64"
            default: "machine \(head[18, 2])"
            }
        var code: [Range<UInt64>] = []
        let segments = Fields(try read(head[32, 8], min(Int(head[56, 2]) * 56, maxHeaderBytes)))
        for start in stride(from: 0, to: segments.count - 55, by: 56) {
            let (address, size) = (segments[start + 16, 8], segments[start + 40, 8])
            guard segments[start, 4] == 1, segments[start + 4, 4] & 1 != 0,
                let range = range(address, size)
            else { continue }
            code.append(range)
        }
        // The notes contain the build id. They are found by sections, because a file with only debug data has sections too,
        // and also by segments, because a file may have no sections.
        let sections = Fields(try read(head[40, 8], min(Int(head[60, 2]) * 64, maxHeaderBytes)))
        var notes: [(offset: UInt64, size: UInt64)] = []
        for start in stride(from: 0, to: sections.count - 63, by: 64) where sections[start + 4, 4] == 7 {
            notes.append((sections[start + 24, 8], sections[start + 32, 8]))
        }
        for start in stride(from: 0, to: segments.count - 55, by: 56) where segments[start, 4] == 4 {
            notes.append((segments[start + 8, 8], segments[start + 32, 8]))
        }
        for note in notes {
            let size = Int(clamping: min(note.size, 1 << 16))
            guard let id = buildID(in: try read(note.offset, size)) else { continue }
            return Slice(image: ImageID(buildID: id), architecture: architecture, base: 0, code: code)
        }
        throw Unreadable(
            "it has no build id; link it with --build-id, as -Xlinker --build-id does for swiftc")
    }

    private static func buildID(in bytes: [UInt8]) -> [UInt8]? {
        let notes = Fields(bytes)
        var position = 0
        while position + 12 <= bytes.count {
            let (nameSize, size) = (Int(notes[position, 4]), Int(notes[position + 4, 4]))
            let start = position + 12 + (nameSize + 3) & ~3
            guard nameSize <= bytes.count, size <= bytes.count, start + size <= bytes.count else {
                return nil
            }
            let isGNUBuildID = notes[position + 8, 4] == 3 && nameSize == 4 && (8...32).contains(size)
            if isGNUBuildID, bytes[(position + 12)...].starts(with: "GNU\0".utf8) {
                return Array(bytes[start..<(start + size)])
            }
            position = start + (size + 3) & ~3
        }
        return nil
    }

    // MARK: Mach-O. <mach-o/loader.h>, <mach-o/fat.h>

    private static func parseUniversal(
        is64: Bool, _ read: (UInt64, Int) throws -> [UInt8]
    ) throws -> [Slice] {
        let head = Fields(try read(0, 4096), isBigEndian: true)
        let (count, entryBytes) = (Int(head[4, 4]), is64 ? 32 : 20)
        // A class file of Java has the same first bytes, followed by a larger number.
        guard (1...32).contains(count) else { throw Unreadable("it is not a 64-bit ELF or Mach-O file") }
        return try (0..<count).map { index in
            let start = 8 + index * entryBytes
            return try parseMachO(at: is64 ? head[start + 8, 8] : head[start + 8, 4], read)
        }
    }

    private static func parseMachO(
        at offset: UInt64, _ read: (UInt64, Int) throws -> [UInt8]
    ) throws -> Slice {
        let head = Fields(try read(offset, 32))
        let (start, isTooLarge) = offset.addingReportingOverflow(32)
        guard !isTooLarge, head[0, 4] == 0xFEED_FACF else {
            throw Unreadable("a part of it is not a 64-bit Mach-O file")
        }
        let commands = Fields(try read(start, min(Int(head[20, 4]), maxHeaderBytes)))
        var image: ImageID?
        var text: Range<UInt64>?
        var position = 0
        while position + 8 <= commands.count {
            let (kind, size) = (commands[position, 4], Int(commands[position + 4, 4]))
            guard size >= 8, position + size <= commands.count else { break }
            if kind == 0x1B, size >= 24 {
                image = ImageID(bytes: commands.bytes[(position + 8)..<(position + 24)])
            } else if kind == 0x19, size >= 40,
                commands.bytes[(position + 8)..<(position + 24)].prefix(while: { $0 != 0 })
                    .elementsEqual("__TEXT".utf8)
            {
                text = range(commands[position + 24, 8], commands[position + 32, 8])
            }
            position += size
        }
        guard let image else { throw Unreadable("it has no UUID; do not link it with -no_uuid") }
        guard let text else { throw Unreadable("it has no segment __TEXT") }
        let architecture =
            switch (head[4, 4], head[8, 4] & 0xFF) {
            case (0x0100_000C, 2): "arm64e"
            case (0x0100_000C, _): "arm64"
            case (0x0100_0007, _): "x86_64"
            default: "cputype \(head[4, 4])"
            }
        return Slice(image: image, architecture: architecture, base: text.lowerBound, code: [text])
    }

    private static func range(_ start: UInt64, _ size: UInt64) -> Range<UInt64>? {
        let (end, isTooLarge) = start.addingReportingOverflow(size)
        return isTooLarge || size == 0 ? nil : start..<end
    }

    /// Numbers in a byte array. A number beyond the end is 0.
    private struct Fields {
        let bytes: [UInt8]
        var isBigEndian = false

        init(_ bytes: [UInt8], isBigEndian: Bool = false) {
            self.bytes = bytes
            self.isBigEndian = isBigEndian
        }

        var count: Int { bytes.count }

        subscript(offset: Int, size: Int) -> UInt64 {
            guard offset >= 0, offset + size <= bytes.count else { return 0 }
            var number: UInt64 = 0
            for index in 0..<size {
                let byteIndex = isBigEndian ? index : size - 1 - index
                number = number << 8 | UInt64(bytes[offset + byteIndex])
            }
            return number
        }
    }
}
