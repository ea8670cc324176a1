internal import LeakPlatform

extension WireTime {
    /// Reads a time of RFC 3339: `2026-11-20T12:00:00Z`, with an optional fraction, and an offset such as `+01:00` in place of `Z`.
    ///
    /// The letters may be lower case, and a space may replace the `T`. The fraction is cut to milliseconds. Second 60, a leap second,
    /// becomes the first second of the next minute.
    ///
    /// - Returns: `nil` for any other text, and for a day that the calendar does not have.
    public init?(rfc3339 text: String) {
        self.init(parsing: text.utf8)
    }

    // This is not generic, because a call of a generic function from another module is slow.
    package init?(rfc3339 text: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(parsing: text)
    }

    private init?(parsing text: some Collection<UInt8>) {
        var reader = DateReader(text)
        guard let year = reader.number(digitCount: 4), reader.consume("-"),
            let month = reader.number(digitCount: 2), reader.consume("-"),
            let day = reader.number(digitCount: 2),
            reader.consume("T") || reader.consume("t") || reader.consume(" "),
            let hour = reader.number(digitCount: 2), reader.consume(":"),
            let minute = reader.number(digitCount: 2), reader.consume(":"),
            let second = reader.number(digitCount: 2), let milliseconds = reader.fraction(),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        guard let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let minutes = Int64(hour * 60 + minute - offset)
        self.init(
            milliseconds: date.days * 86_400_000 + minutes * 60_000 + Int64(second)
                * 1_000
                + Int64(milliseconds))
    }

    /// The time in the form `2026-11-20T12:00:00.123Z`, without a fraction for a whole second. RFC 3339 has no form for years outside 0
    /// to 9999, so a time outside becomes the nearest time inside.
    public var rfc3339: String {
        let earliest: Int64 = -62_167_219_200_000
        let latest: Int64 = 253_402_300_799_999
        let bounded = min(max(milliseconds, earliest), latest)
        let time = CivilDate.timeOfDay(milliseconds: bounded)
        let date = CivilDate(milliseconds: bounded)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ number: Int64, digits width: Int, then separator: Unicode.Scalar) {
            let start = text.count
            var remainder = number
            for _ in 0..<width {
                text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder % 10))
                remainder /= 10
            }
            text[start...].reverse()
            text.append(UInt8(ascii: separator))
        }
        append(Int64(date.year), digits: 4, then: "-")
        append(Int64(date.month), digits: 2, then: "-")
        append(Int64(date.day), digits: 2, then: "T")
        append(time / 3_600_000, digits: 2, then: ":")
        append(time / 60_000 % 60, digits: 2, then: ":")
        let fraction = time % 1_000
        append(time / 1_000 % 60, digits: 2, then: fraction == 0 ? "Z" : ".")
        if fraction != 0 { append(fraction, digits: 3, then: "Z") }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A parser of dates and times that reads one part after another.
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

    mutating func number(digitCount: Int) -> Int? {
        var number = 0
        for _ in 0..<digitCount {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    mutating func consume(_ separator: Unicode.Scalar) -> Bool {
        guard index < text.endIndex, text[index] == UInt8(ascii: separator) else { return false }
        text.formIndex(after: &index)
        return true
    }

    /// Reads an optional fraction, and returns its milliseconds: 0 without a point, `nil` for a point without digits.
    mutating func fraction() -> Int? {
        guard consume(".") else { return 0 }
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

    /// Reads the offset from UTC, and returns its minutes, positive east of Greenwich; `nil` for an invalid offset.
    mutating func offset() -> Int? {
        if consume("Z") || consume("z") { return 0 }
        let isWest = consume("-")
        guard isWest || consume("+"), let hours = number(digitCount: 2), consume(":"),
            let minutes = number(digitCount: 2), hours < 24, minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }
}
