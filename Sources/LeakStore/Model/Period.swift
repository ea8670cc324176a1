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

/// Retention times in days, of data that is not kept for good. Counts by day are kept for good.
package enum Retention {
    /// Days for which a repeated batch is recognized: one more than a reporter keeps a batch (docs/WIRE.md).
    package static let idempotencyDays = 7
    package static let hourDays = 90
    /// Kept reports, with their data about a device and its user: they stay as long as the hours in which they count.
    package static let sampleDays = 90

    /// Symbols that no report needs any more: ten days longer than reports, so that no kept report outlives its names.
    package static let symbolDays = sampleDays + 10

    /// An app's days, with their sets of installs: as long as the longest ``Period``, and the current day.
    package static let appDays = 90

    /// Returns the number of the oldest day that is kept for apps.
    package static func firstAppDay(now: Int64) -> Int { Calendar.day(of: start(appDays, now: now)) }

    /// Returns the time that many days before `now`, in milliseconds since 1970.
    package static func start(_ days: Int, now: Int64) -> Int64 {
        now - Int64(days) * Calendar.dayMilliseconds
    }
}
