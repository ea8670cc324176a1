import LeakGrammar
import LeakMessage

@testable import LeakReporter

/// A short model of the real collector: an idempotency key counts once, and for seven days a request with the same key and
/// other bytes is rejected.
struct ModelCollector {
    static let memoryMilliseconds: Int64 = 7 * 86_400_000

    private struct ReceivedBatch {
        let body: [UInt8]
        let answer: DeliveryResult
        let receivedAt: WireTime
    }

    /// Maximum number of reports in a batch. A larger batch is answered with 413, as is a batch with more bytes than
    /// ``byteLimit``.
    var reportLimit = Int.max
    var byteLimit = Int.max
    /// The class whose reports the collector rejects as invalid.
    var rejectedClass: String?

    private var receivedBatches: [String: ReceivedBatch] = [:]
    private(set) var ids: Set<String> = []
    /// Counted sightings by class.
    private(set) var counted: [String: Int] = [:]
    private(set) var rejected = 0
    private(set) var reportedDrops: [String: Int] = [:]
    private(set) var sessions: [String: EndedSession] = [:]
    private(set) var checks: [String: Int] = [:]
    private(set) var explanations = 0
    /// Requests that the collector must never receive.
    private(set) var problems: [String] = []
    private(set) var conflicts = 0

    func hasKey(_ key: String) -> Bool { receivedBatches[key] != nil }

    mutating func receive(_ batch: SegmentQueue.Batch, at wallTime: WireTime) -> DeliveryResult {
        if let before = receivedBatches[batch.idempotencyKey],
            wallTime.milliseconds - before.receivedAt.milliseconds < Self.memoryMilliseconds
        {
            guard before.body == batch.body else {
                conflicts += 1
                return .rejected(reason: "422")
            }
            return before.answer
        }
        guard let document = try? WireReader.read(batch.body, as: .json) else {
            problems.append("a body that is not a batch: \(String(decoding: batch.body, as: UTF8.self))")
            return .rejected(reason: "400")
        }
        guard document.reportCount <= reportLimit, batch.body.count <= byteLimit else {
            return .tooLong(isFinal: true, reason: "413")
        }
        return commit(document, batch, at: wallTime)
    }

    private mutating func commit(
        _ document: WireDocument, _ batch: SegmentQueue.Batch, at wallTime: WireTime
    ) -> DeliveryResult {
        var invalid = document.rejected.map(\.index)
        for (index, slices) in document.reports.enumerated() {
            let report = document.report(at: index)
            let name = report.className ?? ""
            guard name != rejectedClass else {
                invalid.append(slices.index)
                rejected += report.count
                continue
            }
            counted[name, default: 0] += report.count
            if let id = report.id, !ids.insert(id).inserted { problems.append("report \(id) came twice") }
        }
        explanations += document.explanations.count
        for drop in document.dropped { reportedDrops[drop.reason, default: 0] += drop.count }
        for check in document.checks { checks[check.className, default: 0] += check.count }
        for session in document.sessions where sessions.updateValue(session, forKey: session.id) != nil {
            problems.append("session \(session.id) came twice")
        }
        let answer = DeliveryResult.accepted(rejected: invalid, reason: nil)
        receivedBatches[batch.idempotencyKey] = ReceivedBatch(
            body: batch.body, answer: answer, receivedAt: wallTime)
        return answer
    }
}
