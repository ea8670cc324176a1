internal import LeakGzip

/// How records stand in a file: a marker, a kind, a length, a checksum, the payload.
///
/// ```
/// 2 bytes  FF A7, which no UTF-8 holds: what looks like a start inside of a text is none
/// 1 byte   kind
/// 4 bytes  length of the payload, little-endian
/// 4 bytes  CRC-32 of kind, length and payload, little-endian
/// n bytes  payload
/// ```
/// Reading finds each whole record before and after damage; torn ends are damage like any other.
enum Framing {
    /// Above all that fits the bounds of the wire format: a thousand checks whose names have to be escaped take 3 MiB.
    static let payloadLimit = 16 * 1024 * 1024
    static let headerBytes = 11
    private static let marker: (UInt8, UInt8) = (0xFF, 0xA7)

    struct Frame: Hashable {
        let kind: UInt8
        let payload: ArraySlice<UInt8>
    }

    struct Reading: Hashable {
        var frames: [Frame] = []
        /// Bytes that belong to no whole record.
        var damagedBytes = 0
        /// Bytes that were summed for records that turned out to be none.
        var vainBytes = 0
    }

    /// - Parameter payload: more than ``payloadLimit`` bytes are left out, as if they had been damaged.
    static func append(_ kind: UInt8, _ payload: [UInt8], to bytes: inout [UInt8]) {
        guard payload.count <= payloadLimit else { return }
        bytes.append(marker.0)
        bytes.append(marker.1)
        let start = bytes.count
        bytes.append(kind)
        bytes.append(UInt32(payload.count))
        bytes.append(Checksum.crc32(payload[...], after: Checksum.crc32(bytes[start...])))
        bytes.append(contentsOf: payload)
    }

    /// After so many bytes in failed checksums the rest of a file counts as damaged: eight times the sum of its bytes and 256 KiB.
    /// Random damage contains a false start once in 16 MiB; a file that was crafted to contain many would cost minutes.
    static func vainBytesLimit(ofFile bytes: Int) -> Int { 8 * (bytes + payloadLimit / 64) }

    static func read(_ bytes: [UInt8]) -> Reading {
        var reading = Reading()
        var index = 0
        let limit = vainBytesLimit(ofFile: bytes.count)
        while index < bytes.count {
            guard reading.vainBytes <= limit else {
                reading.damagedBytes += bytes.count - index
                break
            }
            if let (frame, end) = frame(at: index, in: bytes, &reading.vainBytes) {
                reading.frames.append(frame)
                index = end
            } else {
                let next = bytes[(index + 1)...].firstIndex(of: marker.0) ?? bytes.endIndex
                reading.damagedBytes += next - index
                index = next
            }
        }
        return reading
    }

    /// A byte that is to stand between a torn record and the next one: the first byte of that might be the last one that is
    /// missing, as it is where four bytes of FF say that a number is not known, and the record would take it.
    static func gap(after bytes: [UInt8]) -> UInt8 {
        // What would complete the torn record behind one of the two does not behind the other.
        read(bytes + [0, marker.0, marker.1]).frames.count == read(bytes).frames.count ? 0 : 1
    }

    /// - Parameter vainBytes: grows by what is summed for a record that turns out to be none.
    private static func frame(
        at start: Int, in bytes: [UInt8], _ vainBytes: inout Int
    ) -> (Frame, end: Int)? {
        guard bytes.count - start >= headerBytes, bytes[start] == marker.0, bytes[start + 1] == marker.1
        else {
            return nil
        }
        let length = Int(UInt32(littleEndian: bytes[(start + 3)...]))
        let end = start + headerBytes + length
        guard length <= payloadLimit, end <= bytes.count else { return nil }
        let payload = bytes[(start + headerBytes)..<end]
        let sum = Checksum.crc32(payload, after: Checksum.crc32(bytes[(start + 2)..<(start + 7)]))
        guard sum == UInt32(littleEndian: bytes[(start + 7)...]) else {
            vainBytes += length
            return nil
        }
        return (Frame(kind: bytes[start + 2], payload: payload), end)
    }
}

extension [UInt8] {
    /// Little-endian.
    mutating func append(_ number: some FixedWidthInteger) {
        var rest = number
        for _ in 0..<(number.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

extension FixedWidthInteger {
    /// The first bytes of `bytes`, which must be there.
    init(littleEndian bytes: ArraySlice<UInt8>) {
        self = 0
        for offset in 0..<(Self.bitWidth / 8) {
            self |= Self(truncatingIfNeeded: UInt64(bytes[bytes.startIndex + offset])) << Self(8 * offset)
        }
    }
}
