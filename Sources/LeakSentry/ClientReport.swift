internal import LeakGrammar
internal import LeakMessage

/// Counts of the events that an SDK dropped before sending. https://develop.sentry.dev/sdk/telemetry/client-reports/
struct ClientReport {
    /// Counts of events only: a dropped session or transaction is not a dropped leak.
    private(set) var dropped: [DroppedReports] = []

    /// The reason that is counted in place of the SDK's reason, if that is missing, not valid in the wire format, contained in
    /// ``BatchBuilder/ownReasons``, or beyond the limit of reasons.
    static let otherReason = "sentry_other"

    private static let countedCategories: Set<String> = ["error", "default", "all"]

    /// - Throws: ``SentryJSONError`` when the payload is not a JSON object.
    static func read(_ body: [UInt8], in range: Range<Int>) throws(SentryJSONError) -> ClientReport {
        var report = ClientReport()
        try SentryJSONReader.scan(body, in: range, as: "the client report") { (scanner) throws(JSONError) in
            try scanner.readFields { (scanner, name) throws(JSONError) in
                guard name == "discarded_events" else {
                    try scanner.skip()
                    return
                }
                try scanner.readElements { (scanner) throws(JSONError) in
                    try report.readDiscardedEvents(&scanner)
                }
            }
        }
        return report
    }

    private mutating func readDiscardedEvents(_ scanner: inout JSONScanner) throws(JSONError) {
        var reason: String?
        var category: String?
        var quantity: Int?
        try scanner.readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "reason": reason = try scanner.readOptionalString()
            case "category": category = try scanner.readOptionalString()
            case "quantity": quantity = try scanner.readOptionalInteger()
            default: try scanner.skip()
            }
        }
        guard let category, Self.countedCategories.contains(category), let quantity, quantity > 0 else {
            return
        }
        dropped.append(DroppedReports(reason: Self.reason(sentBySDK: reason ?? ""), count: quantity))
    }

    private static func reason(sentBySDK text: String) -> String {
        let reason = "sentry_\(text)"
        let isLegal =
            !text.isEmpty
            && WireName.problem(in: reason, of: "reason", atMost: WireLimits.droppedReasonBytes) == nil
        return isLegal && !BatchBuilder.ownReasons.contains(reason) ? reason : otherReason
    }
}
