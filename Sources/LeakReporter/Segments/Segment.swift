import LeakMessage

/// The content of a segment, parsed from its bytes, even if they are damaged.
struct Segment: Hashable {
    /// The extension of the file name.
    static let fileEnding = ".segment"

    struct Report: Hashable {
        var json: ArraySlice<UInt8>
        var sightingCount: Int
        var alive: Int?
    }

    /// The header; `nil` if it is damaged.
    private(set) var header: SegmentHeader?
    /// The reports by index; a missing index means that the record of the report was damaged.
    private(set) var reports: [UInt32: Report] = [:]
    private(set) var checks: [ClassChecks] = []
    private(set) var sessions: [EndedSession] = []
    /// Explanations, each as the JSON of a report.
    private(set) var explanations: [ArraySlice<UInt8>] = []
    private(set) var dropped: [DroppedReports] = []
    /// Keys of discarded segments. This segment contains what remains of them.
    private(set) var replacedKeys: [String] = []
    private(set) var footer: SegmentFooter?
    /// The number of sightings known to be missing; there may have been more.
    private(set) var damagedSightingCount = 0

    init(_ bytes: [UInt8]) {
        let readResult = RecordCodec.read(bytes)
        let records = readResult.rawRecords.map(SegmentRecord.init)
        for case .report(let index, let count, let alive, let json)? in records {
            reports[index] = Report(json: json, sightingCount: Int(count), alive: alive.map { Int($0) })
        }
        for record in records.compactMap(\.self) { apply(record) }
        let expectedCount = max(reports.keys.max().map { Int($0) + 1 } ?? 0, Int(footer?.reports ?? 0))
        damagedSightingCount += expectedCount - reports.count
        // The readable records do not show how much was lost, so the damage counts as one sighting.
        if damagedSightingCount == 0, readResult.damagedBytes > 0 { damagedSightingCount = 1 }
    }

    private mutating func apply(_ record: SegmentRecord) {
        switch record {
        case .header(let header): self.header = header
        case .report: break
        case .repeatedSightings(let index, let count, let alive):
            guard var report = reports[index] else { return damagedSightingCount += Int(count) }
            report.sightingCount += Int(count)
            report.alive = [report.alive, alive.map { Int($0) }].compactMap(\.self).max()
            reports[index] = report
        case .checks(let classChecks): checks.append(classChecks)
        case .session(let session): sessions.append(session)
        case .explanation(let json): explanations.append(json)
        case .dropped(let reason, let count):
            dropped.append(DroppedReports(reason: reason, count: Int(clamping: count)))
        case .replaces(let key): replacedKeys.append(key)
        case .footer(let footer): self.footer = footer
        }
    }

    /// The number of sightings of all reports.
    var sightingCount: Int { reports.values.reduce(0) { $0 + $1.sightingCount } }

    var isEmpty: Bool {
        reports.isEmpty && checks.isEmpty && sessions.isEmpty && explanations.isEmpty && dropped.isEmpty
    }

    /// The reports in the order in which they were recorded, which is that of the body.
    var inBodyOrder: [(index: UInt32, report: Report)] {
        reports.sorted { $0.key < $1.key }.map { (index: $0.key, report: $0.value) }
    }

    /// Returns the JSON of the batch before its reports.
    ///
    /// - Parameter header: the header of the segment, or of a segment that replaces it.
    func head(_ header: SegmentHeader, sentAt: WireTime) -> [UInt8] {
        var batch = LeakBatch()
        batch.app = header.app
        batch.device = header.device
        batch.install = header.install
        batch.user = header.user
        batch.sentAt = sentAt
        batch.checks = checkSums
        batch.sessions = sessions
        batch.dropped = dropSums
        return batch.headJSON(explanations: explanations)
    }

    /// The counts of checks, added up per class.
    var checkSums: [ClassChecks] {
        Self.sums(checks.map { ($0.className, $0.count) }).map { ClassChecks(className: $0.0, count: $0.1) }
    }

    /// The counts of dropped reports, added up per reason.
    var dropSums: [DroppedReports] {
        Self.sums(dropped.map { ($0.reason, $0.count) }).map(DroppedReports.init)
    }

    /// Adds up counts and sorts them by name, so that equal counts give equal bytes.
    private static func sums(_ counts: [(String, Int)]) -> [(String, Int)] {
        Dictionary(counts) { one, other in
            let (sum, isTooLarge) = one.addingReportingOverflow(other)
            return isTooLarge ? .max : sum
        }.sorted { $0.key < $1.key }
    }

    /// Returns the bytes to send: the head from the footer, the reports, and the tail.
    func body(_ footer: SegmentFooter) -> [UInt8] {
        var body = Array(footer.head)
        for (index, entry) in inBodyOrder.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += LeakReport.closed(
                entry.report.json, count: entry.report.sightingCount, alive: entry.report.alive)
        }
        return body + LeakBatch.tailJSON
    }
}
