import LeakBrotli
import LeakBrotliEncoding
import LeakGzip
import Testing

@Suite struct BrotliTests {
    /// Limits without a ratio, because repetitive text such as ``text`` inflates to two hundred times its compressed size.
    private static let anyRatio = Inflater.Limits(ratio: .max)

    /// Inflates `bytes` in pieces of `step` bytes.
    private func inflate(
        _ bytes: [UInt8], limits: Inflater.Limits = anyRatio, step: Int = .max
    ) throws(InflateError) -> [UInt8] {
        var inflater = BrotliInflater(limits: limits)
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

    /// `hello` compressed by Python's `brotli` 1.2.1: one uncompressed block and an empty last block.
    private static let hello: [UInt8] = [0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03]

    @Test(
        arguments: [[], [7], Array("hello".utf8), text, [UInt8](repeating: 0, count: 60_000)], [0, 5, 9, 11])
    func `compressed bytes decompress to the original`(bytes: [UInt8], quality: Int) throws {
        #expect(try inflate(BrotliEncoding.compress(bytes, quality: quality)) == bytes)
    }

    @Test func `brotli of another program is decompressed, in pieces of any size`() throws {
        for step in 1...Self.hello.count {
            #expect(try inflate(Self.hello, step: step) == Array("hello".utf8))
        }
        let small = BrotliEncoding.compress(Self.text)
        #expect(small.count < Self.text.count / 10)
        for step in [1, 2, 3, 7, 100] { #expect(try inflate(small, step: step) == Self.text) }
    }

    @Test(arguments: [hello, BrotliEncoding.compress(text)])
    func `a stream that is cut off anywhere is reported as truncated`(bytes: [UInt8]) {
        for count in 0..<bytes.count {
            #expect(throws: InflateError.truncated) { try inflate(Array(bytes[..<count])) }
        }
    }

    @Test func `bytes after a stream are refused, even a second stream`() {
        for step in [.max, Self.hello.count, 1] {
            #expect(throws: InflateError.trailingBytes) { try inflate(Self.hello + [0], step: step) }
            #expect(throws: InflateError.trailingBytes) { try inflate(Self.hello + Self.hello, step: step) }
        }
    }

    @Test(arguments: [Array("hello, this is no brotli".utf8), [0xFF, 0xFF, 0xFF], [0x91, 0x00, 0x00]])
    func `bytes that are not a Brotli stream are malformed, and every later call fails`(bytes: [UInt8]) {
        #expect(throws: InflateError.malformed) { try inflate(bytes) }
        #expect(throws: InflateError.malformed) { try inflate(bytes, step: 1) }
        var inflater = BrotliInflater()
        var output: [UInt8] = []
        #expect(throws: InflateError.malformed) { try inflater.inflate(bytes, into: &output) }
        #expect(throws: InflateError.malformed) { try inflater.inflate(Self.hello, into: &output) }
        #expect(throws: InflateError.malformed) { try inflater.finish() }
    }

    /// Brotli has no checksum, so damaged input may inflate to other text. The inflater must not crash or exceed the limits.
    @Test
    func `a stream with a flipped bit causes no crash, and the same result in one piece and byte by byte`() {
        let small = BrotliEncoding.compress(Self.text, quality: 9)
        for bit in 0..<small.count * 8 {
            var wrong = small
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            let whole = try? inflate(wrong)
            let byteByByte = try? inflate(wrong, step: 1)
            #expect(whole == byteByByte, "bit \(bit)")
        }
    }

    @Test func `a window larger than RFC 7932 allows is refused`() {
        let large = BrotliEncoding.compress(Self.text, windowBits: 28, isLarge: true)
        #expect(throws: InflateError.malformed) { try inflate(large) }
        #expect(throws: Never.self) { try inflate(BrotliEncoding.compress(Self.text, windowBits: 24)) }
    }

    @Test func `a decompression bomb is stopped at the ratio limit, even after bytes that do not compress`() {
        let bomb = BrotliEncoding.compress([UInt8](repeating: 0, count: 16 << 20))
        #expect(bomb.count < 100)
        for step in [.max, 1] {
            #expect(throws: InflateError.tooLarge) { try inflate(bomb, limits: .init(), step: step) }
        }
        // The zeros follow noise, which does not compress.
        let noise = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 2_654_435_761 >> 13) }
        let hidden = BrotliEncoding.compress(noise + [UInt8](repeating: 0, count: 16 << 20))
        #expect(throws: InflateError.tooLarge) { try inflate(hidden, limits: .init()) }
        // 64 KiB is the largest output to which the ratio limit does not apply.
        let small = BrotliEncoding.compress([UInt8](repeating: 0, count: 64 << 10))
        #expect(throws: Never.self) { try inflate(small, limits: .init()) }
    }

    @Test func `a decompression bomb gives at most 64 KiB of output before it is stopped`() {
        let bomb = BrotliEncoding.compress([UInt8](repeating: 0, count: 64 << 20))
        var inflater = BrotliInflater()
        var output: [UInt8] = []
        #expect(throws: InflateError.tooLarge) { try inflater.inflate(bomb, into: &output) }
        #expect(output.count <= 64 << 10)
    }

    @Test func `output of exactly the limit is accepted, and one byte more is refused`() throws {
        let limits = Inflater.Limits(outputBytes: Self.text.count, ratio: 10_000)
        #expect(try inflate(BrotliEncoding.compress(Self.text), limits: limits) == Self.text)
        #expect(throws: InflateError.tooLarge) {
            try inflate(BrotliEncoding.compress(Self.text + [0]), limits: limits)
        }
    }
}
