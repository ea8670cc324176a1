internal import LeakStore

extension LeakState {
    var words: String {
        switch self {
        case .open: "Open"
        case .regressed: "Regressed"
        case .slow: "Slow release"
        case .resolved: "Resolved"
        case .ignored: "Ignored"
        case .known: "Known system leak"
        }
    }
}

extension LeakQuery.StateFilter {
    var words: String {
        switch self {
        case .toFix: "To fix"
        case .open: LeakState.open.words
        case .regressed: LeakState.regressed.words
        case .slow: LeakState.slow.words
        case .resolved: LeakState.resolved.words
        case .ignored: LeakState.ignored.words
        case .known: LeakState.known.words
        case .any: "Any state"
        }
    }
}

extension LeakQuery.Sort {
    var words: String {
        switch self {
        case .impact: "By impact"
        case .reports: "Most reports"
        case .installs: "Most installs"
        case .cost: "Most memory"
        case .lastSeen: "Last seen"
        case .firstSeen: "Newest"
        }
    }

    /// The sort order in words, such as `most reports first`.
    var order: String {
        switch self {
        case .impact: "most installs of the newest version first"
        case .reports: "most reports first"
        case .installs: "most installs first"
        case .cost: "most memory first: bytes kept, times objects alive, times installs"
        case .lastSeen: "last seen first"
        case .firstSeen: "newest first"
        }
    }
}

extension Period {
    /// `24 h`, `7 days`
    var words: String {
        self == .day ? "24\u{A0}h" : "\(days)\u{A0}days"
    }
}

/// Words for the kinds of objects of the wire format. Unknown kinds of later versions are shown unchanged.
enum Kind {
    static func words(_ kind: String) -> String {
        switch kind {
        case "view_controller": "View controller"
        case "view": "View"
        case "object": "Object"
        case "cycle": "Cycle"
        default: kind
        }
    }

    /// Returns the noun for the checks of such an object.
    static func checks(_ kind: String) -> String {
        kind == "view_controller" ? "closes" : "checks"
    }
}

/// The systems on which a known leak happens: `iOS from 11.2, before 11.3`.
struct KnownSystems: Component {
    var leak: KnownLeak

    var html: HTML {
        leak.systems.isEmpty
            ? "every system" : HTML(leak.systems.map { "\($0.description)" as HTML }, separator: "; ")
    }
}
