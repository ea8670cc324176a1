import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// Returns `nil` if `text` is exactly one JSON value, otherwise the error.
func jsonError(in text: [UInt8]) -> JSONError? {
    if let offset = UTF8Validator.firstInvalidByte(in: text) { return JSONError(.invalidUTF8, at: offset) }
    do throws(JSONError) {
        try JSONScanner.scan(text) { (scanner) throws(JSONError) in
            try scanner.skip()
            try scanner.finish()
        }
        return nil
    } catch {
        return error
    }
}

@Suite struct JSONScannerTests {
    @Test(arguments: [
        "{}", "[]", " [ ] ", "{ \"a\" : 1 }", "[1,2 , 3]", "null", "true", "false", "\"\"", "0", "-0", "-1",
        "10",
        "0.5", "-0.5e10", "1E+2", "1e-2", "1e2", "123456789012345678901234567890",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u00e9\\uD83D\\uDE00\"", "\"é😀\"", "\"\\ud800\"", "\"\u{7F}\"", "{\"a\":{\"b\":[{}]}}",
        "\t\r\n 1 \n",
        "{\"a\":1,\"a\":2}", "\"\u{2028}\"", "[[],[[]],{}]",
        "\"0123456789abcdef\\u0000 and more than one word\"",
    ])
    func `JSON that RFC 8259 allows is accepted`(text: String) {
        #expect(jsonError(in: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("{", 1), ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1),
        ("{\"a\"}", 4),
        ("{\"a\":}", 5), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{1:1}", 1), ("'a'", 0), ("\"", 1), ("\"a", 2),
        ("\"\\x\"", 1), ("\"\\u12\"", 1), ("\"\\u12g4\"", 1), ("\"\\", 2), ("\"a\nb\"", 2), ("\"\u{1}\"", 1),
        ("\"a long enough text\tand more\"", 19), ("01", 0), ("-01", 1), ("-", 1), ("+1", 0), (".5", 0),
        ("1.", 2),
        ("1.e2", 2), ("1e", 2), ("1e+", 3), ("0x1", 1), ("1 2", 2), ("nul", 3), ("nulL", 3), ("True", 0),
        ("[1 2]", 3), ("{\"a\":1 \"b\":2}", 7), ("[1}", 2), ("{\"a\":1]", 6), ("NaN", 0), ("Infinity", 0),
        ("// x\n1", 0), ("\u{FEFF}1", 0), ("1,", 1), ("{}{}", 2), ("]", 0), ("\u{A0}1", 0), ("--1", 1),
    ])
    func `the error about invalid JSON names the byte that breaks a rule`(text: String, offset: Int) {
        #expect(jsonError(in: Array(text.utf8))?.offset == offset)
    }

    @Test(
        arguments: [
            ([0x22, 0x80, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xC3, 0x22], 1),
            ([0x22, 0xE0, 0x80, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], 1), ([0xFF], 0),
            ([0x22, 0xF0, 0x9F, 0x98], 1), ([0x22, 0xE2, 0x82, 0xAC, 0xE2, 0x82], 4),
        ] as [([UInt8], Int)])
    func `JSON that is not UTF-8 is rejected`(text: [UInt8], offset: Int) {
        #expect(jsonError(in: text) == JSONError(.invalidUTF8, at: offset))
    }

    @Test func `the check of UTF-8 agrees with the standard library`() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(12)).map { _ in
                random.below(3) == 0
                    ? UInt8(ascii: "a") : UInt8(truncatingIfNeeded: 0x7E + random.below(0x82))
            }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect((UTF8Validator.firstInvalidByte(in: bytes) == nil) == isValid, "\(bytes)")
        }
    }

    @Test func `JSON may be nested to the limit and no deeper`() {
        let limit = JSONScanner.depthLimit
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)).utf8)
        }
        #expect(jsonError(in: nested(limit)) == nil)
        #expect(jsonError(in: nested(limit + 1)) == JSONError(.tooDeep, at: limit))
        #expect(jsonError(in: nested(100_000)) == JSONError(.tooDeep, at: limit))
    }

    @Test func `the offset of the error about truncated JSON lies inside the text`() {
        let text = Array(
            #"{"a":[1,-2.5e3,true,false,null,"x\n\u00e9😀, and a good deal more"],"b":{"c":{}}}"#.utf8)
        #expect(jsonError(in: text) == nil)
        for end in text.indices {
            let error = jsonError(in: Array(text[..<end]))
            #expect(error != nil)
            #expect((0...end).contains(error?.offset ?? -1))
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("-7", -7), ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min), ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("99999999999999999999999", nil), ("1.0", nil), ("1e3", nil),
        ] as [(String, Int?)])
    func `whole numbers are read from JSON`(text: String, value: Int?) throws {
        let number = try JSONScanner.scan(Array(text.utf8)) { (scanner) throws(JSONError) in
            try scanner.number()
        }
        #expect(number.integer == value)
    }

    @Test(arguments: [
        (#"plain"#, "plain"), (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u00e9"#, "é"),
        (#"\uD83D\uDE00!"#, "😀!"), (#"\ud83dx"#, "\u{FFFD}x"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"),
        (#"\ude00"#, "\u{FFFD}"), (#"\u0000"#, "\0"), (#"é中😀"#, "é中😀"),
    ])
    func `escape sequences of JSON are decoded`(text: String, value: String) throws {
        let read = try JSONScanner.scan(Array("\"\(text)\"".utf8)) { (scanner) throws(JSONError) in
            scanner.text(of: try scanner.string())
        }
        #expect(read == value)
    }

    @Test(arguments: [(0, 1, 1), (3, 1, 4), (4, 2, 1), (6, 2, 2), (7, 2, 3), (99, 2, 3)])
    func `lines and columns of JSON are counted from one`(offset: Int, line: Int, column: Int) {
        let position = TextPosition(of: offset, in: Array("abc\né!".utf8))
        #expect(position.line == line)
        #expect(position.column == column)
    }
}
