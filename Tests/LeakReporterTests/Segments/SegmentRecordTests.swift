import LeakMessage
import Testing

@testable import LeakReporter

@Suite struct SegmentRecordTests {
    private static let full = SegmentHeader(
        key: "k1", app: AppInfo(id: "com.acme.shop", module: "Shop", version: "1.2", build: "34"),
        device: DeviceInfo(os: "iOS", osVersion: "18.1", model: "iPhone15,2"), install: "i", user: "u")
    /// The environment is the last field, because reporters before version 0.3 neither read nor write it.
    private static let inDebug: SegmentHeader = {
        var header = full
        header.app.environment = "debug"
        return header
    }()
    private static let piece = SegmentHeader(
        key: "k2", wholeSegmentKey: "k1", app: AppInfo(), device: DeviceInfo())

    private static let frozen: [(SegmentRecord, String)] = [
        (
            .header(full),
            "ffa70142000000508920370102006b31ffff0d00636f6d2e61636d652e73686f70040053686f700300312e320200333403"
                + "00694f53040031382e310a006950686f6e6531352c32010069010075"
        ),
        (
            .header(inDebug),
            "ffa7014900000022030bf30102006b31ffff0d00636f6d2e61636d652e73686f70040053686f700300312e320200333403"
                + "00694f53040031382e310a006950686f6e6531352c3201006901007505006465627567"
        ),
        (
            .header(piece),
            "ffa7011b000000a538ab2e0102006b3202006b31ffffffffffffffffffffffffffffffffffff"
        ),
        (
            .report(index: 7, count: 3, alive: 2, json: Array(#"{"class":"A""#.utf8)[...]),
            "ffa70218000000d4133ea60700000003000000020000007b22636c617373223a224122"
        ),
        (
            .report(index: 0, count: 1, alive: nil, json: [0x7B]),
            "ffa7020d000000c9b300990000000001000000ffffffff7b"
        ),
        (.repeatedSightings(index: 7, count: 5, alive: 9), "ffa7030c00000090d1277c070000000500000009000000"),
        (
            .repeatedSightings(index: 0, count: 1, alive: nil),
            "ffa7030c0000008c59462f0000000001000000ffffffff"
        ),
        (
            .checks(ClassChecks(className: "Shop.Cart", count: 12)),
            "ffa704130000006c5bfdec0c00000000000000090053686f702e43617274"
        ),
        (
            .session(
                EndedSession(
                    id: "s1", startedAt: WireTime(milliseconds: 1_764_000_000_000), checks: 4, leaks: 1)),
            "ffa7051c00000005dbfbdc00e897b69a0100000400000000000000010000000000000002007331"
        ),
        (
            .session(EndedSession(id: "s1", checks: 4, leaks: 1)),
            "ffa7051c0000003471bd0000000000000000800400000000000000010000000000000002007331"
        ),
        (
            .session(EndedSession(id: "s1", checks: 4, leaks: 0, unseen: 7)),
            "ffa7052400000039e8675b000000000000008004000000000000000000000000000000020073310700000000000000"
        ),
        (
            .dropped(reason: "queue_full", count: 300),
            "ffa70614000000b272c3c62c010000000000000a0071756575655f66756c6c"
        ),
        (
            .explanation(Array(#"{"class":"Cart"}"#.utf8)[...]),
            "ffa709100000009418d6c57b22636c617373223a2243617274227d"
        ),
        (.replaces(key: "k0"), "ffa70704000000d63dfb0c02006b30"),
        (
            .footer(
                SegmentFooter(
                    sentAt: WireTime(milliseconds: 1_764_000_000_123), reports: 2,
                    head: Array(#"{"reports":["#.utf8)[...])),
            "ffa70818000000a7c92cea7be897b69a010000020000007b227265706f727473223a5b"
        ),
    ]

    /// Files on devices contain these bytes, so a change needs a new ``SegmentHeader/version``, not other bytes below. They
    /// were computed with another implementation, Python's `struct` and `zlib`.
    @Test(arguments: frozen.indices)
    func `the encoding of version 1 of the segment records does not change`(index: Int) throws {
        let (record, hexadecimal) = Self.frozen[index]
        var bytes: [UInt8] = []
        record.write(to: &bytes)
        #expect(bytes == [UInt8](hexadecimal: hexadecimal))
        let rawRecord = try #require(RecordCodec.read([UInt8](hexadecimal: hexadecimal)).rawRecords.first)
        #expect(SegmentRecord(rawRecord) == record)
    }

    @Test(
        arguments: [
            .repeatedSightings(index: .max, count: .max, alive: 0),
            .repeatedSightings(index: 0, count: 0, alive: .max - 1),
            .checks(ClassChecks(className: "", count: .max)),
            .checks(ClassChecks(className: "Größe 🧵", count: 0)),
            .session(EndedSession(id: "", startedAt: WireTime(milliseconds: -1), checks: .max, leaks: 0)),
            .dropped(reason: "", count: .max),
            .explanation(Array(#"{"class":"Cart"}"#.utf8)[...]),
            .replaces(key: String(repeating: "k", count: 1_000)),
            .footer(SegmentFooter(sentAt: WireTime(milliseconds: .min), reports: .max, head: [])),
            .report(index: .max, count: .max, alive: 0, json: [0x7B]),
        ] as [SegmentRecord])
    func `a segment record is read as it was written`(record: SegmentRecord) throws {
        var bytes: [UInt8] = []
        record.write(to: &bytes)
        let rawRecord = try #require(RecordCodec.read(bytes).rawRecords.first)
        #expect(SegmentRecord(rawRecord) == record)
    }

    @Test func `a text of a record that is too long is truncated between two Unicode scalars`() throws {
        var header = Self.full
        header.user = String(repeating: "x", count: 65_533) + "ä"
        var bytes: [UInt8] = []
        SegmentRecord.header(header).write(to: &bytes)
        let rawRecord = try #require(RecordCodec.read(bytes).rawRecords.first)
        header.user = String(repeating: "x", count: 65_533)
        #expect(SegmentRecord(rawRecord) == .header(header))
    }

    @Test func `negative counts of a record are read as zero`() throws {
        var bytes: [UInt8] = []
        SegmentRecord.checks(ClassChecks(className: "A", count: -4)).write(to: &bytes)
        SegmentRecord.session(EndedSession(id: "s", checks: -1, leaks: -1)).write(to: &bytes)
        #expect(
            RecordCodec.read(bytes).rawRecords.map(SegmentRecord.init) == [
                .checks(ClassChecks(className: "A", count: 0)),
                .session(EndedSession(id: "s", checks: 0, leaks: 0)),
            ])
    }

    /// A record whose checksum is right may still be of another version.
    @Test(arguments: frozen.indices)
    func `a payload that is truncated, or has an unknown kind, is not read as its record`(index: Int) throws {
        let (record, hexadecimal) = Self.frozen[index]
        let rawRecord = try #require(RecordCodec.read([UInt8](hexadecimal: hexadecimal)).rawRecords.first)
        for length in 0..<rawRecord.payload.count {
            let short = RecordCodec.RawRecord(kind: rawRecord.kind, payload: rawRecord.payload.prefix(length))
            #expect(SegmentRecord(short) != record)
        }
        for kind in [0, 10, 255] as [UInt8] {
            #expect(SegmentRecord(RecordCodec.RawRecord(kind: kind, payload: rawRecord.payload)) == nil)
        }
    }

    @Test func `a header of another version is rejected`() throws {
        var bytes: [UInt8] = []
        SegmentRecord.header(Self.full).write(to: &bytes)
        var payload = Array(try #require(RecordCodec.read(bytes).rawRecords.first).payload)
        payload[0] = 2
        #expect(SegmentRecord(RecordCodec.RawRecord(kind: 1, payload: payload[...])) == nil)
    }
}
