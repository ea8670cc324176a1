import LeakSeededRandom
import Testing

@testable import LeakReporter

@Suite struct RecordCodecTests {
    /// Each false start announces a record of nearly the whole file. Computing a checksum for each start would take minutes.
    @Test
    func `a file full of false record starts is read in limited time, and a record before them is found`() {
        var bytes: [UInt8] = []
        RecordCodec.append(1, [7], to: &bytes)
        let size = 4 * 1024 * 1024
        while bytes.count < size {
            let length = UInt32(size - bytes.count - RecordCodec.headerBytes + 100)
            bytes +=
                [0xFF, 0xA7, 2] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [
                    0, 0, 0, 0,
                ]
        }
        bytes += [UInt8](repeating: 0, count: 200)
        let reading = RecordCodec.read(bytes)
        #expect(reading.rawRecords.map(\.payload) == [[7]])
        #expect(reading.damagedBytes == bytes.count - 12)
        // The limit may be exceeded by the last checksum, which covers at most the whole file.
        let limit = RecordCodec.wastedBytesLimit(ofFile: bytes.count)
        #expect((limit...limit + bytes.count).contains(reading.wastedBytes))
    }

    private func file(_ payloads: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, payload) in payloads.enumerated() {
            RecordCodec.append(UInt8(index + 1), payload, to: &bytes)
        }
        return bytes
    }

    private func payloads(_ reading: RecordCodec.ReadResult) -> [[UInt8]] {
        reading.rawRecords.map { Array($0.payload) }
    }

    private let texts = ["one", "", "three, with some more text", "4", "and the last"].map { Array($0.utf8) }

    /// Files on devices contain these bytes, so a change needs a new ``SegmentHeader/version``, not other bytes below. They
    /// were computed with another implementation, Python's `struct` and `zlib`.
    @Test(
        arguments: [
            (2, "abc", "ffa70203000000595a8adc616263"), (8, "", "ffa70800000000dcbc52f6"),
        ] as [(UInt8, String, String)])
    func `the encoding of version 1 of a record does not change`(
        kind: UInt8, payload: String, hexadecimal: String
    ) {
        var bytes: [UInt8] = []
        RecordCodec.append(kind, Array(payload.utf8), to: &bytes)
        #expect(bytes == [UInt8](hexadecimal: hexadecimal))
    }

    @Test func `records are read in the order in which they were appended`() {
        let reading = RecordCodec.read(file(texts))
        #expect(payloads(reading) == texts)
        #expect(reading.rawRecords.map(\.kind) == [1, 2, 3, 4, 5])
        #expect(reading.damagedBytes == 0)
        #expect(RecordCodec.read([]) == RecordCodec.ReadResult())
    }

    @Test func `if any bit of a file is flipped, all records except the damaged one are read`() {
        let bytes = file(texts)
        var start = 0
        for (index, text) in texts.enumerated() {
            let others = texts.enumerated().filter { $0.offset != index }.map(\.element)
            let end = start + RecordCodec.headerBytes + text.count
            for place in start..<end {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[place] ^= 1 << bit
                    let reading = RecordCodec.read(damaged)
                    #expect(payloads(reading) == others, "bit \(bit) of byte \(place)")
                    #expect(reading.damagedBytes == end - start)
                }
            }
            start = end
        }
    }

    @Test func `if a file is truncated anywhere, all complete records before the end are read`() {
        let bytes = file(texts)
        let ends = texts.reduce(into: [0]) {
            $0.append($0[$0.count - 1] + RecordCodec.headerBytes + $1.count)
        }
        for length in 0...bytes.count {
            let whole = ends.dropFirst().count { $0 <= length }
            let reading = RecordCodec.read(Array(bytes[..<length]))
            #expect(payloads(reading) == Array(texts.prefix(whole)), "cut at \(length)")
            #expect(reading.damagedBytes == length - ends[whole])
        }
    }

    /// Payloads that end with the first bytes of a record, or with bytes that a separator can have.
    @Test(
        arguments: [
            [1, 0xFF], [1, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0, 1], [1, 1, 0], [2, 0, 0xFF],
        ] as [[UInt8]])
    func `a record after a separator byte is read, and does not complete a truncated record`(last: [UInt8]) {
        let bytes = file(texts + [last])
        for length in 0..<bytes.count {
            let torn = Array(bytes[..<length])
            var again = torn + [RecordCodec.gap(after: torn)]
            RecordCodec.append(9, [7, 7], to: &again)
            let rawRecords = RecordCodec.read(again).rawRecords
            #expect(rawRecords.dropLast() == RecordCodec.read(torn).rawRecords[...], "cut at \(length)")
            #expect(
                rawRecords.last == RecordCodec.RawRecord(kind: 9, payload: [7, 7][...]), "cut at \(length)")
        }
    }

    @Test func `a record after a truncated record is read`() {
        let bytes = file(texts)
        for length in 0...bytes.count {
            var again = Array(bytes[..<length])
            RecordCodec.append(9, [7, 7], to: &again)
            #expect(
                RecordCodec.read(again).rawRecords.last
                    == RecordCodec.RawRecord(kind: 9, payload: [7, 7][...]),
                "cut at \(length)")
        }
    }

    /// Some file systems leave a run of zeros in place of bytes that were not synced.
    @Test(arguments: [UInt8(0), 0xFF, 0xA7])
    func `sixteen overwritten bytes damage only the records that they are part of`(
        byte: UInt8
    ) {
        let bytes = file(texts)
        let length = 16
        var starts: [Range<Int>] = []
        for text in texts {
            let start = starts.last?.upperBound ?? 0
            starts.append(start..<(start + RecordCodec.headerBytes + text.count))
        }
        for place in 0...(bytes.count - length) {
            var damaged = bytes
            damaged.replaceSubrange(place..<(place + length), with: repeatElement(byte, count: length))
            let left = zip(starts, texts).filter { range, _ in damaged[range] == bytes[range] }.map(\.1)
            #expect(payloads(RecordCodec.read(damaged)) == left, "from \(place) on")
        }
    }

    @Test func `records inside of a payload are not read as records`() {
        let inner = file(texts)
        let bytes = file([inner, Array("after".utf8)])
        #expect(payloads(RecordCodec.read(bytes)) == [inner, Array("after".utf8)])
    }

    @Test func `a record whose length exceeds the file does not hide other records`() {
        var bytes = file([Array("before".utf8)])
        bytes += [0xFF, 0xA7, 2, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4]
        bytes += [0xFF, 0xA7, 2, 0xFF, 0xFF, 0x1F, 0, 1, 2, 3, 4]
        RecordCodec.append(3, Array("behind".utf8), to: &bytes)
        let reading = RecordCodec.read(bytes)
        #expect(payloads(reading) == [Array("before".utf8), Array("behind".utf8)])
        #expect(reading.damagedBytes == 22)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `random bytes are not read as a record, and cause no crash`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            // The bytes often look like the start of a record.
            var bytes: [UInt8] = []
            while bytes.count < 300 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes += [0xFF, 0xA7]
                case 1: bytes += [0, 0, 0]
                default: bytes.append(UInt8.random(in: 0...255, using: &random))
                }
            }
            let reading = RecordCodec.read(bytes)
            #expect(reading.rawRecords.isEmpty && reading.damagedBytes == bytes.count)
            _ = Segment(bytes)
            #expect(SessionLog.newest(in: bytes) == nil)
        }
    }
}

extension [UInt8] {
    /// Parses two digits for each byte.
    init(hexadecimal: String) {
        let digits = Array<UInt8>(hexadecimal.utf8).map {
            UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 0)
        }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
