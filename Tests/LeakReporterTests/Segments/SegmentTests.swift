import LeakGrammar
import LeakMessage
import Testing

@testable import LeakReporter

@Suite struct SegmentTests {
    private static let header = SegmentHeader(
        key: "k", app: AppInfo(id: "a", version: "1"), device: DeviceInfo(os: "iOS"), install: "i", user: "u")
    private static let sentAt = WireTime(milliseconds: 1_764_000_000_000)

    private static func leak(_ name: String) -> LeakReport {
        var report = LeakReport()
        report.className = name
        report.id = "019b0676-a754-7713-ad26-75c0ab525e53"
        report.at = sentAt
        return report
    }

    private static func report(_ index: UInt32, _ name: String, count: UInt32 = 1, alive: UInt32? = nil)
        -> SegmentRecord
    {
        .report(index: index, count: count, alive: alive, json: leak(name).openJSON()[...])
    }

    private static let records: [SegmentRecord] = [
        .header(header), report(0, "A", count: 2), .checks(ClassChecks(className: "B", count: 4)),
        report(1, "B", alive: 3), .repeatedSightings(index: 0, count: 5, alive: 7),
        .session(EndedSession(id: "s", startedAt: sentAt, checks: 4, leaks: 1)), report(2, "C"),
        .dropped(reason: "budget", count: 9), .checks(ClassChecks(className: "A", count: 1)),
        .repeatedSightings(index: 0, count: 1, alive: 2), .checks(ClassChecks(className: "B", count: 3)),
        .dropped(reason: "budget", count: 1), .repeatedSightings(index: 1, count: 1, alive: nil),
        .replaces(key: "old"),
    ]

    private func bytes(_ records: [SegmentRecord]) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records { record.write(to: &bytes) }
        return bytes
    }

    private func fileWithFooter(_ records: [SegmentRecord]) -> [UInt8] {
        let segment = Segment(bytes(records))
        let footer = SegmentFooter(
            sentAt: Self.sentAt, reports: UInt32(segment.reports.count),
            head: segment.head(Self.header, sentAt: Self.sentAt)[...])
        return bytes(records + [.footer(footer)])
    }

    private static var batch: LeakBatch {
        var batch = LeakBatch()
        batch.app = header.app
        batch.device = header.device
        batch.install = "i"
        batch.user = "u"
        batch.sentAt = sentAt
        batch.checks = [ClassChecks(className: "A", count: 1), ClassChecks(className: "B", count: 7)]
        batch.sessions = [EndedSession(id: "s", startedAt: sentAt, checks: 4, leaks: 1)]
        batch.dropped = [DroppedReports(reason: "budget", count: 10)]
        batch.reports = [leak("A"), leak("B"), leak("C")]
        batch.reports[0].count = 8
        batch.reports[0].alive = 7
        batch.reports[1].count = 2
        batch.reports[1].alive = 3
        return batch
    }

    @Test func `the body of a segment equals the batch as JSON`() throws {
        let segment = Segment(fileWithFooter(Self.records))
        let body = segment.body(try #require(segment.footer))
        #expect(String(decoding: body, as: UTF8.self) == String(decoding: Self.batch.json(), as: UTF8.self))
        #expect(segment.damagedSightingCount == 0)
        #expect(segment.sightingCount == 11)
        #expect(segment.replacedKeys == ["old"])
    }

    @Test func `segments with only a header, with checks, or with one report give valid batches`() throws {
        for records in [
            [Self.records[0]], [Self.records[0], Self.records[2]], [Self.records[0], Self.records[1]],
        ] {
            let segment = Segment(fileWithFooter(records))
            let body = segment.body(try #require(segment.footer))
            let document = try WireReader.read(body, as: .json)
            #expect(document.reports.count == segment.reports.count && document.rejected.isEmpty)
            #expect(document.checks == segment.checks)
        }
    }

    @Test func `the body of a segment has the same bytes each time it is built`() throws {
        let file = fileWithFooter(Self.records)
        let first = Segment(file)
        for _ in 0..<20 {
            let segment = Segment(file)
            #expect(segment.body(try #require(segment.footer)) == first.body(try #require(first.footer)))
            // The order of a dictionary differs between instances.
            #expect(
                segment.head(Self.header, sentAt: Self.sentAt) == first.head(Self.header, sentAt: Self.sentAt)
            )
        }
    }

    /// Returns the byte range of each record in the file.
    private func ranges(_ records: [SegmentRecord]) -> [Range<Int>] {
        records.reduce(into: []) { ranges, record in
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<(start + bytes([record]).count))
        }
    }

    @Test func `if a record is damaged, the other records are read and the damage is counted`() {
        for (index, range) in ranges(Self.records).enumerated() {
            var damaged = bytes(Self.records)
            damaged[range.lowerBound + RecordCodec.headerBytes] ^= 0x10
            let segment = Segment(damaged)
            var expected = Self.records
            let lost = expected.remove(at: index)
            let whole = Segment(bytes(expected))
            #expect(segment.sightingCount == whole.sightingCount && segment.checks == whole.checks)
            #expect(segment.header == whole.header && segment.sessions == whole.sessions)
            #expect(segment.dropped == whole.dropped && segment.replacedKeys == whole.replacedKeys)
            switch lost {
            case .report(index: 0, _, _, _):
                // The sighting itself and the sightings that were merged into it; its own count is unknown.
                #expect(segment.damagedSightingCount == 1 + 6)
            case .report(index: 1, _, _, _): #expect(segment.damagedSightingCount == 1 + 1)
            default: #expect(segment.damagedSightingCount == 1, "\(lost)")
            }
        }
    }

    @Test func `in a segment with a footer, a damaged last report is counted as damaged`() throws {
        let file = fileWithFooter(Self.records)
        let place = try #require(ranges(Self.records).dropFirst(6).first).lowerBound + 20
        var damaged = file
        damaged[place] ^= 1
        let segment = Segment(damaged)
        #expect(segment.reports.keys.sorted() == [0, 1])
        #expect(segment.damagedSightingCount == 1)
        // The body is still a valid batch, which begins with the bytes of the footer.
        let document = try WireReader.read(segment.body(try #require(segment.footer)), as: .json)
        #expect(document.reports.count == 2 && document.rejected.isEmpty)
    }

    @Test func `a segment that is truncated anywhere still gives a valid batch`() throws {
        let file = fileWithFooter(Self.records)
        for length in 0...file.count {
            let segment = Segment(Array(file[..<length]))
            let footer = SegmentFooter(
                sentAt: Self.sentAt, reports: 0, head: segment.head(Self.header, sentAt: Self.sentAt)[...])
            let document = try WireReader.read(segment.body(footer), as: .json)
            #expect(document.rejected.isEmpty && document.reports.count == segment.reports.count)
            #expect(segment.sightingCount + segment.damagedSightingCount <= 11 + 1)
        }
    }

    @Test func `an empty segment has no damaged sightings`() {
        let segment = Segment([])
        #expect(segment.isEmpty && segment.damagedSightingCount == 0)
        #expect(Segment(bytes([Self.records[0], .replaces(key: "old")])).isEmpty)
        #expect(!Segment(bytes([Self.records[0], Self.records[7]])).isEmpty)
    }

    @Test func `sums in a segment do not exceed the maximum of the wire format`() {
        let records = [SegmentRecord](repeating: .dropped(reason: "r", count: .max), count: 3)
        let head = Segment(bytes(records)).head(Self.header, sentAt: Self.sentAt)
        #expect(String(decoding: head, as: UTF8.self).contains(#""dropped":{"r":1000000}"#))
    }
}
