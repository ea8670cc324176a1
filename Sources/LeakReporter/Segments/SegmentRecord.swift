import LeakMessage

/// A record of a segment. The numbers of the kinds are in files on devices: a change needs a new ``SegmentHeader/version``.
enum SegmentRecord: Hashable {
    case header(SegmentHeader)
    /// A report of a leak, or of a leaked object that was freed.
    ///
    /// - `index`: counts from 0 in each segment, so that missing reports are noticed.
    /// - `alive`: the number of living instances, as in ``LeakReport/alive``; `nil` if the detector did not count them.
    /// - `json`: the result of ``LeakReport/openJSON()``, exactly the bytes that are sent.
    case report(index: UInt32, count: UInt32, alive: UInt32?, json: ArraySlice<UInt8>)
    /// Further sightings of the report with this index.
    case repeatedSightings(index: UInt32, count: UInt32, alive: UInt32?)
    case checks(ClassChecks)
    case session(EndedSession)
    /// The explanation of a leak that was reported before, as the JSON of a report. Earlier versions of this library do not
    /// read it.
    case explanation(ArraySlice<UInt8>)
    /// The number of reports that were discarded for this reason, and whose loss the collector has not been told yet.
    case dropped(reason: String, count: UInt64)
    /// The segment with this key was discarded, and this segment contains what remains of that segment. If the file of
    /// the discarded segment still exists, it must be removed.
    case replaces(key: String)
    /// The segment was sent for the first time; nothing is added any more.
    case footer(SegmentFooter)
}

/// The first record of a segment: the sender of its reports, and the key of the batch that the segment becomes.
struct SegmentHeader: Hashable {
    static let version: UInt8 = 1

    /// The `Idempotency-Key` of the batch that the segment becomes.
    var key: String
    /// The key of the segment that this segment is a part of. This segment is ignored as long as the whole segment exists.
    var wholeSegmentKey: String?
    var app: AppInfo
    var device: DeviceInfo
    var install: String?
    var user: String?
}

/// The last record of a segment, with the bytes to send before the reports.
struct SegmentFooter: Hashable {
    /// The wall-clock time of the first attempt to send it.
    var sentAt: WireTime
    /// The number of reports, without further sightings.
    var reports: UInt32
    /// The result of ``LeakBatch/headJSON(explanations:)``, exactly the bytes that are sent.
    var head: ArraySlice<UInt8>
}

extension SegmentRecord {
    private enum Kind {
        static let header: UInt8 = 1
        static let report: UInt8 = 2
        static let repeatedSightings: UInt8 = 3
        static let checks: UInt8 = 4
        static let session: UInt8 = 5
        static let dropped: UInt8 = 6
        static let replaces: UInt8 = 7
        static let footer: UInt8 = 8
        static let explanation: UInt8 = 9
    }

    func write(to bytes: inout [UInt8]) {
        var payload: [UInt8] = []
        let kind: UInt8
        switch self {
        case .header(let header):
            kind = Kind.header
            payload.append(SegmentHeader.version)
            let (app, device) = (header.app, header.device)
            for text in [
                header.key, header.wholeSegmentKey, app.id, app.module, app.version, app.build, device.os,
                device.osVersion, device.model, header.install, header.user,
            ] {
                payload.append(text: text)
            }
            if let environment = app.environment { payload.append(text: environment) }
        case .report(let index, let count, let alive, let json):
            kind = Kind.report
            payload.append(index)
            payload.append(count)
            payload.append(alive ?? .max)
            payload.append(contentsOf: json)
        case .repeatedSightings(let index, let count, let alive):
            kind = Kind.repeatedSightings
            payload.append(index)
            payload.append(count)
            payload.append(alive ?? .max)
        case .checks(let checks):
            kind = Kind.checks
            payload.append(UInt64(clamping: checks.count))
            payload.append(text: checks.className)
        case .session(let session):
            kind = Kind.session
            payload.append(session.startedAt?.milliseconds ?? .min)
            payload.append(UInt64(clamping: session.checks))
            payload.append(UInt64(clamping: session.leaks))
            payload.append(text: session.id)
            // This number follows the text, the last part that older versions read. Files of older versions lack the number.
            if session.unseen > 0 { payload.append(UInt64(clamping: session.unseen)) }
        case .explanation(let json):
            kind = Kind.explanation
            payload.append(contentsOf: json)
        case .dropped(let reason, let count):
            kind = Kind.dropped
            payload.append(count)
            payload.append(text: reason)
        case .replaces(let key):
            kind = Kind.replaces
            payload.append(text: key)
        case .footer(let footer):
            kind = Kind.footer
            payload.append(footer.sentAt.milliseconds)
            payload.append(footer.reports)
            payload.append(contentsOf: footer.head)
        }
        RecordCodec.append(kind, payload, to: &bytes)
    }

    /// - Returns: `nil` if this version does not write such a record, or the record is malformed.
    init?(_ rawRecord: RecordCodec.RawRecord) {
        var reader = PayloadReader(remainingBytes: rawRecord.payload)
        guard let record = Self.read(rawRecord.kind, &reader) else { return nil }
        self = record
    }

    private static func read(_ kind: UInt8, _ reader: inout PayloadReader) -> SegmentRecord? {
        switch kind {
        case Kind.header: return header(&reader).map(SegmentRecord.header)
        case Kind.report:
            guard let index: UInt32 = reader.number(), let count: UInt32 = reader.number(),
                let alive: UInt32 = reader.number(), !reader.remainingBytes.isEmpty
            else { return nil }
            return .report(
                index: index, count: count, alive: alive.nilIfMaximum, json: reader.remainingBytes)
        case Kind.repeatedSightings:
            guard let index: UInt32 = reader.number(), let count: UInt32 = reader.number(),
                let alive: UInt32 = reader.number()
            else { return nil }
            return .repeatedSightings(index: index, count: count, alive: alive.nilIfMaximum)
        case Kind.checks:
            guard let count: UInt64 = reader.number(), let name = reader.text() ?? nil else { return nil }
            return .checks(ClassChecks(className: name, count: Int(clamping: count)))
        case Kind.session:
            guard let startedAt: Int64 = reader.number(), let checks: UInt64 = reader.number(),
                let leaks: UInt64 = reader.number(), let id = reader.text() ?? nil
            else { return nil }
            let unseen: UInt64 = reader.number() ?? 0
            return .session(
                EndedSession(
                    id: id, startedAt: startedAt == .min ? nil : WireTime(milliseconds: startedAt),
                    checks: Int(clamping: checks), leaks: Int(clamping: leaks), unseen: Int(clamping: unseen))
            )
        case Kind.explanation:
            return reader.remainingBytes.isEmpty ? nil : .explanation(reader.remainingBytes)
        case Kind.dropped:
            guard let count: UInt64 = reader.number(), let reason = reader.text() ?? nil else { return nil }
            return .dropped(reason: reason, count: count)
        case Kind.replaces: return (reader.text() ?? nil).map(SegmentRecord.replaces)
        case Kind.footer:
            guard let sentAt: Int64 = reader.number(), let reports: UInt32 = reader.number() else {
                return nil
            }
            return .footer(
                SegmentFooter(
                    sentAt: WireTime(milliseconds: sentAt), reports: reports, head: reader.remainingBytes))
        default: return nil
        }
    }

    private static func header(_ reader: inout PayloadReader) -> SegmentHeader? {
        guard let version: UInt8 = reader.number(), version == SegmentHeader.version else { return nil }
        var texts: [String?] = []
        for _ in 0..<11 {
            guard let text = reader.text() else { return nil }
            texts.append(text)
        }
        guard let key = texts[0] else { return nil }
        // Reporters before version 0.3 wrote no environment.
        let environment = reader.text() ?? nil
        return SegmentHeader(
            key: key, wholeSegmentKey: texts[1],
            app: AppInfo(
                id: texts[2], module: texts[3], environment: environment, version: texts[4], build: texts[5]),
            device: DeviceInfo(os: texts[6], osVersion: texts[7], model: texts[8]),
            install: texts[9], user: texts[10])
    }
}

/// A reader that parses a payload from front to back.
private struct PayloadReader {
    var remainingBytes: ArraySlice<UInt8>

    mutating func number<Number: FixedWidthInteger>() -> Number? {
        let count = Number.bitWidth / 8
        guard remainingBytes.count >= count else { return nil }
        defer { remainingBytes = remainingBytes.dropFirst(count) }
        return Number(littleEndian: remainingBytes)
    }

    /// - Returns: the text; `.some(nil)` if it was `nil` when it was written; `nil` if the payload is too short.
    mutating func text() -> String?? {
        guard let count: UInt16 = number() else { return nil }
        guard count < .max else { return .some(nil) }
        guard remainingBytes.count >= Int(count) else { return nil }
        defer { remainingBytes = remainingBytes.dropFirst(Int(count)) }
        return String(decoding: remainingBytes.prefix(Int(count)), as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends two bytes of length and the text. `nil` is written as the length 65535, so longer texts are cut to 65534 bytes.
    /// The limits of the wire format are far below.
    fileprivate mutating func append(text: String?) {
        guard let text = text?.prefix(utf8: Int(UInt16.max) - 1) else { return append(UInt16.max) }
        append(UInt16(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

extension UInt32 {
    /// The number; `nil` for the maximum value, which stands for `nil`.
    fileprivate var nilIfMaximum: UInt32? { self == .max ? nil : self }
}
