// Days and dates after Howard Hinnant, “chrono-Compatible Low-Level Date Algorithms”,
// https://howardhinnant.github.io/date_algorithms.html: years start in March, so that the leap day comes last.

extension WireTime {
    /// Reads RFC 3339: `2026-11-20T12:00:00Z`, with an optional fraction and `Z` or `+01:00`.
    ///
    /// The fraction is cut to milliseconds; second 60, a leap second, is the first of the next minute.
    ///
    /// - Returns: `nil` for anything else, and for a day that the calendar does not have.
    public init?(rfc3339 text: String) {
        self.init(rfc3339: Array(text.utf8)[...])
    }

    init?(rfc3339 text: some Collection<UInt8>) {
        var digits = DateReader(text)
        guard let year = digits.number(of: 4), digits.take("-"), let month = digits.number(of: 2),
            digits.take("-"),
            let day = digits.number(of: 2), digits.take("T") || digits.take("t") || digits.take(" "),
            let hour = digits.number(of: 2), digits.take(":"), let minute = digits.number(of: 2),
            digits.take(":"),
            let second = digits.number(of: 2), let milliseconds = digits.fraction(),
            let offset = digits.offset(), digits.isAtEnd
        else { return nil }
        guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24,
            minute < 60,
            second <= 60
        else { return nil }
        let minutes = Int64(hour * 60 + minute - offset)
        self.init(
            milliseconds: Self.days(to: (year, month, day)) * 86_400_000 + minutes * 60_000 + Int64(second)
                * 1_000
                + Int64(milliseconds))
    }

    /// `2026-11-20T12:00:00.123Z`; without a fraction on a whole second. Years outside 0 to 9999, which RFC 3339
    /// has no form for, are shown as the nearest moment inside.
    public var rfc3339: String {
        let first: Int64 = -62_167_219_200_000
        let last: Int64 = 253_402_300_799_999
        let bounded = min(max(milliseconds, first), last)
        let (days, time) = Self.floorDivide(bounded, by: 86_400_000)
        let (year, month, day) = Self.date(days)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ number: Int64, _ width: Int, _ separator: Unicode.Scalar) {
            let start = text.count
            var rest = number
            for _ in 0..<width {
                text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            }
            text[start...].reverse()
            text.append(UInt8(ascii: separator))
        }
        append(year, 4, "-")
        append(month, 2, "-")
        append(day, 2, "T")
        append(time / 3_600_000, 2, ":")
        append(time / 60_000 % 60, 2, ":")
        let fraction = time % 1_000
        append(time / 1_000 % 60, 2, fraction == 0 ? "Z" : ".")
        if fraction != 0 { append(fraction, 3, "Z") }
        return String(decoding: text, as: UTF8.self)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to a date.
    private static func days(to date: (year: Int, month: Int, day: Int)) -> Int64 {
        let year = Int64(date.month <= 2 ? date.year - 1 : date.year)
        let (era, yearOfEra) = floorDivide(year, by: 400)
        let monthFromMarch = Int64(date.month + (date.month > 2 ? -3 : 9))
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(date.day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date so many days from 1970-01-01.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64)
    {
        let quotient = (value >= 0 ? value : value - (divisor - 1)) / divisor
        return (quotient, value - quotient * divisor)
    }
}

/// Takes the parts of a date from the front of a text.
private struct DateReader<Text: Collection<UInt8>> {
    private let text: Text
    private var index: Text.Index

    init(_ text: Text) {
        self.text = text
        index = text.startIndex
    }

    var isAtEnd: Bool { index == text.endIndex }

    mutating func digit() -> Int? {
        guard index < text.endIndex, text[index].isDigit else { return nil }
        defer { text.formIndex(after: &index) }
        return Int(text[index] - UInt8(ascii: "0"))
    }

    mutating func number(of width: Int) -> Int? {
        var number = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    mutating func take(_ separator: Unicode.Scalar) -> Bool {
        guard index < text.endIndex, text[index] == UInt8(ascii: separator) else { return false }
        text.formIndex(after: &index)
        return true
    }

    /// Milliseconds after the point; 0 when there is no point, `nil` for a point without digits.
    mutating func fraction() -> Int? {
        guard take(".") else { return 0 }
        guard var milliseconds = digit() else { return nil }
        var width = 1
        while let digit = digit() {
            if width < 3 { milliseconds = milliseconds * 10 + digit }
            width += 1
        }
        while width < 3 {
            milliseconds *= 10
            width += 1
        }
        return milliseconds
    }

    /// Minutes east of Greenwich.
    mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(of: 2), take(":"), let minutes = number(of: 2),
            hours < 24,
            minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }
}
