/// A mangled type name in an image, with references to descriptors in it. docs/ABI/Mangling.rst: symbolic references
struct MangledName {
    private static let longest = 4096

    let address: UInt
    let count: Int
    /// The characters after the last symbolic reference, which tell how a value is kept.
    let tail: [UInt8]

    init(_ address: UInt) {
        self.address = address
        var (position, tailStart) = (0, 0)
        while position < Self.longest {
            let byte = ImmortalMemory.byte(address &+ UInt(position))
            if byte == 0 { break }
            switch byte {
            // A control byte, then a relative reference of 4 bytes or an absolute one of 8.
            case 0x01...0x17:
                position += 5
                tailStart = position
            case 0x18...0x1F:
                position += 9
                tailStart = position
            default: position += 1
            }
        }
        count = position
        tail = (tailStart..<max(position, tailStart)).map { ImmortalMemory.byte(address &+ UInt($0)) }
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

    /// Mangling.rst: `Xw` weak, `Xo` unowned, `Xu` unmanaged.
    var isNotStrong: Bool { ends(with: "Xw") || ends(with: "Xo") || ends(with: "Xu") }

    /// Mangling.rst: `Xx` and `XX` are boxes of SIL, one reference each.
    var isBox: Bool { ends(with: "_Xx") || ends(with: "XX") }

    /// True if the name begins with a reference to the descriptor of a class: control byte 1 direct, 2 through a pointer.
    private var startsWithClass: Bool {
        let control = ImmortalMemory.byte(address)
        guard control == 1 || control == 2 else { return false }
        let target = ImmortalMemory.relativeTarget(address &+ 1)
        let descriptor = control == 1 || target == 0 ? target : ImmortalMemory.word(target)
        guard descriptor != 0 else { return false }
        return ImmortalMemory.uint32(descriptor) & DescriptorLayout.Context.kindMask
            == DescriptorLayout.Context.classKind
    }

    /// True if it is a generic class with its arguments, which end with `G`.
    var isGenericClass: Bool { startsWithClass && tail.last == UInt8(ascii: "G") }

    /// How the value of a lowered function type is kept.
    enum FunctionShape { case closure, singleWord }

    /// Mangling.rst: `I` … `_` with one letter for each convention; `nil` where the name is of another type.
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
    var genericParameter: (depth: Int, index: Int)? {
        guard count == tail.count else { return nil }
        if tail == [UInt8(ascii: "x")] { return (0, 0) }
        guard tail.first == UInt8(ascii: "q"), tail.last == UInt8(ascii: "_") else { return nil }
        var rest = tail.dropFirst()
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
            guard let depth = readIndex(), let index = readIndex(), rest.isEmpty else { return nil }
            return (depth + 1, index)
        }
        guard let index = readIndex(), rest.isEmpty else { return nil }
        return (0, index + 1)
    }
}
