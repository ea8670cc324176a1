import Testing

@testable import LeakStore

@Suite struct KnownLeaksTests {
    @Test(arguments: [
        ("UITextField", "UITextField", true), ("UITextField", "UITextFieldLabel", false),
        ("UIText*", "UITextField", true), ("UIText*", "UIText", true), ("UIText*", "UILabel", false),
        ("Größe", "Gro\u{308}ße", false), ("Größe*", "Größen", true),
    ])
    func `a pattern of a known leak is a name or the beginning of a name`(
        pattern: String, name: String, matches: Bool
    ) throws {
        let pattern = try #require(NamePattern(pattern))
        #expect(pattern.matches(name) == matches)
        let range = pattern.range
        let bytes = Array(name.utf8)
        let isInRange =
            !bytes.lexicographicallyPrecedes(Array(range.first.utf8))
            && !Array(range.last.utf8).lexicographicallyPrecedes(bytes)
        #expect(isInRange == matches, "an index finds what the pattern matches")
    }

    @Test(arguments: ["", "*", "*Field", "UI*Field", "UI**"])
    func `an empty pattern, and an asterisk alone or before the end of a pattern, are refused`(text: String) {
        #expect(NamePattern(text) == nil)
    }

    @Test(arguments: [
        ("iOS 11.2", true), ("iOS 11.2.6", true), ("iOS 11.1.9", false), ("iOS 11.3", false),
        ("iOS 11.3.0", false), ("iOS 11.10", false), ("iOS 11", false), ("iOS", false),
        ("iPadOS 11.2", false),
        ("iOS 11.2 beta", false), ("ios 11.2", false), ("iOS11.2", false), ("iOS ", false), ("", false),
    ])
    func `a range of versions includes its lower bound and excludes its upper bound`(
        system: String, isIn: Bool
    ) {
        let range = SystemRange(name: "iOS", from: SystemVersion("11.2"), before: SystemVersion("11.3"))
        #expect(range.contains(system) == isIn)
    }

    @Test func `a range of versions without bounds contains every version, even one that is not a number`() {
        let range = SystemRange(name: "iOS")
        #expect(range.contains("iOS 26.1 beta") && range.contains("iOS") && !range.contains("iOSX 1"))
        #expect(range.description == "iOS")
        #expect(SystemRange(name: "iOS", from: SystemVersion("16.0")).contains("iOS 16"))
        #expect(SystemRange(name: "iOS", before: SystemVersion("17")).description == "iOS before 17")
    }

    @Test(arguments: ["", ".", "1.", "11.2b3", "1.2.3.4.5", "-1", "1234567", "١"])
    func `a text that is not one to four numbers separated by points is not a version`(text: String) {
        #expect(SystemVersion(text) == nil)
    }

    private func match(
        _ entries: [KnownLeakRule], _ systems: [(String, Int)], className: String = "UITextField",
        reports: Int? = nil
    ) -> KnownMatch? {
        KnownLeaks(entries).match(
            ObservedLeak(
                className: className, kind: "view", stack: ["Login", "UITextField"],
                reports: reports ?? systems.reduce(0) { $0 + $1.1 },
                systems: systems.map { (value: $0.0, reports: $0.1) }))
    }

    private let textField = knownLeakRule("UITextField", systems: [("iOS", "11.2", "11.3")])

    @Test func `a leak is known if all its reports come from the systems that a rule names`() {
        let match = match([textField], [("iOS 11.2", 30), ("iOS 11.2.1", 5)])
        #expect(match == KnownMatch(rule: textField, reports: 35, reportsElsewhere: 0))
        #expect(match?.coversAllReports == true)
    }

    @Test
    func `a report from a system that the rule does not name is counted apart, and its leak is not known`() {
        let match = match([textField], [("iOS 11.2", 30), ("iOS 17.0", 1)])
        #expect(match == KnownMatch(rule: textField, reports: 30, reportsElsewhere: 1))
        #expect(match?.coversAllReports == false)
    }

    @Test func `reports without a system do not decide whether a leak is known`() {
        #expect(match([textField], [("iOS 11.2", 30)], reports: 40)?.coversAllReports == true)
        #expect(match([textField], [], reports: 40) == nil)
    }

    @Test func `reports from systems beyond the limit are treated as reports from another system`() {
        #expect(match([textField], [("iOS 11.2", 30), ("", 2)])?.reportsElsewhere == 2)
        #expect(match([knownLeakRule("UITextField")], [("iOS 11.2", 30), ("", 2)])?.coversAllReports == true)
    }

    @Test func `a known leak rule without systems applies to all systems, but not to a leak without reports`()
    {
        #expect(match([knownLeakRule("UITextField")], [], reports: 7)?.reports == 7)
        #expect(match([knownLeakRule("UITextField")], [], reports: 0) == nil)
    }

    @Test(arguments: [
        (["Login"], true), (["Log*", "UITextField"], true), (["UITextField", "Login"], false),
        (["Login", "Login"], false), (["Cart"], false),
    ])
    func `a known leak rule matches a stack that has its elements, in their order`(
        stack: [String], matches: Bool
    ) {
        #expect((match([knownLeakRule("UITextField", stack: stack)], [("iOS 9", 1)]) != nil) == matches)
    }

    @Test func `class and kind have to match those of a known leak rule`() {
        #expect(match([textField], [("iOS 11.2", 1)], className: "UITextView") == nil)
        #expect(match([knownLeakRule("UITextField", kind: "object")], [("iOS 11.2", 1)]) == nil)
        #expect(match([knownLeakRule("UITextField", kind: "view")], [("iOS 11.2", 1)]) != nil)
        #expect(
            KnownLeaks([textField]).namesClass("UITextField")
                && !KnownLeaks([textField]).namesClass("UITextView"))
        #expect(
            KnownLeaks([knownLeakRule("UIText*")]).namesClass("UITextView")
                && !KnownLeaks.none.namesClass(nil))
    }

    @Test func `two known leak rules cover a leak together, and the rule with more reports is shown`() {
        let later = knownLeakRule("UIText*", "later", systems: [("iOS", "13.0", "14.0")])
        let match = match([textField, later], [("iOS 11.2", 3), ("iOS 13.1", 4)])
        #expect(match == KnownMatch(rule: later, reports: 4, reportsElsewhere: 0))
    }
}
