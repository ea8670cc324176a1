import Foundation
import Testing
import LeakPlatform

@Suite struct CivilDateTests {
    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max])
    func `every time in milliseconds has a valid day and time of day`(milliseconds: Int64) {
        let date = CivilDate(milliseconds: milliseconds)
        let rest = CivilDate.timeOfDay(milliseconds: milliseconds)
        #expect((0..<CivilDate.dayMilliseconds).contains(rest))
        #expect(CivilDate(days: date.days) == date)
        #expect(date.days &* CivilDate.dayMilliseconds &+ rest == milliseconds)
        #expect((0...6).contains(date.weekday))
    }

    /// Compares one day in eleven from 1600 to 2400.
    @Test func `dates equal those of Foundation's calendar`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for days in stride(from: Int64(-135_140), to: 157_054, by: 11) {
            let date = CivilDate(days: days)
            let expected = calendar.dateComponents(
                [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            #expect(date.year == expected.year)
            #expect(date.month == expected.month)
            #expect(date.day == expected.day)
            #expect(date.weekday + 1 == expected.weekday)
        }
    }
}
