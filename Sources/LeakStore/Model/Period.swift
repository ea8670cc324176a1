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

/// Retention times, in days, that an operator cannot set. ``RetentionRule`` has those that an operator can set.
package enum Retention {
    /// Days for which a repeated batch is recognized: one day longer than a reporter keeps a batch (docs/WIRE.md).
    package static let idempotencyDays = 7
    /// Days for which counts by hour are kept.
    package static let hourDays = 90
    /// Days for which an app's counts by day are kept, with their sets of installs. Together with today, there are 91 days: one
    /// more than the longest ``Period`` has.
    package static let appDays = 90

    /// Returns the oldest day for which the counts of apps are kept, in days since 1970.
    package static func firstAppDay(now: Int64) -> Int {
        Calendar.day(of: startTime(ofLastDays: appDays, now: now))
    }

    /// Returns the time `days` days before `now`, in milliseconds since 1970.
    package static func startTime(ofLastDays days: Int, now: Int64) -> Int64 {
        now - Int64(days) * Calendar.dayMilliseconds
    }
}
