/// The ages from which on a store deletes data that was not seen any more, and combines counts by day to counts by week.
///
/// The names that people decided about stay, whatever their age. If an app has too many names before that age, some are evicted:
/// ``EvictionRule``.
public struct RetentionRule: Hashable, Sendable {
    /// Age in days of the reports whose samples are deleted; `nil` keeps samples forever.
    public var sampleDays: Int?
    /// Number of days after which leaks and versions that were not seen are deleted, with their counts; `nil` keeps them forever.
    public var unseenDays: Int?
    /// Number of days for which the reports of a leak are counted by day. Older reports are counted by week: on the Monday that
    /// begins the week. `nil` keeps all counts by day.
    public var dailyDays: Int?

    public init(sampleDays: Int? = 90, unseenDays: Int? = 400, dailyDays: Int? = 400) {
        self.sampleDays = sampleDays
        self.unseenDays = unseenDays
        self.dailyDays = dailyDays
    }

    /// Keeps everything forever.
    public static let unlimited = RetentionRule(sampleDays: nil, unseenDays: nil, dailyDays: nil)

    /// Minimum of ``sampleDays``.
    public static let minSampleDays = 7
    /// Minimum of ``unseenDays``: a report may arrive 30 days late, and its leak would be deleted in the next hour.
    public static let minUnseenDays = 31
    /// Minimum of ``dailyDays``: one week more than the 91 days for which pages show counts by day, and counts by hour are kept.
    public static let minDailyDays = 98

    /// Days for which symbols are kept after a report last needed them: ten days longer than samples, so that the symbols of a
    /// sample are there as long as the sample, and 100 days at least.
    package var symbolDays: Int? { sampleDays.map { max($0, 90) + 10 } }

    /// The times that the SQL of a store binds. A rule that keeps its data forever has a time before all data.
    package struct Times: Sendable {
        /// Samples of reports from before this time are deleted.
        package let samplesBefore: Int64
        /// Leaks and versions that were last seen before this time are deleted.
        package let unseenBefore: Int64
        /// Days before this day are combined to weeks. It is the first day of a week, in days since 1970.
        package let combinedBefore: Int

        package init(_ rule: RetentionRule, now: Int64) {
            func start(_ days: Int?) -> Int64 {
                days.map { Retention.startTime(ofLastDays: $0, now: now) } ?? .min
            }
            samplesBefore = start(rule.sampleDays)
            unseenBefore = start(rule.unseenDays)
            combinedBefore = rule.dailyDays.map { Calendar.firstDayOfWeek(Calendar.day(of: now) - $0) } ?? 0
        }
    }

    // MARK: SQL

    /// Returns the SQL condition that a leak `l` is deleted. A note that the collector itself wrote does not keep a leak.
    ///
    /// - Parameters:
    ///   - isOther: SQL for the condition that `l` is the leak that counts all others: ``LeakIdentity/isOverLimit``.
    ///   - unseenBefore: SQL for ``Times/unseenBefore``.
    package static func leakCondition(isOther: String, unseenBefore: String) -> String {
        let authors = Decision.AutomaticAuthor.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return """
            l.last_seen < \(unseenBefore) and l.state = 0 and not (\(isOther)) and not exists (
              select 1 from decision d where d.leak = l.id and not (d.kind = 'note' and d.by in (\(authors))))
            """
    }

    /// Returns the SQL condition that a release `r` of an app `a` is so old that it is deleted, unless decisions keep it. A release
    /// stays if a leak that stays was first seen in it, so that no leak becomes new in a later release.
    ///
    /// - Parameters:
    ///   - unseenBefore: SQL for ``Times/unseenBefore``.
    ///   - firstSeenLeaks: SQL for the number of leaks that stay and were first seen in `r`.
    package static func oldReleaseCondition(unseenBefore: String, firstSeenLeaks: String) -> String {
        """
        r.last_seen < \(unseenBefore) and \(firstSeenLeaks) = 0 and r.version <> '\(StoreLimits.other)'
          and r.id <> coalesce(a.newest_release, 0) and r.id <> coalesce(a.pinned_release, 0)
        """
    }

    /// Returns the SQL condition, written for ``SQLDialect``, that no decision keeps a release `r`: no decision names it, and it
    /// has no reports of a leak that contradict the fix of a decision about the leak.
    ///
    /// The subqueries begin with the decisions, because an app has fewer decisions than leaks.
    ///
    /// - Parameter isInScope: SQL that limits the decisions to those about leaks `l` of some apps. It refers to no column of `r`:
    ///   otherwise the database would run each subquery once for each release.
    package static func undecidedReleaseCondition(isInScope: String) -> String {
        """
        (r.app, r.version) not in (select l.app, d.version from decision d /*! cross */ join leak l on l.id = d.leak
            where d.version is not null and \(isInScope))
          and r.id not in (select c.release from decision d /*! cross */ join leak l on l.id = d.leak
            /*! cross */ join leak_release c on c.leak = l.id
            /*! cross */ join release f on f.id = c.release and f.order_key >= d.fix_from
            where d.kind = 'resolve' and c.reports > 0 and \(isInScope))
        """
    }

    /// Returns the SQL condition that a row `d` of `leak_day` is combined with the first day of its week. The days of a week in
    /// which a decision about the leak was made stay, because they show if the leak was seen before or after the decision.
    ///
    /// - Parameters:
    ///   - from: SQL for the first day that is searched.
    ///   - before: SQL for ``Times/combinedBefore``.
    package static func dayCondition(from: String, before: String) -> String {
        """
        d.day >= \(from) and d.day < \(before) and \(weekSQL("d.day")) <> d.day and not exists (
          select 1 from decision e where e.leak = d.leak and e.kind <> 'note'
            and \(weekSQL("(e.at / \(Calendar.dayMilliseconds))")) = \(weekSQL("d.day")))
        """
    }

    /// Returns SQL for ``Calendar/firstDayOfWeek(_:)``.
    package static func weekSQL(_ day: String) -> String { "(\(day) - (\(day) + 3) % 7)" }
}

/// The data of an app that the next run deletes or combines by its ``RetentionRule``.
public struct RetentionCounts: Hashable, Sendable {
    public var app: AppKey
    /// Number of samples.
    public var samples = 0
    /// Number of leaks.
    public var leaks = 0
    /// Number of versions.
    public var versions = 0
    /// Number of counts by day that become counts by week. A leak has one for each version and day with reports.
    public var days = 0

    public init(app: AppKey, samples: Int = 0, leaks: Int = 0, versions: Int = 0, days: Int = 0) {
        self.app = app
        self.samples = samples
        self.leaks = leaks
        self.versions = versions
        self.days = days
    }
}
