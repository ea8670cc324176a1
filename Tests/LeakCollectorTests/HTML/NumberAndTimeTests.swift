import LeakPlatform
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct NumberAndTimeTests {
    @Test(arguments: [
        (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (1284, "1,284"), (1_000_000, "1,000,000"),
        (-1284, "−1,284"),
        (Int.max, "9,223,372,036,854,775,807"), (Int.min, "−9,223,372,036,854,775,808"),
    ])
    func `a count is written with commas`(number: Int, words: String) {
        #expect(Count(number).description == words)
    }

    @Test(arguments: [
        (987, 1000, "98.7 %"), (0, 5, "0.0 %"), (5, 5, "100.0 %"), (1, 100_000, "< 0.1 %"),
        (99_999, 100_000, "> 99.9 %"),
        (1, 3, "33.3 %"), (2, 3, "66.7 %"), (12, 10, "120.0 %"), (1207, 14_901, "8.1 %"),
    ])
    func `a percentage is 0 or 100 only if the part is nothing or all of the whole`(
        part: Int, whole: Int, words: String
    ) {
        #expect(Percentage(part, of: whole).description == words.replacing(" ", with: "\u{A0}"))
    }

    @Test(arguments: [
        (0, "0 ms"), (450, "450 ms"), (949, "949 ms"), (950, "1.0 s"), (2300, "2.3 s"), (9949, "9.9 s"),
        (9950, "10 s"),
        (14_000, "14 s"), (89_999, "90 s"), (90_000, "2 min"), (180_000, "3 min"), (7_200_000, "2 h"),
        (345_600_000, "4 days"), (-5, "0 ms"),
    ])
    func `a duration is written with one unit`(milliseconds: Int, words: String) {
        #expect(DurationText(milliseconds: milliseconds).description == words.replacing(" ", with: "\u{A0}"))
    }

    /// The expected texts come from Python's datetime.
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (1_795_176_003_999, "2026-11-20T12:00:03Z"),
        (951_782_400_000, "2000-02-29T00:00:00Z"),
        (4_107_542_399_000, "2100-02-28T23:59:59Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"), (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
        (253_402_300_799_000, "9999-12-31T23:59:59Z"),
    ])
    func `a time in milliseconds is written in the form of RFC 3339`(milliseconds: Int64, rfc3339: String) {
        #expect(CivilTime(milliseconds: milliseconds).rfc3339 == rfc3339)
    }

    @Test func `from 1970 to 2369, the date of each day follows the date of the day before`() {
        var previous = CivilDate(days: -1)
        for days in 0..<146_097 {
            let day = CivilDate(days: Int64(days))
            let isNext =
                (day.year == previous.year && day.month == previous.month && day.day == previous.day + 1)
                || (day.day == 1 && previous.day >= 28
                    && (day.month == previous.month + 1 && day.year == previous.year
                        || day.month == 1 && previous.month == 12 && day.year == previous.year + 1))
            if !isNext { Issue.record("\(day.text) after \(previous.text)") }
            previous = day
        }
        #expect(previous.text == "2369-12-31")
    }

    @Test(arguments: [
        (-5000, "just now"), (0, "just now"), (59_999, "just now"), (60_000, "1 min ago"),
        (3_599_000, "59 min ago"),
        (7_200_000, "2 h ago"), (86_400_000, "1 day ago"), (200_000_000, "2 days ago"),
        (604_800_000, "13 Nov"),
        (40_000_000_000, "14 Aug 2025"),
    ])
    func `a time is written relative to now, or as a date if it is a week or more ago`(
        ago: Int64, words: String
    ) {
        let moment = RelativeTime(at: Shop.now - ago, now: Shop.now)
        #expect(moment.text.replacing("\u{A0}", with: " ") == words)
    }

    @Test func `an exported page shows the date of a time, not how long ago it was`() {
        let file = PageContext(links: Links(mode: .files(page: .summary(app: nil))), now: Shop.now)
        #expect(
            file.relativeTime(Shop.now - 60_000).html
                == #"<time datetime="2026-11-20T11:59:03Z">\#("20\u{A0}Nov")</time>"#)
        let served = PageContext(links: Links(mode: .server(base: "")), now: Shop.now)
        #expect(served.relativeTime(Shop.now - 60_000).text == "1\u{A0}min ago")
    }

    @Test(arguments: zip(Period.allCases, ["24 h", "7 days", "14 days", "30 days", "90 days"]))
    func `each period is named by its hours or days`(period: Period, words: String) {
        #expect(period.displayName.replacing("\u{A0}", with: " ") == words)
    }

    @Test func `the markup of a relative time also contains the exact time`() {
        #expect(
            RelativeTime(at: Shop.now, now: Shop.now).html
                == #"<time datetime="2026-11-20T12:00:03Z">just now</time>"#)
    }
}
