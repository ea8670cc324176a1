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
        case .impact: "Most installs in the current release"
        case .reports: "Most reports"
        case .installs: "Most installs"
        case .cost: "Most memory"
        case .lastSeen: "Last seen"
        case .firstSeen: "First seen (newest)"
        }
    }

    /// The sort order in words, such as `sorted by reports`.
    var orderDescription: String {
        switch self {
        case .impact: "sorted by installs in the current release"
        case .reports: "sorted by reports"
        case .installs: "sorted by installs"
        case .cost: "sorted by memory: bytes kept × objects alive at once × installs"
        case .lastSeen: "sorted by last report, newest first"
        case .firstSeen: "sorted by first report, newest first"
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

    /// Returns the noun for the checks of such an object.
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
