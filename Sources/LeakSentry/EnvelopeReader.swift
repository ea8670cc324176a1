internal import LeakGrammar
internal import LeakMessage

/// A reader of the items of an envelope, one after another, without copying them.
///
/// An envelope is a line with its header, then for each item a line with the item's header and its payload. The limit of bytes
/// is Sentry's own: https://develop.sentry.dev/sdk/foundations/transport/envelopes/
struct EnvelopeReader {
    /// Maximum number of bytes of a decompressed envelope.
    static let byteLimit = 200 << 20
    /// Maximum number of items of an envelope. SDKs send a few. Sentry documents no limit; this limit bounds the work for an
    /// envelope that consists of headers only.
    static let itemLimit = 1_000

    struct Header {
        var eventID: String?
        var dsn: String?
    }

    struct Item {
        /// `event`, `client_report`, `session`, …; empty when the header names none.
        var type = ""
        /// The range of the payload in the envelope.
        var payload = 0..<0
    }

    private let envelope: [UInt8]
    let header: Header
    private var offset: Int
    private var itemCount = 0

    init(_ envelope: [UInt8]) throws(SentryError) {
        guard envelope.count <= Self.byteLimit else {
            throw SentryError(
                "the envelope has \(envelope.count) bytes, the limit is \(Self.byteLimit); send fewer items in one envelope",
                at: 0, in: envelope)
        }
        self.envelope = envelope
        let line = 0..<Self.endOfLine(envelope, from: 0)
        var header = Header()
        try Self.scan(envelope, in: line, as: "the header of the envelope") {
            (scanner) throws(JSONError) in
            try scanner.readFields { (scanner, name) throws(JSONError) in
                switch name {
                case "event_id": header.eventID = EventID.normalized(try scanner.readOptionalString())
                case "dsn": header.dsn = try scanner.readOptionalString()
                default: try scanner.skip()
                }
            }
        }
        self.header = header
        offset = line.upperBound + 1
    }

    /// Returns the next item, or `nil` at the end.
    mutating func next() throws(SentryError) -> Item? {
        // Skips additional line ends: the header of an item is never an empty line.
        while offset < envelope.count, envelope[offset] == 0x0A || envelope[offset] == 0x0D { offset += 1 }
        guard offset < envelope.count else { return nil }
        guard itemCount < Self.itemLimit else {
            throw SentryError(
                "the envelope has more than \(Self.itemLimit) items; send several envelopes", at: offset,
                in: envelope)
        }
        itemCount += 1
        let line = offset..<Self.endOfLine(envelope, from: offset)
        var item = Item()
        var length: Int?
        var lengthOffset: Int?
        try Self.scan(envelope, in: line, as: "the header of an item") { (scanner) throws(JSONError) in
            try scanner.readFields { (scanner, name) throws(JSONError) in
                switch name {
                case "type": item.type = try scanner.readOptionalString() ?? ""
                case "length":
                    let isGiven = try scanner.kind() != .null
                    let start = scanner.offset
                    length = try scanner.readOptionalInteger()
                    lengthOffset = isGiven ? start : nil
                default: try scanner.skip()
                }
            }
        }
        let start = min(line.upperBound + 1, envelope.count)
        guard let lengthOffset else {
            item.payload = start..<Self.endOfLine(envelope, from: start)
            offset = item.payload.upperBound + 1
            return item
        }
        guard let length, length >= 0 else {
            throw SentryError(
                "length must be the number of bytes of the payload; leave it out for a payload of one line",
                at: lengthOffset, in: envelope)
        }
        guard length <= envelope.count - start else {
            throw SentryError(
                "length is \(length), but the number of bytes left is \(envelope.count - start); length counts the bytes of the "
                    + "payload before compression",
                at: lengthOffset, in: envelope)
        }
        item.payload = start..<start + length
        guard item.payload.upperBound == envelope.count || envelope[item.payload.upperBound] == 0x0A else {
            throw SentryError(
                "the item continues after its length of \(length); length must count all bytes of the payload, and a line end "
                    + "must follow the payload",
                at: item.payload.upperBound, in: envelope)
        }
        offset = item.payload.upperBound + 1
        return item
    }

    private static func scan(
        _ envelope: [UInt8], in line: Range<Int>, as what: String,
        _ read: (inout JSONScanner) throws(JSONError) -> Void
    ) throws(SentryError) {
        do throws(SentryJSONError) {
            try SentryJSONReader.scan(envelope, in: line, as: what, read)
        } catch {
            throw SentryError(error, in: envelope)
        }
    }

    private static func endOfLine(_ bytes: [UInt8], from start: Int) -> Int {
        bytes[min(start, bytes.count)...].firstIndex(of: 0x0A) ?? bytes.count
    }
}
