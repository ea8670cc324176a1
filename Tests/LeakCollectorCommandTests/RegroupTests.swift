import Foundation
import LeakHTTPClient
import LeakCollector
import Testing

@testable import LeakStore

/// `collector regroup`, as an operator runs it.
@Suite struct RegroupTests {
    private let folder: TemporaryFolder
    private var data: String { folder.path + "/data" }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> (code: Int32, output: String, errors: String) {
        try CollectorProcess.run(arguments + ["--data", data])
    }

    private func get(_ path: String, from collector: CollectorProcess) throws -> HTTPResponse {
        try HTTPClient(.init()).get(
            collector.address + path,
            fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
    }

    /// Stores a leak that version 1 of the grouping rules made from a call stack, and returns its ID.
    private func count(old id: UInt64, in store: SQLiteStore) throws -> LeakID {
        let frame = "1   Shop   0x0000000104f85e\(id)0 $s4Shop9CartModelC4loadyyF + 104"
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        var submission = Submission(keyID: 1, receivedAt: now)
        submission.body = Array(#"{"class":"Shop.CartModel","stack":["\#(frame)"]}"#.utf8)
        submission.origins = [Submission.Origin(app: "com.acme.shop", version: "1.0")]
        let leak = LeakIdentity(
            id: LeakID(high: id, low: id), app: "com.acme.shop", kind: "object", className: "CartModel",
            module: "Shop", title: "CartModel", stack: [frame], children: [], cycle: [], quality: .full,
            groupingKey: GroupingKey(version: 1, className: "CartModel", stack: [frame]))
        submission.sightings = [
            Submission.Sighting(
                leak: leak, originIndex: 0, isFreed: false, at: now, count: 5, alive: nil,
                livedMilliseconds: nil,
                jsonRange: 0..<submission.body.count)
        ]
        #expect(try store.count([submission], now: now) == [.counted])
        return leak.id
    }

    @Test
    func `regroup prints how many leaks were not merged because they changed while it ran`() {
        let sentence =
            "that another command changed or that expired while this command ran; "
            + "collector regroup --dry-run lists the remaining ones"
        #expect(RegroupSummary.outcome(merged: 0, into: 0, planned: 3) == ["not merged: 3 leaks \(sentence)"])
        #expect(
            RegroupSummary.outcome(merged: 1, into: 1, planned: 2) == [
                "merged 1 leak into 1 other leak; the old addresses lead there",
                "not merged: 1 leak \(sentence)",
            ])
        #expect(RegroupSummary.outcome(merged: 2, into: 1, planned: 2).count == 1)
    }

    @Test func `regroup merges leaks of an older grouping version while a collector runs`() throws {
        let collector = try CollectorProcess(data: data)
        let store = try SQLiteStore(path: data + "/leaks.sqlite", exclusive: false)
        let old = try (1...3).map { try count(old: $0, in: store) }
        #expect(try get("/leaks/\(old[0])", from: collector).status == 200)

        let plan = try run("regroup", "--dry-run", "--app", "com.acme.shop")
        #expect(plan.code == 0 && plan.output.contains("3 of 3 leaks to merge"), "\(plan)")
        #expect(plan.output.contains("nothing was changed") && plan.errors.isEmpty, "\(plan)")
        #expect(try get("/leaks/\(old[0])", from: collector).status == 200)

        let done = try run("regroup")
        #expect(
            done.code == 0
                && done.output.hasSuffix("merged 3 leaks into 1 other leak; the old addresses lead there\n"),
            "\(done)")
        #expect(try run("verify").code == 0)
        let answer = try get("/leaks/\(old[0])", from: collector)
        let there = try #require(answer["Location"])
        #expect(answer.status == 303)
        let page = try get(there, from: collector)
        #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("15"))
        #expect(
            try run("regroup").output.hasSuffix(
                "nothing to merge: the reports of every leak belong to it by the current rules\n"))

        let unknown = try run("regroup", "--app", "nope")
        #expect(unknown.code == 1 && unknown.errors.contains("the apps are com.acme.shop"), "\(unknown)")
        let misuse = try run("regroup", "--dry-run=maybe")
        #expect(misuse.code == 2, "\(misuse)")
    }
}
