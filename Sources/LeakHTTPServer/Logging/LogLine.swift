internal import LeakPlatform

/// A log line that is being built: always ASCII without control characters. It consists of bytes, because a busy loop writes
/// one line per request and building a `String` would take longer than serving the request.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    private static let digits = Array("0123456789abcdef".utf8)
    private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends a literal of the program, without escaping.
    mutating func append(_ text: StaticString) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(decimal number: Int) {
        append(decimal: number, fractionDigits: 0)
    }

    /// Appends `number` with its last `fractionDigits` digits after a decimal point; a negative number is written as 0.
    mutating func append(decimal number: Int, fractionDigits: Int) {
        var remaining = UInt(max(number, 0))
        var placeValue: UInt = 1
        var count = 1
        while remaining / placeValue > 9 || count <= fractionDigits {
            placeValue *= 10
            count += 1
        }
        while placeValue > 0 {
            if count == fractionDigits { bytes.append(UInt8(ascii: ".")) }
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remaining / placeValue))
            remaining %= placeValue
            placeValue /= 10
            count -= 1
        }
    }

    /// Appends two digits.
    private mutating func append(twoDigits number: Int) {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10 % 10))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Appends a time like `06/Nov/1994:08:49:37 +0000`.
    ///
    /// - Parameter milliseconds: the time in milliseconds since 1970 in UTC.
    mutating func append(logTime milliseconds: Int64) {
        let time = CivilTime(milliseconds: milliseconds)
        append(twoDigits: time.date.day)
        append("/")
        bytes += Self.months[3 * (time.date.month - 1)..<3 * time.date.month]
        append("/")
        append(decimal: time.date.year)
        append(":")
        append(time, separator: ":")
        append(" +0000")
    }

    /// Appends a time with milliseconds like `1994-11-06T08:49:37.123Z`. https://www.rfc-editor.org/rfc/rfc3339
    ///
    /// - Parameter milliseconds: the time in milliseconds since 1970 in UTC.
    mutating func append(rfc3339 milliseconds: Int64) {
        let time = CivilTime(milliseconds: milliseconds)
        append(decimal: time.date.year)
        append("-")
        append(twoDigits: time.date.month)
        append("-")
        append(twoDigits: time.date.day)
        append("T")
        append(time, separator: ":")
        append(".")
        append(decimal: time.millisecond / 100)
        append(twoDigits: time.millisecond % 100)
        append("Z")
    }

    private mutating func append(_ time: CivilTime, separator: StaticString) {
        append(twoDigits: time.hour)
        append(separator)
        append(twoDigits: time.minute)
        append(separator)
        append(twoDigits: time.second)
    }

    /// Appends visible ASCII and spaces unchanged; quotes, backslashes and all other bytes as `\xHH`.
    mutating func append(escaping text: some Sequence<UInt8>) {
        for byte in text {
            if Self.isPlain(UInt16(byte)) {
                bytes.append(byte)
            } else {
                append("\\x")
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            }
        }
    }

    mutating func append(escaping text: String) { append(escaping: text.utf8) }

    /// Appends a JSON string, or `null`. The string has ASCII characters only, so that it contains nothing that a terminal or a
    /// log reader would interpret. Invalid UTF-8 becomes U+FFFD.
    mutating func append(json text: [UInt8]?) {
        guard let text else { return append("null") }
        append("\"")
        if text.allSatisfy({ Self.isPlain(UInt16($0)) }) {
            bytes += text
        } else {
            for unit in String(decoding: text, as: UTF8.self).utf16 { append(unit: unit) }
        }
        append("\"")
    }

    private mutating func append(unit: UInt16) {
        guard !Self.isPlain(unit) else { return bytes.append(UInt8(truncatingIfNeeded: unit)) }
        append("\\u")
        for shift: UInt16 in [12, 8, 4, 0] { bytes.append(Self.digits[Int(unit >> shift & 15)]) }
    }

    private static func isPlain(_ unit: UInt16) -> Bool {
        unit >= 0x20 && unit < 0x7F && unit != 0x22 && unit != 0x5C
    }
}
