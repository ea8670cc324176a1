internal import LeakPlatform
import LeakMessage

/// How much may be reported: different leaks in a session, and bytes in a day. A value without clock or file.
///
/// Each batch that contains a report counts its bytes again. Reports that were accepted earlier in the session have a second
/// `bytesPerDay` for themselves: their counts stay right, and they take no room from new ones. The same leak with other custom keys
/// or another user is another report.
struct Budget: Sendable {
    enum Verdict: Hashable, Sendable {
        /// Not seen in this session yet, and paid for.
        case first
        /// Seen in this session: it may wait, and be counted with the others.
        case again
        /// Not to be reported. The same leak is asked about anew the next time.
        case over(Limit)
    }

    enum Limit: Hashable, Sendable {
        case reportsPerSession, bytesPerDay
    }

    /// A session that nobody ends: a server's process may run for months.
    static let longestSessionMilliseconds: Int64 = 86_400_000

    /// Different leaks that a session may report.
    let reportsPerSession: Int
    /// Bytes that new reports of a day of UTC may have, and once more those that come again.
    let bytesPerDay: Int
    /// Kept from one run to the next by its owner.
    var spent: Spending

    private var seen: Set<FoldingKey> = []
    /// Reports of the session that were paid for. Bounded by ``paidLimit``; what is beyond is paid for each time.
    private var paid: Set<FoldingKey> = []
    private static let paidLimit = 4096
    private var sessionBeganAt: WireTime?

    init(reportsPerSession: Int, bytesPerDay: Int, spent: Spending = Spending()) {
        self.reportsPerSession = reportsPerSession
        self.bytesPerDay = bytesPerDay
        self.spent = spent
    }

    /// Decides about one sighting.
    ///
    /// - Parameters:
    ///   - leak: is the same for all reports of the leak.
    ///   - report: is the same for those that are counted up in one; `nil` where that is all of the leak's.
    ///   - bytes: what a report of it adds to what is sent.
    mutating func admit(
        _ leak: FoldingKey, as report: FoldingKey? = nil, bytes: Int, at wallTime: WireTime
    ) -> Verdict {
        renewSession(at: wallTime)
        let report = report ?? leak
        if paid.contains(report) {
            return spend(bytes, \.repeatedBytes, at: wallTime) ? .again : .over(.bytesPerDay)
        }
        let isSeen = seen.contains(leak)
        guard isSeen || seen.count < reportsPerSession else { return .over(.reportsPerSession) }
        guard spend(bytes, \.bytes, at: wallTime) else { return .over(.bytesPerDay) }
        seen.insert(leak)
        if paid.count < Self.paidLimit { paid.insert(report) }
        return isSeen ? .again : .first
    }

    /// - Returns: `false` when the day has too few bytes left, and nothing is spent.
    private mutating func spend(
        _ bytes: Int, _ number: WritableKeyPath<Spending, Int>, at wallTime: WireTime
    ) -> Bool {
        renewDay(at: wallTime)
        let (sum, isTooLarge) = max(spent[keyPath: number], 0).addingReportingOverflow(max(bytes, 0))
        guard !isTooLarge, sum <= bytesPerDay else { return false }
        spent[keyPath: number] = sum
        return true
    }

    /// True if more than half of the day's bytes are spent: what was reported before is then gathered for longer, so that the rest
    /// is left for new leaks.
    func isSparing(at wallTime: WireTime) -> Bool {
        Self.day(of: wallTime) <= spent.day && spent.totalBytes > bytesPerDay / 2
    }

    /// Forgets which leaks were seen. The session counts as begun with the next sighting.
    mutating func startSession() {
        seen.removeAll(keepingCapacity: true)
        paid.removeAll(keepingCapacity: true)
        sessionBeganAt = nil
    }

    /// Whether one of many is to be reported.
    ///
    /// - Parameters:
    ///   - rate: the share that is, from 0 to 1. Anything else, such as a 50 that means percents or the result of a
    ///     division by zero, is taken for 1: a mistake shows in what is sent, where silence would look like no leaks.
    ///   - random: a number from 0 up to 1.
    static func isSampled(rate: Double, random: Double) -> Bool {
        guard rate >= 0, rate < 1 else { return true }
        return random < rate
    }

    /// A session that began in the future, by a clock that was put back, begins now.
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

    /// A later day starts with nothing spent.
    ///
    /// A clock that goes back starts no day. By up to a day, as when it is corrected around midnight, the later day's
    /// budget goes on, so that it is not started twice. By more than that the clock was wrong: what is spent stays
    /// spent on the earlier day, and the days after it are new ones, also those that were there before.
    private mutating func renewDay(at wallTime: WireTime) {
        let today = Self.day(of: wallTime)
        if today > spent.day {
            spent = Spending(day: today)
        } else if today + 1 < spent.day {
            spent.day = today
        }
    }

    private static func day(of time: WireTime) -> Int {
        let (day, rest) = time.milliseconds.quotientAndRemainder(dividingBy: CivilDate.dayMilliseconds)
        return Int(rest < 0 ? day - 1 : day)
    }
}
