internal import LeakMessage

/// The format of a request body.
package enum WireFormat: Hashable, Sendable {
    /// One report, an array of reports, or a batch.
    case json
    /// One report per line; blank lines are skipped.
    case ndjson
    /// One detector message.
    case text
}

/// A reader of request bodies, which records the positions of fields. It reads a body once, but the part of a batch before
/// `reports` twice, and a batch without `reports` twice as a whole.
///
/// An object with a field `reports` is a batch. An object without `reports` is a report if it identifies a leak by `class`,
/// `stack`, `cycle`, `message`, `error` or `fingerprint`. Otherwise it is a batch if it has `sessions`, `checks`, `dropped`,
/// `explanations`, `sent_at` or `app`. Any other object is a report without a class, which is rejected.
package enum WireReader {
    /// Reads a body.
    ///
    /// A report that exceeds a limit is added to ``WireDocument/rejected``; the other reports are accepted.
    ///
    /// - Throws: ``WireError`` if the whole request is rejected: the body is larger than ``JSONSlice/byteLimit``, not UTF-8, not JSON, or
    ///   an empty message; it has more than ``WireLimits/reportsCount`` reports; or a field of a batch outside of reports is invalid.
    package static func read(_ body: [UInt8], as format: WireFormat) throws(WireError) -> WireDocument {
        guard body.count <= JSONSlice.byteLimit else {
            throw WireError(
                "the body is \(body.count) bytes, the limit is \(JSONSlice.byteLimit)", at: 0, in: [])
        }
        if let offset = UTF8Validator.firstInvalidByte(in: body) {
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
        var problem: (reason: String, offset: Int)?
        do throws(JSONError) {
            problem = try JSONScanner.scan(body, in: firstIndex(of: body)..<body.count) {
                (scanner) throws(JSONError) in
                let start = scanner
                var reader = FieldReader(scanner)
                if try scanner.kind() == .array {
                    try reader.readReports(into: &document)
                } else {
                    let fields = try reader.readReport(mayBeBatch: true)
                    if fields.isBatch || !fields.identifiesLeak && fields.describesBatch {
                        document = WireDocument(body: body)
                        reader = FieldReader(start)
                        try reader.readBatch(into: &document)
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
        if let problem { throw WireError(problem.reason, at: problem.offset, in: body) }
        return document
    }

    private static let batchInLineProblem =
        "class is missing; if this is a batch, send it as application/json, because NDJSON has one report per line"

    /// Returns the index of the first byte after a byte order mark, which programs on Windows write.
    private static func firstIndex(of body: [UInt8]) -> Int { body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    private static func lines(_ body: [UInt8]) throws(WireError) -> WireDocument {
        var document = WireDocument(body: body)
        var start = firstIndex(of: body)
        while start < body.count {
            let end = body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
            defer { start = end + 1 }
            guard body[start..<end].contains(where: { $0 > 0x20 }) else { continue }
            guard document.reportCount < WireLimits.reportsCount else {
                throw WireError("more than \(WireLimits.reportsCount) reports", at: start, in: body)
            }
            do throws(JSONError) {
                let fields = try JSONScanner.scan(body, in: start..<end) { (scanner) throws(JSONError) in
                    var reader = FieldReader(scanner)
                    var fields = try reader.readReport()
                    try reader.scanner.finish()
                    if fields.describesBatch, !fields.identifiesLeak, let offset = fields.problem?.offset {
                        fields.problem = (batchInLineProblem, offset)
                    }
                    return fields
                }
                document.add(fields)
            } catch {
                throw WireError(error, in: body)
            }
        }
        return document
    }

    /// Converts a message to the JSON of a report, so that later steps handle only one form.
    private static func text(_ body: [UInt8]) throws(WireError) -> WireDocument {
        let message = Text(body[...]).withoutByteOrderMark.trimmed
        guard !message.isEmpty else { throw WireError("the message is empty", at: 0, in: body) }
        var writer = JSONWriter(capacity: message.count + 32)
        writer.object { $0.field("message", String(decoding: message, as: UTF8.self)) }
        return try json(writer.bytes)
    }
}

extension WireDocument {
    /// Counts an explanation with a problem.
    mutating func rejectExplanation(_ reason: @autoclosure () -> String) {
        rejectedExplanationCount += 1
        if firstExplanationProblem == nil { firstExplanationProblem = reason() }
    }

    /// Adds a report to ``reports``, or to ``rejected`` if it has a problem.
    mutating func add(_ fields: FieldReader.ReportFields) {
        let index = reportCount
        if let problem = fields.problem {
            rejected.append(Rejection(index: index, reason: problem.reason))
        } else {
            reports.append(fields.slices)
            reports[reports.count - 1].index = index
            if let reason = fields.whyProblem { rejectExplanation("reports[\(index)]: \(reason)") }
        }
    }
}
