import LeakSeededRandom
import Foundation
import Testing

@testable import LeakMessage

@Suite struct WireTimeTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-20T12:00:00.123Z", 1_795_176_000_123),
            ("2026-11-20T13:00:00.123+01:00", 1_795_176_000_123),
            ("2026-11-20t07:30:00.1239-04:30", 1_795_176_000_123),
            ("2026-11-20 12:00:00.1z", 1_795_176_000_100), ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func `a time of RFC 3339 is read`(text: String, milliseconds: Int64) {
        #expect(WireTime(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-20", "2026-11-20T12:00:00", "2026-11-20T12:00Z", "2026-11-20T12:00:00.Z",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-11-00T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T12:60:00Z", "2026-11-20T12:00:61Z",
        "2026-11-20T12:00:00+24:00", "2026-11-20T12:00:00+0100", "2026-11-20T12:00:00Zx",
        "26-11-20T12:00:00Z",
        "٢٠٢٦-11-20T12:00:00Z", "2026-11-20T12:00:00.1Z ",
    ])
    func `a text that is not a time of RFC 3339 is refused`(text: String) {
        #expect(WireTime(rfc3339: text) == nil)
    }

    @Test func `a time that is written and read again is unchanged`() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<5_000 {
            let time = WireTime(
                milliseconds: Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
            #expect(WireTime(rfc3339: time.rfc3339) == time)
        }
        #expect(WireTime(milliseconds: 0).rfc3339 == "1970-01-01T00:00:00Z")
        #expect(WireTime(milliseconds: .max).rfc3339 == "9999-12-31T23:59:59.999Z")
        #expect(WireTime(milliseconds: .min).rfc3339 == "0000-01-01T00:00:00Z")
    }

    @Test func `times are written as Foundation writes them`() {
        let format = Date.ISO8601FormatStyle()
        var random = SeededRandom(seed: 4)
        for _ in 0..<500 {
            let seconds = Int64.random(in: 0...4_102_444_800, using: &random)
            let text = Date(timeIntervalSince1970: Double(seconds)).formatted(format)
            #expect(WireTime(milliseconds: seconds * 1_000).rfc3339 == text)
        }
    }
}
