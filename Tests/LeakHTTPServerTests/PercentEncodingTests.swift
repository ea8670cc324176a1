import LeakHTTPServer
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("a%2Fb", "a/b"), ("%c3%A4", "ä"), ("%2525", "%25"), ("%", "%"), ("%4", "%4"),
        ("100%&", "100%&"),
        ("%+5", "%+5"), ("%-1", "%-1"), ("%0x", "%0x"), ("% 1", "% 1"), ("%%41", "%A"), ("%ff", "\u{FFFD}"),
    ])
    func `percent-decoding decodes two hexadecimal digits and nothing else`(text: String, plain: String) {
        #expect(PercentEncoding.decoded(Array(text.utf8), plusIsSpace: false) == plain)
    }

    @Test func `percent-decoding turns a plus into a space only if requested`() {
        #expect(PercentEncoding.decoded(Array("a+b%2B".utf8), plusIsSpace: true) == "a b+")
        #expect(PercentEncoding.decoded(Array("a+b%2B".utf8), plusIsSpace: false) == "a+b+")
    }
}
