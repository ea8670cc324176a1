import LeakMessage
import LeakSentry
import Testing

@Suite struct FingerprintTests {
    private func fingerprint(_ list: String, _ rest: String = #""message":"a""#) throws -> [String] {
        try ReadSubmission(event: "{\"fingerprint\":\(list),\(rest)}").report.fingerprint
    }

    @Test(arguments: [
        (#"["Shop.Cart","8715"]"#, ["Shop.Cart", "8715"]), (#"["a",1,true,null,[2]]"#, ["a", "1", "true"]),
        (#"["{{ default }}"]"#, []), (#"["{{default}}"]"#, []), (#"["{{  default}}","{{ default }}"]"#, []),
        ("[]", []), (#"["",""]"#, []), ("null", []), (#""a""#, []), (#"["{{ default }}",""]"#, []),
    ])
    func `the fingerprint of an event is used unless it is empty or only the default`(
        given: String, kept: [String]
    )
        throws
    {
        #expect(try fingerprint(given) == kept)
    }

    @Test(arguments: [
        (
            #""exception":[{"type":"E","stacktrace":{"frames":[{"function":"f"},{"function":"g"}]}}]"#,
            ["E", "g", "x"]
        ),
        (#""exception":[{"type":"E"}]"#, ["E", "x"]),
        (#""tags":{"leak.class":"Shop.(unknown context at $1f).Cart"}"#, ["Shop.Cart", "x"]),
        (#""contexts":{"leak":{"class":"Shop.Cart","stack":["A","Shop.Cart"]}}"#, ["Shop.Cart", "x"]),
        (
            #""exception":[{"type":"E","stacktrace":{"frames":[{"function":"$s4Shop4CartC3payyyF","package":"/a/Shop"}]}}]"#,
            ["E", "$s4Shop4CartC3payyyF", "x"]
        ),
        (
            #""contexts":{"leak":{"class":"Cart","stack":["at inner (a.js:1:2)","at outer (a.js:3:4)"]}}"#,
            ["Cart", "at outer (a.js:3:4)", "x"]
        ),
        (#""message":"VIEWCONTROLLER STILL IN MEMORY <Shop.Cart: 0x7f88acc69260>""#, ["Shop.Cart", "x"]),
        (#""message":"Memory Leak: (\n    A,\n    B\n)""#, ["B", "x"]),
        (#""message":"5 of 0x7f88acc69260 stay""#, ["# of # stay", "x"]),
        (#""message":"Retain Cycle: (\n    \"-> _b -> B \",\n    \"-> A \"\n)""#, ["A B", "x"]),
    ])
    func `the default in a fingerprint stands for the texts that group the event without a fingerprint`(
        rest: String, expected: [String]
    ) throws {
        for spelling in ["{{ default }}", "{{default}}", "{{  default  }}"] {
            #expect(try fingerprint("[\"\(spelling)\",\"x\"]", rest) == expected)
        }
    }

    @Test func `the default in a fingerprint keeps its position`() throws {
        #expect(
            try fingerprint(#"["x","{{ default }}","y"]"#, #""exception":[{"type":"E"}]"#) == ["x", "E", "y"])
    }

    @Test func `the default in a fingerprint is used once, however often it is given`() throws {
        let text = String(repeating: "<A: 0x1f> '(", count: 600)
        let list = "[" + String(repeating: "\"{{ default }}\",", count: 60_000) + "\"x\"]"
        let start = ContinuousClock.now
        #expect(try fingerprint(list, "\"message\":\"\(text)\"") == ["A", "x"])
        // If the text were read for each default, the test would take half an hour.
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func `every part of a fingerprint distinguishes events, however many parts there are`() throws {
        let parts = (0..<2_000).map { "\"p\($0)\"" }.joined(separator: ",")
        let one = try fingerprint("[\(parts),\"a\",\"b\"]")
        #expect(one.count == WireLimits.fingerprintCount && one.prefix(2) == ["p0", "p1"])
        #expect(try fingerprint("[\(parts),\"a\",\"b\"]") == one)
        for other in ["[\(parts),\"a\",\"c\"]", "[\(parts),\"ab\"]", "[\(parts),\"a\"]", "[\(parts)]"] {
            #expect(try fingerprint(other) != one)
        }
    }

    @Test
    func `parts of a fingerprint that are too long or too many are truncated and still distinguish events`()
        throws
    {
        let long = String(repeating: "ä", count: 200)
        let one = try fingerprint("[\"\(long)1\"]")
        let other = try fingerprint("[\"\(long)2\"]")
        #expect(one != other)
        #expect(try fingerprint("[\"\(long)1\"]") == one)
        #expect(one[0].utf8.count <= WireLimits.fingerprintBytes && one[0].hasPrefix("ää"))
        let parts = (0..<12).map { "\"p\($0)\"" }.joined(separator: ",")
        let many = try fingerprint("[\(parts)]")
        #expect(
            many.count == WireLimits.fingerprintCount
                && many.prefix(7) == ["p0", "p1", "p2", "p3", "p4", "p5", "p6"])
        #expect(try fingerprint("[\(parts),\"p12\"]") != many)
    }
}
