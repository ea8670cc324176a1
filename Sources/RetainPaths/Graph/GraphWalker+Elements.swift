extension GraphWalker {
    /// Adds the references in the elements of an array, dictionary or set.
    ///
    /// Counts may be garbage: each is checked before memory of that size is read.
    mutating func expandElements(of address: UInt, _ layout: ObjectLayout) {
        let element = reader.layouts.types.value(layout.elementLayoutIndex)
        switch layout.elements {
        case .none: return
        case .array:
            typealias Storage = HeapLayout.ArrayStorage
            guard let count = reader.memory.word(address &+ Storage.count),
                let capacity = reader.memory.word(address &+ Storage.capacityAndFlags), count > 0,
                count <= capacity >> 1, count < Storage.countLimit
            else { return }
            followElements(
                address &+ UInt(layout.elementsOffset), count: Int(count), element, flags: .element)
        case .dictionary, .set:
            typealias Storage = HeapLayout.HashStorage
            guard
                let scale = reader.memory.word(address &+ (layout.scaleOffset & ~7)).map({
                    Int($0 >> (8 * (layout.scaleOffset & 7)) & 0xFF)
                }), scale < Storage.scaleLimit,
                let count = reader.memory.word(address &+ Storage.count),
                let capacity = reader.memory.word(address &+ Storage.capacity), count > 0, count <= capacity,
                capacity <= 1 << UInt(scale)
            else { return }
            let bitmap = address &+ UInt(layout.elementsOffset)
            if layout.elements == .dictionary, let keys = reader.memory.word(address &+ layout.keysOffset) {
                let key = reader.layouts.types.value(layout.keyLayoutIndex)
                followElements(
                    keys, count: 1 << scale, key, flags: [.element, .key], bitmap: bitmap)
            }
            if let values = reader.memory.word(address &+ layout.valuesOffset) {
                followElements(values, count: 1 << scale, element, flags: .element, bitmap: bitmap)
            }
        }
    }

    /// - Parameter bitmap: the address of a bitmap of the buckets in use; 0 if every element is in use.
    private mutating func followElements(
        _ start: UInt, count: Int, _ element: ValueLayout, flags: ObjectGraph.EdgeFlags, bitmap: UInt = 0
    ) {
        guard !element.referenceFields.isEmpty, element.stride > 0,
            element.size <= PageSnapshot.maxBytesPerRead
        else {
            return
        }
        for index in 0..<count {
            guard mayReadElement() else { return }
            if bitmap != 0 {
                guard let bits = reader.memory.word(bitmap &+ UInt(index / 64 * 8)) else { return }
                if bits >> UInt(index % 64) & 1 == 0 { continue }
            }
            let address = start &+ UInt(index) &* UInt(element.stride)
            guard let bytes = unsafe reader.memory.bytes(address, count: element.size) else { return }
            unsafe follow(element.referenceFields, in: bytes, size: element.size, flags: flags)
        }
    }
}
