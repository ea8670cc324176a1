/// Reads little-endian numbers and texts from the bytes of a file in memory.
///
/// Beyond the end of its range it reads zeros and is no longer valid, so that a damaged file gives a wrong result instead of a
/// crash.
@safe struct LittleEndianReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position: Int
    let end: Int
    private(set) var isValid = true

    /// - Parameter range: the bytes to read. A part beyond the end of the file is left out.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        unsafe self.bytes = unsafe bytes
        end = max(0, min(range.upperBound, bytes.count))
        position = max(0, min(range.lowerBound, end))
    }

    var isAtEnd: Bool { position >= end || !isValid }

    mutating func byte() -> UInt8 {
        guard position < end else {
            isValid = false
            return 0
        }
        position += 1
        return unsafe bytes[position - 1]
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number {
        let count = MemoryLayout<Number>.size
        guard count <= end - position else {
            (position, isValid) = (end, false)
            return 0
        }
        position += count
        return unsafe Number(
            littleEndian: bytes.loadUnaligned(fromByteOffset: position - count, as: Number.self))
    }

    /// Reads a number in LEB128, seven bits in each byte. Bits beyond the 64th are dropped. DWARF 5, 7.6
    mutating func leb128() -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = byte()
            if shift < 64 { value |= UInt64(byte & 0x7F) << shift }
            shift += 7
            if byte & 0x80 == 0 { return value }
        }
    }

    mutating func signedLEB128() -> Int64 {
        var (value, shift): (Int64, Int64) = (0, 0)
        while true {
            let byte = byte()
            if shift < 64 { value |= Int64(byte & 0x7F) << shift }
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            if byte & 0x40 != 0, shift < 64 { value |= -1 << shift }
            return value
        }
    }

    mutating func skip(_ count: UInt64) {
        guard count <= UInt64(end - position) else {
            (position, isValid) = (end, false)
            return
        }
        position += Int(count)
    }

    /// Reads a text up to the next zero byte, and skips that byte.
    mutating func text() -> String {
        let start = position
        while byte() != 0 {}
        let last = isValid ? position - 1 : end
        return unsafe String(decoding: bytes[start..<max(start, last)], as: UTF8.self)
    }

    mutating func skipText() {
        while byte() != 0 {}
    }
}
