#if os(Linux)
    import CLeakLinux
    import CLeakRemoteMirror
    import Foundation
    import Glibc

    @testable import RetainPaths

    /// The toolchain's libswiftRemoteMirror, which debuggers use. It computes layouts independently from reflection metadata.
    ///
    /// It is opened at run time and reads this process through ``CheckedMemory``.
    @safe final class RemoteMirror {
        /// A field as the library describes it.
        struct Field {
            var name: String
            var offset: Int
            var kind: UInt32
            /// The library's number for the type of the field.
            var type: UInt64
        }

        private let context: cmirror_context
        private let metadataInfo: cmirror_metadata_info
        private let metadataChild: cmirror_metadata_child
        private let typeInfo: cmirror_type_info
        private let typeChild: cmirror_type_child

        /// The path of the library beside the runtime of this process.
        static var path: String? {
            ElfImage.loaded().lazy.filter { $0.path.hasSuffix("/libswiftCore.so") }
                .map { $0.path.dropLast("libswiftCore.so".count) + "libswiftRemoteMirror.so" }
                .first { FileManager.default.fileExists(atPath: $0) }
        }

        init?(_ images: [ElfImage]) {
            // The library stays open, because an image must not be unloaded while other tests walk.
            guard let path = Self.path, let library = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL),
                let create = unsafe dlsym(library, "swift_reflection_createReflectionContext"),
                let addImage = unsafe dlsym(library, "swift_reflection_addReflectionInfo"),
                let metadataInfo = unsafe dlsym(library, "swift_reflection_infoForMetadata"),
                let metadataChild = unsafe dlsym(library, "swift_reflection_childOfMetadata"),
                let typeInfo = unsafe dlsym(library, "swift_reflection_infoForTypeRef"),
                let typeChild = unsafe dlsym(library, "swift_reflection_childOfTypeRef"),
                let context = unsafe unsafeBitCast(create, to: cmirror_create.self)(
                    nil, 8, { _, bytes, _ in unsafe free(UnsafeMutableRawPointer(mutating: bytes)) },
                    { _, address, count, _ in
                        guard count < 1 << 24, let copy = unsafe malloc(max(Int(count), 1)) else {
                            return nil
                        }
                        if unsafe CheckedMemory.read(UInt(address), count: Int(count), into: copy) {
                            return UnsafeRawPointer(copy)
                        }
                        unsafe free(copy)
                        return nil
                    },
                    { _, address in UInt64(ImmortalMemory.string(UInt(address)).utf8.count) },
                    { _, name, _ in
                        unsafe name.map { unsafe UInt64(UInt(bitPattern: dlsym(nil, $0))) } ?? 0
                    })
            else { return nil }
            unsafe self.context = unsafe context
            unsafe self.metadataInfo = unsafe unsafeBitCast(metadataInfo, to: cmirror_metadata_info.self)
            unsafe self.metadataChild = unsafe unsafeBitCast(metadataChild, to: cmirror_metadata_child.self)
            unsafe self.typeInfo = unsafe unsafeBitCast(typeInfo, to: cmirror_type_info.self)
            unsafe self.typeChild = unsafe unsafeBitCast(typeChild, to: cmirror_type_child.self)
            let add = unsafe unsafeBitCast(addImage, to: cmirror_add_image.self)
            for image in images {
                func section(_ name: String) -> cmirror_section {
                    let range = image.sections[name] ?? 0..<0
                    return unsafe cmirror_section(
                        begin: UnsafeRawPointer(bitPattern: range.lowerBound),
                        end: UnsafeRawPointer(bitPattern: range.upperBound), offset: 0)
                }
                unsafe add(
                    context,
                    cmirror_image(
                        fields: section("swift5_fieldmd"), associated_types: section("swift5_assocty"),
                        builtin_types: section("swift5_builtin"), captures: section("swift5_capture"),
                        type_references: section("swift5_typeref"), strings: section("swift5_reflstr"),
                        local_start: UInt64(image.bias), remote_start: UInt64(image.bias)))
            }
        }

        /// Returns the size of an instance of a class in bytes, and the fields that the class itself declares; `nil` if
        /// the library knows none.
        func fields(ofClass metadata: UInt) -> (size: Int, fields: [Field])? {
            let info = unsafe metadataInfo(context, metadata)
            guard info.kind == cmirror_class_instance.rawValue else { return nil }
            return (
                Int(info.size),
                (0..<info.field_count).map { unsafe field(metadataChild(context, metadata, $0)) }
            )
        }

        /// Returns the kind of a type, and the fields or payloads in its values.
        func fields(ofType type: UInt64) -> (kind: UInt32, fields: [Field]) {
            let info = unsafe typeInfo(context, type)
            return (info.kind, (0..<info.field_count).map { unsafe field(typeChild(context, type, $0)) })
        }

        /// Returns the size of an instance of a class in bytes, and its fields, starting with those of its superclasses;
        /// `nil` if one of the classes is unknown.
        func allFields(of type: Metadata) -> (size: Int, fields: [Field])? {
            guard let own = fields(ofClass: type.address) else { return nil }
            guard let superclass = type.superclass, superclass.isClass else { return own }
            return allFields(of: superclass).map { (own.size, $0.fields + own.fields) }
        }

        /// Returns the references that a field can contain. For an enum, combines the references of all cases.
        func references(_ field: Field, at start: Int = 0) -> Set<MirroredReference> {
            let offset = start + field.offset
            switch cmirror_kind(field.kind) {
            case cmirror_strong, cmirror_class_existential, cmirror_error_existential:
                return [.init(offset: offset, kind: .object)]
            case cmirror_function: return [.init(offset: offset, kind: .function)]
            case cmirror_opaque_existential: return [.init(offset: offset, kind: .existential)]
            case cmirror_tuple, cmirror_struct, cmirror_enum_with_one_payload, cmirror_enum_with_payloads:
                return Set(fields(ofType: field.type).fields.flatMap { references($0, at: offset) })
            case cmirror_unknown: return [.init(offset: offset, kind: .unknown)]
            default: return []
            }
        }

        private func field(_ child: cmirror_child) -> Field {
            unsafe Field(
                name: child.name.map { unsafe String(cString: $0) } ?? "", offset: Int(child.offset),
                kind: child.kind, type: child.type)
        }
    }

    /// A reference in an object, as this module and the library describe it.
    struct MirroredReference: Hashable, CustomStringConvertible {
        enum Kind: String { case object, function, existential, unknown }
        var offset: Int
        var kind: Kind
        var description: String { "\(kind.rawValue) at \(offset)" }
    }

    /// A program or library of this process and where its sections lie in memory.
    struct ElfImage {
        var path: String
        var bias: UInt
        var sections: [String: Range<UInt>] = [:]

        /// Returns all loaded images, with their sections of reflection metadata. dl_iterate_phdr(3)
        static func loaded() -> [ElfImage] {
            var images: [ElfImage] = []
            _ = unsafe withUnsafeMutablePointer(to: &images) { images in
                unsafe clinux_iterate_images(
                    { image, _, context in
                        guard let image = unsafe image?.pointee, let context = unsafe context else {
                            return 1
                        }
                        let images = unsafe context.assumingMemoryBound(to: [ElfImage].self)
                        let path = unsafe image.path.map { unsafe String(cString: $0) } ?? ""
                        unsafe images.pointee.append(
                            ElfImage(path: path.isEmpty ? "/proc/self/exe" : path, bias: UInt(image.bias)))
                        return 0
                    }, images)
            }
            return images.map { image in
                var image = image
                image.readSections()
                return image
            }
        }

        /// Reads the headers of the file's sections. https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.sheader.html
        private mutating func readSections() {
            guard let file = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped),
                file.count > 64
            else { return }
            func word(_ offset: Int) -> Int {
                unsafe file.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Int.self) }
            }
            func half(_ offset: Int) -> Int { word(offset) & 0xFFFF }
            let (headers, count, names) = (word(0x28), half(0x3C), half(0x3E))
            let texts = word(headers + names * 64 + 24)
            for index in 0..<count {
                let header = headers + index * 64
                let text = file[(texts + word(header) & 0xFFFF_FFFF)...].prefix { $0 != 0 }
                let name = String(decoding: text, as: UTF8.self)
                guard name.hasPrefix("swift5_") else { continue }
                let start = bias + UInt(word(header + 16))
                sections[name] = start..<(start + UInt(word(header + 32)))
            }
        }
    }
#endif
