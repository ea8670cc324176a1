import LeakGzip
import Testing

@Suite struct GzipTests {
    /// Inflates `bytes` in pieces of `step` bytes.
    private func inflate(
        _ bytes: [UInt8], limits: Inflater.Limits = .init(), step: Int = .max
    ) throws(InflateError) -> [UInt8] {
        var inflater = Inflater(limits: limits)
        var output: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try inflater.inflate(Array(rest.prefix(step)), into: &output)
            rest = rest.dropFirst(step)
        }
        try inflater.finish()
        return output
    }

    private static let text = Array(
        (0..<2000).map { "Shop.ViewController\($0 % 37) was still in memory\n" }.joined().utf8)

    /// The output of `printf hello | gzip -n`, which the tested code did not write.
    private static let hello: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00,
        0x86, 0xA6,
        0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
    ]

    @Test(arguments: [[], [7], Array("hello".utf8), text, [UInt8](repeating: 0, count: 60_000)], [1, 6, 9])
    func `compressed bytes decompress to the original`(bytes: [UInt8], level: Int) throws {
        #expect(try inflate(Gzip.deflate(bytes, level: level)) == bytes)
    }

    @Test func `gzip of another program is decompressed, in pieces of any size`() throws {
        for step in 1...Self.hello.count {
            #expect(try inflate(Self.hello, step: step) == Array("hello".utf8))
        }
        let small = Gzip.deflate(Self.text)
        #expect(small.count < Self.text.count / 10)
        #expect(try inflate(small, step: 1) == Self.text)
    }

    @Test func `equal bytes give equal gzip, and levels out of range use the nearest level`() {
        #expect(Gzip.deflate(Self.text) == Gzip.deflate(Self.text))
        #expect(Gzip.deflate(Self.text, level: 99) == Gzip.deflate(Self.text, level: 9))
        #expect(Gzip.deflate(Self.text, level: -5) == Gzip.deflate(Self.text, level: 1))
    }

    @Test(arguments: [-1, 9, 10, 12, 15, 99])
    func `one deflater compresses several members in succession, with a history window of any size`(
        historyBits: Int
    ) throws {
        var deflater = Deflater(level: 1, historyBits: historyBits)
        for bytes in [Self.text, [], Self.text, Array("hello".utf8)] {
            let member = deflater.deflate(bytes)
            #expect(try inflate(member) == bytes)
            var fresh = Deflater(level: 1, historyBits: historyBits)
            #expect(member == fresh.deflate(bytes))
        }
    }

    @Test func `a gzip member that is cut off anywhere is reported as truncated`() {
        for count in 0..<Self.hello.count {
            #expect(throws: InflateError.truncated) { try inflate(Array(Self.hello[..<count])) }
        }
    }

    @Test(arguments: [17, 20, 21, 24])
    func `a gzip member with a wrong checksum or length is refused`(index: Int) {
        var bytes = Self.hello
        bytes[index] ^= 1
        #expect(throws: InflateError.badChecksum) { try inflate(bytes) }
    }

    @Test func `bytes after a member are refused, even a second member`() {
        #expect(throws: InflateError.trailingBytes) { try inflate(Self.hello + [0]) }
        #expect(throws: InflateError.trailingBytes) { try inflate(Self.hello + Self.hello) }
        #expect(throws: InflateError.trailingBytes) {
            try inflate(Self.hello + Self.hello, step: Self.hello.count)
        }
    }

    @Test func `bytes that are not a gzip stream are malformed`() {
        #expect(throws: InflateError.malformed) { try inflate(Array("hello, this is no gzip".utf8)) }
        #expect(throws: InflateError.malformed) { try inflate([0x1F, 0x8B, 0x08, 0xFF] + Self.hello) }
    }

    @Test func `a decompression bomb is stopped at the ratio limit`() {
        let bomb = Gzip.deflate([UInt8](repeating: 0, count: 4 << 20), level: 9)
        #expect(bomb.count < 5000)
        #expect(throws: InflateError.tooLarge) { try inflate(bomb) }
        #expect(throws: InflateError.tooLarge) { try inflate(bomb, step: 100) }
        // 64 KiB is the largest output to which the ratio limit does not apply.
        let small = Gzip.deflate([UInt8](repeating: 0, count: 64 << 10), level: 9)
        #expect(throws: Never.self) { try inflate(small) }
    }

    @Test func `output of exactly the limit is accepted, and one byte more is refused`() throws {
        let limits = Inflater.Limits(outputBytes: Self.text.count, ratio: 10_000)
        #expect(try inflate(Gzip.deflate(Self.text), limits: limits) == Self.text)
        #expect(throws: InflateError.tooLarge) { try inflate(Gzip.deflate(Self.text + [0]), limits: limits) }
    }

    @Test func `after a reset an inflater reads the next member, even after an error`() throws {
        var inflater = Inflater()
        var output: [UInt8] = []
        #expect(throws: InflateError.malformed) {
            try inflater.inflate(Array("no gzip at all".utf8), into: &output)
        }
        #expect(throws: InflateError.malformed) { try inflater.inflate(Self.hello, into: &output) }
        inflater.reset()
        try inflater.inflate(Self.hello, into: &output)
        try inflater.finish()
        #expect(output == Array("hello".utf8))
    }
}
