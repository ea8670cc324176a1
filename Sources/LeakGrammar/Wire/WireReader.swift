internal import LeakMessage

/// Format of a request body.
package enum WireFormat: Hashable, Sendable {
    /// One report, an array of reports, or a batch.
    case json
    /// One report a line; blank lines are skipped.
    case ndjson
    /// One detector message.
    case text
}

/// A reader of request bodies, in one pass. It records the offsets of fields.
///
/// An object is a batch when it has a field `reports`. Without one it is a report when it names a leak by `class`, `stack`,
/// `cycle`, `message`, `error` or `fingerprint`; else it is a batch when it has `sessions`, `checks`, `dropped`, `sent_at` or
/// `app`; else it is a report without a class, which is rejected.
package enum WireReader {
    /// Reads a body.
    ///
    /// A report that exceeds a limit is added to ``WireDocument/rejected``; the others are accepted.
    ///
    /// - Throws: ``WireError`` when nothing can be accepted: not UTF-8, not JSON, a batch of the wrong shape, or more than
    ///   ``WireLimits/reportsCount`` reports.
    package static func read(_ body: [UInt8], as format: WireFormat) throws(WireError) -> WireDocument {
        guard body.count <= JSONSlice.byteLimit else {
            throw WireError("the body is \(body.count) bytes, at most \(JSONSlice.byteLimit)", at: 0, in: [])
        }
        if let offset = UTF8Validity.firstInvalidByte(in: body) {
            throw WireError("not UTF-8", at: offset, in: body)
        }
        switch format {
        case .json: return try json(body)
        case .ndjson: return try lines(body)
        case .text: return try text(body)
        }
    }

    private static func json(_ body: [UInt8]) throws(WireError) -> WireDocument {
        var document = WireDocument(body: body)
        var refusal: (reason: String, offset: Int)?
        do throws(JSONError) {
            refusal = try JSONScanner.scan(body) { (scanner) throws(JSONError) in
                let start = scanner
                var reader = FieldReader(scanner)
                if try scanner.kind() == .array {
                    try reader.reports(into: &document)
                } else {
                    let fields = try reader.report(mayBeBatch: true)
                    if fields.isBatch || !fields.namesLeak && fields.describesBatch {
                        document = WireDocument(body: body)
                        reader = FieldReader(start)
                        try reader.batch(into: &document)
                    } else {
                        document.add(fields)
                        reader.clearProblem()
                    }
                }
                if reader.problem == nil { try reader.scanner.finish() }
                return reader.problem
            }
        } catch {
            throw WireError(error, in: body)
        }
        if let refusal { throw WireError(refusal.reason, at: refusal.offset, in: body) }
        return document
    }

    private static func lines(_ body: [UInt8]) throws(WireError) -> WireDocument {
        var document = WireDocument(body: body)
        var start = 0
        while start < body.count {
            let end = body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
            defer { start = end + 1 }
            guard body[start..<end].contains(where: { $0 > 0x20 }) else { continue }
            guard document.givenCount < WireLimits.reportsCount else {
                throw WireError("more than \(WireLimits.reportsCount) reports", at: start, in: body)
            }
            do throws(JSONError) {
                let fields = try JSONScanner.scan(body, in: start..<end) { (scanner) throws(JSONError) in
                    var reader = FieldReader(scanner)
                    let fields = try reader.report()
                    try reader.scanner.finish()
                    return fields
                }
                document.add(fields)
            } catch {
                throw WireError(error, in: body)
            }
        }
        return document
    }

    /// Converts a message to the JSON of a report, so that later readers of the document handle one form only.
    private static func text(_ body: [UInt8]) throws(WireError) -> WireDocument {
        let message = Text(body[...]).withoutByteOrderMark.trimmed
        guard !message.isEmpty else { throw WireError("the message is empty", at: 0, in: body) }
        var writer = JSONWriter(capacity: message.count + 32)
        writer.object { $0.field("message", String(decoding: message, as: UTF8.self)) }
        return try json(writer.bytes)
    }
}

extension WireDocument {
    mutating func rejectExplanation(_ reason: @autoclosure () -> String) {
        rejectedExplanationCount += 1
        if firstExplanationProblem == nil { firstExplanationProblem = reason() }
    }

    /// Accepts a report, or rejects it by its index.
    mutating func add(_ fields: FieldReader.ReportFields) {
        let index = givenCount
        if let problem = fields.problem {
            rejected.append(Rejection(index: index, reason: problem.reason))
        } else {
            reports.append(fields.slices)
            reports[reports.count - 1].index = index
            if let reason = fields.whyProblem { rejectExplanation("reports[\(index)]: \(reason)") }
        }
    }
}
