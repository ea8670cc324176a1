/// Checks that a word of memory is the address of metadata, before it is used as such. The checks read only through
/// ``PageSnapshot``, because a word may have any value.
///
/// `RandomAddressTests` walks from random addresses while another thread changes objects.
extension ObjectReader {
    private static let nestingLimit = 8

    /// Returns `true` if an address is class metadata of Swift.
    ///
    /// The runtime allocates metadata of generic classes and of subclasses of resilient classes; other metadata lies in an
    /// image.
    mutating func isClass(_ address: UInt) -> Bool {
        typealias Class = MetadataLayout.Class
        typealias Context = DescriptorLayout.Context
        guard Self.isAddress(address), let kind = memory.word(address), MetadataLayout.Kind.isClass(kind),
            let descriptor = memory.word(address &+ UInt(Class.descriptor)),
            DescriptorCheck(images).isType(descriptor, Context.classKind),
            let sizes = memory.word(address &+ UInt(Class.instanceSize)),
            (16..<(1 << 24)).contains(sizes & 0xFFFF_FFFF), sizes >> 32 & 0xFFFF < 4096,
            let extent = memory.word(address &+ UInt(Class.metadataSize)),
            (40..<(1 << 20)).contains(extent & 0xFFFF_FFFF), extent >> 32 < 1024,
            extent >> 32 < extent & 0xFFFF_FFFF,
            // The last word of the metadata can be read: the runtime reads the offsets of fields in the words before it.
            memory.word((address &+ (extent & 0xFFFF_FFFF) &- (extent >> 32) &- 8) & ~7) != nil,
            let destroy = memory.word(address &+ UInt(bitPattern: MetadataLayout.destroy)),
            images.isCode(destroy),
            hasWitnesses(address), isInPlace(address, descriptor)
        else { return false }
        return hasSuperclasses(address)
    }

    /// Returns `true` if metadata lies where the compiler or the runtime puts it, and not in a copy of a page.
    private mutating func isInPlace(_ address: UInt, _ descriptor: UInt) -> Bool {
        typealias Context = DescriptorLayout.Context
        if images.contains(address) { return true }
        let flags = ImmortalMemory.uint32(descriptor)
        let isResilient =
            flags & Context.hasResilientSuperclassFlag != 0 && flags & Context.kindMask == Context.classKind
        guard !memory.owns(address) else { return false }
        return flags & Context.isGenericFlag != 0 ? hasArguments(address, descriptor) : isResilient
    }

    /// Returns `true` if the type arguments and witness tables of generic metadata can be read.
    private mutating func hasArguments(_ address: UInt, _ descriptor: UInt) -> Bool {
        typealias Context = DescriptorLayout.Context
        let isClass = ImmortalMemory.uint32(descriptor) & Context.kindMask == Context.classKind
        let header = descriptor &+ (isClass ? Context.classBytes : Context.valueBytes)
        let count = ImmortalMemory.uint16(header &+ Context.keyArgumentCount)
        guard images.contains(header, count: 16), count < 64,
            let offset = Metadata(address).genericArgumentsOffset
        else { return false }
        for index in 0..<UInt(count) {
            guard let argument = memory.word(address &+ UInt(offset) &+ 8 &* index),
                // Bit 0 marks packs of types in the heap.
                memory.word(argument & ~7) != nil
            else { return false }
        }
        return true
    }

    /// Returns `true` if the superclasses lead to a root class.
    private mutating func hasSuperclasses(_ address: UInt) -> Bool {
        var current = address
        for _ in 0..<64 {
            guard let superclass = memory.word(current &+ UInt(MetadataLayout.Class.superclass)) else {
                return false
            }
            if superclass == 0 { return true }
            #if canImport(Darwin)
                // On Apple's systems root classes are classes of Objective-C, which have no descriptor.
                if images.contains(superclass) { return true }
            #endif
            guard Self.isAddress(superclass), let kind = memory.word(superclass),
                MetadataLayout.Kind.isClass(kind),
                let descriptor = memory.word(superclass &+ UInt(MetadataLayout.Class.descriptor)),
                DescriptorCheck(images).isType(descriptor, DescriptorLayout.Context.classKind)
            else { return false }
            current = superclass
        }
        return false
    }

    /// Returns `true` if an address is metadata of a type for which a layout can be computed.
    mutating func isType(_ address: UInt) -> Bool { isType(address, nesting: 0) }

    private mutating func isType(_ address: UInt, nesting: Int) -> Bool {
        typealias Kind = MetadataLayout.Kind
        guard Self.isAddress(address), nesting < Self.nestingLimit else { return false }
        if layouts.types.isKnown(address) { return true }
        guard let kind = memory.word(address) else { return false }
        if Kind.isClass(kind) { return isClass(address) }
        switch kind {
        case Kind.structure: return isNominal(address, DescriptorLayout.Context.structKind)
        case Kind.enumeration, Kind.optional: return isNominal(address, DescriptorLayout.Context.enumKind)
        case Kind.tuple: return isTuple(address, nesting: nesting)
        // The other kinds, such as functions and existentials, have nothing that could be checked. They are accepted only if the
        // description of another type named them before, see `isKnown` above.
        default: return false
        }
    }

    private mutating func isNominal(_ address: UInt, _ descriptorKind: UInt32) -> Bool {
        // Metadata that is completed at run time is static, so the heap contains only metadata of generic types.
        guard let descriptor = memory.word(address &+ UInt(MetadataLayout.Value.descriptor)),
            DescriptorCheck(images).isType(descriptor, descriptorKind)
        else { return false }
        return hasWitnesses(address) && isInPlace(address, descriptor)
    }

    /// Returns `true` if metadata has a value witness table with functions of an image and a size that types can have.
    private mutating func hasWitnesses(_ address: UInt) -> Bool {
        typealias Table = MetadataLayout.ValueWitnessTable
        guard let table = memory.word(address &+ UInt(bitPattern: MetadataLayout.valueWitnesses)),
            Self.isAddress(table), let first = memory.word(table), images.isCode(first),
            let size = memory.word(table &+ Table.size), size < 1 << 20,
            let stride = memory.word(table &+ Table.stride), stride < 1 << 21, stride >= size,
            let flags = memory.word(table &+ Table.flags)
        else { return false }
        return UInt32(truncatingIfNeeded: flags) & Table.isIncompleteFlag == 0
    }

    /// Returns `true` if the runtime returns the same address for a tuple of these elements: it makes one metadata for each tuple.
    private mutating func isTuple(_ address: UInt, nesting: Int) -> Bool {
        typealias Tuple = MetadataLayout.Tuple
        guard let count = memory.word(address &+ UInt(Tuple.count)), (2...16).contains(count),
            let labels = memory.word(address &+ UInt(Tuple.labels))
        else { return false }
        var elements: [Metadata] = []
        for index in 0..<count {
            let offset = UInt(Tuple.elements) &+ index &* UInt(Tuple.elementStride)
            guard let element = memory.word(address &+ offset), isType(element, nesting: nesting + 1) else {
                return false
            }
            elements.append(Metadata(element))
        }
        // Tuples with labels differ from tuples without labels only by the address of the labels, which cannot be checked.
        guard labels == 0 else { return false }
        return Reflection.tuple(of: elements)?.address == address
    }

    /// Returns `true` if an address is the metadata of a context: it lies in an image, and so do its function and its description.
    mutating func isContext(_ address: UInt) -> Bool {
        guard images.contains(address, count: 24),
            let destroy = memory.word(address &+ UInt(bitPattern: MetadataLayout.destroy)),
            images.isCode(destroy),
            let first = memory.word(address &+ HeapLayout.Context.firstCapture), first & 0xFFFF_FFFF <= 256,
            let descriptor = memory.word(address &+ HeapLayout.Context.captureDescriptor)
        else { return false }
        return descriptor == 0 || CaptureDescriptor(descriptor, images) != nil
    }

    /// Returns `true` if an object whose first word is that of a block has a valid block descriptor.
    mutating func isBlock(at address: UInt) -> Bool { blockSize(at: address) != nil }

    /// Returns the size of a block in bytes; `nil` if it is implausible.
    mutating func blockSize(at address: UInt) -> Int? {
        typealias Block = HeapLayout.Block
        guard let descriptor = memory.word(address &+ Block.descriptor),
            images.contains(descriptor, count: 16),
            let size = memory.word(descriptor &+ Block.descriptorSize), size >= UInt(Block.captures),
            size < Block.sizeLimit
        else { return nil }
        return Int(size)
    }

    mutating func isTaskSlab(at address: UInt) -> Bool { taskSlabSize(at: address) != nil }

    /// Returns the bytes of a slab up to the end of the frames in use; `nil` if they are implausible.
    mutating func taskSlabSize(at address: UInt) -> Int? {
        guard let sizes = memory.word(address &+ HeapLayout.TaskSlab.capacity) else { return nil }
        let (capacity, used) = (sizes & 0xFFFF_FFFF, sizes >> 32)
        guard capacity < HeapLayout.TaskSlab.capacityLimit, used <= capacity else { return nil }
        return HeapLayout.TaskSlab.frames + Int(used)
    }
}
