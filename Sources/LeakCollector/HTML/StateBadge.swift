internal import LeakStatistics
import LeakStore

/// The state of a leak in a few words, with a detail such as a version, systems, or the time until objects were
/// freed.
struct StateBadge: Component {
    var row: LeakRow

    var html: HTML {
        "\(badge)\(partlyKnownNote)"
    }

    private var badge: HTML {
        switch row.state {
        case .known:
            let systemsNote: HTML? = row.known.map { "<small>\(KnownSystems(leak: $0.rule))</small>" }
            return #"<span class="badge known">Known system leak</span>\#(systemsNote)"#
        case .slow:
            let livedNote: HTML? = row.lived.map {
                "<small>freed after \(DurationText(milliseconds: $0.p50)) (median)</small>"
            }
            return #"<span class="badge slow">Freed late</span>\#(livedNote)"#
        case .regressed:
            let fix = FixStatusText(row: row)
            if let fix, fix.stage == .halfFixed {
                return
                    #"<span class="badge regressed">Half fixed; seen again in \#(IsolatedText(fix.version))</span>\#(note(fix.numbers))"#
            }
            let versionNote: HTML? = row.decisionStatus?.backIn.map { " in \(IsolatedText($0))" }
            return #"<span class="badge regressed">Regressed\#(versionNote)</span>\#(note(fix?.numbers))"#
        case .resolved:
            let fix = FixStatusText(row: row)
            if let fix, fix.stage == .fixed {
                return
                    #"<span class="badge resolved">Fixed in \#(IsolatedText(fix.version))</span>\#(note(fix.numbers))"#
            }
            return #"<span class="badge resolved">Resolved</span>\#(note(fix?.evidence))"#
        case .ignored:
            return #"<span class="badge ignored">Ignored</span>"#
        case .open where row.isNew:
            return #"<span class="badge new">New in \#(IsolatedText(row.firstRelease.text))</span>"#
        case .open:
            return #"<span class="badge open">Open</span>"#
        }
    }

    private func note(_ text: String?) -> HTML? { text.map { "<small>\($0)</small>" } }

    private var partlyKnownNote: HTML? {
        guard let known = row.known, !known.coversAllReports else { return nil }
        return
            "<small>\(Count(known.reports).text(noun: "report", plural: "reports")) of a known system leak</small>"
    }
}
