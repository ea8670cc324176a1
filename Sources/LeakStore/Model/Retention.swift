/// How long what is kept for a time only is kept, in days; counts by day are kept for good.
package enum Retention {
    /// How long a repeat is recognised. WIRE: 7 days, one more than a reporter keeps a batch.
    package static let idempotencyDays = 7
    package static let hourDays = 90
    /// Reports themselves, with what they say of a device and its user: as long as somebody may look into their hours.
    package static let sampleDays = 90

    /// Symbols that no report needs any more: ten days longer than reports, so that no kept report outlives its names.
    package static let symbolDays = sampleDays + 10

    /// An app's days, with their sets of installs: as long as the longest ``Period``, and the day at hand.
    package static let appDays = 90

    /// The first of an app's days that is kept.
    package static func firstAppDay(now: Int64) -> Int { Calendar.day(of: start(appDays, now: now)) }

    /// Milliseconds since 1970, for what is as old.
    package static func start(_ days: Int, now: Int64) -> Int64 {
        now - Int64(days) * Calendar.dayMilliseconds
    }
}
