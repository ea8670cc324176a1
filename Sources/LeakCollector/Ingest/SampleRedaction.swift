internal import LeakGrammar
internal import LeakMessage

/// Redaction of reports before they are stored as samples.
enum SampleRedaction {
    /// Maximum bytes of a sample. Typical reports have 600. The largest reports that the wire format allows would
    /// have 200,000, and a leak keeps up to 18 samples.
    static let maxSampleBytes = 16 << 10

    /// Redacts a report for a sample.
    ///
    /// - Parameter report: the JSON of one report, which was parsed when it arrived.
    /// - Returns: the JSON to store: without the text of labels, alerts and fields, and without the sender, which is stored
    ///   separately. A report longer than ``maxSampleBytes`` also loses its longest parts.
    @Sendable static func redact(_ report: ArraySlice<UInt8>) -> [UInt8] {
        guard let document = try? WireReader.read(Array(report), as: .json),
            let slices = document.reports.first
        else {
            // The report was valid when it arrived. If it cannot be parsed now, only its sample is lost, and no count.
            return Array("{}".utf8)
        }
        return document.redactedJSON(slices, within: maxSampleBytes)
    }
}
