/// Direct reads of memory that is never freed: images of this process and metadata that was validated.
///
/// Everything else is read through ``PageSnapshot``.
enum ImmortalMemory {
    /// `nil` for null and the small offsets from it that a missing part gives: reads of those return 0.
    @inline(__always)
    private static func pointer(_ address: UInt) -> UnsafeRawPointer? {
        unsafe address < CheckedMemory.addressStart ? nil : UnsafeRawPointer(bitPattern: address)
    }

    @inline(__always)
    static func word(_ address: UInt) -> UInt {
        guard let pointer = unsafe pointer(address) else { return 0 }
        return unsafe pointer.loadUnaligned(as: UInt.self)
    }

    @inline(__always)
    static func uint32(_ address: UInt) -> UInt32 {
        guard let pointer = unsafe pointer(address) else { return 0 }
        return unsafe pointer.loadUnaligned(as: UInt32.self)
    }

    @inline(__always)
    static func uint16(_ address: UInt) -> UInt16 {
        guard let pointer = unsafe pointer(address) else { return 0 }
        return unsafe pointer.loadUnaligned(as: UInt16.self)
    }

    @inline(__always)
    static func byte(_ address: UInt) -> UInt8 {
        guard let pointer = unsafe pointer(address) else { return 0 }
        return unsafe pointer.load(as: UInt8.self)
    }

    /// The target of a relative reference, 0 where it is null.
    ///
    /// include/swift/Basic/RelativePointer.h: a signed distance of 32 bits from its own address.
    static func relativeTarget(_ address: UInt) -> UInt {
        let distance = Int32(bitPattern: uint32(address))
        return distance == 0 ? 0 : address &+ UInt(bitPattern: Int(distance))
    }

    /// Reads a C string of at most 1,024 bytes; the rest of a longer one is left out.
    static func string(_ address: UInt) -> String {
        var bytes: [UInt8] = []
        while bytes.count < 1024 {
            let byte = byte(address &+ UInt(bytes.count))
            if byte == 0 { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Int {
    /// Rounds up to a multiple of `alignment`, a power of two.
    @inline(__always)
    func aligned(to alignment: Int) -> Int { (self &+ alignment &- 1) & ~(alignment &- 1) }
}
