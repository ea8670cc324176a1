/// The static description of the contents of a closure's context. Records.h: CaptureDescriptor
struct CaptureDescriptor {
    private typealias Captures = DescriptorLayout.Captures

    /// The mangled name of each capture's type; `nil` if the name is not safe to pass to the runtime.
    let captureTypes: [MangledName?]
    /// The generic parameters, each with the source of its argument in a context; `nil` if a source cannot be parsed.
    let sources: [(parameter: MangledName, source: MetadataSource)]?
    /// The number of words before the captures. They hold type arguments.
    let bindingCount: Int
    let isGeneric: Bool

    /// - Returns: `nil` if the address is not that of a descriptor in an image, if a count is implausibly large, or if the
    ///   records are not in the same segment.
    init?(_ address: UInt, _ images: ImageAddressMap) {
        guard address & 3 == 0, images.contains(address, count: Captures.captureTypesOffset) else {
            return nil
        }
        let counts = [Captures.captureCountOffset, Captures.sourceCountOffset, Captures.bindingCountOffset]
            .map {
                ImmortalMemory.uint32(address &+ $0)
            }
        guard counts.allSatisfy({ $0 < Captures.countLimit }) else { return nil }
        let types = address &+ Captures.captureTypesOffset
        let sources = types &+ UInt(counts[0]) &* Captures.captureTypeRecordBytes
        let end = sources &+ UInt(counts[1]) &* Captures.sourceRecordBytes
        guard images.contains(address, count: end &- address) else { return nil }
        func name(_ record: UInt) -> MangledName? {
            let name = MangledName(ImmortalMemory.relativeTarget(record))
            return name.isSafe(images) ? name : nil
        }
        captureTypes = (0..<UInt(counts[0])).map { name(types &+ $0 &* Captures.captureTypeRecordBytes) }
        let found = (0..<UInt(counts[1])).compactMap { index -> (MangledName, MetadataSource)? in
            let record = sources &+ index &* Captures.sourceRecordBytes
            guard let parameter = name(record), let source = name(record &+ Captures.sourceNameOffset),
                let source = MetadataSource(source.tail)
            else { return nil }
            return (parameter, source)
        }
        self.sources = found.count == Int(counts[1]) ? found : nil
        bindingCount = Int(counts[2])
        isGeneric = counts[1] > 0 || counts[2] > 0
    }

    /// Returns the index of the capture that is a parameter of the closure's function.
    ///
    /// The compiler numbers parameters, and the captures come last (lib/IRGen/GenReflection.cpp): for a closure without
    /// arguments, the number is that of the capture. With arguments, the capture is found only if no other capture is of a
    /// generic class.
    func genericCapture(ofParameter index: Int) -> Int? {
        let candidates = captureTypes.prefix(index + 1).indices.filter {
            captureTypes[$0]?.genericClass != nil
        }
        if candidates.count == 1 { return candidates[0] }
        return candidates.contains(index) ? index : nil
    }
}

/// The part of a context that holds the argument of a generic parameter. RemoteInspection/MetadataSourceBuilder.h,
/// MetadataSource.cpp
struct MetadataSource {
    enum Origin {
        /// `B`: a word before the captures.
        case binding(index: Int)
        /// `R`: the class of the object that a parameter of the closure's function refers to.
        case classOfParameter(index: Int)
    }

    let origin: Origin
    /// The indexes of the type arguments to take from the origin, the innermost first: each `G` around the origin gives one
    /// index.
    let argumentPath: [Int]

    /// Parses a source such as `B0` or `G1R0_`; `nil` for other sources.
    init?(_ text: [UInt8]) {
        var rest = text[...]
        func readNumber() -> Int? {
            var value: Int?
            while let digit = rest.first, (0x30...0x39).contains(digit), (value ?? 0) < 1000 {
                value = (value ?? 0) * 10 + Int(digit - 0x30)
                rest.removeFirst()
            }
            return value
        }
        var path: [Int] = []
        while rest.first == UInt8(ascii: "G") {
            rest.removeFirst()
            guard let index = readNumber(), path.count < 8 else { return nil }
            path.append(index)
        }
        let letter = rest.popFirst()
        guard let index = readNumber(), index < 256 else { return nil }
        switch letter {
        case UInt8(ascii: "B"): origin = .binding(index: index)
        case UInt8(ascii: "R"): origin = .classOfParameter(index: index)
        default: return nil
        }
        argumentPath = path.reversed()
    }
}
