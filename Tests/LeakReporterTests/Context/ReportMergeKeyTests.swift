import Foundation
import LeakDetectorTexts
import LeakMessage
import Testing

@testable import LeakReporter

@Suite struct ReportMergeKeyTests {
    private func report(_ text: String) -> LeakReport {
        var report = LeakReport()
        report.message = text
        return report
    }

    private static var named: LeakReport {
        var report = LeakReport()
        report.event = .leak
        report.kind = .viewController
        report.className = "Shop.CartViewController"
        report.stack = ["UINavigationController", "Shop.CartViewController"]
        return report
    }

    /// Returns the text with other addresses of the same form: `0x…`, `$…` and the decimal addresses of RIBs.
    private func withNewAddresses(_ text: String, _ number: UInt64) -> String {
        let address = String(0x6_0000_0000 + number * 16, radix: 16)
        return
            text
            .replacing(/0x[0-9a-f]+/, with: "0x" + address)
            .replacing(/\$[0-9a-f]{9}/, with: "$" + address)
            .replacing(/[0-9]{19}/, with: "56\(10_000_000_000_000_000 + number)")
    }

    @Test(arguments: DetectorText.all.indices)
    func `a hundred sightings at different addresses have one merge key`(index: Int) {
        let text = DetectorText.all[index].message
        var keys = Set((0..<100).map { ReportMergeKey(report(withNewAddresses(text, UInt64($0)))) })
        keys.insert(ReportMergeKey(report(text)))
        #expect(keys.count == 1)
    }

    /// One detector may spell a leak in several ways. Two leaks never share a key.
    @Test func `texts of different leaks have different merge keys`() {
        var leakOfKey: [ReportMergeKey: [[String]]] = [:]
        for text in DetectorText.all {
            let known = leakOfKey.updateValue(text.leakParts, forKey: ReportMergeKey(report(text.message)))
            #expect(known == nil || known == text.leakParts)
        }
        #expect(Set(leakOfKey.values) == Set(DetectorText.all.map(\.leakParts)))
    }

    @Test func `text around the object's description does not change the merge key`() {
        let one = "VIEWCONTROLLER STILL IN MEMORY <MyApp.FooController: 0x7f88acc69260>"
        #expect(
            ReportMergeKey(report(one)) == ReportMergeKey(report(one + "\napp state on leak: ACTIVE")))
    }

    @Test func `numbers in a text of unknown form do not change the merge key, but words do`() {
        let one = ReportMergeKey(report("Leaked: row 7 of Cart at 0x600000c1a000"))
        #expect(one == ReportMergeKey(report("Leaked: row 12 of Cart at 0x600000c1b7f0")))
        #expect(one != ReportMergeKey(report("Leaked: row 7 of Shelf at 0x600000c1a000")))
    }

    @Test(arguments: [
        "leaked\n0   Shop   0x0000000104f85eb0 FUNCTION + 12\n1   Shop   0x0000000104f85eb0 main + 1",
        #"leaked ["0   Shop   0x0000000104f85eb0 FUNCTION + 12", "1   Shop   0x0000000104f85eb0 main + 1"]"#,
    ])
    func `a call stack in the text is part of the merge key, even if a field contains the class`(text: String)
    {
        func key(_ function: String, address: String = "104f85eb0") -> ReportMergeKey {
            var report = Self.named
            report.stack = []
            report.message = text.replacing("FUNCTION", with: function)
                .replacing("104f85eb0", with: address)
            return ReportMergeKey(report)
        }
        #expect(key("add") == key("add", address: "104f99eb0"))
        #expect(key("add") != key("drop"))
    }

    @Test func `addresses in an error's description do not change the merge key, but the error code does`() {
        func error(_ address: String, code: Int = 8) -> LeakReport {
            var report = LeakReport()
            report.error = ReportedError(
                domain: "com.acme", code: code,
                userInfo: [
                    CustomKey("NSLocalizedDescription", .string("VIEW STILL IN MEMORY <A.B: \(address)>")),
                    CustomKey("address", .string(address)),
                ])
            return report
        }
        #expect(ReportMergeKey(error("0x1234")) == ReportMergeKey(error("0x4321")))
        #expect(ReportMergeKey(error("0x1234")) != ReportMergeKey(error("0x1234", code: 9)))
    }

    @Test func `a class name that contains an address has the same merge key at each address`() {
        func key(_ name: String) -> ReportMergeKey {
            var report = Self.named
            report.className = name
            report.stack = ["UIWindow", name]
            return ReportMergeKey(report)
        }
        #expect(key("<Shop.Cart: 0x600000c1a000>") == key("<Shop.Cart: 0x600000c1b000>"))
        #expect(key("Shop.(unknown context at $10a3b22bc).Row") == key("Shop.(unknown context at $10b).Row"))
        #expect(key("<Shop.Cart: 0x600000c1a000>") != key("<Shop.Shelf: 0x600000c1a000>"))
        // The collector removes the system's types from a path, except those that contain a type of the app.
        #expect(key("SwiftUI.ModifiedContent<Swift.Int>") != key("SwiftUI.ModifiedContent<Shop.Row>"))
        // These names look the same but have different bytes, so the collector distinguishes them.
        #expect(key("Caf\u{E9}") != key("Cafe\u{301}"))
    }

    @Test(arguments: Self.differences.indices)
    func `reports whose differences the collector distinguishes or shows are never merged`(index: Int) {
        var other = Self.named
        Self.differences[index](&other)
        #expect(ReportMergeKey(other) != ReportMergeKey(Self.named))
        for earlier in Self.differences[..<index] {
            var third = Self.named
            earlier(&third)
            #expect(ReportMergeKey(third) != ReportMergeKey(other))
        }
    }

    private static let differences: [@Sendable (inout LeakReport) -> Void] = [
        { $0.event = .freed },
        { $0.kind = .view },
        { $0.kind = nil },
        { $0.className = "Shop.ShelfViewController" },
        { $0.className = nil },
        { $0.stack = [] },
        { $0.stack = ["UINavigationControllerShop.CartViewController"] },
        { $0.stack.insert("Shop.Window", at: 0) },
        { $0.children = ["Shop.Row"] },
        { $0.cycle = ["Shop.Row"] },
        { $0.reason = "dismissed" },
        { $0.reason = "" },
        { $0.fingerprint = ["dismissed"] },
        { $0.fingerprint = ["dis", "missed"] },
        { $0.error = ReportedError(domain: "dismissed", code: 0) },
        { $0.error = ReportedError(domain: "dismissed", code: 1) },
        { $0.app = AppInfo() },
        { $0.app = AppInfo(id: "com.acme") },
        { $0.app = AppInfo(version: "com.acme") },
        { $0.device = DeviceInfo() },
        { $0.device = DeviceInfo(os: "iOS") },
        { $0.device = DeviceInfo(model: "iOS") },
        { $0.install = "1" },
        { $0.user = "1" },
    ]

    @Test func `facts that differ between sightings are not part of the merge key`() {
        var other = Self.named
        other.id = "x"
        other.at = WireTime(milliseconds: 1)
        other.waitedMilliseconds = 4
        other.alive = 3
        other.livedMilliseconds = 9
        other.count = 7
        other.message = "<Shop.CartViewController: 0x1>"
        other.keys = [CustomKey("a", .number(1))]
        other.log = ["line"]
        #expect(ReportMergeKey(other) == ReportMergeKey(Self.named))
    }

    @Test(arguments: [
        [CustomKey("a", .string("B"))], [CustomKey("b", .string("A"))], [CustomKey("a", .number(1))],
        [CustomKey("a", .boolean(true))], [CustomKey("a", .string("A")), CustomKey("b", .number(1))], [],
    ])
    func `reports with different custom keys are not merged`(keys: [CustomKey]) {
        var (one, other) = (Self.named, Self.named)
        one.keys = [CustomKey("a", .string("A"))]
        other.keys = keys
        #expect(ReportMergeKey(one, withKeys: true) != ReportMergeKey(other, withKeys: true))
        #expect(ReportMergeKey(one) == ReportMergeKey(other))
        #expect(ReportMergeKey(one, withKeys: true) == ReportMergeKey(one, withKeys: true))
    }

    @Test func `the order of custom keys does not change the merge key`() {
        var (one, other) = (Self.named, Self.named)
        one.keys = [CustomKey("a", .number(1)), CustomKey("b", .boolean(false))]
        other.keys = one.keys.reversed()
        #expect(ReportMergeKey(one, withKeys: true) == ReportMergeKey(other, withKeys: true))
    }

    private func error(_ userInfo: [CustomKey], named name: String? = nil) -> LeakReport {
        var report = LeakReport()
        report.className = name
        report.error = ReportedError(domain: "Shop", code: 7, userInfo: userInfo)
        return report
    }

    @Test(arguments: [nil, "Shop.Cart"])
    func `errors with different userInfo are not merged, but are one leak`(name: String?) {
        let variants: [[CustomKey]] = [
            [], [CustomKey("a", .string("A"))], [CustomKey("a", .string("B"))],
            [CustomKey("b", .string("A"))],
            [CustomKey("a", .number(1))], [CustomKey("a", .number(2))],
            [CustomKey("a", .string("A")), CustomKey("b", .boolean(true))],
        ]
        #expect(
            Set(variants.map { ReportMergeKey(error($0, named: name), withKeys: true) }).count
                == variants.count)
        #expect(Set(variants.map { ReportMergeKey(error($0, named: name)) }).count == 1)
        var custom = error([], named: name)
        custom.keys = [CustomKey("a", .string("A"))]
        #expect(
            ReportMergeKey(custom, withKeys: true)
                != ReportMergeKey(error(variants[1], named: name), withKeys: true))
        #expect(
            ReportMergeKey(error([], named: name), withKeys: true) == ReportMergeKey(error([], named: name)))
    }

    @Test func `addresses in userInfo and times in the text of a detector are not part of the merge key`() {
        func key(_ address: String, _ seconds: Int, _ name: String = "A.B") -> ReportMergeKey {
            ReportMergeKey(
                error([
                    CustomKey(
                        "NSLocalizedDescription", .string("<\(name): \(address)> leaked after \(seconds) s")),
                    CustomKey("object", .string("<A.B: \(address)> in <A.C: \(address)>")),
                ]), withKeys: true)
        }
        #expect(key("0x600000c1a000", 3) == key("0x600000C1B7f0", 14))
        #expect(key("0x600000c1a000", 3) != key("0x600000c1a000", 3, "A.D"))
    }

    @Test func `the merge key of a cycle does not depend on the object at which it starts`() {
        var one = LeakReport()
        one.cycle = ["A", "C", "B"]
        var other = LeakReport()
        other.cycle = ["B", "A", "C"]
        #expect(ReportMergeKey(one) == ReportMergeKey(other))
        other.cycle = ["A", "B", "C"]
        #expect(ReportMergeKey(one) != ReportMergeKey(other))
    }

    /// The lifetime in a merged report therefore exceeds the lifetime of each of its sightings by less than 50 %.
    @Test func `freed objects share a merge key only if no lifetime is 50 % longer than another`() {
        func key(_ milliseconds: Int) -> ReportMergeKey {
            var report = Self.named
            report.event = .freed
            report.livedMilliseconds = milliseconds
            return ReportMergeKey(report)
        }
        var shortest: [ReportMergeKey: Int] = [:]
        var last: ReportMergeKey?
        for time in Array(0...5000) + [1 << 20, 3 << 19, 1 << 21, .max / 2, .max] {
            let key = key(time)
            if let least = shortest[key] {
                #expect(key == last, "the times of one key follow each other")
                #expect(Double(time) < 1.5 * Double(least))
            } else {
                shortest[key] = time
            }
            last = key
        }
        #expect(key(-5) == key(0))
        #expect(shortest.count < 35, "at most two keys for each doubling of the time")
        var unknown = Self.named
        unknown.event = .freed
        #expect(shortest[ReportMergeKey(unknown)] == nil)
    }

    @Test func `the lifetime is read from the text if no field has it`() {
        func text(_ seconds: String) -> LeakReport {
            report("LEAKED VIEWCONTROLLER DEINNITED <A.B: 0x7f88acc69260>\n\nDeinnited after \(seconds)s.")
        }
        #expect(ReportMergeKey(text("8.912")) == ReportMergeKey(text("9.1")))
        #expect(ReportMergeKey(text("8.912")) != ReportMergeKey(text("89.1")))
        var one = text("8.912")
        one.className = "A.B"
        one.event = .freed
        var other = text("89.12")
        other.className = "A.B"
        other.event = .freed
        #expect(ReportMergeKey(one) != ReportMergeKey(other))
        other.livedMilliseconds = 8_912
        #expect(ReportMergeKey(one) == ReportMergeKey(other))
    }

    /// The collector receives no more of a text than the key includes.
    @Test func `text after the length limit is not part of the merge key`() {
        let start = "Leaked: " + String(repeating: "x ", count: WireLimits.messageBytes / 2)
        #expect(ReportMergeKey(report(start + "one")) == ReportMergeKey(report(start + "other")))
    }
}
