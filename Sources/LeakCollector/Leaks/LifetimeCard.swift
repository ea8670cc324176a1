import LeakStore

/// The card with the times that passed until reported objects were freed.
struct LifetimeCard: Component {
    /// Ranges of the time until an object was freed, shortest first.
    var ranges: [LeakDetail.LivedRange]

    var html: HTML {
        let largestCount = ranges.map(\.count).max() ?? 0
        let rows = ranges.map {
            CountTable.Row(name: Self.rangeText($0), counts: [$0.count], fullBarCount: largestCount)
        }
        return Card(
            "Time until freed", CountTable(headings: ["Freed after", "Objects"], rows: rows).html,
            id: "time-to-free"
        ).html
    }

    /// Returns the name of a range: `1.0 s – 2.0 s`, `1 h or more`.
    private static func rangeText(_ range: LeakDetail.LivedRange) -> String {
        let from = DurationText(milliseconds: range.from).description
        guard let end = range.to else { return "\(from) or more" }
        let to = DurationText(milliseconds: end).description
        return range.from == 0 ? "less than \(to)" : "\(from) – \(to)"
    }
}
