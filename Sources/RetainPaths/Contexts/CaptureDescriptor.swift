/// The static description of what a closure's context holds. Records.h: CaptureDescriptor
struct CaptureDescriptor {
    private typealias Captures = DescriptorLayout.Captures

    private let address: UInt
    let captureCount: Int
    let sourceCount: Int
    /// Words before the captures, which hold type arguments.
    let bindingCount: Int

    /// - Returns: `nil` for no address, and where the counts are too large to be true.
    init?(_ address: UInt) {
        guard address != 0 else { return nil }
        let counts = [Captures.captureCount, Captures.sourceCount, Captures.bindingCount].map {
            ImmortalMemory.uint32(address &+ $0)
        }
        guard counts.allSatisfy({ $0 < Captures.countLimit }) else { return nil }
        self.address = address
        (captureCount, sourceCount, bindingCount) = (Int(counts[0]), Int(counts[1]), Int(counts[2]))
    }

    var isGeneric: Bool { sourceCount > 0 || bindingCount > 0 }

    /// The mangled name of a capture's type.
    func captureType(_ index: Int) -> MangledName? {
        let record = address &+ Captures.captureTypes &+ UInt(index) &* Captures.captureTypeBytes
        let name = ImmortalMemory.relativeTarget(record)
        return name == 0 ? nil : MangledName(name)
    }

    /// The capture that is a parameter of the closure's function.
    ///
    /// lib/IRGen/GenReflection.cpp numbers parameters, of which the captures are the last: the number of a closure without
    /// arguments is that of the capture. With arguments, it is found only if one capture alone is of a generic class.
    func genericCapture(ofParameter index: Int) -> Int? {
        let candidates = (0..<min(captureCount, index + 1)).filter {
            captureType($0)?.isGenericClass ?? false
        }
        if candidates.count == 1 { return candidates[0] }
        return candidates.contains(index) ? index : nil
    }

    /// A generic parameter and the place in a context where its argument is found.
    func source(_ index: Int) -> (parameter: MangledName, source: MetadataSource)? {
        let captures = UInt(captureCount) &* Captures.captureTypeBytes
        let record = address &+ Captures.captureTypes &+ captures &+ UInt(index) &* Captures.sourceBytes
        let parameter = ImmortalMemory.relativeTarget(record)
        let source = ImmortalMemory.relativeTarget(record &+ Captures.sourceName)
        guard parameter != 0, source != 0, let source = MetadataSource(MangledName(source).tail) else {
            return nil
        }
        return (MangledName(parameter), source)
    }
}

/// Where a context holds the argument of a generic parameter. RemoteInspection/MetadataSourceBuilder.h, MetadataSource.cpp
struct MetadataSource {
    enum Origin {
        /// `B`: a word before the captures.
        case binding(Int)
        /// `R`: the class of the object that a parameter of the closure's function refers to.
        case classOfParameter(Int)
    }

    let origin: Origin
    /// `G` around it: which type argument of the origin to take, the innermost first.
    let argumentPath: [Int]

    /// Parses such as `B0` or `G1R0_`; `nil` for other sources.
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
        case UInt8(ascii: "B"): origin = .binding(index)
        case UInt8(ascii: "R"): origin = .classOfParameter(index)
        default: return nil
        }
        argumentPath = path.reversed()
    }
}
