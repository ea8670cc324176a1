import LeakMessage
internal import LeakPlatform

#if canImport(Darwin)
    internal import Darwin
    internal import MachO
#else
    internal import CLeakLinux
    internal import Glibc
#endif

/// The executable and the libraries that this process has loaded. The list is updated when ``version`` has changed.
struct LoadedImages: Sendable {
    struct Image: Sendable {
        /// The address range of its code.
        var addresses: Range<UInt>
        /// The address that offsets count from: on Apple's systems the header; in ELF the load bias.
        var base: UInt
        var path: String
        var id: String?
    }

    /// The list as of the last call.
    private static let cache = Guarded<LoadedImages?>(nil)

    /// The version of the list. On Linux it changes with each image that is loaded or unloaded. On Apple's systems it is the number
    /// of images, so that an unload followed by a load is not noticed.
    private var version: UInt64
    /// The images, sorted by address.
    private var images: [Image]

    /// Returns the stack elements of a report for addresses; addresses outside of all images are left out.
    static func elements(of addresses: [UInt]) -> [String] {
        cache.with { cached in
            let version = currentVersion
            if cached?.version != version {
                cached = LoadedImages(version: version, images: readLoadedImages())
            }
            return addresses.compactMap { cached?.element(of: $0) }
        }
    }

    private init(version: UInt64, images: [Image]) {
        self.version = version
        self.images = images.sorted { $0.addresses.lowerBound < $1.addresses.lowerBound }
    }

    private func element(of address: UInt) -> String? {
        var (low, high) = (0, images.count)
        while low < high {
            let middle = (low + high) / 2
            if images[middle].addresses.upperBound <= address { low = middle + 1 } else { high = middle }
        }
        guard low < images.count, images[low].addresses.contains(address) else { return nil }
        let image = images[low]
        return ImageOffset.element(offset: UInt64(address &- image.base), path: image.path, imageID: image.id)
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

#if canImport(Darwin)
    extension LoadedImages {
        private static var currentVersion: UInt64 { UInt64(_dyld_image_count()) }

        private static func readLoadedImages() -> [Image] {
            (0..<_dyld_image_count()).compactMap { index in
                guard let header = unsafe _dyld_get_image_header(index),
                    let path = unsafe _dyld_get_image_name(index)
                else { return nil }
                return unsafe image(UnsafeRawPointer(header), path: String(cString: path))
            }
        }

        /// Parses the load commands `LC_UUID` and `LC_SEGMENT_64` of `__TEXT`.
        private static func image(_ start: UnsafeRawPointer, path: String) -> Image? {
            let header = unsafe start.load(as: mach_header_64.self)
            guard header.magic == MH_MAGIC_64 else { return nil }
            let base = UInt(bitPattern: start)
            var image = Image(addresses: base..<base, base: base, path: path)
            var command = unsafe start + MemoryLayout<mach_header_64>.size
            for _ in 0..<header.ncmds {
                let kind = unsafe command.load(as: load_command.self)
                if kind.cmd == UInt32(LC_UUID) {
                    let uuid = unsafe command.loadUnaligned(as: uuid_command.self).uuid
                    image.id = unsafe withUnsafeBytes(of: uuid) { unsafe hexadecimal($0) }
                } else if kind.cmd == UInt32(LC_SEGMENT_64) {
                    let segment = unsafe command.loadUnaligned(as: segment_command_64.self)
                    let isText = unsafe withUnsafeBytes(of: segment.segname) {
                        unsafe $0.prefix { $0 != 0 }.elementsEqual("__TEXT".utf8)
                    }
                    if isText { image.addresses = base..<(base &+ UInt(segment.vmsize)) }
                }
                unsafe command += Int(kind.cmdsize)
            }
            return image
        }
    }
#else
    extension LoadedImages {
        private static var currentVersion: UInt64 {
            var version: UInt64 = 0
            _ = unsafe withUnsafeMutablePointer(to: &version) { version in
                unsafe clinux_iterate_images(
                    { image, _, context in
                        guard let image = unsafe image, let context = unsafe context else { return 1 }
                        unsafe context.storeBytes(
                            of: image.pointee.loads &+ image.pointee.unloads, as: UInt64.self)
                        return 1
                    }, version)
            }
            return version
        }

        private static func readLoadedImages() -> [Image] {
            var images: [Image] = []
            _ = unsafe withUnsafeMutablePointer(to: &images) { images in
                unsafe clinux_iterate_images(
                    { image, _, context in
                        guard let image = unsafe image?.pointee, let context = unsafe context else {
                            return 1
                        }
                        let images = unsafe context.assumingMemoryBound(to: [Image].self)
                        unsafe images.pointee += LoadedImages.images(of: image)
                        return 0
                    }, images)
            }
            return images
        }

        /// Returns one image per segment with code.
        private static func images(of loadedImage: clinux_image) -> [Image] {
            let bias = UInt(unsafe loadedImage.bias)
            var path = unsafe loadedImage.path.map { unsafe String(cString: $0) } ?? ""
            if path.isEmpty { path = executablePath }
            var id: String?
            var segments: [Range<UInt>] = []
            guard let headers = unsafe loadedImage.headers else { return [] }
            for index in 0..<Int(unsafe loadedImage.header_count) {
                let header = unsafe headers[index]
                let start = bias &+ UInt(header.p_vaddr)
                if header.p_type == UInt32(PT_LOAD), header.p_flags & UInt32(PF_X) != 0 {
                    segments.append(start..<(start &+ UInt(header.p_memsz)))
                } else if header.p_type == UInt32(PT_NOTE), id == nil,
                    let notes = unsafe UnsafeRawPointer(bitPattern: start)
                {
                    id = unsafe buildID(
                        in: UnsafeRawBufferPointer(start: notes, count: Int(header.p_memsz)),
                        alignment: header.p_align == 8 ? 8 : 4)
                }
            }
            return segments.map { Image(addresses: $0, base: bias, path: path, id: id) }
        }

        /// Finds the note `NT_GNU_BUILD_ID`. https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.pheader.html#note_section
        private static func buildID(in notes: UnsafeRawBufferPointer, alignment: Int) -> String? {
            func aligned(_ count: Int) -> Int { (count + alignment - 1) & ~(alignment - 1) }
            var position = 0
            while position + 12 <= notes.count {
                let nameSize = unsafe Int(notes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
                let size = unsafe Int(notes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
                let kind = unsafe notes.loadUnaligned(fromByteOffset: position + 8, as: UInt32.self)
                let name = position + 12
                let start = aligned(name + nameSize)
                guard start + size <= notes.count else { return nil }
                if kind == UInt32(NT_GNU_BUILD_ID), nameSize == 4,
                    unsafe notes[name..<(name + 4)].elementsEqual("GNU\0".utf8), (8...32).contains(size)
                {
                    return unsafe hexadecimal(notes[start..<(start + size)])
                }
                position = aligned(start + size)
            }
            return nil
        }

        /// The path of the executable, which the loader does not report.
        private static let executablePath: String = {
            var bytes = [CChar](repeating: 0, count: 4096)
            let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
            guard count > 0 else { return CommandLine.arguments.first ?? "program" }
            return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }()
    }
#endif
