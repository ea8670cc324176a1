extension ObjectLayouts {
    /// The representation of one capture in a context.
    private enum Capture {
        case value(ValueLayout)
        /// References that do not keep an object alive, and functions without a context.
        case opaque(bytes: Int)
        case reference
        case function

        var size: Int {
            switch self {
            case .value(let value): value.size
            case .opaque(let bytes): bytes
            case .reference: 8
            case .function: 16
            }
        }

        var alignment: Int {
            if case .value(let value) = self { value.alignment } else { 8 }
        }
    }

    /// Returns the layout of a context, as far as it is known without looking at an instance.
    ///
    /// - Parameter descriptor: `nil` if the compiler wrote no descriptor: the words of the context are searched instead.
    mutating func contextLayout(_ metadata: Metadata, _ descriptor: CaptureDescriptor?) -> ObjectLayout {
        guard let descriptor else {
            return ObjectLayout(
                kind: .closureContext, metadata: metadata.address, scanStart: HeapLayout.headerBytes)
        }
        if descriptor.isGeneric {
            guard let context = genericContext(metadata, descriptor) else {
                return contextLayout(metadata, nil)
            }
            genericContexts[metadata.address] = context
            return ObjectLayout(kind: .genericContext, metadata: metadata.address)
        }
        return contextLayout(metadata, descriptor, arguments: nil, types: [])
    }

    /// - Parameters:
    ///   - arguments: the type arguments that captures use.
    ///   - parameters: the same arguments, with the parameters that they belong to.
    mutating func contextLayout(
        _ metadata: Metadata, _ descriptor: CaptureDescriptor, arguments: GenericArguments?,
        types parameters: [GenericArguments.Argument]
    ) -> ObjectLayout {
        var layout = ObjectLayout(kind: .closureContext, metadata: metadata.address)
        var offset = offsetOfFirstCapture(metadata, descriptor)
        var referenceFields: [ReferenceField] = []
        for name in descriptor.captureTypes {
            guard let capture = name.flatMap({ capture($0, arguments: arguments, parameters: parameters) })
            else {
                // The references of this capture and of later captures are found by searching, up to the end of the allocation.
                layout.scanStart = offset.aligned(to: 8)
                break
            }
            offset = offset.aligned(to: capture.alignment)
            switch capture {
            case .opaque: break
            case .reference:
                referenceFields.append(ReferenceField(kind: .strong, offset: Int32(offset), label: 0))
            case .function:
                referenceFields.append(ReferenceField(kind: .function, offset: Int32(offset), label: 0))
            case .value(let value):
                referenceFields += types.referenceFields(in: value.referenceFields).map {
                    $0.moved(by: offset, label: $0.label)
                }
            }
            offset += capture.size
        }
        layout.referenceFields = types.append(referenceFields)
        layout.size = layout.scanStart == nil ? offset : 0
        return layout
    }

    /// Returns the offset of the first capture in a context, in bytes.
    private func offsetOfFirstCapture(_ metadata: Metadata, _ descriptor: CaptureDescriptor) -> Int {
        let start = min(
            Int(metadata.uint32(Int(HeapLayout.Context.firstCapture))), HeapLayout.Context.firstLimit)
        return max(start, HeapLayout.headerBytes) + 8 * descriptor.bindingCount
    }

    /// Returns the locations of the type arguments in a context; `nil` if one cannot be found.
    private mutating func genericContext(
        _ metadata: Metadata, _ descriptor: CaptureDescriptor
    ) -> GenericContext? {
        guard let sources = descriptor.sources else { return nil }
        let first = offsetOfFirstCapture(metadata, descriptor)
        var context = GenericContext(descriptor: descriptor)
        for (name, source) in sources {
            guard let parameter = name.genericParameter else { return nil }
            let location: GenericContext.ArgumentLocation
            switch source.origin {
            case .binding(let index):
                guard index < descriptor.bindingCount else { return nil }
                location = .type(offset: UInt(first - 8 * (descriptor.bindingCount - index)))
            case .classOfParameter(let index):
                guard let number = descriptor.genericCapture(ofParameter: index),
                    let descriptorOfClass = descriptor.captureTypes[number]?.genericClass
                else { return nil }
                // A value of a type parameter before the capture counts as one reference until its type is known.
                guard
                    let offset = offset(
                        ofCapture: number, metadata, descriptor, arguments: nil, types: [],
                        assuming: .reference)
                else { return nil }
                location = .object(offset: UInt(offset), capture: number, classDescriptor: descriptorOfClass)
            }
            context.parameters.append(
                .init(
                    depth: parameter.depth, index: parameter.index, location: location,
                    path: source.argumentPath))
        }
        return context
    }

    /// Returns `true` if the captures from which type arguments were taken have the same offsets when the layout is computed
    /// with these arguments.
    mutating func areOffsetsRight(
        in context: GenericContext, _ metadata: Metadata, arguments: [GenericArguments.Argument]
    ) -> Bool {
        context.parameters.allSatisfy { parameter in
            guard case .object(let offset, let capture, _) = parameter.location else { return true }
            return self.offset(
                ofCapture: capture, metadata, context.descriptor, arguments: GenericArguments(arguments),
                types: arguments) == Int(offset)
        }
    }

    /// - Parameter fallback: used for a value of a type parameter without an argument.
    private mutating func offset(
        ofCapture number: Int, _ metadata: Metadata, _ descriptor: CaptureDescriptor,
        arguments: GenericArguments?, types parameters: [GenericArguments.Argument],
        assuming fallback: Capture? = nil
    ) -> Int? {
        var offset = offsetOfFirstCapture(metadata, descriptor)
        for name in descriptor.captureTypes.prefix(number) {
            guard let name,
                let capture = capture(name, arguments: arguments, parameters: parameters)
                    ?? (name.genericParameter == nil ? nil : fallback)
            else { return nil }
            offset = offset.aligned(to: capture.alignment) + capture.size
        }
        return offset.aligned(to: 8)
    }

    private mutating func capture(
        _ name: MangledName, arguments: GenericArguments?, parameters: [GenericArguments.Argument]
    ) -> Capture? {
        if name.isBox { return .reference }
        if let shape = name.functionShape { return shape == .closure ? .function : .opaque(bytes: 8) }
        if let parameter = name.genericParameter {
            let argument = parameters.first { $0.depth == parameter.depth && $0.index == parameter.index }
            return argument.map { .value(types.layout(of: $0.type)) }
        }
        let known = parameters.map { MangledName.Parameter(depth: $0.depth, index: $0.index) }
        var type: Metadata?
        if let arguments, name.canBeResolved(with: known) { type = arguments.type(named: name) }
        if type == nil, name.canBeResolved(with: []) { type = Reflection.type(named: name) }
        if name.isNotStrong { return .opaque(bytes: type.flatMap { $0.valueWitnesses?.size } ?? 8) }
        if let type { return .value(types.layout(of: type)) }
        // A reference to a class has the size of a pointer, even if the generic arguments of the class are unknown.
        return name.genericClass != nil ? .reference : nil
    }
}
