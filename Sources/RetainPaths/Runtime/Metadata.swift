/// Metadata of a type, which the runtime never frees. Validated before a value of this type is made.
struct Metadata: Hashable {
    let address: UInt

    init(_ address: UInt) { self.address = address }

    init(_ type: Any.Type) { address = unsafe unsafeBitCast(type, to: UInt.self) }

    var type: Any.Type { unsafe unsafeBitCast(address, to: Any.Type.self) }

    func word(_ offset: Int) -> UInt { ImmortalMemory.word(address &+ UInt(bitPattern: offset)) }
    func uint32(_ offset: Int) -> UInt32 { ImmortalMemory.uint32(address &+ UInt(bitPattern: offset)) }

    var kind: UInt { word(0) }
    var isClass: Bool { MetadataLayout.Kind.isClass(kind) }

    /// The context descriptor of a nominal type, 0 for other types.
    var descriptor: UInt {
        switch kind {
        case MetadataLayout.Kind.structure, MetadataLayout.Kind.enumeration, MetadataLayout.Kind.optional:
            word(MetadataLayout.Value.descriptor)
        case let kind where MetadataLayout.Kind.isClass(kind): word(MetadataLayout.Class.descriptor)
        default: 0
        }
    }

    var superclass: Metadata? {
        let superclass = word(MetadataLayout.Class.superclass)
        return superclass == 0 ? nil : Metadata(superclass)
    }

    /// Bytes of an instance of this class.
    var instanceSize: Int { Int(uint32(MetadataLayout.Class.instanceSize)) }

    var valueWitnesses: ValueWitnesses? {
        let table = word(MetadataLayout.valueWitnesses)
        return table == 0 ? nil : ValueWitnesses(table: table)
    }

    /// The type argument of a generic class, struct or enum; `nil` where there is none.
    func genericArgument(_ index: Int) -> Metadata? {
        let descriptor = descriptor
        guard descriptor != 0, (0..<64).contains(index) else { return nil }
        let flags = ImmortalMemory.uint32(descriptor)
        guard flags & DescriptorLayout.Context.isGeneric != 0 else { return nil }
        var offset = MetadataLayout.Value.genericArguments
        if isClass {
            if flags & DescriptorLayout.Context.hasResilientSuperclass != 0 {
                let bounds = ImmortalMemory.relativeTarget(
                    descriptor &+ DescriptorLayout.Context.resilientBounds)
                guard bounds != 0 else { return nil }
                offset = Int(bitPattern: ImmortalMemory.word(bounds))
            } else {
                let positive = ImmortalMemory.uint32(
                    descriptor &+ DescriptorLayout.Context.positiveSizeInWords)
                let immediate = ImmortalMemory.uint32(descriptor &+ DescriptorLayout.Context.immediateMembers)
                offset = 8 * (Int(positive) - Int(immediate))
            }
        }
        guard offset > 0, offset < 1 << 16 else { return nil }
        let argument = word(offset + 8 * index)
        return argument == 0 ? nil : Metadata(argument)
    }
}

/// A value witness table. Only functions that read the bytes given are called.
struct ValueWitnesses {
    let table: UInt

    var size: Int { Int(bitPattern: ImmortalMemory.word(table &+ MetadataLayout.Witness.size)) }
    var stride: Int { Int(bitPattern: ImmortalMemory.word(table &+ MetadataLayout.Witness.stride)) }
    private var flags: UInt32 { ImmortalMemory.uint32(table &+ MetadataLayout.Witness.flags) }
    var alignment: Int { Int(flags & MetadataLayout.Witness.alignmentMask) + 1 }
    /// True if copying the bytes copies the value, which then has no references.
    var isTrivial: Bool { flags & MetadataLayout.Witness.isNotTrivial == 0 }
    /// True if an existential container holds the value itself and not a pointer to a box.
    var isInline: Bool { flags & MetadataLayout.Witness.isNotInline == 0 }
    var hasEnumWitnesses: Bool { flags & MetadataLayout.Witness.hasEnumWitnesses != 0 }
    var enumTag: UInt { ImmortalMemory.word(table &+ MetadataLayout.Witness.enumTag) }
    var projectEnumData: UInt { ImmortalMemory.word(table &+ MetadataLayout.Witness.projectEnumData) }
}
