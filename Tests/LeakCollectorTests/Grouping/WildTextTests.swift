import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// One line of `wild.jsonl`: texts of one leak as a public project prints them, and what they must give.
struct WildText: Decodable, CustomTestStringConvertible {
    let name: String
    let `class`: String?
    let stack: [String]?
    let texts: [String]

    var testDescription: String { name }

    static let all: [WildText] = lines(of: "wild")

    /// Without a module or package in front, and without generic arguments: how much of those a class keeps is the rules'
    /// matter.
    static func plain(_ name: String?) -> String? {
        let head = name?.prefix { $0 != "<" }
        return head?.split(separator: ".").last.map(String.init)
    }
}

@Suite struct WildTextTests {
    private func identity(_ text: String) -> LeakIdentity {
        var report = LeakReport()
        report.message = text
        return Grouping.group(report, app: "a", module: nil).identity
    }

    /// Texts that name their class in quotes only. Redaction removes quotations, since users may have typed them.
    private static let unread: Set<String> = ["koom-json", "flutter-notdisposed"]

    @Test(arguments: WildText.all.filter { !unread.contains($0.name) })
    func `texts of one leak name its class and are one group`(vector: WildText) {
        let identities = vector.texts.map(identity)
        #expect(Set(identities.map(\.id)).count == 1)
        for identity in identities {
            #expect(WildText.plain(identity.className) == WildText.plain(vector.class))
            if let stack = vector.stack {
                let names = identity.cycle.isEmpty ? identity.stack : identity.cycle
                // A block stands as the runtime calls it: `__NSMallocBlock__`.
                #expect(names.map { $0.replacing("__", with: "") } == stack)
            }
        }
    }

    @Test func `texts of different classes are different groups`() {
        let known = WildText.all.compactMap { vector in WildText.plain(vector.class).map { ($0, vector) } }
        let groups = Dictionary(grouping: known) { identity($0.1.texts[0]).id }
        for group in groups.values { #expect(Set(group.map(\.0)).count == 1) }
    }

    @Test(arguments: [
        ("Memory leak detected in ChatViewController", "ChatViewController"),
        ("Page1Controller leaked", "Page1Controller"), ("Page2Controller leaked", "Page2Controller"),
        ("LeakyPage: MyPage is a zombie", "MyPage"), ("CartModel.Type leaked", "CartModel"),
        ("CheckoutCoordinator retains CartViewModel which leaked", "CartViewModel"),
    ])
    func `a class in any text is found and marked`(text: String, className: String) {
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
    ])
    func `a text without a class groups by its words`(text: String) {
        #expect(identity(text).className == nil)
        #expect(identity(text).quality == .low)
    }
}
