import Foundation
import LeakCollectorSupport
import LeakGrammar
import LeakHTTPClient
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// The rules of an app: their text, and the groups that they give.
@Suite struct FingerprintRulesTests {
    // MARK: Text

    @Test(arguments: [
        ("class:A", 1, 8, "the group is missing"), ("\n# c\n  stack:x ->", 3, 13, "the group is missing"),
        ("-> A", 1, 1, "compares nothing"), ("clas:A -> A", 1, 1, "“clas” is not known"),
        ("class:A B -> C", 1, 9, "“B” is not known"),
        ("class:A stack: -> C", 1, 15, "the pattern is missing"),
        ("class:A -> two words", 1, 16, "double quotes"), ("class:A->B", 1, 11, "the group is missing"),
        ("class:\"A -> B", 1, 7, "closing quotation mark"),
        ("class:\"A\"B -> C", 1, 10, "write a space"),
        ("class:a\"b -> C", 1, 8, "quotation mark"), ("class:\"a\\n\" -> C", 1, 9, "may follow \\"),
        ("class:A -> {clas}", 1, 12, "{class}"), ("class:A -> \"\"", 1, 12, "the group is missing"),
        ("class:A\u{1} -> B", 1, 8, "control character"), ("class:A\u{9B} -> B", 1, 8, "control character"),
        ("class:A -> \"\u{A0}\"", 1, 12, "the group is missing"),
        ("class:A -> {class}{class}{class}", 1, 12, "at most twice"),
        ("class:*\(String(repeating: "a", count: 65))* -> B", 1, 7, "64"),
        ("class:\(String(repeating: "a", count: 513)) -> B", 1, 7, "513 bytes"),
        ("class:A -> \(String(repeating: "a", count: 201))", 1, 12, "201 bytes"),
        (String(repeating: "class:A ", count: 9) + "-> B", 1, 65, "at most 8 patterns"),
        (String(repeating: "class:A -> B\n", count: 101), 101, 1, "at most 100 rules"),
        (String(repeating: "#", count: 16 * 1024 + 1), 1, 1, "the limit is 16384"),
        ("class:Ä -> B\nclass:ÄÖ -> x y", 2, 15, "double quotes"),
    ])
    func `a mistake is reported with its line, its column and a remedy`(
        text: String, line: Int, column: Int, problem: String
    ) throws {
        let error = try #require(throws: RuleError.self) { try FingerprintRules(text: text) }
        #expect((error.line, error.column) == (line, column), "\(error)")
        #expect(error.problem.contains(problem), "\(error)")
    }

    @Test func `comments, empty lines, quotes and line ends of Windows are read`() throws {
        let text =
            "# comment -> x\r\n\r\n  class:\"A \\\"b\\\" \\\\\"\tstack:x   ->   \"two words\"  \r\ntext:y -> z\r\n\r\n"
        let rules = try FingerprintRules(text: text).rules
        #expect(rules.map(\.line) == [3, 4] && rules.map(\.group) == ["two words", "z"])
        #expect(rules[0].matchers.map(\.glob.text) == ["A \"b\" \\", "x"])
        #expect(FingerprintRules.normalized(text).hasSuffix("text:y -> z"))
        #expect(try FingerprintRules(text: "").rules.isEmpty)
    }

    @Test(arguments: ["Cart", "two words", "a\"b", "\\", "class:x", "#", "->", "*"])
    func `a quoted text is read as itself`(text: String) throws {
        let quoted = FingerprintRules.quoted(text)
        let rule = try #require(try FingerprintRules(text: "class:\(quoted) -> \(quoted)").rules.first)
        #expect(rule.group == text && rule.matchers[0].glob.text == text)
    }

    @Test func `the example of the page is that of GROUPING.md, and can be read`() throws {
        let file = URL(fileURLWithPath: RunningCollector.publicFolder).deletingLastPathComponent()
            .appendingPathComponent("docs/GROUPING.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page.contains("```\n" + RulesPage.example + "\n```"))
        #expect(try FingerprintRules(text: RulesPage.example).rules.count == 3)
    }

    // MARK: Groups

    private func group(
        _ json: String, _ rules: String?, module: String? = nil, environment: String = AppKey.production
    ) throws -> GroupedReport {
        let document = try WireReader.read(Array("[\(json)]".utf8), as: .json)
        return GroupingRules.groups(
            document.report(at: 0), app: AppKey("a", environment: environment), module: module,
            rules: try rules.map { try FingerprintRules(text: $0) }
        ).first
    }

    private static let cart =
        #"{"class":"Shop.CartModel","stack":["Root","CheckoutScreen","Shop.CartModel"]}"#
    private static let calls =
        #"{"class":"Shop.CartModel","stack":["0 Shop 0x0000000104a1b2c4 $s4Shop9CartModelC4bindyyF + 52","1 Shop 0x0000000104a1b2c4 $s4Shop4RootC4showyyF + 52"]}"#

    @Test(arguments: [
        (cart, "class:CartModel -> X", "X"), (cart, "class:Shop.Cart* -> X", "X"),
        (cart, "class:Cart -> X", nil),
        (cart, "stack:Checkout* -> X", "X"), (cart, "stack:Root class:*Model -> X", "X"),
        (cart, "stack:Root stack:Settings* -> X", nil), (cart, "text:* -> X", nil),
        (cart, "class:No -> A\nclass:*Model -> B\nstack:Root -> C", "B"),
        (cart, "class:*Model -> \"{class} in {class}\"", "CartModel in CartModel"),
        (calls, "stack:CartModel.bind* -> X", "X"), (calls, "stack:*Root.show()* -> X", "X"),
        (calls, "stack:at* -> X", nil),
        (#"{"message":"Timer 12 was kept"}"#, "text:Timer* -> Timers", "Timers"),
        (#"{"message":"Timer 12 was kept"}"#, "text:Timer* -> {class}\ntext:* -> Y", "Y"),
        (#"{"cycle":["Shop.A","Shop.B"]}"#, "stack:B -> X", "X"),
        (#"{"class":"UINavigationController","children":["Shop.Home"]}"#, "stack:Home -> X", "X"),
        (#"{"class":"A","fingerprint":["f"]}"#, "class:A -> X", nil),
        (#"{"message":"Leaked: CartModel x2, HomeModel x3"}"#, "class:CartModel -> X", "X"),
    ])
    func `the first rule that matches class, path or text names the group`(
        json: String, rules: String, expected: String?
    ) throws {
        let (with, without) = (try group(json, rules), try group(json, nil))
        guard let expected else {
            #expect(with.identity.id == without.identity.id && with.rule == nil)
            return
        }
        #expect(with.rule?.group == expected && with.identity.title == expected)
        #expect(with.identity.groupingKey.className == expected && with.identity.groupingKey.stack.isEmpty)
        #expect(with.identity.quality == .full && with.identity.id != without.identity.id)
        // A rule changes only the title and the key.
        #expect(
            with.identity.className == without.identity.className
                && with.identity.stack == without.identity.stack)
    }

    @Test func `a rule and a fingerprint with the same text are one group, and each environment has its own`()
        throws
    {
        let byRule = try group(Self.cart, "class:* -> carts").identity
        #expect(try group(#"{"class":"B","fingerprint":["carts"]}"#, nil).identity.id == byRule.id)
        #expect(try group(Self.cart, "class:* -> carts", environment: "debug").identity.id != byRule.id)
        // A class without a path has only its name as key.
        #expect(
            try group(Self.cart, "class:* -> {class}").identity.id
                == group(#"{"class":"CartModel"}"#, nil).identity.id)
    }

    @Test(arguments: [nil, "Shop", "Feed", GroupingRules.keepModulesMarker])
    func `a class matches with and without its module, whichever module its sender names`(module: String?)
        throws
    {
        for pattern in ["Feed.List", "List"] {
            let report = try group(
                #"{"class":"Feed.List"}"#, "class:\(pattern) -> \"{class}!\"", module: module)
            #expect(report.identity.title == "List!", "\(pattern)")
            #expect(report.identity.otherModuleSpelling == nil)
        }
    }

    @Test func `a report about a freed object finds its leak by the same rule`() throws {
        let rules = "stack:Checkout* -> X"
        let leak = try group(Self.cart, rules)
        let freed = try group(
            #"{"class":"Shop.CartModel","stack":["Root","CheckoutScreen","Shop.CartModel"],"type":"freed"}"#,
            rules)
        #expect(freed.isFreed && !leak.isFreed && freed.identity.id == leak.identity.id)
    }

    // MARK: Cache

    @Test func `the group cache gives the groups of the rules, and drops them when the rules change`() throws
    {
        let running = try RunningCollector()
        #expect(
            try running.post(#"{"app":{"id":"a","version":"1"},"reports":[{"class":"A"}]}"#).status == 200)
        let (store, rules, reader) = (running.store, RulesCache(), try running.store.makeReader())
        var cache = GroupCache(rules: rules)
        let reports = [Self.cart, Self.calls, #"{"class":"Other"}"#, #"{"message":"Timer 12 was kept"}"#]
        let document = try WireReader.read(Array("[\(reports.joined(separator: ","))]".utf8), as: .json)
        for text in ["", "class:CartModel -> X\ntext:Timer* -> T", "stack:Checkout* -> {class}", ""] {
            _ = try store.saveRules(text, of: "a", basedOn: nil, by: .commandLine, now: 1)
            try rules.refresh(from: reader)
            cache.begin()
            let parsed = try FingerprintRules(text: text)
            for _ in 0..<2 {
                for index in document.reports.indices {
                    let cached = cache.group(document, document.reports[index], app: "a", module: nil).first
                    let direct = GroupingRules.groups(
                        document.report(at: index), app: "a", module: nil, rules: parsed
                    ).first
                    #expect(cached.identity.id == direct.identity.id && cached.rule == direct.rule, "\(text)")
                    let other = cache.group(document, document.reports[index], app: "b", module: nil).first
                    #expect(other.rule == nil)
                }
            }
            // Two apps with four reports each, grouped once.
            #expect(cache.missCount == 8)
        }
        cache.begin()
        _ = cache.group(document, document.reports[0], app: "a", module: nil)
        #expect(cache.missCount == 0)
    }
}
