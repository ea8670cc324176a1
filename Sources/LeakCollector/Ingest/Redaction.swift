internal import LeakMessage

/// What of a report is kept as a sample.
enum Redaction {
    /// - Parameter report: the JSON of one report, read before.
    /// - Returns: the JSON to store: without the text of labels, alerts and fields, and without the sender, who is
    ///   kept beside it.
    @Sendable static func redact(_ report: ArraySlice<UInt8>) -> [UInt8] {
        guard let document = try? WireReader.read(Array(report), as: .json), !document.reports.isEmpty else {
            // It was read when it came in; a sample is lost then, and no count.
            return Array("{}".utf8)
        }
        var kept = document.report(at: 0).redacted()
        (kept.app, kept.device, kept.install, kept.user) = (nil, nil, nil, nil)
        return kept.json()
    }
}
