import LeakGzip
import Testing

/// The content coding `deflate` of HTTP, with zlib's wrapper and without. RFC 9110 §8.4.1.2.
@Suite struct DeflateTests {
    private func inflate(_ bytes: [UInt8], step: Int = .max) throws(InflateError) -> [UInt8] {
        var inflater = Inflater(format: .deflate)
        var output: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try inflater.inflate(Array(rest.prefix(step)), into: &output)
            rest = rest.dropFirst(step)
        }
        try inflater.finish()
        return output
    }

    /// `hello` compressed by Python's `zlib.compress`; below, the same compressed blocks without the wrapper.
    private static let wrapped: [UInt8] = [
        0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15,
    ]
    private static let raw: [UInt8] = [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    /// Returns the compressed blocks of a gzip member, without its header of ten bytes and its trailer of eight bytes.
    private static func blocks(_ bytes: [UInt8], level: Int) -> [UInt8] {
        Array(Gzip.deflate(bytes, level: level).dropFirst(10).dropLast(8))
    }

    @Test(arguments: [wrapped, raw])
    func `raw deflate and zlib are read, in pieces of any size`(bytes: [UInt8]) throws {
        for step in 1...bytes.count {
            #expect(try inflate(bytes, step: step) == Array("hello".utf8))
        }
    }

    @Test(arguments: [wrapped, raw])
    func `a deflate stream that is cut off is reported as truncated, and bytes after its end are refused`(
        bytes: [UInt8]
    ) {
        for count in 0..<bytes.count {
            #expect(throws: InflateError.truncated) { try inflate(Array(bytes[..<count])) }
        }
        #expect(throws: InflateError.trailingBytes) { try inflate(bytes + [0]) }
        #expect(throws: InflateError.trailingBytes) { try inflate(bytes + bytes, step: 1) }
    }

    @Test(arguments: [9, 10, 11, 12])
    func `a zlib stream with a wrong checksum is refused`(index: Int) {
        var wrong = Self.wrapped
        wrong[index] ^= 1
        #expect(throws: InflateError.badChecksum) { try inflate(wrong) }
    }

    /// The start of an uncompressed block is most similar to zlib's header.
    @Test(
        arguments: [[], [7], (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 3) }], [1, 6, 9])
    func `no deflate block that an encoder writes is mistaken for zlib's header`(bytes: [UInt8], level: Int)
        throws
    {
        #expect(try inflate(Self.blocks(bytes, level: level)) == bytes)
        for isLast: UInt8 in [0, 1] {
            let length = UInt8(200)
            let stored = [isLast, length, 0, ~length, 0xFF] + [UInt8](repeating: 0x78, count: Int(length))
            let end: [UInt8] = isLast == 1 ? [] : [0x03, 0x00]
            #expect(try inflate(stored + end) == [UInt8](repeating: 0x78, count: 200))
        }
    }

    private static let malformedStreams: [[UInt8]] = [
        Array("hello, this is no deflate".utf8), [0x78, 0x9D] + wrapped.dropFirst(2),
        // Requires a preset dictionary that is not available: RFC 1950 §2.2, FDICT.
        [0x78, 0xBB, 0x06, 0x2C, 0x02, 0x15, 0xCB, 0x00, 0x11, 0x00, 0x06, 0x2C, 0x02, 0x15],
    ]

    @Test(arguments: malformedStreams)
    func `bytes that are not a deflate stream are malformed`(bytes: [UInt8]) {
        #expect(throws: InflateError.malformed) { try inflate(bytes) }
        #expect(throws: InflateError.malformed) { try inflate(bytes, step: 1) }
    }

    @Test func `a decompression bomb is stopped at the ratio limit`() {
        let bomb = Self.blocks([UInt8](repeating: 0, count: 4 << 20), level: 9)
        #expect(throws: InflateError.tooLarge) { try inflate(bomb) }
        #expect(throws: InflateError.tooLarge) { try inflate(bomb, step: 100) }
    }

    @Test func `one inflater reads one format after the other`() throws {
        var inflater = Inflater()
        var output: [UInt8] = []
        let member = Gzip.deflate(Array("hello".utf8))
        let streams: [(Inflater.Format, [UInt8])] = [
            (.gzip, member), (.deflate, Self.raw), (.gzip, member), (.deflate, Self.wrapped),
            (.deflate, Self.raw),
        ]
        for (format, bytes) in streams {
            inflater.reset(format)
            output = []
            try inflater.inflate(bytes, into: &output)
            try inflater.finish()
            #expect(output == Array("hello".utf8), "\(format) \(bytes)")
        }
        inflater.reset(.deflate)
        #expect(throws: InflateError.malformed) { try inflater.inflate(member, into: &output) }
        inflater.reset(.gzip)
        #expect(throws: InflateError.malformed) { try inflater.inflate(Self.wrapped, into: &output) }
    }
}
