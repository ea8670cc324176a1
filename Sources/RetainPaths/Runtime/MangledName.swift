/// A mangled type name in an image, with references to descriptors in it. docs/ABI/Mangling.rst: symbolic references
struct MangledName {
    private static let maxBytes = 4096

    let address: UInt
    let count: Int
    /// The characters after the last symbolic reference, which encode the representation of a value.
    let tail: [UInt8]
    /// The control byte of each symbolic reference and the address that it refers to.
    private var references: [(control: UInt8, target: UInt)] = []
    /// `true` if a zero byte ends the name, and every other byte is a character or part of a reference.
    private let isWellFormed: Bool
    /// The type parameters whose members the name contains, such as `Element` of `Items`; `nil` if one cannot be parsed, or if the
    /// name has a parameter pack.
    private let parametersWithMembers: [Parameter]?

    struct Parameter: Equatable {
        var depth: Int
        var index: Int
    }

    init(_ address: UInt) {
        self.address = address
        var bytes: [UInt8] = []
        var (position, tailStart) = (0, 0)
        var isText = true
        var text: [UInt8] = []
        /// Reads on up to a byte, in pieces, because a name may end close to the end of its segment. Returns `false` if the byte
        /// cannot be read.
        func hasByte(_ index: Int) -> Bool {
            while index >= bytes.count {
                let piece = ImmortalMemory.piece(address &+ UInt(bytes.count))
                if piece.isEmpty { return false }
                bytes += piece
            }
            return true
        }
        while position < Self.maxBytes, hasByte(position), bytes[position] != 0 {
            switch bytes[position] {
            // A control byte, then a relative reference of 4 bytes, or an absolute reference of 8 bytes, which no compiler has
            // written yet.
            case 0x01...0x17:
                references.append(
                    (bytes[position], ImmortalMemory.relativeTarget(address &+ UInt(position + 1))))
                position += 5
                tailStart = position
                text.append(0)
            case 0x18...0x1F:
                isText = false
                position += 9
                tailStart = position
            default:
                if bytes[position] > 0x7E { isText = false }
                text.append(bytes[position])
                position += 1
            }
        }
        count = position
        isWellFormed = isText && position > 0 && hasByte(position) && bytes[position] == 0
        tail = tailStart < position && hasByte(position) ? Array(bytes[tailStart..<position]) : []
        parametersWithMembers = Self.findParametersWithMembers(text[...])
    }

    /// Returns `true` if the name is safe to give to the runtime: the runtime follows its references without a check, and calls
    /// functions.
    ///
    /// Mangling.rst: 1 is a context descriptor, 2 a pointer to a context descriptor, 9 a function that returns metadata, A and
    /// B the shape of an existential type. Names of fields and captures have no other kinds on Linux.
    func isSafe(_ images: ImageAddressMap) -> Bool {
        isWellFormed && images.contains(address, count: UInt(count + 1))
            && references.allSatisfy { control, target in
                switch control {
                case 1: DescriptorCheck(images).isContext(target)
                case 2: DescriptorCheck(images).isContext(images.pointer(at: target))
                case 9: images.isCode(target)
                case 0xA, 0xB: images.contains(target, count: 24)
                default: false
                }
            }
    }

    /// Returns `true` if the runtime can resolve the name with arguments for these parameters.
    ///
    /// The runtime ends the process if a parameter whose member it needs has no argument, and if the argument of a pack is a single
    /// type. MetadataLookup.cpp: createDependentMemberType, MetadataPackOrValue
    func canBeResolved(with parameters: [Parameter]) -> Bool {
        parametersWithMembers?.allSatisfy(parameters.contains) ?? false
    }

    /// Finds the parameters whose members a name contains. Mangling.rst: `Qz` and `QZ` are members of `x`, `Qy_`, `Qyd__` and `QY_`
    /// of the parameter whose number follows, `Qp`, `QP` and `QS` are packs. The same letters may be part of a type's name; such a
    /// name may then not be resolved, which is safe.
    private static func findParametersWithMembers(_ text: ArraySlice<UInt8>) -> [Parameter]? {
        var parameters: [Parameter] = []
        var rest = text
        while let mark = rest.firstIndex(of: UInt8(ascii: "Q")) {
            rest = rest[(mark + 1)...]
            switch rest.popFirst() {
            case UInt8(ascii: "z"), UInt8(ascii: "Z"): parameters.append(Parameter(depth: 0, index: 0))
            case UInt8(ascii: "y"), UInt8(ascii: "Y"):
                guard let parameter = readParameter(&rest) else { return nil }
                parameters.append(parameter)
            case UInt8(ascii: "p"), UInt8(ascii: "P"), UInt8(ascii: "S"): return nil
            default: break
            }
        }
        return parameters
    }

    func ends(with suffix: StaticString) -> Bool {
        let length = suffix.utf8CodeUnitCount
        guard tail.count >= length else { return false }
        return suffix.withUTF8Buffer { suffix in
            for index in 0..<length where unsafe suffix[index] != tail[tail.count - length + index] {
                return false
            }
            return true
        }
    }

    /// `true` for a reference that does not keep its object alive. Mangling.rst: `Xw` weak, `Xo` unowned, `Xu` unmanaged.
    var isNotStrong: Bool { ends(with: "Xw") || ends(with: "Xo") || ends(with: "Xu") }

    /// `true` for a box of a captured variable, which is one reference. Mangling.rst: `Xx` and `XX` are boxes of SIL.
    var isBox: Bool { ends(with: "_Xx") || ends(with: "XX") }

    /// The descriptor of the class that the name begins with; `nil` for other types.
    private var classDescriptor: UInt? {
        guard let first = references.first, ImmortalMemory.byte(address) == first.control else { return nil }
        let descriptor = first.control == 2 ? ImmortalMemory.word(first.target) : first.target
        guard first.control == 1 || first.control == 2,
            ImmortalMemory.uint32(descriptor) & DescriptorLayout.Context.kindMask
                == DescriptorLayout.Context.classKind
        else { return nil }
        return descriptor
    }

    /// The descriptor of the class if the name is a generic class with its arguments, which end with `G`; `nil` for other
    /// types.
    var genericClass: UInt? { tail.last == UInt8(ascii: "G") ? classDescriptor : nil }

    /// The representation of the value of a lowered function type.
    enum FunctionShape { case closure, singleWord }

    /// The shape of a function type; `nil` for other types. Mangling.rst: `I` … `_` with one letter for each convention
    var functionShape: FunctionShape? {
        var letters = tail
        if ends(with: "Sg") { letters.removeLast(2) }
        guard letters.last == UInt8(ascii: "_"), let start = letters.lastIndex(of: UInt8(ascii: "I")) else {
            return nil
        }
        var code = letters[(start + 1)..<(letters.count - 1)]
        guard code.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }) else {
            return nil
        }
        // Pseudogeneric and substituted signatures, then escaping, then differentiability.
        while let first = code.first, "sIP".utf8.contains(first) { code.removeFirst() }
        if code.first == UInt8(ascii: "e") { code.removeFirst() }
        if let first = code.first, "dlfr".utf8.contains(first) { code.removeFirst() }
        // The convention of the callee: `t` is thin.
        guard let callee = code.popFirst() else { return nil }
        if callee == UInt8(ascii: "t") { return .singleWord }
        // The representation: blocks, C functions, methods and witnesses have no context.
        if let representation = code.first, "BCMJKW".utf8.contains(representation) { return .singleWord }
        return .closure
    }

    /// The depth and index of a name that is one generic parameter. Mangling.rst: `x`, `q_`, `q0_`, `qd__`, `qd_0_`, `qd0__`
    var genericParameter: Parameter? {
        guard references.isEmpty else { return nil }
        if tail == [UInt8(ascii: "x")] { return Parameter(depth: 0, index: 0) }
        guard tail.first == UInt8(ascii: "q"), tail.last == UInt8(ascii: "_") else { return nil }
        var rest = tail.dropFirst()
        let parameter = Self.readParameter(&rest)
        return rest.isEmpty ? parameter : nil
    }

    /// Reads depth and index of a generic parameter that is not the first (`x`): `_`, `0_`, `d__`, `d_0_`.
    private static func readParameter(_ rest: inout ArraySlice<UInt8>) -> Parameter? {
        func readIndex() -> Int? {
            var value: Int?
            while let digit = rest.first, (0x30...0x39).contains(digit), (value ?? 0) < 1000 {
                value = (value ?? 0) * 10 + Int(digit - 0x30)
                rest.removeFirst()
            }
            guard rest.popFirst() == UInt8(ascii: "_") else { return nil }
            return value.map { $0 + 1 } ?? 0
        }
        if rest.first == UInt8(ascii: "d") {
            rest.removeFirst()
            guard let depth = readIndex(), let index = readIndex() else { return nil }
            return Parameter(depth: depth + 1, index: index)
        }
        return readIndex().map { Parameter(depth: 0, index: $0 + 1) }
    }
}
