import Foundation
import Testing

@testable import LeakGrammar
@testable import LeakMessage

@Suite struct JSONWriterTests {
    @Test func `the JSON writer writes commas and brackets where JSON needs them`() {
        var writer = JSONWriter()
        writer.object {
            $0.field("a", 1)
            $0.array("b") {
                $0.element("x")
                $0.element(-2)
                $0.object { $0.field("c", true) }
                $0.array { _ in }
                $0.nullElement()
                $0.element(1.5)
                $0.element(false)
                $0.element(json: "[7]".utf8)
            }
            $0.object("d") { _ in }
            $0.field("e", nil as String?)
            $0.fieldIfPresent("f", nil as Int?)
            $0.field("g", ["h", "i"])
            $0.field("j", json: "{}".utf8)
            $0.field("k", Int64.min)
            $0.nullField("l")
        }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            text
                == #"{"a":1,"b":["x",-2,{"c":true},[],null,1.5,false,[7]],"d":{},"e":null,"g":["h","i"],"j":{},"k":-9223372036854775808,"l":null}"#
        )
    }

    @Test func `every character is written to JSON so that a reader gets the same text`() throws {
        let scalars = Array(0..<0x300) + [0x2028, 0x2029, 0xFFFD, 0xFFFF, 0x1F600, 0x10FFFF]
        for value in scalars {
            let text = "a" + String(Unicode.Scalar(value) ?? "?") + "\"\\z"
            var writer = JSONWriter()
            writer.array { $0.element(text) }
            #expect(try JSONDecoder().decode([String].self, from: Data(writer.bytes)) == [text])
            #expect(jsonError(in: writer.bytes) == nil)
        }
    }

    @Test(
        arguments: [
            (0, "0"), (1, "1"), (-3, "-3"), (0.1, "0.1"), (1e300, "1e+300"), (1e21, "1e+21"),
            (.infinity, "null"),
            (-.infinity, "null"), (.nan, "null"), (9_007_199_254_740_992, "9007199254740992"),
            (.leastNonzeroMagnitude, "5e-324"),
            (-0.0, "-0.0"),
        ] as [(Double, String)])
    func `the JSON writer writes a number in its shortest form, and null if it is not finite`(
        value: Double, text: String
    ) {
        var writer = JSONWriter()
        writer.array { $0.element(value) }
        #expect(String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self) == text)
        #expect(jsonError(in: writer.bytes) == nil)
    }
}
