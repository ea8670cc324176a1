#if canImport(Darwin)
    internal import Darwin
    internal import MachO

    // Written for Apple's systems; neither compiled nor run there yet.
    extension ImageAddressMap {
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
                segments: [], base: header, name: lastComponent(path), identifier: nil,
                isProgram: isProgram)
            var command = header &+ 32
            for _ in 0..<min(ImmortalMemory.uint32(header &+ 16), 512) {
                let kind = ImmortalMemory.uint32(command)
                if kind == UInt32(LC_UUID) {
                    image.identifier = hexadecimal((0..<16).map { ImmortalMemory.byte(command &+ 8 &+ $0) })
                } else if kind == UInt32(LC_SEGMENT_64) {
                    let name = ImmortalMemory.string(command &+ 8).prefix(16)
                    let first = ImmortalMemory.word(command &+ 24) &+ slide
                    let range = first..<max(first, first &+ ImmortalMemory.word(command &+ 32))
                    if name != "__PAGEZERO", name != "__LINKEDIT", !range.isEmpty {
                        // <mach-o/loader.h>: segment_command_64.initprot
                        let protection = ImmortalMemory.uint32(command &+ 60)
                        image.segments.append(
                            Segment(
                                addresses: range, isReadable: protection & UInt32(VM_PROT_READ) != 0,
                                isWritable: protection & UInt32(VM_PROT_WRITE) != 0,
                                isExecutable: protection & UInt32(VM_PROT_EXECUTE) != 0))
                    }
                }
                command &+= UInt(ImmortalMemory.uint32(command &+ 4))
            }
            return image.segments.isEmpty ? nil : image
        }
    }
#endif
