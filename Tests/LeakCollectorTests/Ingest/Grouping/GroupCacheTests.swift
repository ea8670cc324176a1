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

    @Test func `reports of one leak get the same identity object from the group cache`() throws {
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

    @Test func `an entry that replaces another one with the same hash takes over its share of the bytes`()
        throws
    {
        let document = try document([#"{"class":"A"}"#, #"{"class":"Bookmarks"}"#])
        var cache = GroupCache(hashMask: 0)
        var bytes: [Int] = []
        for index in [0, 1, 0, 1] {
            let groups = cache.group(document, document.reports[index], app: "a", module: nil)
            #expect(groups.first.identity.className == ["A", "Bookmarks"][index])
            bytes.append(cache.recentBytes)
        }
        #expect(cache.count == 1 && bytes[0] > 0)
        #expect(bytes[2...] == bytes[..<2], "\(bytes)")
    }

    @Test(arguments: [
        (#""message":"POSSIBLE LEAK ALERT: A - current count: 2, max count: 1""#, [2], [7]),
        (#""message":"Leaked: CartModel x2, HomeModel x3""#, [2, 3], [2, 3]),
        (#""message":"Leaked: CartModel x2, HomeModel""#, [2, nil], [2, nil]),
        (#""message":"Leaked: CartModel, HomeModel""#, [nil, nil], [nil, nil]), (#""class":"A""#, [nil], [7]),
    ])
    func `the number of living instances in a report is used only if the report has one leak`(
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

    @Test func `texts that differ only in an address share one entry of the group cache`() throws {
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

    @Test
    func
        `texts that differ only in a lifetime share one cache entry, and each report keeps its own lifetime`()
        throws
    {
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

    @Test func `the group cache gives the same groups as the rules, whichever field of a report differs`()
        throws
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

    @Test func `the cache key of a call stack leaves out addresses and keeps the text after them`() {
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

    @Test func `comparing a call stack with a masked call stack gives the same result as masking both`() {
        let frames = [
            #""0  Shop  0x0000000104a3c2f8 f + 8""#, #""0x7f1234567890""#,
            #""frame #0: 0x1f12345678 f","0x12""#,
            #""0\t0x7f1234567890\tf","x0x0000000104a3c2f8x""#,
            #""./shop(f+0x1f) [0x0]","a [0x55dd8268e1b9]""#,
            #""./shop(+0x41b9) [0x55dd8268e1b9]""#, #""1 a 0x123456789 0x0000000012345678 {""#,
        ]
        var random = SeededRandom(seed: 13)
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        let replacements = Array(#"0123456789abcdefx" [])\{"#.utf8)
        var equalCount = 0
        for _ in 0..<20_000 {
            let stack = Array(
                (0...below(3)).map { _ in frames[below(frames.count)] }.joined(separator: ",").utf8)
            var other = stack
            for _ in 0..<below(4) {
                other[below(other.count)] = replacements[below(replacements.count)]
            }
            var masked: [UInt8] = []
            var otherMasked: [UInt8] = []
            guard TextMasker.appendCallStack(stack[...], to: &masked) else { continue }
            let areEqual = TextMasker.appendCallStack(other[...], to: &otherMasked) && otherMasked == masked
            equalCount += areEqual ? 1 : 0
            #expect(
                TextMasker.isCallStack(
                    other[...], equalTo: masked, exceptAt: TextMasker.maskedAddresses(in: masked))
                    == areEqual,
                "\(String(decoding: stack, as: UTF8.self)) and \(String(decoding: other, as: UTF8.self))")
        }
        #expect((5_000...15_000).contains(equalCount))
    }

    /// Returns a report with a call stack of one function at an address.
    private func report(_ function: String, at address: Int) -> String {
        let digits = String(0x1_0000_0000 + address, radix: 16)
        return
            #"{"class":"A","stack":["0  Shop  0x\#(digits) \#(function) + 8","1  Shop  0x\#(digits) g + 8"]}"#
    }

    /// Groups reports through a cache and by the rules alone, and compares the results.
    private func expectSameGroups(_ reports: [String], _ cache: inout GroupCache, limit: Int) throws {
        let document = try document(reports)
        for index in document.reports.indices {
            let cached = cache.group(document, document.reports[index], app: "a", module: nil).first
            let direct = GroupingRules.group(document.report(at: index), app: "a", module: nil)
            #expect(cached.identity.id == direct.identity.id, "\(reports[index])")
            #expect(cache.count <= limit)
        }
    }

    @Test(arguments: [["f1", "f2", "f3"], ["f1", "f22", "f333"]])
    func `a call stack at other addresses finds its cache entry, even if other call stacks came in between`(
        functions: [String]
    ) throws {
        var cache = GroupCache()
        try expectSameGroups((0..<30).map { report(functions[$0 % 3], at: $0 * 977) }, &cache, limit: 3)
        #expect(cache.count == 3)
    }

    @Test func `reports with call stacks get the right groups while a full cache evicts entries`() throws {
        let functions = ["f1", "f2", "f3", "f4", "f55", "f666", "f7777", "f88888"]
        var random = SeededRandom(seed: 21)
        let reports = (0..<240).map { number in
            report(functions[Int(random.next() % UInt64(functions.count))], at: number * 977)
        }
        var cache = GroupCache(limit: 4)
        try expectSameGroups(reports, &cache, limit: 4)
    }

    @Test func `a path of owners is not mistaken for a call stack of the same class and length`() throws {
        let callStack = report("f1", at: 977)
        let path = callStack.replacing("0x10", with: "0y10")
        #expect(path.utf8.count == callStack.utf8.count)
        var cache = GroupCache()
        try expectSameGroups([callStack, path, callStack, path, report("f1", at: 1_954)], &cache, limit: 2)
        #expect(cache.count == 2)
    }

    @Test(arguments: [
        (#""0  Shop  0x0000000104a3c2f8 f + 8""#, #""0  Shop  0x················ f + 8""#),
        (#""0x7f1234567890","0x7f1234567891 f""#, #""0x············","0x············ f""#),
        (#""frame #0: 0x1f12345678 f","0x12345678""#, #""frame #0: 0x·········· f","0x12345678""#),
        (#""0\t0x7f1234567890\tf""#, #""0\t0x············\tf""#),
        (#""./shop(+0x41b9) [0x55dd8268e1b9]""#, #""./shop(+0x41b9) [0x············]""#),
        (#""./shop(f+0x1f) [0x0]","[0x55dd8268e1b9]""#, #""./shop(f+0x1f) [0x·]","[0x55dd8268e1b9]""#),
        // Not masked: a number with more digits than an address, a number as small as an offset, a part of a name, and
        // digits that other characters follow.
        (#""0 a 0x123456789 b 0x12345678912345678 c""#, #""0 a 0x········· b 0x12345678912345678 c""#),
        (
            #""0 a 0x123456789 0x0000000012345678 $0x123456789 0x123456789z""#,
            #""0 a 0x········· 0x0000000012345678 $0x123456789 0x123456789z""#
        ),
        // Leading zeros do not count as digits of an address.
        (
            #""0 a 0x123456789 b 0x012345678 0x0012345678 0x000000012345678 c""#,
            #""0 a 0x········· b 0x012345678 0x0012345678 0x000000012345678 c""#
        ),
        (#""0 a 0x100000000 0x1000000000 b""#, #""0 a 0x········· 0x·········· b""#),
    ])
    func `digits of a call stack are left out of its cache key only if they are an address`(
        stack: String, masked: String
    ) {
        var key: [UInt8] = []
        #expect(TextMasker.appendCallStack(Array(stack.utf8)[...], to: &key))
        #expect(String(decoding: key, as: UTF8.self).replacing("\u{10}", with: "·") == masked)
    }

    @Test func `a call stack with an element that is a JSON object has no masked cache key`() {
        var key: [UInt8] = [1]
        let stack = #""0  Shop  0x00007f1234567890 { step + 8"," {\"function\":\"a\"}""#
        #expect(!TextMasker.appendCallStack(Array(stack.utf8)[...], to: &key))
        #expect(key == [1])
    }

    @Test func `backtraces without names share no cache entry if their offsets in the listed images differ`()
        throws
    {
        func report(_ address: Int) -> String {
            let digits = String(0x55d0_6884_7000 + address, radix: 16)
            let frames = #""0\t0x\#(digits) [ra]","1\t0x55d068848e80 [ra]","Images:""#
            let image = #""0\t0x55d068847000-0x55d0688493c0 5e7b2f4488dd44be3112 b /srv/b""#
            return #"{"class":"A","stack":[\#(frames),\#(image)]}"#
        }
        var cache = GroupCache()
        try expectSameGroups([report(0x17b0), report(0x15e4), report(0x17b0)], &cache, limit: 2)
        #expect(cache.count == 2)
    }

    @Test
    func `texts of LeakSanitizer share a cache entry if only addresses differ, but not if offsets differ`()
        throws
    {
        func report(_ offset: String, address: String = "55d0688487b0") -> String {
            #"{"message":"==7==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 24 byte(s) in 1 object(s) "#
                + #"allocated from:\n    #0 0x7fcb4f2b8c57 in malloc asan.cpp:69\n    #1 0x\#(address)  "#
                + #"(/srv/shop+0x\#(offset))\n"}"#
        }
        var cache = GroupCache()
        try expectSameGroups(
            [report("17b0"), report("17f0"), report("17b0", address: "55d0688487b1")], &cache, limit: 2)
        #expect(cache.count == 2)
    }

    @Test(arguments: [
        // A JSON frame whose brace is an escape sequence.
        #"""
        {"class":"A","stack":["0x00007f1234567890","\u007b\"package\":\"Shop\",\"instruction_addr\":\"0x10400000ADDR\",\"image_addr\":\"0x104000000000\"}","0x00007f1234567891"]}
        """#,
        // The heading of the images of a backtrace, with an escape sequence.
        #"""
        {"class":"A","stack":["0\t0x55d06884ADDR [ra]","1\t0x55d068848e80 [ra]","Images\u003a","0\t0x55d068840000-0x55d06884ffff 5e7b2f4488dd44be3112 b /srv/b"]}
        """#,
        #"""
        {"class":"A","message":"{\"frames\":[{\"package\":\"Shop\",\"instruction\u005faddr\":\"0x10400000ADDR\",\"image\u005faddr\":\"0x104000000000\"},{\"package\":\"Shop\",\"instruction\u005faddr\":\"0x104000001111\",\"image\u005faddr\":\"0x104000000000\"}]}"}
        """#,
        #"""
        {"class":"A","message":"{\"frames\":[{\"package\":\"Shop\",\"instruction\\u005faddr\":\"0x10400000ADDR\",\"image\\u005faddr\":\"0x104000000000\"},{\"package\":\"Shop\",\"instruction_ad\\u0064r\":\"0x104000001111\",\"image\\u005faddr\":\"0x104000000000\"}]}"}
        """#,
    ])
    func `frames with different offsets have different cache entries even if they have escape sequences`(
        body: String
    )
        throws
    {
        var cache = GroupCache()
        let reports = ["1234", "5678", "1234"].map { body.replacing("ADDR", with: $0) }
        try expectSameGroups(reports, &cache, limit: 2)
        #expect(cache.count == 2)
    }

    @Test func `an escaped backslash and a t before digits are not read as a tab in front of an address`()
        throws
    {
        func report(_ digits: String) -> String {
            #"{"class":"A","stack":["3   Shop   0x00007f1234567890 foo\\t0x\#(digits)","0x00007f1234567891"]}"#
        }
        var cache = GroupCache()
        try expectSameGroups([report("123456789"), report("123456780")], &cache, limit: 2)
    }

    @Test func `stacks that differ only in a number too large for an image offset share a cache entry`()
        throws
    {
        func report(_ digits: String) -> String {
            #"{"class":"A","stack":["0x1042b1a4c (in Shop) load address 0x104000000 + 0x\#(digits)","0x1042b1a4d"]}"#
        }
        var cache = GroupCache()
        try expectSameGroups([report("1234567890"), report("1234567891")], &cache, limit: 1)
    }

    @Test(arguments: ["stack", "message"])
    func `random frames in which only digits differ get the same groups with and without the cache`(
        field: String
    ) throws {
        // `@` stands for an address or an offset.
        let lines = [
            "3   Shop   @ Cart.load() + 282", "3   Shop   @ @ + 282", "3   Shop   @ 0x102230000 + 25036 (f)",
            "@",
            "3   Shop   @ Shop + 25036", "3   Shop   @", "frame #2: @ Shop`foo + 20", "0\t@ [ra]",
            "0\t@ [async]",
            "* frame #2: @ Shop`foo(a=@) + 20 at x.swift:1", "0 [ra] @ f() + 4 in Shop at /U/x.swift:3:4",
            "0\t@ [ra] [0] Shop f() + 4", "1\t@ [ra] [0] b <unknown>", "./shop(+@) [@]", "./shop(f+@) [@]",
            "@ in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)", "@ in Shop", "@ in load (a=@) at x.c:3",
            "@ (in Shop) + 52", "@ (in Shop) load address @ + @", "f (in Shop) load address @ + 0x41b9",
            "#3  @ in Cart::add (this=@, n=3) at cart.cpp:12", "#3  @ in foo (/usr/bin/shop+@)",
            "#3 Shop @ f() + 4",
            "#00 pc @  /data/app/libshop.so (Cart::add()+24)",
            "#00 abs 000000723d6346d7 virt 00000000001ed6d7 _k+@",
            "3 foo + 39 (Shop + 3127127) [@] 16", "+ 2489 main  (in Shop) + 76  [@]  main.swift:12", "Cart @",
            "==42==    by @: cart_save (cart.c:3)", "at foo (@:12:3)", "<Cart: @>", "UIView @",
            "Thread 5 Crashed: @",
            "Images:", "0\t@-0x7fffffffffff 5e7b2f4488dd44be3112 b /srv/b",
            "0\t0x1000-@ 5e7b2f4488dd44be3112 b /srv/b",
            "Shop @ $s4Shop3fooyyF + 4", "3  Shop  @ ___lldb_unnamed_symbol @",
            "3  Shop  @ closure #1 in foo @ + 7",
        ]
        var random = SeededRandom(seed: field == "stack" ? 31 : 32)
        func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        func digits() -> [Character] {
            let count = [1, 4, 8, 9, 10, 12, 12, 14, 16, 16, 17][number(below: 11)]
            let zeros = min([0, 0, 0, 2, 4, 8][number(below: 6)], count - 1)
            return (0..<count).map { $0 < zeros ? "0" : Character(String(number(below: 16), radix: 16)) }
        }
        for turn in 0..<600 {
            var chosen = (0...number(below: 5)).map { _ in lines[number(below: lines.count)] }
            if number(below: 2) == 0 {
                chosen.insert(["3   Shop   @ Cart.load() + 282", "@", "0\t@ [ra]"][number(below: 3)], at: 0)
            }
            // In an eighth of the turns, a tenth of the characters are written as escape sequences, which JSON allows.
            let escapes = number(below: 8) == 0
            let numbers = chosen.joined().filter { $0 == "@" }.map { _ in digits() }
            func report(_ numbers: [[Character]]) -> String {
                var left = numbers[...]
                let elements = chosen.map { line in
                    line.map { $0 == "@" ? "0x" + String(left.removeFirst()) : String($0) }.joined()
                }
                func json(_ text: String) -> String {
                    "\""
                        + text.unicodeScalars.enumerated().map { index, scalar in
                            let isEscaped = scalar.value < 0x20 || escapes && (index * 7 + turn) % 10 == 0
                            let digits = String(scalar.value, radix: 16)
                            return isEscaped
                                ? "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                                : "\\\"".unicodeScalars.contains(scalar) ? "\\\(scalar)" : "\(scalar)"
                        }.joined() + "\""
                }
                let value =
                    field == "stack"
                    ? "[" + elements.map(json).joined(separator: ",") + "]"
                    : json("Cart\(turn)Model leaked\n" + elements.joined(separator: "\n"))
                return #"{"class":"Cart\#(turn)Model","\#(field)":\#(value)}"#
            }
            let others = numbers.map { old in old.map { number(below: 2) == 0 ? $0 : digits()[0] } }
            var cache = GroupCache()
            try expectSameGroups([report(numbers), report(others)], &cache, limit: 2)
        }
    }

    @Test func `the group cache evicts groups if their many names use too many bytes`() throws {
        var cache = GroupCache()
        for turn in 0..<14 {
            let document = try document(
                (0..<320).map { index in
                    // Each of the sixty names has one byte in the body, and more than sixty bytes in a group.
                    let names = repeatElement(#""A""#, count: 60).joined(separator: ",")
                    return #"{"class":"B\#(turn)x\#(index)","stack":[\#(names),"C"]}"#
                })
            for index in document.reports.indices {
                _ = cache.group(document, document.reports[index], app: "a", module: nil).first
            }
        }
        #expect((700..<3_500).contains(cache.count))
    }

    @Test func `the group cache evicts unused entries and keeps used ones`() throws {
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
