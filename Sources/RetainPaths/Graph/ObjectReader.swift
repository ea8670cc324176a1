/// A reader that recognizes objects: it reads a header through ``PageSnapshot``, validates the metadata and finds the layout.
struct ObjectReader: ~Copyable {
    var memory = PageSnapshot()
    var images: ImageAddressMap
    var layouts: ObjectLayouts
    /// The number of resets of ``layouts``. After a reset, an index of earlier layouts is invalid, or refers to another layout.
    private(set) var generation = 0

    init() {
        images = ImageAddressMap()
        layouts = ObjectLayouts(images)
    }

    /// Starts a new walk with fresh pages, and with a new list of images if an image was loaded or unloaded.
    mutating func reset(pageBytes: Int) {
        memory.reset(byteLimit: pageBytes)
        let isOutdated = images.isOutdated
        guard isOutdated || layouts.isFull else { return }
        if isOutdated { images = ImageAddressMap() }
        // Other types may have the addresses of types of an unloaded image.
        layouts = ObjectLayouts(images)
        generation += 1
    }

    /// Returns `true` if a word can be the address of an object. Reads nothing at the address.
    @inline(__always)
    static func isAddress(_ word: UInt) -> Bool {
        word & 7 == 0 && HeapLayout.addresses.contains(word)
    }

    /// Returns the index of the layout of the object at an address.
    ///
    /// - Returns: `nil` if there is no object, or an object of a kind that holds no references.
    @inline(__always)
    mutating func layoutIndex(at address: UInt) -> Int32? {
        guard Self.isAddress(address), let metadata = memory.word(address), metadata != 0 else { return nil }
        if let index = layouts.index(of: metadata) {
            return layouts.layout(index).kind == .genericContext
                ? genericContextIndex(at: address, index) : index
        }
        return newLayoutIndex(at: address, metadata)
    }

    private mutating func newLayoutIndex(at address: UInt, _ word: UInt) -> Int32? {
        typealias Kind = MetadataLayout.Kind
        if word == Reflection.heapBlockClass { return isBlock(at: address) ? layouts.blockIndex : nil }
        if word == Reflection.taskSlabMetadata {
            return isTaskSlab(at: address) ? layouts.taskFramesIndex : nil
        }
        guard word & 7 == 0, let kind = memory.word(word) else { return nil }
        if Kind.isClass(kind) {
            guard isClass(word) else { return nil }
            return layouts.add(layouts.classLayout(Metadata(word)), for: word)
        }
        switch kind {
        case Kind.closureContext:
            guard isContext(word) else { return nil }
            let descriptor = CaptureDescriptor(
                ImmortalMemory.word(word &+ HeapLayout.Context.captureDescriptor), images)
            let layout = layouts.contextLayout(Metadata(word), descriptor)
            let index = layouts.add(layout, for: word)
            return layout.kind == .genericContext ? genericContextIndex(at: address, index) : index
        case Kind.genericBox:
            guard let offset = memory.word(word &+ HeapLayout.Context.valueOffset).map({ $0 & 0xFFFF_FFFF }),
                let type = memory.word(word &+ HeapLayout.Context.valueType), isType(type),
                (16...256).contains(offset)
            else { return nil }
            return layouts.boxLayoutIndex(of: Metadata(type), minOffset: Int(offset))
        case Kind.errorBox:
            guard images.contains(word), let type = memory.word(address &+ HeapLayout.ErrorBox.type),
                isType(type)
            else { return nil }
            return layouts.boxLayoutIndex(of: Metadata(type), minOffset: HeapLayout.ErrorBox.value)
        case Kind.task: return images.contains(word) ? layouts.taskIndex : nil
        default: return nil
        }
    }

    /// Returns the index of the layout of a context that itself holds the types of its captures.
    private mutating func genericContextIndex(at address: UInt, _ index: Int32) -> Int32? {
        let metadata = Metadata(layouts.layout(index).metadata)
        guard let context = layouts.genericContexts[metadata.address] else { return nil }
        let arguments = arguments(of: context, at: address)
        let key = [metadata.address] + (arguments ?? []).map(\.type.address)
        if let index = layouts.genericLayouts[key] { return index }
        let layout: ObjectLayout
        if let arguments, layouts.areOffsetsRight(in: context, metadata, arguments: arguments) {
            layout = layouts.contextLayout(
                metadata, context.descriptor, arguments: GenericArguments(arguments), types: arguments)
        } else {
            layout = layouts.contextLayout(metadata, nil)
        }
        let found = layouts.append(layout)
        layouts.genericLayouts[key] = found
        return found
    }

    /// Returns the argument of each generic parameter that captures use; `nil` if one cannot be found.
    private mutating func arguments(
        of context: GenericContext, at address: UInt
    ) -> [GenericArguments.Argument]? {
        var arguments: [GenericArguments.Argument] = []
        for parameter in context.parameters {
            guard var type = type(at: parameter.location, of: address) else { return nil }
            for position in parameter.path {
                guard let argument = type.genericArgument(position), isType(argument.address) else {
                    return nil
                }
                type = argument
            }
            arguments.append(.init(depth: parameter.depth, index: parameter.index, type: type))
        }
        return arguments
    }

    private mutating func type(at location: GenericContext.ArgumentLocation, of address: UInt) -> Metadata? {
        switch location {
        case .type(let offset):
            guard let type = memory.word(address &+ offset), isType(type) else { return nil }
            return Metadata(type)
        case .object(let offset, _, let classDescriptor):
            guard let object = memory.word(address &+ offset), Self.isAddress(object),
                let type = memory.word(object), isClass(type)
            else { return nil }
            // The object may belong to a subclass, which has other arguments or none.
            var current: Metadata? = Metadata(type)
            for _ in 0..<64 where current?.descriptor != classDescriptor { current = current?.superclass }
            return current?.descriptor == classDescriptor ? current : nil
        }
    }
}
