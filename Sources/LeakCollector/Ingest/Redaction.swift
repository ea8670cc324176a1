internal import LeakGrammar
internal import LeakMessage

/// What of a report is kept as a sample.
enum Redaction {
    /// Bytes of a sample. Typical reports have 600; the largest that the wire takes would have 200,000, and a leak keeps
    /// up to 18.
    static let sampleBytes = 16 << 10

    /// - Parameter report: the JSON of one report, read before.
    /// - Returns: the JSON to store: without the text of labels, alerts and fields, and without the sender, who is
    ///   kept beside it; of a report longer than ``sampleBytes``, without its longest parts.
    @Sendable static func redact(_ report: ArraySlice<UInt8>) -> [UInt8] {
        guard let document = try? WireReader.read(Array(report), as: .json),
            let slices = document.reports.first
        else {
            // It was read when it came in; a sample is lost then, and no count.
            return Array("{}".utf8)
        }
        return document.redactedJSON(slices, within: sampleBytes)
    }
}
