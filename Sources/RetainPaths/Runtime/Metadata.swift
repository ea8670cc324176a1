/// The metadata of a type, which the runtime never frees. An address must be validated before a `Metadata` is created from it.
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

    /// The size of an instance of this class in bytes.
    var instanceSize: Int { Int(uint32(MetadataLayout.Class.instanceSize)) }

    var valueWitnesses: ValueWitnesses? {
        let table = word(MetadataLayout.valueWitnesses)
        return table == 0 ? nil : ValueWitnesses(table: table)
    }

    /// Returns a type argument of a generic class, struct or enum; `nil` if there is none.
    func genericArgument(_ index: Int) -> Metadata? {
        guard (0..<64).contains(index), let offset = genericArgumentsOffset else { return nil }
        let argument = word(offset + 8 * index)
        return argument == 0 ? nil : Metadata(argument)
    }

    /// The offset of the arguments in the metadata of a generic type, in bytes; `nil` for other types, and for an implausible
    /// offset.
    var genericArgumentsOffset: Int? {
        typealias Context = DescriptorLayout.Context
        let descriptor = descriptor
        let flags = ImmortalMemory.uint32(descriptor)
        guard flags & Context.isGenericFlag != 0 else { return nil }
        guard isClass else { return MetadataLayout.Value.genericArguments }
        let offset: Int
        if flags & Context.hasResilientSuperclassFlag != 0 {
            let bounds = ImmortalMemory.relativeTarget(descriptor &+ Context.resilientBounds)
            offset = Int(bitPattern: ImmortalMemory.word(bounds))
        } else {
            let positive = ImmortalMemory.uint32(descriptor &+ Context.positiveSizeInWords)
            let immediate = ImmortalMemory.uint32(descriptor &+ Context.immediateMembers)
            offset = 8 * (Int(positive) - Int(immediate))
        }
        return (1..<(1 << 16)).contains(offset) ? offset : nil
    }
}

/// A value witness table. Only its functions that read nothing but the given bytes are called, see ``TypeLayouts``.
struct ValueWitnesses {
    private typealias Layout = MetadataLayout.ValueWitnessTable

    let table: UInt

    /// The limit of sizes: values of 1 MiB and more count as empty, so that sums of sizes cannot overflow.
    private static let sizeLimit: UInt = 1 << 20

    var size: Int { limited(Layout.size) }
    var stride: Int { limited(Layout.stride) }
    private func limited(_ offset: UInt) -> Int {
        let bytes = ImmortalMemory.word(table &+ offset)
        return bytes < Self.sizeLimit ? Int(bytes) : 0
    }
    private var flags: UInt32 { ImmortalMemory.uint32(table &+ Layout.flags) }
    var alignment: Int { Int(flags & Layout.alignmentMask) + 1 }
    /// `true` if copying the bytes copies the value, which then has no references.
    var isTrivial: Bool { flags & Layout.isNotTrivialFlag == 0 }
    /// `true` if an existential container holds the value itself and not a pointer to a box.
    var isInline: Bool { flags & Layout.isNotInlineFlag == 0 }
    var hasEnumWitnesses: Bool { flags & Layout.hasEnumWitnessesFlag != 0 }
    var enumTag: UInt { ImmortalMemory.word(table &+ Layout.enumTag) }
    var projectEnumData: UInt { ImmortalMemory.word(table &+ Layout.projectEnumData) }
}
