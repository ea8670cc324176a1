#if canImport(Glibc)
    internal import CLeakLinux
    internal import Glibc

    extension ImageAddressMap {
        /// The number of images that were loaded and unloaded so far. dl_iterate_phdr(3): `dlpi_adds` and `dlpi_subs`
        static var currentVersion: UInt64 {
            var version: UInt64 = 0
            _ = unsafe withUnsafeMutablePointer(to: &version) { version in
                unsafe clinux_iterate_images(
                    { image, _, context in
                        guard let image = unsafe image, let context = unsafe context else { return 1 }
                        let changes = unsafe image.pointee.loads &+ image.pointee.unloads
                        unsafe context.storeBytes(of: changes, as: UInt64.self)
                        return 1
                    }, version)
            }
            return version
        }

        static func loadedImages() -> [Image] {
            var images: [Image] = []
            _ = unsafe withUnsafeMutablePointer(to: &images) { images in
                unsafe clinux_iterate_images(
                    { image, _, context in
                        guard let image = unsafe image?.pointee, let context = unsafe context else {
                            return 1
                        }
                        let images = unsafe context.assumingMemoryBound(to: [Image].self)
                        let isProgram = unsafe images.pointee.isEmpty
                        if let image = unsafe ImageAddressMap.image(image, isProgram: isProgram) {
                            unsafe images.pointee.append(image)
                        }
                        return 0
                    }, images)
            }
            return images
        }

        /// - Parameter isProgram: `true` for the first image of the list, which is the program. dl_iterate_phdr(3)
        private static func image(_ loaded: clinux_image, isProgram: Bool) -> Image? {
            guard let headers = unsafe loaded.headers else { return nil }
            let bias = UInt(unsafe loaded.bias)
            let path = unsafe loaded.path.map { unsafe String(cString: $0) } ?? ""
            var image = Image(
                segments: [], base: bias, name: isProgram ? programName : lastComponent(path),
                identifier: nil, isProgram: isProgram)
            for index in 0..<Int(unsafe loaded.header_count) {
                let header = unsafe headers[index]
                let first = bias &+ UInt(header.p_vaddr)
                let range = first..<max(first, first &+ UInt(header.p_memsz))
                switch header.p_type {
                case UInt32(PT_LOAD):
                    image.segments.append(
                        Segment(
                            addresses: range, isReadable: header.p_flags & UInt32(PF_R) != 0,
                            isWritable: header.p_flags & UInt32(PF_W) != 0,
                            isExecutable: header.p_flags & UInt32(PF_X) != 0))
                case UInt32(PT_NOTE) where image.identifier == nil:
                    image.identifier = buildID(in: range, alignment: header.p_align == 8 ? 8 : 4)
                default: break
                }
            }
            return image.segments.isEmpty ? nil : image
        }

        /// Finds the note `NT_GNU_BUILD_ID`.
        /// https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.pheader.html#note_section
        private static func buildID(in notes: Range<UInt>, alignment: Int) -> String? {
            var position = notes.lowerBound
            while position + 12 <= notes.upperBound {
                let nameBytes = UInt(ImmortalMemory.uint32(position))
                let bytes = UInt(ImmortalMemory.uint32(position + 4))
                let kind = ImmortalMemory.uint32(position + 8)
                let start = position + UInt(Int(12 + nameBytes).aligned(to: alignment))
                guard nameBytes < 4096, bytes < 4096, start + bytes <= notes.upperBound else { return nil }
                if kind == UInt32(NT_GNU_BUILD_ID), ImmortalMemory.string(position + 12) == "GNU" {
                    return hexadecimal((0..<bytes).map { ImmortalMemory.byte(start + $0) })
                }
                position = start + UInt(Int(bytes).aligned(to: alignment))
            }
            return nil
        }

        private static let programName: String? = {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                guard let start = buffer.baseAddress else { return 0 }
                return unsafe readlink(
                    "/proc/self/exe", start.assumingMemoryBound(to: CChar.self), buffer.count)
            }
            return count > 0 ? lastComponent(String(decoding: bytes.prefix(count), as: UTF8.self)) : nil
        }()
    }
#endif
