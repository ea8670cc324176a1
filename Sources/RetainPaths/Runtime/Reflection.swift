internal import CLeakSwiftRuntime

/// Queries to the runtime about types, so that no layout of fields is computed here.
///
/// The runtime checks nothing. The comment of each function states what its caller must have validated.
enum Reflection {
    /// A stored property of a class or struct, or an element of a tuple.
    struct Field {
        var name: String
        var offset: Int
        var type: Metadata
        /// `false` for weak, unowned and unmanaged references.
        var isStrong: Bool
    }

    /// `true` if the runtime has the functions that the queries need.
    static var isAvailable: Bool { cswift_can_reflect() }

    /// The offsets that fields can have: no object is as large as 16 MiB.
    private static let offsets = 0..<(1 << 24)

    /// Returns the fields of a type, starting with those of its superclasses.
    ///
    /// Noncopyable fields have the type `Void`.
    ///
    /// - Parameter type: validated by ``ObjectReader`` or given by the runtime.
    static func fields(of type: Metadata) -> [Field] {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: type.address) else { return [] }
        let count = unsafe cswift_field_count(pointer)
        guard count > 0, count < 1 << 16 else { return [] }
        return (0..<count).compactMap { index in
            var field = unsafe cswift_field()
            guard let fieldType = unsafe cswift_field_type(pointer, index, &field) else { return nil }
            let name = unsafe field.name.map { unsafe String(cString: $0) } ?? ""
            if let free = unsafe field.free_name { unsafe free(field.name) }
            let offset = unsafe cswift_field_offset(pointer, index)
            guard offsets.contains(offset) else { return nil }
            return Field(
                name: name, offset: offset,
                type: Metadata(UInt(bitPattern: fieldType)), isStrong: unsafe field.is_strong)
        }
    }

    /// Returns the metadata of a tuple without labels; `nil` for fewer than two elements.
    ///
    /// - Parameter elements: validated by ``ObjectReader``.
    static func tuple(of elements: [Metadata]) -> Metadata? {
        guard elements.count > 1 else { return nil }
        let pointers = unsafe elements.map { unsafe UnsafeRawPointer(bitPattern: $0.address) }
        let tuple = unsafe pointers.withUnsafeBufferPointer {
            unsafe cswift_tuple_metadata($0.baseAddress, $0.count)
        }
        return unsafe tuple.map { Metadata(UInt(bitPattern: $0)) }
    }

    /// Resolves a mangled name.
    ///
    /// - Parameters:
    ///   - name: a name for which ``MangledName/isSafe(_:)`` is `true`.
    ///   - context: the descriptor whose generic parameters the name uses; 0 for no context.
    ///   - arguments: the address of its generic arguments.
    static func type(named name: MangledName, context: UInt = 0, arguments: UInt = 0) -> Metadata? {
        guard let bytes = unsafe UnsafePointer<UInt8>(bitPattern: name.address), name.count > 0 else {
            return nil
        }
        let type = unsafe _getTypeByMangledNameInContext(
            bytes, UInt(name.count), genericContext: UnsafeRawPointer(bitPattern: context),
            genericArguments: UnsafeRawPointer(bitPattern: arguments))
        return type.map(Metadata.init)
    }

    /// The metadata of slabs, where tasks keep the frames of suspended functions; 0 without concurrency.
    static let taskSlabMetadata: UInt = UInt(cswift_task_slab_metadata())
    /// The class of blocks in the heap; 0 without blocks.
    static let heapBlockClass: UInt = UInt(cswift_heap_block_class())

    /// Returns the tag of an enum value's case.
    ///
    /// This function and ``projectEnumData(_:_:)`` only compute with the bytes of the value, which may be garbage: a tag out of
    /// range is possible. An ``EnumLayout`` contains only functions in executable segments of images.
    static func enumTag(_ value: UnsafeMutableRawPointer, _ layout: EnumLayout) -> UInt32 {
        typealias Function = @convention(c) (UnsafeMutableRawPointer, UInt) -> UInt32
        return unsafe unsafeBitCast(layout.enumTag, to: Function.self)(value, layout.metadata)
    }

    /// Replaces an enum value by the payload of its case.
    static func projectEnumData(_ value: UnsafeMutableRawPointer, _ layout: EnumLayout) {
        typealias Function = @convention(c) (UnsafeMutableRawPointer, UInt) -> Void
        unsafe unsafeBitCast(layout.projectEnumData, to: Function.self)(value, layout.metadata)
    }
}
