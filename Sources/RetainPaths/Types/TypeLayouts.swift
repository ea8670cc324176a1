/// The offsets at which values of each type hold strong references, computed once for a type from metadata and never from an
/// instance.
///
/// Every type here was validated by ``ObjectReader`` or comes from the runtime. The functions and names of enums, which the runtime
/// does not check, are checked before they are used.
struct TypeLayouts {
    /// The maximum number of containers inside containers whose elements are computed. Deeper containers count as holding references.
    private static let nestingLimit = 16
    private static let inlineReferenceFieldLimit = 4_096

    let standard = StandardTypes()
    let images: ImageAddressMap
    var labels = Labels()
    private(set) var referenceFields: [ReferenceField] = []
    private(set) var values: [ValueLayout] = []
    private(set) var enums: [EnumLayout] = []
    private var indices: [UInt: Int32] = [:]
    /// The element types of the containers whose layouts are being computed.
    private var elements: [UInt] = []

    init(_ images: ImageAddressMap) { self.images = images }

    /// Returns `true` if the layout of a type was computed before, so that the type needs no validation.
    func isKnown(_ metadata: UInt) -> Bool { indices[metadata] != nil }

    func value(_ index: Int32) -> ValueLayout { values[Int(index)] }

    func referenceFields(in range: ReferenceFieldRange) -> ArraySlice<ReferenceField> {
        referenceFields[range.indices]
    }

    mutating func append(_ referenceFields: [ReferenceField]) -> ReferenceFieldRange {
        guard !referenceFields.isEmpty else { return .empty }
        let range = ReferenceFieldRange(
            start: Int32(self.referenceFields.count), count: Int32(referenceFields.count))
        self.referenceFields += referenceFields
        return range
    }

    /// Returns the index of a type's layout, which is computed if needed.
    mutating func index(of metadata: Metadata) -> Int32 {
        if let index = indices[metadata.address] { return index }
        var layout = ValueLayout()
        layout.referenceFields = append(computeReferenceFields(of: metadata, &layout))
        let index = Int32(values.count)
        values.append(layout)
        indices[metadata.address] = index
        return index
    }

    mutating func layout(of metadata: Metadata) -> ValueLayout {
        let index = index(of: metadata)
        return values[Int(index)]
    }

    private mutating func computeReferenceFields(of metadata: Metadata, _ layout: inout ValueLayout)
        -> [ReferenceField]
    {
        typealias Kind = MetadataLayout.Kind
        let kind = metadata.kind
        let reference = [ReferenceField(kind: .strong, offset: 0, label: 0)]
        if Kind.isClass(kind) || kind == Kind.foreignClass {
            (layout.size, layout.stride, layout.alignment) = (8, 8, 8)
            layout.isClass = true
            return reference
        }
        if kind == Kind.function { return functionReferenceFields(metadata, &layout) }
        guard let witnesses = metadata.valueWitnesses else { return [] }
        (layout.size, layout.stride, layout.alignment) = (
            witnesses.size, witnesses.stride, witnesses.alignment
        )
        layout.isInline = witnesses.isInline
        guard !witnesses.isTrivial else { return [] }
        switch kind {
        case Kind.structure: return structReferenceFields(metadata)
        case Kind.tuple: return memberReferenceFields(of: metadata)
        case Kind.enumeration, Kind.optional: return enumReferenceFields(metadata)
        case Kind.existential:
            let flags = metadata.uint32(MetadataLayout.Existential.flags)
            let special =
                flags >> MetadataLayout.Existential.specialProtocolShift
                & MetadataLayout.Existential.specialProtocolMask
            let isOpaque = flags & MetadataLayout.Existential.isOpaqueFlag != 0
            guard isOpaque, special != MetadataLayout.Existential.errorProtocol else { return reference }
            return [ReferenceField(kind: .existential, offset: 0, label: 0)]
        case Kind.extendedExistential:
            let shape = metadata.word(MetadataLayout.Existential.shape)
            switch ImmortalMemory.uint32(shape) & MetadataLayout.Existential.shapeKindMask {
            case 0: return [ReferenceField(kind: .existential, offset: 0, label: 0)]
            case 1: return reference
            default: return []
            }
        // Builtin.NativeObject and Builtin.BridgeObject; larger opaque types are storage of the runtime.
        case Kind.opaque: return layout.size == 8 ? reference : []
        default: return []
        }
    }

    /// Returns the reference fields of a function type, and sets its size, which follows from the convention: without Objective-C,
    /// blocks have no value witnesses.
    private func functionReferenceFields(_ metadata: Metadata, _ layout: inout ValueLayout)
        -> [ReferenceField]
    {
        typealias Function = MetadataLayout.Function
        let convention = metadata.word(Function.flags) >> Function.conventionShift & Function.conventionMask
        let isClosure = convention == Function.swiftConvention
        layout.size = isClosure ? 16 : 8
        (layout.stride, layout.alignment) = (layout.size, 8)
        if isClosure { return [ReferenceField(kind: .function, offset: 0, label: 0)] }
        return convention == Function.blockConvention
            ? [ReferenceField(kind: .block, offset: 0, label: 0)] : []
    }

    private mutating func structReferenceFields(_ metadata: Metadata) -> [ReferenceField] {
        let descriptor = metadata.descriptor
        if descriptor == standard.stringDescriptor {
            return [ReferenceField(kind: .string, offset: 0, label: 0)]
        }
        if descriptor == standard.inlineArrayDescriptor { return inlineElementReferenceFields(metadata) }
        var referenceFields = memberReferenceFields(of: metadata)
        guard standard.wrappers.contains(descriptor) else { return referenceFields }
        let isLeaf =
            standard.containers.contains(descriptor) && hasTrivialArguments(metadata)
        for index in referenceFields.indices {
            referenceFields[index].label = 0
            if isLeaf, referenceFields[index].kind == .strong { referenceFields[index].kind = .storage }
        }
        return referenceFields
    }

    /// Returns the reference fields of the elements of an `InlineArray`. The number of elements is its first type argument.
    /// Reference fields beyond 4,096 are left out.
    private mutating func inlineElementReferenceFields(_ metadata: Metadata) -> [ReferenceField] {
        guard let offset = metadata.genericArgumentsOffset, let type = metadata.genericArgument(1) else {
            return []
        }
        let element = layout(of: type)
        guard !element.referenceFields.isEmpty else { return [] }
        let count = min(
            metadata.word(offset), UInt(Self.inlineReferenceFieldLimit / Int(element.referenceFields.count)))
        return (0..<Int(count)).flatMap { index in
            referenceFields(in: element.referenceFields).map {
                $0.moved(by: index * element.stride, label: $0.label)
            }
        }
    }

    /// Returns `true` if the elements of a container hold no references.
    ///
    /// The elements may contain containers of their own type, or of ever larger types, so the depth is limited.
    private mutating func hasTrivialArguments(_ metadata: Metadata) -> Bool {
        guard elements.count < Self.nestingLimit else { return false }
        var index = 0
        while index < 2, let argument = metadata.genericArgument(index),
            index == 0 || metadata.isDictionary
        {
            if elements.contains(argument.address) { return false }
            elements.append(argument.address)
            defer { elements.removeLast() }
            if !layout(of: argument).referenceFields.isEmpty { return false }
            index += 1
        }
        return index > 0
    }

    /// Returns the reference fields of the stored properties of a struct, or of the elements of a tuple.
    mutating func memberReferenceFields(of metadata: Metadata) -> [ReferenceField] {
        Reflection.fields(of: metadata).flatMap { referenceFields(of: $0) }
    }

    mutating func referenceFields(of field: Reflection.Field) -> [ReferenceField] {
        guard field.isStrong else { return [] }
        let inner = layout(of: field.type)
        guard !inner.referenceFields.isEmpty else { return [] }
        let label = labels.number(of: Self.displayName(field.name))
        return referenceFields(in: inner.referenceFields).map { reference in
            reference.moved(by: field.offset, label: labels.join(label, reference.label))
        }
    }

    /// Returns the name of a property as paths show it, without the prefix of lazy storage or of a tuple's element; `?` in builds
    /// without names of properties.
    static func displayName(_ name: String) -> String {
        if name.isEmpty { return "?" }
        let lazyPrefix = "$__lazy_storage_$_"
        if name.hasPrefix(lazyPrefix) { return String(name.dropFirst(lazyPrefix.count)) }
        return name.hasPrefix(".") ? String(name.dropFirst()) : name
    }

    mutating func appendEnum(_ layout: EnumLayout) -> Int32 {
        enums.append(layout)
        return Int32(enums.count - 1)
    }
}

extension Metadata {
    /// `true` for `Dictionary`, the only type of ``StandardTypes/containers`` with two type arguments.
    fileprivate var isDictionary: Bool {
        descriptor == Metadata([Int: Int].self).descriptor
    }
}
