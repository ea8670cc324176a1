import LeakMessage
import Testing

@testable import LeakReporter

@Suite struct RetryAfterTests {
    /// 1994-11-06 08:49:30 UTC.
    private let now = WireTime(milliseconds: 784_111_770_000)

    @Test(arguments: [
        ("0", 0), ("120", 120_000), ("3600", 3_600_000), ("3601", 3_600_000),
        ("99999999999999999999999", 3_600_000), ("Sun, 06 Nov 1994 08:49:37 GMT", 7_000),
        ("Sun, 06 Nov 1994 08:49:00 GMT", 0), ("Mon, 07 Nov 2094 08:49:37 GMT", 3_600_000),
        ("Sun, 06 Nov 1994 08:50:00 GMT", 30_000),
    ])
    func `Retry-After is read as seconds or a date, and limited to an hour`(field: String, milliseconds: Int)
    {
        #expect(RetryAfterParser.milliseconds(field, now: now) == milliseconds)
    }

    @Test(arguments: [
        "", " ", "-1", "1.5", "soon", "+5", "٣", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 25:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 99 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    ])
    func `a Retry-After that is neither seconds nor a date is ignored`(field: String) {
        #expect(RetryAfterParser.milliseconds(field, now: now) == nil)
    }

    /// Compares with the system's calendar: ends of months, leap years, a century that is not a leap year.
    @Test(arguments: [
        ("Tue, 29 Feb 2028 00:00:00 GMT", 1_835_395_200), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 1), ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799),
    ])
    func `dates in Retry-After follow the calendar`(date: String, seconds: Int64) {
        let now = WireTime(milliseconds: (seconds - 1) * 1000)
        #expect(RetryAfterParser.milliseconds(date, now: now) == 1_000)
    }
}
