internal import LeakPlatform

/// A point in time in words. The markup also has the exact time, which the script of a served page shows as a tooltip.
struct RelativeTime: Component {
    /// The point in time, in milliseconds since 1970.
    var at: Int64
    var now: Int64
    /// True if the text may be read much later, as in an exported file. Then the day is shown, because `just now` is soon
    /// wrong.
    var showsDayOnly = false

    /// `just now`, `4 min ago`, `2 h ago`, `3 days ago`; from a week on the day: `18 Nov`, `18 Nov 2025`.
    ///
    /// A time after `now` is `just now` as well: a device's clock may be ahead, and a page may be cached for a while.
    var text: String {
        let seconds = max(0, now - at) / 1000
        switch seconds {
        case ..<60: return "just now"
        case ..<3600: return "\(seconds / 60)\u{A0}min ago"
        case ..<86_400: return "\(seconds / 3600)\u{A0}h ago"
        case ..<172_800: return "1\u{A0}day ago"
        case ..<604_800: return "\(seconds / 86_400)\u{A0}days ago"
        default: return day
        }
    }

    /// `18 Nov`; with the year if it is not the current year.
    var day: String {
        let date = CivilDate(milliseconds: at)
        return date.year == CivilDate(milliseconds: now).year ? date.dayAndMonth : date.dayMonthYear
    }

    var html: HTML { element(showsDayOnly ? day : text) }

    /// The day alone, even for a recent time.
    var dayElement: HTML { element(day) }

    private func element(_ text: String) -> HTML {
        #"<time datetime="\#(CivilTime(milliseconds: at).rfc3339)">\#(text)</time>"#
    }
}
