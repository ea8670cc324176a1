/// The layouts of objects, computed once for each class, context or box from its metadata.
struct ObjectLayouts {
    /// The maximum number of layouts that are kept for the next walk. A program has some thousands, but garbage words that look
    /// like types may add any number.
    private static let limit = 1 << 15

    var types: TypeLayouts
    private(set) var layouts: [ObjectLayout] = []
    private var indices = AddressTable()
    private var boxIndices = AddressTable()
    /// Generic contexts by the address of their metadata.
    var genericContexts: [UInt: GenericContext] = [:]
    /// Layout indices of generic contexts by the addresses of their metadata and type arguments.
    var genericLayouts: [[UInt]: Int32] = [:]

    // The indices of the layouts that do not depend on metadata.
    let taskIndex: Int32
    let taskFramesIndex: Int32
    let blockIndex: Int32

    init(_ images: ImageAddressMap) {
        types = TypeLayouts(images)
        taskIndex = 0
        taskFramesIndex = 1
        blockIndex = 2
        layouts = [
            ObjectLayout(kind: .task, scanStart: HeapLayout.headerBytes),
            ObjectLayout(kind: .taskFrames, scanStart: Int(HeapLayout.TaskSlab.next)),
            ObjectLayout(kind: .block, scanStart: HeapLayout.Block.captures),
        ]
    }

    /// `true` if the layouts have to be dropped before the next walk, so that memory stays bounded. A running walk needs them.
    var isFull: Bool { layouts.count > Self.limit || types.values.count > Self.limit }

    @inline(__always)
    func layout(_ index: Int32) -> ObjectLayout { layouts[Int(index)] }

    @inline(__always)
    func index(of metadata: UInt) -> Int32? { indices.value(for: metadata) }

    mutating func append(_ layout: ObjectLayout) -> Int32 {
        layouts.append(layout)
        return Int32(layouts.count - 1)
    }

    mutating func add(_ layout: ObjectLayout, for metadata: UInt) -> Int32 {
        let index = append(layout)
        indices.set(index, for: metadata)
        return index
    }

    /// Returns the index of the layout of a box with a value of a type.
    ///
    /// - Parameter minOffset: the offset of the value before it is rounded up to the alignment of its type.
    mutating func boxLayoutIndex(of type: Metadata, minOffset: Int) -> Int32 {
        let key = type.address &<< 9 | UInt(minOffset)
        if let index = boxIndices.value(for: key) { return index }
        let value = types.layout(of: type)
        let offset = minOffset.aligned(to: value.alignment)
        var layout = ObjectLayout(kind: .box, metadata: type.address, size: offset + value.size)
        layout.referenceFields = types.append(
            types.referenceFields(in: value.referenceFields).map { $0.moved(by: offset, label: $0.label) })
        let index = append(layout)
        boxIndices.set(index, for: key)
        return index
    }

    /// Computes the layout of a class.
    mutating func classLayout(_ metadata: Metadata) -> ObjectLayout {
        let descriptor = metadata.descriptor
        var layout = ObjectLayout(kind: .object, metadata: metadata.address, size: metadata.instanceSize)
        if descriptor == types.standard.arrayStorageDescriptor {
            addArrayElements(metadata, to: &layout)
            return layout
        }
        if descriptor == types.standard.dictionaryStorageDescriptor
            || descriptor == types.standard.setStorageDescriptor
        {
            addHashTableElements(metadata, to: &layout)
            return layout
        }
        let fields = Reflection.fields(of: metadata)
        var referenceFields: [ReferenceField] = []
        for (index, field) in fields.enumerated() {
            if field.type.address == Metadata(Void.self).address {
                // Noncopyable fields are described as `()`: only their size is known.
                let end = index + 1 < fields.count ? fields[index + 1].offset : layout.size
                guard end - field.offset >= 8 else { continue }
                let label = types.labels.number(of: TypeLayouts.displayName(field.name))
                referenceFields.append(
                    ReferenceField(
                        kind: .unknownWords, offset: Int32(field.offset), label: label,
                        detail: Int32(end - field.offset)))
            } else {
                referenceFields += types.referenceFields(of: field)
            }
        }
        layout.referenceFields = types.append(referenceFields)
        if hasUnknownFields(metadata) { layout.scanStart = HeapLayout.headerBytes }
        if let element = bufferElement(of: metadata), !types.layout(of: element).referenceFields.isEmpty {
            layout.tailStart = layout.size.aligned(to: 8)
        }
        addRawMemory(fields, to: &layout)
        return layout
    }

    /// Returns the type of the tail-allocated elements of a `ManagedBuffer`; `nil` for other classes. Only the buffer's owner
    /// knows their number.
    private func bufferElement(of metadata: Metadata) -> Metadata? {
        var current: Metadata? = metadata
        for _ in 0..<64 {
            guard let type = current else { return nil }
            if type.descriptor == types.standard.managedBufferDescriptor { return type.genericArgument(1) }
            current = type.superclass
        }
        return nil
    }

    private mutating func addArrayElements(_ metadata: Metadata, to layout: inout ObjectLayout) {
        layout.kind = .storage
        guard let type = metadata.genericArgument(0) else { return }
        let index = types.index(of: type)
        let element = types.value(index)
        guard !element.referenceFields.isEmpty else { return }
        layout.elements = .array
        layout.elementLayoutIndex = index
        layout.elementsOffset = HeapLayout.ArrayStorage.elements.aligned(to: element.alignment)
    }

    private mutating func addHashTableElements(_ metadata: Metadata, to layout: inout ObjectLayout) {
        layout.kind = .storage
        let fields = Reflection.fields(of: metadata)
        func offset(_ name: String) -> UInt? { fields.first { $0.name == name }.map { UInt($0.offset) } }
        guard let scale = offset("_scale"), let first = metadata.genericArgument(0) else { return }
        layout.scaleOffset = scale
        layout.elementsOffset = layout.size.aligned(to: 8)
        let firstIndex = types.index(of: first)
        if metadata.descriptor == types.standard.setStorageDescriptor {
            guard let elements = offset("_rawElements"), !types.value(firstIndex).referenceFields.isEmpty
            else {
                return
            }
            (layout.elements, layout.elementLayoutIndex, layout.valuesOffset) = (.set, firstIndex, elements)
        } else if let keys = offset("_rawKeys"), let values = offset("_rawValues"),
            let second = metadata.genericArgument(1)
        {
            let secondIndex = types.index(of: second)
            guard
                !types.value(firstIndex).referenceFields.isEmpty
                    || !types.value(secondIndex).referenceFields.isEmpty
            else {
                return
            }
            layout.elements = .dictionary
            (layout.keyLayoutIndex, layout.elementLayoutIndex) = (firstIndex, secondIndex)
            (layout.keysOffset, layout.valuesOffset) = (keys, values)
        }
    }

    /// Adds the raw memory that the storage of `Data` owns and frees. swift-foundation: Data+Representation.swift
    private func addRawMemory(_ fields: [Reflection.Field], to layout: inout ObjectLayout) {
        guard fields.count <= 8, let bytes = fields.first(where: { $0.name == "_bytes" }),
            let capacity = fields.first(where: { $0.name == "_capacity" }),
            MetadataName.unqualified(Metadata(layout.metadata)) == "__DataStorage"
        else { return }
        (layout.rawMemoryOffset, layout.rawCapacityOffset) = (UInt(bytes.offset), UInt(capacity.offset))
    }

    /// Returns `true` if a class or a superclass was compiled without reflection metadata.
    private func hasUnknownFields(_ metadata: Metadata) -> Bool {
        typealias Context = DescriptorLayout.Context
        var current: Metadata? = metadata
        for _ in 0..<64 {
            guard let type = current else { return false }
            let descriptor = type.descriptor
            guard descriptor != 0, descriptor & 3 == 0,
                ImmortalMemory.uint32(descriptor) & Context.kindMask == Context.classKind
            else { return false }
            if ImmortalMemory.relativeTarget(descriptor &+ Context.fields) == 0 {
                if ImmortalMemory.uint32(descriptor &+ Context.fieldCount) > 0 { return true }
                let inherited = type.superclass?.instanceSize ?? HeapLayout.headerBytes
                if type.instanceSize >= inherited + 8 { return true }
            }
            current = type.superclass
        }
        return false
    }
}
