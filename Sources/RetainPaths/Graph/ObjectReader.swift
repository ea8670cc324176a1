/// Recognises objects: reads a header through the snapshot, validates the metadata and finds the layout.
struct ObjectReader: ~Copyable {
    var memory = PageSnapshot()
    var images = LoadedImages()
    var layouts = ObjectLayouts()

    /// Starts a new walk with fresh pages, and with a new list of images if some came or went.
    mutating func reset(pageBytes: Int) {
        memory.reset(byteLimit: pageBytes)
        guard images.isOutdated else { return }
        images = LoadedImages()
        // Types of an image that has gone may have left their addresses to others.
        layouts = ObjectLayouts()
    }

    /// Returns whether a word can be the address of an object, before anything is read there.
    @inline(__always)
    static func isAddress(_ word: UInt) -> Bool {
        word & 7 == 0 && word >= CheckedMemory.addressStart && word < CheckedMemory.addressEnd
    }

    /// The layout of the object at an address.
    ///
    /// - Returns: `nil` where no object is, or one of a kind that holds no references.
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
        if word == Reflection.heapBlockClass { return isBlock(at: address) ? layouts.block : nil }
        if word == Reflection.taskSlabMetadata { return isTaskSlab(at: address) ? layouts.taskFrames : nil }
        guard word & 7 == 0, let kind = memory.word(word) else { return nil }
        if Kind.isClass(kind) {
            guard isClass(word) else { return nil }
            return layouts.add(layouts.classLayout(Metadata(word)), for: word)
        }
        switch kind {
        case Kind.closureContext:
            guard isContext(word) else { return nil }
            let descriptor = CaptureDescriptor(
                ImmortalMemory.word(word &+ HeapLayout.Context.captureDescriptor))
            let layout = layouts.contextLayout(Metadata(word), descriptor)
            let index = layouts.add(layout, for: word)
            return layout.kind == .genericContext ? genericContextIndex(at: address, index) : index
        case Kind.genericBox:
            guard let offset = memory.word(word &+ HeapLayout.Context.valueOffset).map({ $0 & 0xFFFF_FFFF }),
                let type = memory.word(word &+ HeapLayout.Context.valueType), isType(type),
                (16...256).contains(offset)
            else { return nil }
            return layouts.box(of: Metadata(type), minimumOffset: Int(offset))
        case Kind.errorBox:
            guard images.contains(word), let type = memory.word(address &+ HeapLayout.ErrorBox.type),
                isType(type)
            else { return nil }
            return layouts.box(of: Metadata(type), minimumOffset: HeapLayout.ErrorBox.value)
        case Kind.task: return images.contains(word) ? layouts.task : nil
        default: return nil
        }
    }

    /// The layout of a context whose captures have types that the context itself holds.
    private mutating func genericContextIndex(at address: UInt, _ index: Int32) -> Int32? {
        let metadata = Metadata(layouts.layout(index).metadata)
        guard let descriptor = CaptureDescriptor(metadata.word(Int(HeapLayout.Context.captureDescriptor)))
        else {
            return nil
        }
        let captures = address &+ UInt(metadata.uint32(Int(HeapLayout.Context.firstCapture)))
        let parameters = arguments(of: descriptor, captures: captures)
        let key = [metadata.address] + (parameters ?? []).map(\.type.address)
        if let index = layouts.genericContexts[key] { return index }
        let layout: ObjectLayout
        if let parameters {
            layout = layouts.contextLayout(
                metadata, descriptor, arguments: GenericArguments(parameters), types: parameters)
        } else {
            layout = layouts.contextLayout(metadata, nil)
        }
        let found = layouts.append(layout)
        // Programs have few contexts with few arguments; a limit stops words that only look like such.
        if layouts.genericContexts.count < 4096 { layouts.genericContexts[key] = found }
        return found
    }

    /// The argument of each generic parameter that captures use; `nil` where one cannot be found.
    private mutating func arguments(
        of descriptor: CaptureDescriptor, captures: UInt
    ) -> [GenericArguments.Argument]? {
        var arguments: [GenericArguments.Argument] = []
        for index in 0..<descriptor.sourceCount {
            guard let (name, source) = descriptor.source(index), let parameter = name.genericParameter,
                var type = origin(source.origin, captures: captures, descriptor)
            else { return nil }
            for position in source.argumentPath {
                guard let argument = type.genericArgument(position), isType(argument.address) else {
                    return nil
                }
                type = argument
            }
            arguments.append(.init(depth: parameter.depth, index: parameter.index, type: type))
        }
        return arguments
    }

    private mutating func origin(
        _ origin: MetadataSource.Origin, captures: UInt, _ descriptor: CaptureDescriptor
    ) -> Metadata? {
        switch origin {
        case .binding(let index):
            guard index < descriptor.bindingCount, let type = memory.word(captures &+ 8 &* UInt(index)),
                isType(type)
            else { return nil }
            return Metadata(type)
        case .classOfParameter(let index):
            // Right where the captures before it are single references, which the class below confirms.
            guard let capture = descriptor.genericCapture(ofParameter: index),
                let object = memory.word(captures &+ 8 &* UInt(descriptor.bindingCount + capture)),
                Self.isAddress(object), let type = memory.word(object), isClass(type)
            else { return nil }
            return Metadata(type)
        }
    }
}
