/// A check of descriptors before a type or a name is passed to the runtime, which follows their contents without a check.
///
/// Each relative reference must lead to a readable segment of an image; a reference to a function must lead to an executable
/// segment. Each count has a limit, and whole records lie in one segment.
struct DescriptorCheck {
    private typealias Context = DescriptorLayout.Context
    private typealias Fields = DescriptorLayout.Fields
    /// The maximum number of contexts inside contexts.
    private static let nestingLimit = 64

    private let images: ImageAddressMap

    init(_ images: ImageAddressMap) { self.images = images }

    /// Returns `true` if an address is the descriptor of a type of one kind.
    func isType(_ descriptor: UInt, _ kind: UInt32) -> Bool {
        let bytes = kind == Context.classKind ? Context.classBytes : Context.valueBytes
        guard descriptor & 3 == 0, images.contains(descriptor, count: bytes) else { return false }
        let flags = ImmortalMemory.uint32(descriptor &+ Context.flags)
        guard flags & Context.kindMask == kind, flags & Context.versionMask == 0, isContext(descriptor)
        else { return false }
        let access = ImmortalMemory.relativeTarget(descriptor &+ Context.accessFunction)
        let fields = ImmortalMemory.relativeTarget(descriptor &+ Context.fields)
        return (access == 0 || images.isCode(access)) && (fields == 0 || isFieldDescriptor(fields))
    }

    /// Returns `true` if an address is the descriptor of a context whose parents lead to a module.
    func isContext(_ descriptor: UInt) -> Bool {
        var current = descriptor
        for _ in 0..<Self.nestingLimit {
            guard current & 3 == 0, images.contains(current, count: 8) else { return false }
            let kind = ImmortalMemory.uint32(current &+ Context.flags) & Context.kindMask
            if kind == Context.moduleKind { return hasName(current) }
            let isType = (Context.classKind...Context.enumKind).contains(kind)
            guard isType ? hasName(current) : kind <= Context.lastOtherKind else { return false }
            let parent = ImmortalMemory.relativeTarget(current &+ Context.parent)
            current = parent & 1 == 0 ? parent : images.pointer(at: parent & ~1)
        }
        return false
    }

    private func hasName(_ descriptor: UInt) -> Bool {
        let name = ImmortalMemory.relativeTarget(descriptor &+ Context.name)
        return images.contains(name) && ImmortalMemory.byte(name) != 0
    }

    /// Returns `true` if an address is the descriptor of the fields of a type.
    func isFieldDescriptor(_ fields: UInt) -> Bool {
        guard images.contains(fields, count: Fields.records) else { return false }
        let count = ImmortalMemory.uint32(fields &+ Fields.count)
        let recordBytes = UInt(ImmortalMemory.uint16(fields &+ Fields.recordBytes))
        guard count > 0 else { return true }
        return recordBytes == Fields.knownRecordBytes && count < Fields.countLimit
            && images.contains(fields, count: Fields.records &+ UInt(count) &* recordBytes)
    }
}

extension ImageAddressMap {
    /// Returns the word at an address of an image; 0 if the address is in no image.
    func pointer(at address: UInt) -> UInt {
        contains(address, count: 8) ? ImmortalMemory.word(address) : 0
    }
}
