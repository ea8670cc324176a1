extension TypeLayouts {
    /// Returns the reference fields of an enum: none, those of an optional's payload, or one reference field for the enum as a
    /// whole.
    mutating func enumReferenceFields(_ metadata: Metadata) -> [ReferenceField] {
        let isOptional = metadata.kind == MetadataLayout.Kind.optional
        if isOptional, let payload = metadata.genericArgument(0) {
            // If `isNullWhenNil` is `true`, `nil` is a null word, so the case need not be computed.
            let inner = layout(of: payload)
            if inner.referenceFields.count == 1,
                let reference = referenceFields(in: inner.referenceFields).first, reference.offset == 0,
                Self.isNullWhenNil(reference, size: inner.size)
            {
                return [reference]
            }
        }
        guard let layout = enumLayout(metadata, isOptional: isOptional),
            layout.cases.contains(where: { !$0.isEmpty })
        else { return [] }
        return [ReferenceField(kind: .enumeration, offset: 0, label: 0, detail: appendEnum(layout))]
    }

    private static func isNullWhenNil(_ reference: ReferenceField, size: Int) -> Bool {
        switch reference.kind {
        case .strong, .storage, .block: size == 8 || size == 16
        case .function, .string: size == 16
        case .existential: true
        case .enumeration, .unknownWords: false
        }
    }

    /// - Parameter isOptional: `true` leaves the case out of labels, because paths do not show the case of an optional.
    private mutating func enumLayout(_ metadata: Metadata, isOptional: Bool) -> EnumLayout? {
        typealias Fields = DescriptorLayout.Fields
        let descriptor = metadata.descriptor
        guard let witnesses = metadata.valueWitnesses, witnesses.hasEnumWitnesses,
            // `Reflection.enumTag` and `projectEnumData` call these functions later.
            images.isCode(witnesses.enumTag), images.isCode(witnesses.projectEnumData),
            DescriptorCheck(images).isType(descriptor, DescriptorLayout.Context.enumKind)
        else { return nil }
        let fields = ImmortalMemory.relativeTarget(descriptor &+ DescriptorLayout.Context.fields)
        guard fields != 0 else { return nil }
        var layout = EnumLayout(
            metadata: metadata.address, size: witnesses.size, enumTag: witnesses.enumTag,
            projectEnumData: witnesses.projectEnumData)
        let recordBytes = UInt(ImmortalMemory.uint16(fields &+ Fields.recordBytes))
        // The record at an index describes the case with the same tag. lib/IRGen/GenReflection.cpp: payload cases first
        for index in 0..<UInt(ImmortalMemory.uint32(fields &+ Fields.count)) {
            let record = fields &+ Fields.records &+ index &* recordBytes
            let name = ImmortalMemory.string(ImmortalMemory.relativeTarget(record &+ Fields.recordName))
            let label = isOptional ? 0 : labels.number(of: "(.\(name.isEmpty ? "?" : name))")
            let flags = ImmortalMemory.uint32(record &+ Fields.recordFlags)
            let payload = ImmortalMemory.relativeTarget(record &+ Fields.recordType)
            let referenceFields = caseReferenceFields(
                payload: payload, isIndirect: flags & Fields.isIndirectCaseFlag != 0, label: label,
                of: metadata)
            layout.cases.append(append(referenceFields))
        }
        return layout
    }

    private mutating func caseReferenceFields(
        payload: UInt, isIndirect: Bool, label: Int32, of metadata: Metadata
    ) -> [ReferenceField] {
        guard payload != 0 else { return [] }
        if isIndirect { return [ReferenceField(kind: .strong, offset: 0, label: label)] }
        let name = MangledName(payload)
        guard !name.isNotStrong, name.isSafe(images),
            let type = Reflection.type(
                named: name, context: metadata.descriptor,
                arguments: metadata.address &+ UInt(MetadataLayout.Value.genericArguments))
        else { return [] }
        let inner = layout(of: type)
        return referenceFields(in: inner.referenceFields).map {
            $0.moved(by: 0, label: labels.join(label, $0.label))
        }
    }
}
