import LeakSeededRandom
import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Retain explanations of a leak, from the sender's batch to the JSON and the page.
@Suite struct ExplanationTests {
    private static let cart = #""class": "Shop.CartViewModel", "stack": ["Shop.Home", "Shop.CartViewModel"]"#

    /// Returns an explanation with a cycle of two objects.
    ///
    /// - Parameter start: the index of the reference with which the path starts.
    private static func explanationJSON(_ start: Int = 0, field: String = "onPaid", bytes: Int = 4_000_000)
        -> String
    {
        let references = [
            #"{"owner": "Shop.CartViewModel", "field": "\#(field)", "kind": "property", "closure": true}"#,
            #"{"owner": "Shop.Payment", "field": "owner", "kind": "property"}"#,
        ]
        let path = (references[start...] + references[..<start]).joined(separator: ", ")
        return #""why": {"confidence": "proven", "is_cycle": true, "bytes": \#(bytes), "path": [\#(path)]}"#
    }

    private static func batch(reports: [String] = [], explanations: [String]) -> String {
        #"{"app": {"id": "shop", "module": "Shop", "version": "1"}, "reports": [\#(reports.joined(separator: ","))],"#
            + #""explanations": [\#(explanations.joined(separator: ","))]}"#
    }

    private func leak(_ running: RunningCollector) throws -> [String: Any] {
        let list = try running.json("/api/v1/leaks?app=shop&state=any")
        let leaks = try #require(list["leaks"] as? [[String: Any]])
        #expect(leaks.count == 1)
        return try running.json("/api/v1/leaks/\(try #require(leaks.first?["id"] as? String))")
    }

    @Test
    func `retain paths that start at different objects of one cycle are one path, and each path has a share`()
        throws
    {
        let running = try RunningCollector()
        let first = Self.batch(
            reports: ["{\(Self.cart)}"], explanations: ["{\(Self.cart), \(Self.explanationJSON())}"])
        #expect(try running.post(first).json["accepted"] as? Int == 1)
        let others = [
            Self.explanationJSON(1), Self.explanationJSON(field: "timer", bytes: 8_000_000), #""why": {}"#,
        ]
        let second = Self.batch(explanations: others.map { "{\(Self.cart), \($0)}" })
        let answer = try running.post(second)
        #expect(try answer.status == 200 && answer.json["accepted"] as? Int == 0)
        let leak = try leak(running)
        #expect(leak["reports"] as? Int == 1)
        let why = try #require(leak["why"] as? [String: Any])
        #expect(why["explained"] as? Int == 4 && why["without_path"] as? Int == 1)
        #expect(why["bytes_median"] as? Int == 3_997_696)
        let variants = try #require(why["variants"] as? [[String: Any]])
        #expect(variants.map { $0["count"] as? Int } == [2, 1])
        #expect(
            variants[0]["text"] as? String == "CartViewModel.onPaid → closure → Payment.owner → CartViewModel"
        )
        #expect(variants[0]["proven"] as? Int == 2 && variants[0]["cause"] is [String: Any])
        let id = try #require(leak["id"] as? String)
        let page = try running.get("/leaks/\(id)").text
        #expect(page.contains("Why it stays") && page.contains("50.0\u{A0}%") && page.contains("onPaid"))
        #expect(
            page.contains("What to write instead") && page.contains("One object keeps 3.9\u{A0}MB in memory"))
    }

    @Test func `retained bytes from an incomplete search are shown as a lower bound`() throws {
        let running = try RunningCollector()
        let cut = Self.explanationJSON().replacingOccurrences(
            of: #""bytes":"#, with: #""at_least": true, "bytes":"#)
        let explanations = [Self.explanationJSON(), cut, Self.explanationJSON()].map {
            "{\(Self.cart), \($0)}"
        }
        _ = try running.post(Self.batch(reports: ["{\(Self.cart)}"], explanations: explanations))
        let leak = try leak(running)
        let why = try #require(leak["why"] as? [String: Any])
        #expect(why["bytes_at_least"] as? Int == 1 && why["explained"] as? Int == 3)
        let variants = try #require(why["variants"] as? [[String: Any]])
        #expect(variants.map { $0["count"] as? Int } == [3] && variants[0]["proven"] as? Int == 3)
        let page = try running.get("/leaks/\(try #require(leak["id"] as? String))").text
        #expect(page.contains("One object keeps at least 3.9\u{A0}MB in memory"))
    }

    @Test func `a report may contain its own explanation`() throws {
        let running = try RunningCollector()
        #expect(
            try running.post(
                Self.batch(reports: ["{\(Self.cart), \(Self.explanationJSON())}"], explanations: [])
            ).status
                == 200)
        let why = try #require(try leak(running)["why"] as? [String: Any])
        #expect(why["explained"] as? Int == 1)
    }

    @Test func `the page of a leak without an explanation has no section for explanations`() throws {
        let running = try RunningCollector()
        _ = try running.post(Self.batch(reports: ["{\(Self.cart)}"], explanations: []))
        let leak = try leak(running)
        #expect(leak["why"] is NSNull)
        let page = try running.get("/leaks/\(leak["id"] as? String ?? "")").text
        #expect(!page.contains("Why it stays"))
    }

    @Test
    func `a collector that accepts no explanations stores none, and its response has "explanations": false`()
        throws
    {
        let running = try RunningCollector { $0.storesExplanations = false }
        let leak = "{\(Self.cart), \(Self.explanationJSON())}"
        for body in [
            Self.batch(reports: [leak], explanations: [leak]), Self.batch(explanations: [leak]),
            Self.batch(reports: ["{\(Self.cart)}"], explanations: []),
        ] {
            let answer = try running.post(body)
            #expect(try answer.status == 200 && answer.json["explanations"] as? Bool == false)
        }
        let stored = try self.leak(running)
        #expect(stored["reports"] as? Int == 2 && stored["why"] is NSNull)
    }

    @Test func `the response of a collector that accepts explanations has no field "explanations"`() throws {
        let answer = try RunningCollector().post(Self.batch(reports: ["{\(Self.cart)}"], explanations: []))
        #expect(try answer.status == 200 && answer.json["explanations"] == nil)
    }

    @Test func `a faulty explanation is left out, and the rest of its batch is stored`() throws {
        let running = try RunningCollector()
        let faulty = #"{\#(Self.cart), "why": {"path": [{"field": "a"}]}}"#
        let answer = try running.post(
            Self.batch(
                reports: [faulty], explanations: ["{\(Self.cart), \(Self.explanationJSON())}", faulty]))
        #expect(try answer.status == 200 && answer.json["accepted"] as? Int == 1)
        let rejected = try #require(try answer.json["rejected_explanations"] as? [String: Any])
        #expect(rejected["count"] as? Int == 2)
        #expect(
            (rejected["first"] as? String) == "reports[0]: why.path[0] has no owner"
                || (rejected["first"] as? String) == "explanations[1]: why.path[0] has no owner")
        let why = try #require(try leak(running)["why"] as? [String: Any])
        #expect(why["explained"] as? Int == 1)
        let alone = try running.post(Self.batch(explanations: [faulty]))
        #expect(alone.status == 400 && alone.text.contains("explanations[0]: why.path[0] has no owner"))
    }

    @Test func `a sample report is stored without an explanation that would make it too long`() throws {
        let running = try RunningCollector()
        let reference = #"{"owner": "Shop.\#(String(repeating: "A", count: 490))"}"#
        let path = Array(repeating: reference, count: 32).joined(separator: ",")
        let cycle = #"{"path": [\#(path)]}"#
        let why =
            #""why": {"path": [\#(path)], "further_cycles": [\#(Array(repeating: cycle, count: 8).joined(separator: ","))]}"#
        #expect(
            try running.post(Self.batch(reports: ["{\(Self.cart), \(why)}"], explanations: [])).status == 200)
        let id = try #require(try leak(running)["id"] as? String)
        #expect(
            try running.get("/api/v1/leaks/\(id)/reports").text.utf8.count < 2
                * SampleRedaction.maxSampleBytes)
    }

    @Test(arguments: [1, 2, 31, 32])
    func `a retain path that is too long ends at the last reference that fits`(count: Int) {
        let references = (0..<32).map { place in
            RetainReference(
                owner: String(repeating: "A", count: place < count ? 20 : 512), field: "f", kind: .property)
        }
        var explanation = RetainExplanation()
        explanation.path = RetainPath(references: references, target: "T", isCycle: false)
        let reason = StoredReason(explanation)
        let kept = reason.path?.references.count ?? 0
        #expect(reason.text.utf8.count <= Submission.Explanation.maxReasonBytes)
        if kept < 32 {
            let longer = RetainPath(
                references: Array(references[...kept]), target: "A", isCycle: false, fullLength: 32)
            #expect(longer.json().count + 512 >= Submission.Explanation.maxReasonBytes)
        }
        #expect(kept > 0)
    }

    @Test
    func `names in a path are escaped, and the JSON of a truncated path gives its length before truncation`()
        throws
    {
        let running = try RunningCollector()
        let reference = #"{"owner": "Shop.<script>\#(String(repeating: "A", count: 490))"}"#
        let path = Array(repeating: reference, count: 32).joined(separator: ",")
        let why = #""why": {"confidence": "proven", "is_cycle": true, "path": [\#(path)]}"#
        let body = Self.batch(reports: ["{\(Self.cart)}"], explanations: ["{\(Self.cart), \(why)}"])
        #expect(try running.post(body).status == 200)
        let leak = try leak(running)
        let variants = try #require((leak["why"] as? [String: Any])?["variants"] as? [[String: Any]])
        #expect(variants.first?["length"] as? Int == 32)
        let page = try running.get("/leaks/\(leak["id"] as? String ?? "")").text
        #expect(!page.contains("<script>A"))
    }

    @Test(arguments: 1...200) func `the stored reason for a leak is read as it was written`(seed: UInt64)
        throws
    {
        var random = SeededRandom(seed: seed)
        let references = (0..<Int.random(in: 1...32, using: &random)).map { _ in
            RetainReference(
                owner: String(
                    repeating: ["A", "é", "\"", "x.Y"].randomElement(using: &random)!,
                    count: Int.random(in: 1...60, using: &random)),
                field: ["", "f", "(.loaded).0"].randomElement(using: &random)!, kind: .property,
                isSuspected: Bool.random(using: &random), isClosure: Bool.random(using: &random))
        }
        var explanation = RetainExplanation()
        explanation.path = RetainPath(
            references: references, target: "T", isCycle: Bool.random(using: &random))
        explanation.confidence = .proven
        explanation.cost = .init(bytes: 1, objects: 1, isAtLeast: seed.isMultiple(of: 2))
        let reason = StoredReason(explanation)
        #expect(reason.text.utf8.count <= 2_000)
        let read = StoredReason(text: reason.text)
        #expect(read.isProven && read.isByteCountLowerBound == seed.isMultiple(of: 2))
        #expect(read.path?.fingerprint == reason.path?.fingerprint && read.text == reason.text)
    }
}
