extension ObjectLayouts {
    /// How one capture is kept in a context.
    private enum Capture {
        case value(ValueLayout)
        /// References that do not keep an object alive, and functions without a context.
        case bytes(Int)
        case reference
        case function
    }

    /// The layout of a context whose captures are known without looking at an instance.
    ///
    /// - Parameter descriptor: `nil` where the compiler left none: the words of the context are searched instead.
    mutating func contextLayout(_ metadata: Metadata, _ descriptor: CaptureDescriptor?) -> ObjectLayout {
        guard let descriptor else {
            return ObjectLayout(
                kind: .closureContext, metadata: metadata.address, scanStart: HeapLayout.headerBytes)
        }
        if descriptor.isGeneric { return ObjectLayout(kind: .genericContext, metadata: metadata.address) }
        return contextLayout(metadata, descriptor, arguments: nil, types: [])
    }

    /// - Parameters:
    ///   - arguments: the type arguments that captures use.
    ///   - parameters: the same, with the parameters that they are for.
    mutating func contextLayout(
        _ metadata: Metadata, _ descriptor: CaptureDescriptor, arguments: GenericArguments?,
        types parameters: [GenericArguments.Argument]
    ) -> ObjectLayout {
        var layout = ObjectLayout(kind: .closureContext, metadata: metadata.address)
        let start = Int(metadata.uint32(Int(HeapLayout.Context.firstCapture)))
        var offset = max(start, HeapLayout.headerBytes) + 8 * descriptor.bindingCount
        var slots: [ReferenceSlot] = []
        for index in 0..<descriptor.captureCount {
            guard let name = descriptor.captureType(index),
                let capture = capture(name, arguments: arguments, parameters: parameters)
            else {
                // The rest is found by searching, from here to the end of the allocation.
                layout.scanStart = offset.aligned(to: 8)
                break
            }
            switch capture {
            case .bytes(let count): offset = offset.aligned(to: 8) + count
            case .reference:
                offset = offset.aligned(to: 8)
                slots.append(ReferenceSlot(kind: .strong, offset: Int32(offset), label: 0))
                offset += 8
            case .function:
                offset = offset.aligned(to: 8)
                slots.append(ReferenceSlot(kind: .function, offset: Int32(offset), label: 0))
                offset += 16
            case .value(let value):
                offset = offset.aligned(to: value.alignment)
                slots += types.slots(of: value.slots).map { $0.moved(by: offset, label: $0.label) }
                offset += value.size
            }
        }
        layout.slots = types.append(slots)
        layout.size = layout.scanStart == nil ? offset : 0
        return layout
    }

    private mutating func capture(
        _ name: MangledName, arguments: GenericArguments?, parameters: [GenericArguments.Argument]
    ) -> Capture? {
        if name.isBox { return .reference }
        if let shape = name.functionShape { return shape == .closure ? .function : .bytes(8) }
        if let parameter = name.genericParameter {
            let argument = parameters.first { $0.depth == parameter.depth && $0.index == parameter.index }
            return argument.map { .value(types.layout(of: $0.type)) }
        }
        let type = arguments?.type(named: name) ?? Reflection.type(named: name)
        if name.isNotStrong { return .bytes(type.flatMap { $0.valueWitnesses?.size } ?? 8) }
        if let type { return .value(types.layout(of: type)) }
        // A class whose arguments are not known is one word anyway.
        return name.isGenericClass ? .reference : nil
    }
}
