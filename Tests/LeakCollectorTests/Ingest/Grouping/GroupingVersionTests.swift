import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// One line of `grouping-1.jsonl`: a report, the parts of its key, and the resulting id.
struct GroupingVector: Decodable, CustomTestStringConvertible {
    let app: String
    let module: String?
    let `class`: String?
    let stack: [String]?
    let children: [String]?
    let cycle: [String]?
    let fingerprint: [String]?
    let message: String?
    let key: [String]
    let id: String

    var testDescription: String { key.joined(separator: " | ") }

    static let all: [GroupingVector] = decodedLines(ofVectorFile: "grouping-1")

    var report: LeakReport {
        var report = LeakReport()
        report.className = self.class
        report.stack = stack ?? []
        report.children = children ?? []
        report.cycle = cycle ?? []
        report.fingerprint = fingerprint ?? []
        report.message = message
        return report
    }
}

@Suite struct GroupingVersionTests {
    /// Databases contain ids of version 1, so a change of the rules needs a new version, not new vectors. The ids in
    /// the vectors were computed from the keys with Python's hashlib.
    @Test(arguments: GroupingVector.all)
    func `grouping keys and leak ids of version 1 do not change`(vector: GroupingVector) {
        let (app, module) = (AppKey(vector.app), vector.module)
        #expect(GroupingRules.oldID(of: vector.report, app: app, module: module).description == vector.id)
        let identity = GroupingRules.group(vector.report, app: app, module: module).identity
        // Version 2 keeps the generic arguments of this class.
        if vector.key == ["Store<…>"] {
            #expect(identity.groupingKey.version == 2)
            #expect(identity.groupingKey.className == "Store<Dictionary<…, Item>>")
            return
        }
        #expect(identity.groupingKey.version == 1)
        #expect([identity.groupingKey.className] + identity.groupingKey.stack == vector.key)
        #expect(identity.id.description == vector.id)
    }

    @Test func `there are at least 15 vectors of grouping keys`() { #expect(GroupingVector.all.count >= 15) }

    /// The examples that were published with FIPS 180-4.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 gives the results of the standard`(text: String, digest: String) {
        let digits = Array("0123456789abcdef")
        let hash = SHA256Hash.hash(Array(text.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        #expect(String(hash) == digest)
    }
}
