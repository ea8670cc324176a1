internal import LeakPlatform
import LeakStore

/// Words for a decision, which follow the name of its author: `marked it as resolved in 5.2.0`.
struct DecisionText: Component {
    var action: PastDecision.Action

    var html: HTML {
        switch action {
        case .resolved(let version, let build, let isAfter):
            "marked it as resolved \(FixText(version: version, build: build, isAfter: isAfter))"
        case .ignored(nil): "ignored it forever"
        case .ignored(let limit?): "ignored it until \(LimitText(limit: limit))"
        case .reopened: "reopened it"
        case .noted: "commented"
        }
    }
}

/// The name of the author of a decision.
struct AuthorText: Component {
    var name: String

    var html: HTML {
        name == SignIn.linkName ? "visitor with sign-in link" : "\(IsolatedText(name))"
    }
}

/// Words for the version from which on a leak is fixed.
struct FixText: Component {
    var version: String
    /// The build of ``version`` that has the fix; `nil` for all builds.
    var build: String?
    /// True if the fix is in the next version after ``version``.
    var isAfter: Bool

    var html: HTML {
        isAfter
            ? "in the next version after \(IsolatedText(version))"
            : "in \(IsolatedText(ReleaseBuild(version: version, build: build).text))"
    }
}

/// Words for the limit of an ignored leak: `1 Dec 2026`, `100 more reports`.
struct LimitText: Component {
    var limit: Decision.IgnoreLimit

    var html: HTML {
        switch limit {
        case .until(let end): Self.date(end)
        case .nextReports(let count): "\(Count(count).text(noun: "more report", plural: "more reports"))"
        }
    }

    /// Returns the day, with the time unless that is midnight.
    private static func date(_ end: Int64) -> HTML {
        let time = CivilTime(milliseconds: end)
        let isMidnight = time.hour == 0 && time.minute == 0
        let clock: HTML = isMidnight ? "" : ", \(String(time.clock.prefix(5)))\u{A0}UTC"
        return #"<time datetime="\#(time.rfc3339)">\#(time.date.dayMonthYear)\#(clock)</time>"#
    }
}
