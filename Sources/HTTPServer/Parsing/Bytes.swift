/// Classes of bytes, as bit sets over ASCII: no table in memory, no branch per class.
extension UInt8 {
    /// `tchar` of RFC 9110 §5.6.2
    var isToken: Bool {
        // 0–9 and !#$%&'*+-. in the lower half; A–Z a–z and ^_`|~ in the upper.
        isIn(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// Visible ASCII: what a target may hold before it is looked at closer.
    var isVisible: Bool { self > 0x20 && self < 0x7F }

    /// A field value: visible, space, tab, and what lies beyond ASCII. RFC 9110 §5.5
    var isFieldText: Bool { self >= 0x20 ? self != 0x7F : self == 0x09 }

    var isDigit: Bool { self &- 0x30 < 10 }

    /// 0 to 15.
    var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self &- 0x30
        case 0x41...0x46: self &- 0x37
        case 0x61...0x66: self &- 0x57
        default: nil
        }
    }

    private func isIn(low: UInt64, high: UInt64) -> Bool {
        guard self < 128 else { return false }
        return (self < 64 ? low >> UInt64(self) : high >> UInt64(self & 63)) & 1 == 1
    }
}

/// A place in the bytes of a head.
struct Extent: Hashable {
    var start: Int32 = 0
    var count: Int32 = 0

    init() {}

    init(_ range: Range<Int>) {
        start = Int32(truncatingIfNeeded: range.lowerBound)
        count = Int32(truncatingIfNeeded: range.count)
    }

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    var isEmpty: Bool { count == 0 }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes at a place spell `name`, which is in lower case, whatever their case.
    func spells(_ name: StaticString, at extent: Extent) -> Bool {
        guard Int(extent.count) == name.utf8CodeUnitCount else { return false }
        for index in 0..<name.utf8CodeUnitCount {
            let byte = unsafe self[Int(extent.start) &+ index]
            let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
            guard unsafe lower == name.utf8Start[index] else { return false }
        }
        return true
    }

    /// The same without regard to case only where `name` says so: byte for byte.
    func equals(_ text: StaticString, at extent: Extent) -> Bool {
        guard Int(extent.count) == text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount
        where unsafe self[Int(extent.start) &+ index] != text.utf8Start[index] { return false }
        return true
    }

    func text(at extent: Extent) -> String {
        unsafe String(decoding: self[extent.range], as: UTF8.self)
    }

    /// The extent without white space at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, unsafe self[start] == 0x20 || self[start] == 0x09 { start &+= 1 }
        while end > start, unsafe self[end &- 1] == 0x20 || self[end &- 1] == 0x09 { end &-= 1 }
        return start..<end
    }
}
