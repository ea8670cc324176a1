import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// One line of `wild.jsonl`: texts of one leak as a public project prints them, and the expected result.
struct WildText: Decodable, CustomTestStringConvertible {
    let name: String
    let `class`: String?
    let stack: [String]?
    let texts: [String]

    var testDescription: String { name }

    static let all: [WildText] = decodedLines(ofVectorFile: "wild")

    /// Returns the name without a module or package in front and without generic arguments. The grouping rules decide
    /// which of those parts a class keeps.
    static func baseName(of name: String?) -> String? {
        let head = name?.prefix { $0 != "<" }
        return head?.split(separator: ".").last.map(String.init)
    }
}

@Suite struct WildTextTests {
    private func identity(_ text: String) -> LeakIdentity {
        var report = LeakReport()
        report.message = text
        return GroupingRules.groups(report, app: "a", module: nil).first.identity
    }

    @Test(arguments: WildText.all)
    func `all texts about one leak have one group, and its class is found in each of them`(vector: WildText) {
        let identities = vector.texts.map(identity)
        #expect(Set(identities.map(\.id)).count == 1)
        for identity in identities {
            #expect(WildText.baseName(of: identity.className) == WildText.baseName(of: vector.class))
            // A Java package is part of the class name. Only the vector `ribs-kotlin` names its class without the package.
            if let given = vector.class, given.hasPrefix("com."), vector.name != "ribs-kotlin" {
                #expect(identity.className == given)
            }
            if let stack = vector.stack {
                let names = identity.cycle.isEmpty ? identity.stack : identity.cycle
                // The group has the runtime name of a block, `__NSMallocBlock__`. The vector leaves out the underscores.
                #expect(names.map { $0.replacing("__", with: "") } == stack)
            }
        }
    }

    @Test func `texts about different classes are never in one group`() {
        let known = WildText.all.compactMap { vector in
            WildText.baseName(of: vector.class).map { ($0, vector) }
        }
        let groups = Dictionary(grouping: known) { identity($0.1.texts[0]).id }
        for group in groups.values { #expect(Set(group.map(\.0)).count == 1) }
    }

    @Test(arguments: [
        ("Memory leak detected in ChatViewController", "ChatViewController"),
        ("Page1Controller leaked", "Page1Controller"), ("Page2Controller leaked", "Page2Controller"),
        ("LeakyPage: MyPage is a zombie", "MyPage"), ("CartModel.Type leaked", "CartModel"),
        ("CheckoutCoordinator retains CartViewModel which leaked", "CartViewModel"),
        ("Cart leaked", "Cart"), ("⚠️ Cart leaked!", "Cart"), ("Cart leaked: 3 instances", "Cart"),
        ("HomeVC leaked", "HomeVC"),
        ("Cart is leaking", "Cart"), ("Order was not deallocated", "Order"),
        ("Page1 not released after 2.0 s", "Page1"),
        ("Cart is still in memory.", "Cart"), ("CartViewModel: leaked", "CartViewModel"),
        ("CartViewModel: was not released!", "CartViewModel"),
        ("CartViewModel(user: \"Jane\", items: [1, 2]) leaked", "CartViewModel"),
        ("CartViewModel.deinit not called", "CartViewModel"),
        ("CartViewModel.dealloc was never called", "CartViewModel"),
        ("CartModel() leaked", "CartModel"), ("WeakBox(CartModel) leaked", "CartModel"),
        ("Banner320x50View leaked", "Banner320x50View"),
        ("CartModel(0x600001234567) leaked", "CartModel"),
        ("CartModel: 0x600001234567 leaked", "CartModel"),
        ("カートController leaked", "カートController"), ("ХранилищеМодель was not released", "ХранилищеМодель"),
        ("Модель leaked", "Модель"), ("class カートビュー leaked", "カートビュー"), ("Éric leaked", "Éric"),
    ])
    func `a class is found in a sentence about a leak, and is marked as guessed`(
        text: String, className: String
    ) {
        let identity = identity(text)
        #expect(identity.className == className)
        #expect(identity.quality == .guessed)
    }

    @Test(arguments: [
        "Possible memory leak", "screen stays in memory", "Warning: leak in Checkout flow of user 7",
        "ERROR LEAK DETECTED", "could not release the object", "see Docs/LeakGuide.md for more",
        "-[CartController viewDidLoad] leaked", "", "Home was closed", "user JaneDoe typed this",
        "LeBron did not get the refund", "WiFi is not reachable", "JaneDoe@example.com is still logged in",
        "Downloading from GitHub did not finish", "Retain cycle between CartView and OrderView",
        "Memory leaked", "Something leaked", "Everything leaked!", "Nothing leaked", "Object leaked",
        "It leaked", "Screen leaked",
        "This leaked", "MEMORY LEAKED", "ERROR leaked", "Water leaked", "Jane leaked the plan",
        "Cart leaked by Jane", "Cart was closed",
        "Cart leaking money", "View leaked", "Cart leakedness", "the Cart leaked here", "Cart\nleaked",
        "Cart is still alive", "память leaked", "内存 leaked", "CartViewModel: leaked the plan of Jane",
    ])
    func `if no class can be found in a text, the leak has no class and a low quality`(text: String) {
        #expect(identity(text).className == nil)
        #expect(identity(text).quality == .low)
    }

    @Test(arguments: [
        ("object of class 'HomeViewModel' was not released", "HomeViewModel"),
        ("object of class 'Cart' was not released", "Cart"),
        ("instance of \"Shop.CartViewModel\" leaked", "CartViewModel"),
        ("leak of `CartModel`", "CartModel"), ("leak of Cart", "Cart"),
        ("“CartModel” is still alive", "CartModel"),
        ("'CartViewController' was not deallocated", "CartViewController"),
        ("$s4Shop9CartModelC leaked", "CartModel"),
        ("ByteBuf.release() was not called: LEAK: ByteBuf.release()", "ByteBuf"),
        (#"{"event":"leak","class":"CartViewModel","count":3}"#, "CartViewModel"),
        (#"LEAK {"className": "Shop.Cart", "user": "Jane"}"#, "Cart"),
        (#"{"activity": "com.shop.CartActivity", "type": "activity"}"#, "com.shop.CartActivity"),
        (#"[{"name": "CartViewModel", "alive": 2}]"#, "CartViewModel"),
        (#"{"data": {"type": "CartViewModel"}, "class": "<Shop.Cart: 0x7f88acc69260>"}"#, "Cart"),
        (#"{ class = "Cart"; count = 2; }"#, "Cart"), ("leak {\n    class = Cart;\n}", "Cart"),
        (#"["class": "Cart"]"#, "Cart"),
        ("{'class': 'Shop.Cart', 'user': 'Jane'}", "Cart"), (#"{"class" => "Cart"}"#, "Cart"),
    ])
    func `a class is found if words or keys around it mark it as a class`(text: String, className: String) {
        #expect(identity(text).className == className)
    }

    @Test(arguments: [
        "user 'JohnSmith' leaked the plan", "account 'JaneDoe' is still alive", "label = 'JaneDoe' leaked",
        "JohnSmith leaked the plan", #"{"name": "JaneDoe", "title": "MyTitle", "leaked": "jane"}"#,
        #"{"text": "HomeViewModel"}"#, "typed 'HomeViewModel', then left",
    ])
    func `a name that a user typed is not mistaken for a class, and redaction removes it if it is quoted`(
        text: String
    ) {
        #expect(identity(text).className == nil)
        let redacted = DetectorMessage.redacted(text)
        for name in ["'JohnSmith", "\"JaneDoe", "'JaneDoe", "MyTitle"] { #expect(!redacted.contains(name)) }
    }

    @Test(arguments: [
        ["leak in 'a' of the page", "leak in 'b' of the page"], ["Page1 is slow", "Page2 is slow"],
        ["request 17 leaked", "request 18 leaked"], ["leak at 0x7f88acc69260", "leak at 0x600002d16940"],
    ])
    func `texts that differ only in numbers, addresses and quoted words are one leak`(texts: [String]) {
        #expect(Set(texts.map { identity($0).id }).count == 1)
    }

    @Test(arguments: [
        ["between Page1Controller and Page2Controller", "between Page1Controller and Page3Controller"],
        [
            "cycle between 'CartView' leaked and 'OrderView' leaked",
            "cycle between 'CartView' leaked and 'HomeView' leaked",
        ],
        [String(repeating: "word ", count: 150) + "one", String(repeating: "word ", count: 150) + "two"],
    ])
    func `texts that differ in a class, or in the last word of a long text, are different leaks`(
        texts: [String]
    ) {
        let identities = texts.map(identity)
        #expect(Set(identities.map(\.id)).count == texts.count)
        #expect(identities.allSatisfy { $0.groupingKey.version == 2 && $0.title.utf8.count <= 512 })
    }

    @Test(arguments: [
        (
            "class A1Model leaked\nclass B1Model leaked\nclass A1Model leaked",
            ["A1Model", "B1Model", "A1Model"]
        ),
        (
            "Retain cycles: {(\n (\n \"-> DetailController \",\n \"-> _block -> __NSMallocBlock__ \"\n ),\n (\n \"-> CartController \",\n \"-> _other -> Timer \"\n )\n)}",
            ["CartController", "DetailController"]
        ),
        (
            "2 APPLICATION LEAKS\n┬───\n│ GC Root: x\n├─ com.shop.App instance\n╰→ com.shop.CartActivity instance\n┬───\n│ GC Root: x\n╰→ com.shop.HomeFragment instance",
            ["com.shop.CartActivity", "com.shop.HomeFragment"]
        ),
        (
            "generated by leak_tracker.\nnotDisposed:\n  total: 2\n  objects:\n    ScrollController:\n      test: x\n    Ticker:\n      test: y\nnotGCed:\n  total: 1\n  objects:\n    _HomeState:\n      test: z",
            ["ScrollController", "Ticker", "_HomeState"]
        ),
        (#"{"leaks": [{"class": "CartModel"}, {"class": "HomeModel"}]}"#, ["CartModel", "HomeModel"]),
    ])
    func `a text about several leaks is counted as a report of each leak`(text: String, classes: [String]) {
        var report = LeakReport()
        report.message = text
        let groups = GroupingRules.groups(report, app: "a", module: nil)
        let found = ([groups.first] + groups.others).map { $0.identity.className ?? $0.identity.cycle[0] }
        #expect(found.sorted() == classes.sorted())
    }

    @Test func `if a text has more leaks than the maximum, the other leaks are counted as dropped reports`()
        throws
    {
        let lines = (0..<50).map { "class Leak\($0)Model leaked" }.joined(separator: "\n")
        let ingestRequest = IngestRequest(
            body: Array(lines.utf8), format: .text, app: nil, version: nil, idempotencyKey: nil,
            receivedAt: 1_800_000_000_000)
        let key = Credential(id: 1, purpose: .ingest, name: "k", hash: [], app: nil, createdAt: 0)
        var cache = GroupCache(limit: 16)
        for _ in 0..<2 {
            let submission = try SubmissionBuilder(ingestRequest, key: key, cache: &cache).submission
            #expect(submission.sightings.count == MessageSplitter.limit)
            #expect(Set(submission.sightings.map(\.leak.id)).count == MessageSplitter.limit)
            #expect(submission.dropped.map(\.count) == [50 - MessageSplitter.limit])
        }
    }

    // MARK: Further texts

    private func names(_ text: String) -> [String?] {
        var report = LeakReport()
        report.message = text
        let groups = GroupingRules.groups(report, app: "a", module: nil)
        return ([groups.first] + groups.others).map(\.identity.className)
    }

    @Test(arguments: [
        "leaked \"@\"", "leak in \"@\"", "leak: \"@\"", "leak=\"@\"", "Leaking object \"@\" found",
        "leak of class '@' held by class 'HomeCoordinator'", "leak {\"class\":\"@\"} end",
        "it's a leak: {\"class\":\"@\"}", "购物车控制器泄漏 @", "leak of Shop.(unknown context at $10a3f).@",
        "leak of Shop.(@ in _9B7A)", "leak of Shop::@", "@ leaked because of class BaseCoordinator",
        "@ is retained by instance of BaseCoordinator",
        "@ leak: captured by closure in class BaseCoordinator",
        "@ (class: BaseCoordinator) leaked", "Leaked @, presented by class BaseCoordinator",
        "Leak of @:\n  retained by class HomeController\n  retained by class RootController",
    ])
    func `texts that differ only in the class are different leaks, whichever words surround the class`(
        text: String
    ) {
        let groups = ["CartModel", "LoginModel"].map { identity(text.replacing("@", with: $0)).id }
        #expect(groups[0] != groups[1])
    }

    @Test func `Chinese words before the word for leak distinguish leaks`() {
        #expect(identity("购物车控制器泄漏").id != identity("首页控制器泄漏").id)
    }

    @Test(arguments: [
        #"{"class":"<UILabel: 0x1; text = 'Jane Doe secret'>"}"#, #"{"class":"UILabel<Jane Doe secret>"}"#,
        #"{"class":"<UILabel: 0x1; text = \u0027Jane Doe\u0027>"}"#, #"{"class":"Optional(\"Jane\")"}"#,
        "alert \"Dear Jane\n┬──\nmy password is Jane\n┬──\nleak of JaneDoe\" shown",
        #"{"name":"Jane.Doe"}"#, #"{"type":"Person.Jane"}"#, #"{"screen":"JaneDoe"}"#,
        #"{"object":"JaneDoe"}"#,
        "Something leaked: \"JaneDoe\"", "leak of 'JaneDoe'", "'JaneDoe' is still alive",
        #"{"leaks":[{"name":"Jane.Doe"},{"name":"Jane.Miller"}]}"#, "控制器'Jane的聊天'泄漏", "用户'JaneDoe'泄漏",
    ])
    func `text that a user typed is in no sample, title or class name`(text: String) {
        #expect(!DetectorMessage.redacted(text).contains("Jane"), "\(DetectorMessage.redacted(text))")
        #expect(!identity(text).title.contains("Jane"))
        #expect(names(text).allSatisfy { !($0 ?? "").contains("Jane") && !($0 ?? "").contains("Doe") })
    }

    @Test(arguments: [
        ("CartVM_123456 leaked", "CartVM_654321 leaked"), ("CartVM123456 leaked", "CartVM654321 leaked"),
        ("CartVM_6B8D4C1F leaked", "CartVM_7B8D4C1F leaked"),
    ])
    func `decimal and hexadecimal numbers after a class name are not part of the name`(
        one: String, other: String
    ) {
        #expect(identity(one).id == identity(other).id)
        #expect(identity(one).className == "CartVM")
    }

    @Test func `in a JSON list of leaks, classes are found even if one element has no class`() {
        let names = names(#"[{"class":"CartVM"},{"class":"HomeVM"},{"class":"login"}]"#)
        #expect(names == ["CartVM", "HomeVM", nil])
    }

    @Test func `each root cycle in the indented output of the leaks tool is a leak`() {
        let roots = ["Cart", "Home"].map {
            "    2 (96 bytes) ROOT CYCLE: <\($0)VM 0x6000>\n       1 (48 bytes) ROOT CYCLE: <\($0)Box 0x6001>"
        }
        var report = LeakReport()
        report.message = roots.joined(separator: "\n")
        let groups = GroupingRules.groups(report, app: "a", module: nil)
        #expect(
            ([groups.first] + groups.others).map(\.identity.cycle) == [
                ["CartBox", "CartVM"], ["HomeBox", "HomeVM"],
            ])
    }
}
