internal import LeakMessage

/// What of a report is kept as a sample: class names, paths, keys and breadcrumbs as given; of a detector's text no label,
/// alert or field; of an error its description alone.
public enum Redaction {
    /// - Parameter report: the JSON of one report, read before.
    /// - Returns: the JSON to store; empty when it cannot be read back, which loses a sample and no count.
    @Sendable public static func redact(_ report: ArraySlice<UInt8>) -> [UInt8] {
        guard let document = try? WireReader.read(Array(report), as: .json), !document.reports.isEmpty else {
            return Array("{}".utf8)
        }
        var kept = document.report(at: 0)
        kept.message = kept.message.map { DetectorMessage.redacted($0) }
        if let error = kept.error {
            let descriptions = error.userInfo.compactMap { entry -> CustomKey? in
                guard entry.name == "NSLocalizedDescription", case .string(let text) = entry.value else {
                    return nil
                }
                return CustomKey(entry.name, .string(DetectorMessage.redacted(text)))
            }
            kept.error = ReportedError(domain: error.domain, code: error.code, userInfo: descriptions)
        }
        // The sender is kept beside it, once.
        (kept.app, kept.device, kept.install, kept.user) = (nil, nil, nil, nil)
        return kept.json()
    }
}
