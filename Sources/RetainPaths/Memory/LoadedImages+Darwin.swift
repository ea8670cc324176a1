#if canImport(Darwin)
    internal import Darwin
    internal import MachO

    // Written for Apple's systems; neither compiled nor run there yet.
    extension LoadedImages {
        static var currentVersion: UInt64 { UInt64(_dyld_image_count()) }

        static func loadedImages() -> [Image] {
            (0..<_dyld_image_count()).compactMap { index in
                guard let header = unsafe _dyld_get_image_header(index),
                    let path = unsafe _dyld_get_image_name(index)
                else { return nil }
                let slide = UInt(bitPattern: _dyld_get_image_vmaddr_slide(index))
                return unsafe image(
                    UInt(bitPattern: header), slide: slide, path: String(cString: path), isProgram: index == 0
                )
            }
        }

        /// Reads the load commands `LC_UUID` and `LC_SEGMENT_64`. <mach-o/loader.h>
        private static func image(_ header: UInt, slide: UInt, path: String, isProgram: Bool) -> Image? {
            guard ImmortalMemory.uint32(header) == MH_MAGIC_64 else { return nil }
            var image = Image(
                addresses: 0..<0, base: header, name: lastComponent(path), identifier: nil, writable: [],
                isProgram: isProgram)
            var (start, end) = (UInt.max, UInt.min)
            var command = header &+ 32
            for _ in 0..<min(ImmortalMemory.uint32(header &+ 16), 512) {
                let kind = ImmortalMemory.uint32(command)
                if kind == UInt32(LC_UUID) {
                    image.identifier = hexadecimal((0..<16).map { ImmortalMemory.byte(command &+ 8 &+ $0) })
                } else if kind == UInt32(LC_SEGMENT_64) {
                    let name = ImmortalMemory.string(command &+ 8).prefix(16)
                    let first = ImmortalMemory.word(command &+ 24) &+ slide
                    let range = first..<(first &+ ImmortalMemory.word(command &+ 32))
                    if name != "__PAGEZERO", name != "__LINKEDIT", !range.isEmpty {
                        (start, end) = (min(start, range.lowerBound), max(end, range.upperBound))
                        if ImmortalMemory.uint32(command &+ 60) & UInt32(VM_PROT_WRITE) != 0 {
                            image.writable.append(range)
                        }
                    }
                }
                command &+= UInt(ImmortalMemory.uint32(command &+ 4))
            }
            // Libraries of the shared cache have their segments far apart, with segments of others in between.
            guard start < end else { return nil }
            image.addresses = start..<end
            return image
        }
    }
#endif
