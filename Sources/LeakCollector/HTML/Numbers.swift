internal import LeakStore

// A no-break space (U+00A0) stands between a number and its unit or noun, so that no line of a page breaks there.

/// A count with separators of thousands: `1,284`; an estimate is `≈1,284`.
struct Count: Component, CustomStringConvertible {
    var number: Int
    private var isEstimate = false

    init(_ number: Int) { self.number = number }

    /// - Parameter installs: a number of installs, which is exact up to a limit and estimated beyond it.
    init(installs: Int) {
        number = installs
        isEstimate = installs > LeakRow.maxExactInstalls
    }

    var description: String {
        let digits = Array(String(number.magnitude).utf8)
        var text = Array((number < 0 ? "−" : isEstimate ? "≈" : "").utf8)
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(UInt8(ascii: ",")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the count with its noun: `1 report`, `1,284 reports`.
    func text(noun: String, plural: String) -> String {
        "\(self)\u{A0}\(number == 1 ? noun : plural)"
    }
}

/// A share with one decimal: `98.7 %`.
///
/// A share above zero is never shown as 0 %, and a share below one is never shown as 100 %: 1 of 100,000 is shown as
/// `< 0.1 %`, and 99,999 of 100,000 as `> 99.9 %`.
struct Percentage: Component, CustomStringConvertible {
    /// Tenths of a percent, rounded to the nearest.
    let tenths: Int
    private let isAboveZero: Bool
    private let isAll: Bool

    /// - Parameters:
    ///   - part: at least 0; may exceed `whole`.
    ///   - whole: more than 0.
    init(_ part: Int, of whole: Int) {
        tenths = Int(saturating: Double(part) / Double(max(1, whole)) * 1000)
        isAboveZero = part > 0
        isAll = part >= whole
    }

    var description: String {
        if isAboveZero && tenths == 0 { return "<\u{A0}0.1\u{A0}%" }
        if !isAll && tenths >= 1000 { return ">\u{A0}99.9\u{A0}%" }
        return "\(Decimal(tenths: tenths))\u{A0}%"
    }
}

/// A number with one decimal: `0.9`, `1,204.0`.
struct Decimal: Component, CustomStringConvertible {
    var tenths: Int

    var description: String {
        "\(tenths < 0 ? "−" : "")\(Count(Int(tenths.magnitude / 10))).\(tenths.magnitude % 10)"
    }
}

/// A span of time: `450 ms`, `2.3 s`, `14 s`, `3 min`, `2 h`, `4 days`.
struct DurationText: Component, CustomStringConvertible {
    var milliseconds: Int

    var description: String {
        let seconds = milliseconds / 1000
        switch milliseconds {
        case ..<950: return "\(max(0, milliseconds))\u{A0}ms"
        case ..<9950: return "\(Decimal(tenths: (milliseconds + 50) / 100))\u{A0}s"
        case ..<90_000: return "\((milliseconds + 500) / 1000)\u{A0}s"
        case ..<5_400_000: return "\((seconds + 30) / 60)\u{A0}min"
        case ..<172_800_000: return "\((seconds + 1800) / 3600)\u{A0}h"
        default: return "\(Count((seconds + 43_200) / 86_400))\u{A0}days"
        }
    }
}

/// `512 bytes`, `14.2 KB`, `3.1 MB`, rounded down to tenths.
struct ByteCount: Component, CustomStringConvertible {
    var bytes: Int

    init(_ bytes: Int) { self.bytes = bytes }

    var description: String {
        switch bytes {
        case ..<1_000: Count(bytes).text(noun: "byte", plural: "bytes")
        case ..<1_000_000: "\(Decimal(tenths: bytes / 100))\u{A0}KB"
        case ..<1_000_000_000: "\(Decimal(tenths: bytes / 100_000))\u{A0}MB"
        default: "\(Decimal(tenths: bytes / 100_000_000))\u{A0}GB"
        }
    }
}
