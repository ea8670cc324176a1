internal import LeakGzip

/// The encoding of records in a file: a marker, a kind, a length, a checksum, the payload.
///
/// ```
/// 2 bytes  FF A7, which is not valid UTF-8, so that a text never contains a marker
/// 1 byte   kind
/// 4 bytes  length of the payload, little-endian
/// 4 bytes  CRC-32 of kind, length and payload, little-endian
/// n bytes  payload
/// ```
/// Reading finds each complete record before and after damage, as long as the search stays within
/// ``wastedBytesLimit(ofFile:)``; a truncated end is damage like any other.
enum RecordCodec {
    /// The maximum size of a payload, 16 MiB. It exceeds everything within the limits of the wire format: a thousand checks whose
    /// names must be escaped take 3 MiB.
    static let payloadLimit = 16 * 1024 * 1024
    static let headerBytes = 11
    private static let marker: (UInt8, UInt8) = (0xFF, 0xA7)

    struct RawRecord: Hashable {
        let kind: UInt8
        let payload: ArraySlice<UInt8>
    }

    struct ReadResult: Hashable {
        var rawRecords: [RawRecord] = []
        /// The number of bytes that belong to no complete record.
        var damagedBytes = 0
        /// The number of bytes whose checksum was computed and did not match.
        var wastedBytes = 0
    }

    /// - Parameter payload: the payload; if it has more than ``payloadLimit`` bytes, nothing is appended, as if the record were
    ///   damaged.
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

    /// Returns the number of bytes in failed checksums after which the rest of a file counts as damaged: eight times the sum of
    /// the file's bytes and 256 KiB. Random damage contains the start of a false record once in 16 MiB. Without the limit,
    /// reading a file that was crafted to contain many of them would take minutes.
    static func wastedBytesLimit(ofFile bytes: Int) -> Int { 8 * (bytes + payloadLimit / 64) }

    static func read(_ bytes: [UInt8]) -> ReadResult {
        var result = ReadResult()
        var index = 0
        let limit = wastedBytesLimit(ofFile: bytes.count)
        while index < bytes.count {
            guard result.wastedBytes <= limit else {
                result.damagedBytes += bytes.count - index
                break
            }
            if let (rawRecord, end) = rawRecord(at: index, in: bytes, &result.wastedBytes) {
                result.rawRecords.append(rawRecord)
                index = end
            } else {
                let next = bytes[(index + 1)...].firstIndex(of: marker.0) ?? bytes.endIndex
                result.damagedBytes += next - index
                index = next
            }
        }
        return result
    }

    /// Returns a byte to insert between a truncated record and the next record. Without it, the first byte of the next record could
    /// complete the truncated record, for example where four bytes of FF mean an unknown number.
    static func gap(after bytes: [UInt8]) -> UInt8 {
        // If 0 completes the truncated record, 1 does not, because the checksum matches only one of them.
        read(bytes + [0, marker.0, marker.1]).rawRecords.count == read(bytes).rawRecords.count ? 0 : 1
    }

    /// - Parameter wastedBytes: increased by the number of bytes whose checksum did not match.
    private static func rawRecord(
        at start: Int, in bytes: [UInt8], _ wastedBytes: inout Int
    ) -> (RawRecord, end: Int)? {
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
            wastedBytes += length
            return nil
        }
        return (RawRecord(kind: bytes[start + 2], payload: payload), end)
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    mutating func append(_ number: some FixedWidthInteger) {
        var remainingBits = number
        for _ in 0..<(number.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: remainingBits))
            remainingBits >>= 8
        }
    }
}

extension FixedWidthInteger {
    /// Reads a number from the first bytes of `bytes`, which must be long enough.
    init(littleEndian bytes: ArraySlice<UInt8>) {
        self = 0
        for offset in 0..<(Self.bitWidth / 8) {
            self |= Self(truncatingIfNeeded: UInt64(bytes[bytes.startIndex + offset])) << Self(8 * offset)
        }
    }
}
