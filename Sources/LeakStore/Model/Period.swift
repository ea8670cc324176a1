/// A period of time up to now, for which numbers are shown.
public enum Period: String, Hashable, Sendable, CaseIterable {
    case day = "24h"
    case week = "7d"
    case fortnight = "14d"
    case month = "30d"
    case quarter = "90d"

    public var days: Int {
        switch self {
        case .day: 1
        case .week: 7
        case .fortnight: 14
        case .month: 30
        case .quarter: 90
        }
    }
}
