internal import LeakStore

extension LeakState {
    var displayName: String {
        switch self {
        case .open: "Open"
        case .regressed: "Regressed"
        case .slow: "Freed late"
        case .resolved: "Resolved"
        case .ignored: "Ignored"
        case .known: "Known system leak"
        }
    }
}

extension LeakQuery.StateFilter {
    var displayName: String {
        switch self {
        case .toFix: "To fix"
        case .new: "To fix, new"
        case .open: LeakState.open.displayName
        case .regressed: LeakState.regressed.displayName
        case .slow: LeakState.slow.displayName
        case .resolved: LeakState.resolved.displayName
        case .ignored: LeakState.ignored.displayName
        case .known: LeakState.known.displayName
        case .any: "Any state"
        }
    }
}

extension LeakQuery.Sort {
    var displayName: String {
        switch self {
        case .impact: "Impact: installs in the current release, \(RecentInstalls.days)\u{A0}days"
        case .reports: "Reports"
        case .installs: "Installs"
        case .cost: "Memory"
        case .lastSeen: "Last seen"
        case .firstSeen: "First seen"
        case .name: "Name"
        case .state: "State"
        case .recent: "Reports, last 14\u{A0}days"
        }
    }

    /// Tooltip of the column heading that chooses this order.
    var columnTitle: String {
        switch self {
        case .impact:
            "Sort by installs that had the leak in the current release in the last \(RecentInstalls.days) days. Below the number: the rate of the leak there"
        case .recent: "Sort by \(displayName). All trends of the page have one scale"
        case .cost:
            "Sort by the bytes that the leak keeps on all installs. Below the number: the bytes on one install"
        default: "Sort by \(displayName)"
        }
    }
}

extension LeakQuery {
    /// The order of the list. A list for one version is sorted by installs in that version instead of by impact.
    var effectiveSort: Sort { version != nil && sort == .impact ? .installs : sort }

    /// The order in words, such as `sorted by reports`.
    var orderDescription: String {
        let reversed: String? =
            switch sort {
            case _ where isAscending == (sort.usualOrder == .ascending): nil
            case .lastSeen, .firstSeen: "oldest first"
            case .name: "from Z to A"
            case .state: "known system leaks first"
            case .impact, .reports, .installs, .cost, .recent: "fewest first"
            }
        guard let reversed else { return usualOrderDescription }
        return usualOrderDescription.replacing(", newest first", with: "") + ", " + reversed
    }

    private var usualOrderDescription: String {
        switch effectiveSort {
        case .impact: "sorted by installs in the current release, \(RecentInstalls.days) days"
        case .reports: "sorted by reports"
        case .installs: "sorted by installs"
        case .cost: "sorted by memory: bytes kept × objects alive at once × installs"
        case .lastSeen: "sorted by last report, newest first"
        case .firstSeen: "sorted by first report, newest first"
        case .name: "sorted by name"
        case .state: "sorted by state"
        case .recent: "sorted by reports of the last 14\u{A0}days"
        }
    }
}

extension Period {
    /// The period in words: `24 h`, `7 days`.
    var displayName: String {
        self == .day ? "24\u{A0}h" : "\(days)\u{A0}days"
    }
}

/// Words for the kinds of objects of the wire format. Unknown kinds of later versions are shown unchanged.
enum ObjectKindName {
    static func displayName(of kind: String) -> String {
        switch kind {
        case "view_controller": "View controller"
        case "view": "View"
        case "object": "Object"
        case "cycle": "Cycle"
        default: kind
        }
    }

    /// Returns the plural noun for checks of objects of a kind.
    static func checksNoun(of kind: String) -> String {
        kind == "view_controller" ? "dismissals" : "checks"
    }
}

/// The systems on which a known leak happens: `iOS from 11.2, before 11.3`.
struct KnownSystems: Component {
    var leak: KnownLeakRule

    var html: HTML {
        leak.systems.isEmpty
            ? "all OS versions" : HTML(leak.systems.map { "\($0.description)" as HTML }, separator: "; ")
    }
}
