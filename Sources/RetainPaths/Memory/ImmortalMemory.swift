/// Reads of memory that is never freed: images of this process and metadata that was validated.
///
/// Each read is one system call that fails for unmapped memory, so a changed detail of the runtime gives a wrong number instead of
/// a signal. Layouts are computed once for a type, so the time does not matter; instances are read through ``PageSnapshot``.
enum ImmortalMemory {
    static func word(_ address: UInt) -> UInt { read(address, 0) }
    static func uint32(_ address: UInt) -> UInt32 { read(address, 0) }
    static func uint16(_ address: UInt) -> UInt16 { read(address, 0) }
    static func byte(_ address: UInt) -> UInt8 { read(address, 0) }

    /// - Parameter fallback: the result if a byte cannot be read.
    private static func read<Value: BitwiseCopyable>(_ address: UInt, _ fallback: Value) -> Value {
        var value = fallback
        let isRead = unsafe withUnsafeMutableBytes(of: &value) { bytes in
            guard let start = bytes.baseAddress else { return false }
            return unsafe CheckedMemory.read(address, count: bytes.count, into: start)
        }
        return isRead ? value : fallback
    }

    /// Reads bytes up to the next address that is a multiple of 128, so that no read crosses the end of a page. Returns no bytes if
    /// they cannot be read.
    static func piece(_ address: UInt) -> [UInt8] {
        let count = 128 - Int(address & 127)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            guard let start = buffer.baseAddress else { return }
            length = unsafe CheckedMemory.read(address, count: count, into: start) ? count : 0
        }
    }

    /// Returns the target of a relative reference; 0 if the reference is null.
    ///
    /// include/swift/Basic/RelativePointer.h: a signed distance of 32 bits from its own address.
    static func relativeTarget(_ address: UInt) -> UInt {
        let distance = Int32(bitPattern: uint32(address))
        return distance == 0 ? 0 : address &+ UInt(bitPattern: Int(distance))
    }

    /// Reads a C string of at most 1,024 bytes; the rest of a longer string is left out.
    static func string(_ address: UInt) -> String {
        var bytes: [UInt8] = []
        while bytes.count < 1024 {
            let piece = piece(address &+ UInt(bytes.count))
            let text = piece.prefix { $0 != 0 }
            bytes += text
            if piece.isEmpty || text.count < piece.count { break }
        }
        return String(decoding: bytes.prefix(1024), as: UTF8.self)
    }
}

extension Int {
    /// Rounds up to a multiple of `alignment`, a power of two.
    @inline(__always)
    func aligned(to alignment: Int) -> Int { (self &+ alignment &- 1) & ~(alignment &- 1) }
}
