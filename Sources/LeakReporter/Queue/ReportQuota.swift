internal import LeakPlatform
import LeakMessage

/// A quota for the different leaks of a session and for the bytes of a day. The type accesses neither a clock nor a file.
///
/// The bytes of a report count again in each batch that contains it. Reports that were accepted earlier in the session have a
/// second quota of `maxBytesPerDay`: their counts stay right, and they take no room from new reports. The same leak with other
/// custom keys or another user is another report.
struct ReportQuota: Sendable {
    enum QuotaResult: Hashable, Sendable {
        /// The leak is new in this session, and its bytes are within the quota.
        case first
        /// The leak was already reported in this session. This sighting may wait, and is merged with other sightings of the leak.
        case again
        /// The leak exceeds a limit and must not be reported. A later sighting of it is decided again.
        case over(Limit)
    }

    enum Limit: Hashable, Sendable {
        case reportsPerSession, bytesPerDay
    }

    /// The longest session, for sessions that are never ended: a server's process may run for months.
    static let longestSessionMilliseconds: Int64 = 86_400_000

    /// The most different leaks that a session may report.
    let maxReportsPerSession: Int
    /// The most bytes of new reports in one UTC day, and separately of repeated reports.
    let maxBytesPerDay: Int
    /// The usage of the day. The caller stores it between runs.
    var usage: DailyByteUsage

    private var seenLeaks: Set<ReportMergeKey> = []
    /// The reports whose bytes were counted as new in the session. At most ``countedReportLimit``; reports beyond it count as
    /// new each time.
    private var countedReports: Set<ReportMergeKey> = []
    private static let countedReportLimit = 4096
    private var sessionBeganAt: WireTime?

    init(maxReportsPerSession: Int, maxBytesPerDay: Int, usage: DailyByteUsage = DailyByteUsage()) {
        self.maxReportsPerSession = maxReportsPerSession
        self.maxBytesPerDay = maxBytesPerDay
        self.usage = usage
    }

    /// Decides whether one sighting may be reported.
    ///
    /// - Parameters:
    ///   - leak: the key of the leak, the same for all of its reports.
    ///   - report: the key of the report, the same for all sightings that are merged into it; `nil` if it equals that of the leak.
    ///   - bytes: the bytes that the report adds to the batch.
    mutating func admit(
        _ leak: ReportMergeKey, as report: ReportMergeKey? = nil, bytes: Int, at wallTime: WireTime
    ) -> QuotaResult {
        renewSession(at: wallTime)
        let report = report ?? leak
        if countedReports.contains(report) {
            return addBytes(bytes, \.repeatedBytes, at: wallTime) ? .again : .over(.bytesPerDay)
        }
        let isSeen = seenLeaks.contains(leak)
        guard isSeen || seenLeaks.count < maxReportsPerSession else { return .over(.reportsPerSession) }
        guard addBytes(bytes, \.newBytes, at: wallTime) else { return .over(.bytesPerDay) }
        seenLeaks.insert(leak)
        if countedReports.count < Self.countedReportLimit { countedReports.insert(report) }
        return isSeen ? .again : .first
    }

    /// - Returns: `false` if too few bytes are left in the day; nothing is counted then.
    private mutating func addBytes(
        _ bytes: Int, _ counter: WritableKeyPath<DailyByteUsage, Int>, at wallTime: WireTime
    ) -> Bool {
        renewDay(at: wallTime)
        let (sum, isTooLarge) = max(usage[keyPath: counter], 0).addingReportingOverflow(max(bytes, 0))
        guard !isTooLarge, sum <= maxBytesPerDay else { return false }
        usage[keyPath: counter] = sum
        return true
    }

    /// Returns `true` if more than half of the day's bytes are used. Repeated reports are then gathered for longer, so that the
    /// rest is left for new leaks.
    func isThrottled(at wallTime: WireTime) -> Bool {
        Self.day(of: wallTime) <= usage.day && usage.totalBytes > maxBytesPerDay / 2
    }

    /// Forgets the seen leaks. The session starts with the next sighting.
    mutating func startSession() {
        seenLeaks.removeAll(keepingCapacity: true)
        countedReports.removeAll(keepingCapacity: true)
        sessionBeganAt = nil
    }

    /// Returns `true` if this run is selected by sampling.
    ///
    /// - Parameters:
    ///   - rate: the share that is selected, from 0 to 1. Any other value, such as 50 meant as percent or the result of a division
    ///     by zero, counts as 1: then the mistake is visible in the reports, while sending nothing would look like no leaks.
    ///   - random: a number from 0 up to 1.
    static func isSampled(rate: Double, random: Double) -> Bool {
        guard rate >= 0, rate < 1 else { return true }
        return random < rate
    }

    /// Starts a new session if the current session is too old. A session that began in the future, because the clock was set back,
    /// begins now.
    private mutating func renewSession(at wallTime: WireTime) {
        let beganAt = min(sessionBeganAt ?? wallTime, wallTime)
        let (age, isTooLarge) = wallTime.milliseconds.subtractingReportingOverflow(beganAt.milliseconds)
        if isTooLarge || age >= Self.longestSessionMilliseconds {
            startSession()
            sessionBeganAt = wallTime
        } else {
            sessionBeganAt = beganAt
        }
    }

    /// Resets the usage at the start of a later day.
    ///
    /// A clock that goes back does not start a new day. If it goes back by up to a day, as when it is corrected around
    /// midnight, the quota of the later day continues, so that it is not granted twice. If it goes back by more, the clock was
    /// wrong: the usage moves to the earlier day, and each following day starts with an unused quota, even if the clock showed
    /// that day before.
    private mutating func renewDay(at wallTime: WireTime) {
        let today = Self.day(of: wallTime)
        if today > usage.day {
            usage = DailyByteUsage(day: today)
        } else if today + 1 < usage.day {
            usage.day = today
        }
    }

    private static func day(of time: WireTime) -> Int {
        let (day, remainder) = time.milliseconds.quotientAndRemainder(dividingBy: CivilDate.dayMilliseconds)
        return Int(remainder < 0 ? day - 1 : day)
    }
}
