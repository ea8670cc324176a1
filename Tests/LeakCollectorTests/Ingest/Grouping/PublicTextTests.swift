import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// One line of `wild-public.jsonl`: messages about one leak, or about several leaks, as a public project prints them.
struct PublicText: Decodable, CustomTestStringConvertible {
    let name: String
    let `class`: String?
    /// The classes of a text that reports several leaks.
    let classes: [String]?
    let texts: [String]
    /// Web address from which the wording was copied. Class names and numbers in the texts may be invented.
    let source: String
    /// The reason why the class is not found.
    let unread: String?

    var testDescription: String { name }

    static let all: [PublicText] = decodedLines(ofVectorFile: "wild-public")
    static let readable = all.filter { $0.unread == nil }
}

@Suite struct PublicTextTests {
    private func identities(_ text: String) -> [LeakIdentity] {
        var report = LeakReport()
        report.message = text
        let groups = GroupingRules.groups(report, app: "a", module: nil)
        return ([groups.first] + groups.others).map(\.identity)
    }

    /// Returns the class without module and generic arguments, or the classes of the cycle if the leak has no class.
    private func names(_ identity: LeakIdentity) -> [String] {
        identity.className.map { [WildText.baseName(of: $0)].compactMap(\.self) }
            ?? identity.cycle.compactMap { WildText.baseName(of: $0) }
    }

    private func isRead(_ vector: PublicText) -> Bool {
        vector.texts.allSatisfy { text in
            let identities = identities(text)
            if let classes = vector.classes {
                var found: [String?] = []
                for name in identities.map({ WildText.baseName(of: $0.className) })
                where !found.contains(name) {
                    found.append(name)
                }
                return found == classes.map { WildText.baseName(of: $0) }
            }
            guard let name = WildText.baseName(of: vector.class) else {
                return identities[0].className == nil
            }
            return identities.allSatisfy { names($0).contains(name) }
        }
    }

    @Test(arguments: PublicText.readable)
    func `the class is found in messages copied from public projects, except in listed exceptions`(
        vector: PublicText
    ) {
        #expect(isRead(vector), "\(vector.texts.map { identities($0).map(names) }) of \(vector.source)")
    }

    @Test(arguments: PublicText.readable.filter { $0.classes == nil && $0.class != nil })
    func `messages about one leak that were copied from one public project are one group`(vector: PublicText)
    {
        #expect(Set(vector.texts.map { Set(identities($0).map(\.id)) }).count == 1)
    }

    @Test
    func
        `messages copied from public projects are in separate groups if their classes differ, except cycles`()
    {
        let known = PublicText.readable.filter { $0.classes == nil && $0.class != nil }
        let groups = Dictionary(grouping: known) { identities($0.texts[0])[0].id }
        for group in groups.values {
            let classes = Set(group.map { WildText.baseName(of: $0.class) })
            let isCycle = identities(group[0].texts[0])[0].className == nil
            #expect(classes.count == 1 || isCycle, "\(group.map(\.name))")
        }
    }

    /// When the rules learn to find the class of such a message, this test fails. Then remove the field `unread` of the message
    /// from the file.
    @Test(arguments: PublicText.all.filter { $0.unread != nil })
    func `the class is not found in messages from public projects that are exceptions`(vector: PublicText) {
        #expect(!isRead(vector))
    }

    @Test func `there are at least 150 messages from public projects, each with the address of its source`() {
        #expect(PublicText.readable.count >= 150)
        #expect(PublicText.all.allSatisfy { $0.source.hasPrefix("https://") })
    }
}
