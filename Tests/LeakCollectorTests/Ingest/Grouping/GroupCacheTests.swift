import LeakSeededRandom
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct GroupCacheTests {
    private func document(_ reports: [String]) throws -> WireDocument {
        try WireReader.read(Array("[\(reports.joined(separator: ","))]".utf8), as: .json)
    }

    @Test func `sightings of one leak share one identity`() throws {
        let document = try document([
            #"{"type":"leak","class":"A","stack":["R","A"],"message":"<A: 0x1>","count":2}"#,
            #"{"type":"leak","class":"A","stack":["R","A"],"message":"<A: 0x2>","alive":7}"#,
        ])
        var cache = GroupCache()
        let two = cache.group(document, document.reports[1], app: "a", module: nil).first
        let one = cache.group(document, document.reports[0], app: "a", module: nil).first
        #expect(one.identity === two.identity)
        #expect(cache.count == 1)
        #expect(one.alive == nil)
        #expect(two.alive == 7)
    }

    @Test(arguments: [
        (#""message":"POSSIBLE LEAK ALERT: A - current count: 2, max count: 1""#, [2], [7]),
        (#""message":"Leaked: CartModel x2, HomeModel x3""#, [2, 3], [2, 3]),
        (#""message":"Leaked: CartModel x2, HomeModel""#, [2, nil], [2, nil]),
        (#""message":"Leaked: CartModel, HomeModel""#, [nil, nil], [nil, nil]), (#""class":"A""#, [nil], [7]),
    ])
    func `a report's number of instances is that of its only leak`(
        text: String, without: [Int?], with: [Int?]
    ) throws {
        let document = try document(["{\(text)}", "{\(text),\"alive\":7}"])
        var cache = GroupCache()
        for (index, alive) in [without, with].enumerated() {
            let cached = cache.group(document, document.reports[index], app: "a", module: nil)
            let direct = GroupingRules.groups(document.report(at: index), app: "a", module: nil)
            #expect(([cached.first] + cached.others).map(\.alive) == alive)
            #expect(([direct.first] + direct.others).map(\.alive) == alive)
        }
    }

    @Test func `addresses in a text create no new cache entry`() throws {
        let document = try document(
            (16..<66).map {
                #"{"message":"VIEW STILL IN MEMORY <MyApp.Card0x1: 0x7f88acc6\#(String($0, radix: 16))>"}"#
            })
        var cache = GroupCache()
        for index in document.reports.indices {
            _ = cache.group(document, document.reports[index], app: "a", module: nil).first
        }
        #expect(cache.count == 1)
    }

    @Test func `elapsed times create no new cache entry and are still read`() throws {
        let document = try document(
            (10..<60).map {
                #"{"message":"LEAKED VIEW DEINITED <Card: 0x7f>\n\nDeinited after \#($0).912s."}"#
            })
        var cache = GroupCache()
        for index in document.reports.indices {
            #expect(
                cache.group(document, document.reports[index], app: "a", module: nil).first.livedMilliseconds
                    == (index + 10)
                    * 1_000
                    + 912)
        }
        #expect(cache.count == 1)
    }

    @Test func `fields that decide the group are never taken from the group cache of another report`() throws
    {
        let reports = [
            #"{"class":"A"}"#, #"{"class":"B"}"#, #"{"class":"A","type":"freed"}"#,
            #"{"class":"A","stack":["R","A"]}"#,
            #"{"class":"A","stack":["R","A","A"]}"#, #"{"class":"A","fingerprint":["R"]}"#,
            #"{"class":"A","children":["R"]}"#, #"{"class":"A","cycle":["R"]}"#,
            #"{"class":"A","kind":"view"}"#,
            #"{"message":"A.A"}"#, #"{"message":"0x1"}"#, #"{"class":"A0x1"}"#, #"{"class":"A0x2"}"#,
            #"{"message":"<A0x1: 0x1>"}"#, #"{"message":"<A0x2: 0x1>"}"#,
            #"{"error":{"userInfo":{"NSLocalizedDescription":"<B: 0x1>"}}}"#, #"{"message":"<\u0041: 0x1>"}"#,
            #"{"class":"A","message":"LEAKED VIEW DEINITED <A: 0x1>\n\nDeinited after 1.500s."}"#,
            #"{"class":"A","message":"LEAKED VIEW DEINITED <A: 0x1>\n\nDeinited after 2.500s."}"#,
            #"{"class":"A","type":"freed","message":"Deinited after 3.500s."}"#,
            #"{"class":"A","type":"freed","message":"Deinited after 4.500s."}"#,
            #"{"class":"A","type":"freed","lived_ms":5,"message":"Deinited after 4.500s."}"#,
            #"{"message":"POSSIBLE LEAK ALERT: A - current count: 2, max count: 1"}"#,
            #"{"message":"POSSIBLE LEAK ALERT: A - current count: 3, max count: 1"}"#,
            #"{"message":"job after 5 left"}"#, #"{"message":"job after 5.5 left"}"#,
            #"{"message":"job after 5abcd"}"#, #"{"message":"job after 55abcd"}"#,
            #"{"message":"job at 0x12zz"}"#,
            #"{"message":"job at 0x1azz"}"#, #"{"message":"job at 0x12\u007a"}"#,
            #"{"message":"job at 0x1a\u007a"}"#,
            #"{"message":"job at $0x12"}"#, #"{"message":"job at $0x1a"}"#,
            #"{"type":"freed","message":"<A: 0x1> after 5s"}"#,
            #"{"type":"freed","message":"<A: 0x1> after 7s"}"#,
            #"{"type":"freed","message":"<A: 0x1> \u0061fter 5s"}"#,
            #"{"type":"freed","message":"<A: 0x1> \u0061fter 7s"}"#,
            #"{"class":"A","type":"freed","message":"LEAKED VIEW DEINITED <A: 0x1; text = 'after 5s'>"}"#,
            #"{"class":"A","type":"freed","message":"LEAKED VIEW DEINITED <A: 0x1>\n\nDeinited after 6s."}"#,
            #"{"message":"Eventually did deallocate <A: 0x1> after 5.0s (3 left)"}"#,
            #"{"message":"Eventually did deallocate <A: 0x1> after 6.0s (3 left) hereafter 7s"}"#,
            #"{"message":"Eventually did deallocate <A: 0x1> after 6.5s (3 left) hereafter 8s"}"#,
        ]
        let document = try document(reports)
        var cache = GroupCache()
        for _ in 0..<3 {
            for index in document.reports.indices {
                let debug = AppKey("a", environment: "debug")
                for (app, module) in [("a", nil), ("b", nil), ("a", "A"), ("ab", ""), (debug, nil)]
                    as [(AppKey, String?)]
                {
                    let cached = cache.group(document, document.reports[index], app: app, module: module)
                        .first
                    let direct = GroupingRules.group(document.report(at: index), app: app, module: module)
                    #expect(cached.identity.id == direct.identity.id, "\(reports[index])")
                    #expect(cached.identity.kind == direct.identity.kind)
                    #expect(cached.isFreed == direct.isFreed)
                    #expect(cached.livedMilliseconds == direct.livedMilliseconds, "\(reports[index])")
                    #expect(cached.alive == direct.alive)
                }
            }
        }
    }

    @Test func `the key of a call stack leaves out addresses and keeps the text after them`() {
        let tails = ["x", ")", ") ", "0x", "0x12", ") [0x", ") [0x1z]", "a0x1f)", "() -> (x)"]
        var random = SeededRandom(seed: 7)
        func key(_ choices: [Int]) -> [UInt8] {
            let frames = choices.enumerated().map { number, choice in
                let address = String(random.next() >> 16 | 1 << 47, radix: 16)
                return #""\#(number)  Shop  0x\#(address) step\#(tails[choice]) + 8""#
            }
            var key: [UInt8] = []
            #expect(TextMasker.appendCallStack(Array(frames.joined(separator: ",").utf8)[...], to: &key))
            return key
        }
        for _ in 0..<500 {
            var choices = (0..<4).map { _ in Int(random.next() % UInt64(tails.count)) }
            let first = key(choices)
            #expect(key(choices) == first)
            choices[2] = (choices[2] + 1) % tails.count
            #expect(key(choices) != first)
        }
    }

    @Test(arguments: [
        (#""0  Shop  0x0000000104a3c2f8 f + 8""#, #""0  Shop  0x················ f + 8""#),
        (#""0x7f1234567890","0x7f1234567891 f""#, #""0x············","0x············ f""#),
        (#""frame #0: 0x1f12345678 f","0x12345678""#, #""frame #0: 0x·········· f","0x12345678""#),
        (#""0\t0x7f1234567890\tf""#, #""0\t0x············\tf""#),
        (#""./shop(+0x41b9) [0x55dd8268e1b9]""#, #""./shop(+0x41b9) [0x············]""#),
        (#""./shop(f+0x1f) [0x0]","[0x55dd8268e1b9]""#, #""./shop(f+0x1f) [0x·]","[0x55dd8268e1b9]""#),
        // A word with more digits than an address, an offset, part of a name, and a word that goes on.
        (#""0 a 0x123456789 b 0x12345678912345678 c""#, #""0 a 0x········· b 0x12345678912345678 c""#),
        (
            #""0 a 0x123456789 0x0000000012345678 $0x123456789 0x123456789z""#,
            #""0 a 0x········· 0x0000000012345678 $0x123456789 0x123456789z""#
        ),
    ])
    func `digits of a call stack are left out of its key only where they are an address`(
        stack: String, masked: String
    ) {
        var key: [UInt8] = []
        #expect(TextMasker.appendCallStack(Array(stack.utf8)[...], to: &key))
        #expect(String(decoding: key, as: UTF8.self).replacing("\u{10}", with: "·") == masked)
    }

    @Test func `a call stack with an element that is an object is not masked`() {
        var key: [UInt8] = [1]
        let stack = #""0  Shop  0x00007f1234567890 { step + 8"," {\"function\":\"a\"}""#
        #expect(!TextMasker.appendCallStack(Array(stack.utf8)[...], to: &key))
        #expect(key == [1])
    }

    @Test func `the group cache limits the bytes of groups with many names`() throws {
        var cache = GroupCache()
        for turn in 0..<14 {
            let document = try document(
                (0..<320).map { index in
                    // Sixty names with few bytes each in the body, and more than sixty bytes each in a group.
                    let names = repeatElement(#""A""#, count: 60).joined(separator: ",")
                    return #"{"class":"B\#(turn)x\#(index)","stack":[\#(names),"C"]}"#
                })
            for index in document.reports.indices {
                _ = cache.group(document, document.reports[index], app: "a", module: nil).first
            }
        }
        #expect((700..<3_500).contains(cache.count))
    }

    @Test func `unused entries of the group cache are evicted`() throws {
        var cache = GroupCache(limit: 64)
        let document = try document((0..<1_000).map { #"{"class":"A\#($0)"}"# })
        let kept = cache.group(document, document.reports[0], app: "a", module: nil).first
        for index in document.reports.indices {
            _ = cache.group(document, document.reports[index], app: "a", module: nil).first
            #expect(
                cache.group(document, document.reports[0], app: "a", module: nil).first.identity
                    === kept.identity)
            #expect(cache.count <= 64)
        }
    }
}
