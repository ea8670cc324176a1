import Foundation
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct ImportTests {
    private static let now: Int64 = 1_795_000_000_000
    private let folder = TemporaryFolder()

    private func store(_ limits: StoreLimits = .forImports) throws -> any Store {
        try Collector.openStore(folder: folder.path, isServer: true, limits: limits)
    }

    private func run(
        _ lines: [String], into store: any Store, _ source: Import.Source = Import.Source(name: "f")
    ) throws -> Import.Result {
        var reports = Import(store: store, source: source, now: Self.now) { _, _ in }
        for line in lines { try reports.add(line: Array(line.utf8)) }
        try reports.flush()
        return reports.result
    }

    @Test func `the numbers of reports beyond limits that an import prints do not include earlier imports`()
        throws
    {
        var limits = StoreLimits.forImports
        limits.appsPerKey = 2
        let store = try store(limits)
        func lines(_ apps: Range<Int>) -> [String] {
            apps.map { #"{"class": "C", "app": {"id": "app\#($0)"}}"# }
        }
        #expect(try run(lines(0..<5), into: store).acceptedCount == 5)
        let first = try Import.readOverLimitCounts(in: store, now: Self.now)
        #expect(first == [OverLimitCount(app: "other", limit: .apps, count: 3)])
        #expect(try run(lines(5..<7), into: store, Import.Source(name: "g")).acceptedCount == 2)
        #expect(
            try Import.readOverLimitCounts(in: store, since: first, now: Self.now)
                == [OverLimitCount(app: "other", limit: .apps, count: 2)])
    }

    @Test func `the message about each limit says what happens to names beyond the limit`() {
        for limit in OverLimitCount.Name.allCases {
            let outcome =
                switch limit {
                case .details: "left out"
                case .idempotencyKeys: "counted again if repeated"
                case .evictedLeaks, .evictedReleases: "merged into “other” to stay below the limit"
                case .deletedLeaks, .deletedReleases: "not seen for long, deleted"
                default: "counted as “other”"
                }
            #expect(limit.outcome == outcome)
        }
    }

    @Test func `an import has no daily limit of stored idempotency keys and responses`() throws {
        let limits = StoreLimits.forImports
        #expect(limits.idempotencyKeysPerDay == .max && limits.responsesPerDay == .max)
        // The 40 different lines have different responses, because the number of rejected reports differs. Each line
        // occurs twice.
        var lines = (1...40).map { rejected in
            "[" + [String](repeating: "{}", count: rejected).joined(separator: ",") + #",{"class": "C"}]"#
        }
        lines += lines
        let store = try store(limits)
        #expect(try run(lines, into: store).acceptedCount == 80)
        let again = try run(lines, into: store)
        #expect(again.acceptedCount == 0 && again.repeatedLineCount == 80)
    }

    @Test(arguments: [("2026-11-18T00:00:00Z", 0), ("2026-09-01T00:00:00Z", 1), ("2027-01-01T00:00:00Z", 1)])
    func `an import counts the reports whose time it changed, but not again if they are repeated`(
        at: String, moved: Int
    ) throws {
        let line = #"{"class": "C", "at": "\#(at)"}"#
        let store = try store()
        #expect(try run([line], into: store).clampedTimeCount == moved)
        #expect(try run([line], into: store).clampedTimeCount == 0)
    }

    @Test func `an import counts all reports even if the checkpoints of the store fail`() throws {
        let store = try store()
        let lines = (0..<1_200).map { #"{"class": "C\#($0 % 7)"}"# }
        let result = try run(lines, into: FailingCheckpointStore(store: store))
        #expect(result.acceptedCount == 1_200 && result.checkpointError?.description == "no")
        #expect(try store.makeReader().leaks(LeakQuery(), now: Self.now).reports == 1_200)
    }
}

/// A folder for one test. It is removed when this object is deallocated.
private final class TemporaryFolder: Sendable {
    let path = NSTemporaryDirectory() + "import-test-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A store that counts reports, but whose checkpoints fail.
private struct FailingCheckpointStore: ForwardingStore {
    let store: any Store

    func checkpointIfNeeded(now: Int64) throws(StoreError) { throw StoreError(.other, "no") }
}
