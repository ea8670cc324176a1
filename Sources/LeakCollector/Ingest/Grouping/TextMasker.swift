#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Masking of the digits in a text that never determine its group: those of addresses, and those of an elapsed time.
///
/// A key keeps the number of masked digits. Two texts have equal keys only if they differ in nothing but these digits.
enum TextMasker {
    /// Maximum number of digits that are masked. Neither an address nor an elapsed time has more, so more digits may
    /// determine the group.
    private static let maxMaskedDigits = 0x1F

    /// Appends `text`, the content of a JSON string, to `key`, with the digits of addresses and elapsed times masked.
    static func append(_ text: ArraySlice<UInt8>, to key: inout [UInt8]) {
        unsafe text.withUnsafeBufferPointer { text in
            // Frames that are JSON objects are grouped by their offsets in images, so their digits are kept.
            guard unsafe !hasFrameLocations(text) else {
                unsafe key.append(contentsOf: text)
                return
            }
            var index = 0
            var unmaskedStart = 0
            func mask(_ digits: Range<Int>, _ key: inout [UInt8]) {
                unsafe key.append(
                    contentsOf: UnsafeBufferPointer(rebasing: text[unmaskedStart..<digits.lowerBound]))
                // JSON contains no zero byte, so no text without digits at this offset has the same key.
                key.append(0)
                key.append(UInt8(truncatingIfNeeded: digits.count))
                unmaskedStart = digits.upperBound
            }
            while index + 2 < text.count {
                switch unsafe text[index] {
                case UInt8(ascii: "0"):
                    if let digits = unsafe addressDigits(at: index, in: text) {
                        mask(digits, &key)
                        index = digits.upperBound
                    }
                case UInt8(ascii: "a"):
                    for digits in unsafe durationDigits(at: index, in: text) {
                        mask(digits, &key)
                        index = digits.upperBound
                    }
                default: break
                }
                index += 1
            }
            unsafe key.append(contentsOf: UnsafeBufferPointer(rebasing: text[unmaskedStart...]))
        }
    }

    /// Returns `true` if a text may contain fields of JSON frames that locate code by hexadecimal digits: `imageOffset`,
    /// `image_addr`, `object_addr` or `instruction_addr`. An escape sequence such as `\u005f` may hide such a name.
    private static func hasFrameLocations(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        for (pattern, rareByteOffset) in [("imageOffset", 5), ("_addr", 0)] as [(StaticString, Int)]
        where unsafe nextIndex(of: pattern, rareByteOffset: rareByteOffset, from: 0, in: text) < text.count {
            return true
        }
        var escape = unsafe nextIndex(of: "\\u00", rareByteOffset: 0, from: 0, in: text)
        while escape < text.count {
            if unsafe isOfASCII(escapeAt: escape, in: text) { return true }
            escape = unsafe nextIndex(of: "\\u00", rareByteOffset: 0, from: escape + 4, in: text)
        }
        return false
    }

    /// Returns `true` if the escape sequence at an index stands for a character of ASCII, such as `\u005f`.
    private static func isOfASCII(escapeAt index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard unsafe starts(with: "\\u00", at: index, in: text), index + 4 < text.count else { return false }
        return unsafe (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(text[index + 4])
    }

    // MARK: Call stacks

    /// Maximum digits of an offset in an image. An address in a process has more.
    private static let maxOffsetDigits = 8

    /// Appends a JSON array of call frames to `key`, in which the digits of the addresses that change from launch to launch are
    /// masked.
    ///
    /// - Returns: `false`, without appending anything, if the first element does not begin like a call frame with an address.
    ///   It is also `false` if addresses in the array may locate a function in an image, because then their digits determine
    ///   the group: if an element is a JSON object, if the array may contain the images of a `Backtrace`, or if it has an
    ///   escape sequence that could hide either.
    static func appendCallStack(_ elements: ArraySlice<UInt8>, to key: inout [UInt8]) -> Bool {
        unsafe elements.withUnsafeBufferPointer { text in
            guard let first = unsafe text.firstIndex(of: UInt8(ascii: "\"")),
                unsafe isFrameWithAddress(at: first + 1, in: text)
            else { return false }
            guard unsafe !hasObject(from: first, in: text), unsafe !hasImages(text),
                unsafe !hasUnusualEscape(text)
            else { return false }
            let start = key.count
            unsafe key.append(contentsOf: text)
            unsafe key.withUnsafeMutableBufferPointer { key in
                unsafe overwriteAddresses(
                    of: text, from: first, in: UnsafeMutableBufferPointer(rebasing: key[start...]))
            }
            return true
        }
    }

    /// Byte in place of a digit of a masked address. JSON cannot contain it: its only control characters are white space.
    private static let maskedDigit: UInt8 = 0x10

    /// Returns the addresses in a call stack from ``appendCallStack(_:to:)``, in ascending order.
    static func maskedAddresses(in stack: [UInt8]) -> [Range<Int>] {
        var addresses: [Range<Int>] = []
        var index = 0
        while let start = stack[index...].firstIndex(of: maskedDigit) {
            index = stack[start...].firstIndex { $0 != maskedDigit } ?? stack.count
            addresses.append(start..<index)
        }
        // A copy of the exact length, because it is kept for long.
        return unsafe addresses.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Returns `true` if ``appendCallStack(_:to:)`` would append exactly `stack` for a JSON array of call frames.
    ///
    /// Compares the bytes outside of the addresses of `stack`, and the number of digits of each address. This is enough: any
    /// other address in `elements` would be the same in `stack`, and so masked there.
    ///
    /// - Parameter addresses: ``maskedAddresses(in:)`` of `stack`.
    static func isCallStack(
        _ elements: ArraySlice<UInt8>, equalTo stack: [UInt8], exceptAt addresses: [Range<Int>]
    ) -> Bool {
        guard elements.count == stack.count else { return false }
        return unsafe elements.withUnsafeBufferPointer { text in
            unsafe stack.withUnsafeBufferPointer { stack in
                guard let start = text.baseAddress, let stackStart = stack.baseAddress else { return true }
                var index = 0
                for address in addresses {
                    guard unsafe memcmp(start + index, stackStart + index, address.lowerBound - index) == 0,
                        unsafe addressDigitCount(afterX: address.lowerBound - 1, in: text) == address.count
                    else { return false }
                    index = address.upperBound
                }
                return unsafe memcmp(start + index, stackStart + index, text.count - index) == 0
            }
        }
    }

    /// Overwrites the digits of addresses in a copy of `text`, so that no byte has to move.
    private static func overwriteAddresses(
        of text: UnsafeBufferPointer<UInt8>, from first: Int, in copy: UnsafeMutableBufferPointer<UInt8>
    ) {
        // The x of an address has at least a quote and a zero in front of it.
        var index = unsafe firstIndex(of: UInt8(ascii: "x"), from: first + 2, in: text)
        while index < text.count {
            let count = unsafe addressDigitCount(afterX: index, in: text)
            unsafe mask(index + 1..<index + 1 + count, in: copy)
            index = unsafe firstIndex(of: UInt8(ascii: "x"), from: index + 1 + count, in: text)
        }
    }

    /// Overwrites at most sixteen digits with ``maskedDigit``.
    private static func mask(_ digits: Range<Int>, in copy: UnsafeMutableBufferPointer<UInt8>) {
        guard digits.count >= 8, let start = copy.baseAddress else {
            for digit in digits { unsafe copy[digit] = maskedDigit }
            return
        }
        // Two stores of eight bytes, which overlap for fewer than sixteen digits, are faster than a loop.
        let base = UnsafeMutableRawPointer(start)
        let maskedDigits = UInt64(maskedDigit) &* 0x0101_0101_0101_0101
        unsafe base.storeBytes(of: maskedDigits, toByteOffset: digits.lowerBound, as: UInt64.self)
        unsafe base.storeBytes(of: maskedDigits, toByteOffset: digits.upperBound - 8, as: UInt64.self)
    }

    /// Returns `true` if a text may contain the list of images that Swift's `Backtrace` prints. With this list, the grouping
    /// rules convert addresses to offsets in the images.
    private static func hasImages(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe nextIndex(of: "Images", rareByteOffset: 0, from: 0, in: text) < text.count
    }

    /// Returns `true` if a text has an escape sequence for an ASCII character other than a quote, a slash, a backslash, a tab
    /// or a line feed. The other functions would not find a character that is written in this way.
    private static func hasUnusualEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = unsafe firstIndex(of: UInt8(ascii: "\\"), from: 0, in: text)
        while index + 1 < text.count {
            switch unsafe text[index + 1] {
            case UInt8(ascii: "t"), UInt8(ascii: "n"), UInt8(ascii: "\""), UInt8(ascii: "/"),
                UInt8(ascii: "\\"):
                index = unsafe firstIndex(of: UInt8(ascii: "\\"), from: index + 2, in: text)
            case UInt8(ascii: "u") where unsafe !isOfASCII(escapeAt: index, in: text):
                index = unsafe firstIndex(of: UInt8(ascii: "\\"), from: index + 2, in: text)
            default: return true
            }
        }
        return false
    }

    /// Returns `true` if an element is a JSON object.
    private static func hasObject(from start: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = unsafe firstIndex(of: UInt8(ascii: "{"), from: start, in: text)
        while index < text.count {
            if unsafe isStartOfString(index, in: text) { return true }
            index = unsafe firstIndex(of: UInt8(ascii: "{"), from: index + 1, in: text)
        }
        return false
    }

    /// Returns the index of the next occurrence of `pattern`; `text.count` if there is none. The function searches for the byte
    /// at `rareByteOffset` of the pattern, because that byte is rarer in call stacks than the other bytes.
    private static func nextIndex(
        of pattern: StaticString, rareByteOffset: Int, from start: Int, in text: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var found = unsafe firstIndex(
            of: pattern.utf8Start[rareByteOffset], from: start + rareByteOffset, in: text)
        while found < text.count, unsafe !starts(with: pattern, at: found - rareByteOffset, in: text) {
            found = unsafe firstIndex(of: pattern.utf8Start[rareByteOffset], from: found + 1, in: text)
        }
        return found < text.count ? found - rareByteOffset : found
    }

    /// Returns the index of the first `byte` at `start` or later; `text.count` if there is none.
    private static func firstIndex(of byte: UInt8, from start: Int, in text: UnsafeBufferPointer<UInt8>)
        -> Int
    {
        guard start < text.count, let base = text.baseAddress,
            let found = unsafe memchr(base + start, Int32(byte), text.count - start)
        else { return text.count }
        return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// Returns `true` if only white space separates a byte from the quote before it.
    private static func isStartOfString(_ index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = index - 1
        while index > 0 {
            let byte = unsafe text[index]
            if byte == UInt8(ascii: "\"") { return true }
            let isEscape =
                unsafe byte == UInt8(ascii: "t") || byte == UInt8(ascii: "n")
                ? text[index - 1] == UInt8(ascii: "\\") : false
            guard byte == UInt8(ascii: " ") || isEscape else { return false }
            index -= isEscape ? 2 : 1
        }
        return unsafe index == 0 && text[0] == UInt8(ascii: "\"")
    }

    /// Returns `true` if a string begins like a frame with an address: `3   Shop   0x…`, `frame #3: 0x…`, `0x…`,
    /// `./shop(+0x1f) [0x…]`.
    private static func isFrameWithAddress(at start: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = unsafe skipSpace(from: start, in: text)
        if unsafe starts(with: "* ", at: index, in: text) { index += 2 }
        if unsafe starts(with: "frame #", at: index, in: text) { return true }
        let wordStart = index
        while index < text.count, unsafe isDigit(text[index]) { index += 1 }
        let isNumbered =
            unsafe (1...4).contains(index - wordStart) && skipSpace(from: index, in: text) > index
        let isAddress = unsafe starts(with: "0x", at: wordStart, in: text)
        // Looks for an address up to the end of the string.
        while index < text.count, unsafe text[index] != UInt8(ascii: "\"") {
            if unsafe text[index] == UInt8(ascii: "x"), unsafe addressDigitCount(afterX: index, in: text) > 0,
                unsafe isNumbered || isAddress || text[index - 2] == UInt8(ascii: "[")
            {
                return true
            }
            index += unsafe text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return false
    }

    /// Returns the number of digits of the address whose `x` is at `index`: a separate word with more than ``maxOffsetDigits``
    /// digits after its leading zeros, or the address in brackets at the end of a string such as `./shop(+0x41b9)
    /// [0x55dd8268e1b9]`. Returns zero if the `x` does not belong to such an address.
    private static func addressDigitCount(afterX index: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
        guard index >= 2, unsafe text[index - 1] == UInt8(ascii: "0") else { return 0 }
        let before = unsafe text[index - 2]
        let isBracketed = before == UInt8(ascii: "[")
        let isStart =
            unsafe before == UInt8(ascii: " ") || before == UInt8(ascii: "\"")
            || before == UInt8(ascii: "t") && isEscaped(index - 2, in: text)
        guard isStart || isBracketed else { return 0 }
        let start = index + 1
        let end = unsafe endOfHexadecimalDigits(from: start, in: text)
        guard end < text.count, (1...16).contains(end - start) else { return 0 }
        if isBracketed {
            return unsafe index >= 4 && starts(with: ") ", at: index - 4, in: text)
                && starts(with: "]\"", at: end, in: text) ? end - start : 0
        }
        let after = unsafe text[end]
        guard after == UInt8(ascii: " ") || after == UInt8(ascii: "\"") || after == UInt8(ascii: "\\") else {
            return 0
        }
        return unsafe end - start > maxOffsetDigits && !areZeros(start..<end - maxOffsetDigits, in: text)
            ? end - start : 0
    }

    /// Returns `true` if an odd number of backslashes is before a byte, so that it is part of an escape sequence.
    private static func isEscaped(_ index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = index
        while start > 0, unsafe text[start - 1] == UInt8(ascii: "\\") { start -= 1 }
        return !(index - start).isMultiple(of: 2)
    }

    /// Returns `true` if a range of at most eight bytes contains nothing but the digit zero. At least eight bytes must follow
    /// its start.
    private static func areZeros(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = text.baseAddress else { return true }
        let bytes = unsafe UInt64(
            littleEndian: UnsafeRawPointer(base).loadUnaligned(
                fromByteOffset: range.lowerBound, as: UInt64.self))
        return (bytes ^ 0x3030_3030_3030_3030) << UInt64(64 - 8 * range.count) == 0
    }

    private static func endOfHexadecimalDigits(from start: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
        var end = start
        while unsafe hasEightHexadecimalDigits(at: end, in: text) { end += 8 }
        while end < text.count, unsafe isHexadecimal(text[end]) { end += 1 }
        return end
    }

    /// Returns `true` if the next eight bytes are hexadecimal digits. All eight are compared at once by an addition, after
    /// which the high bit of each byte tells whether the byte was at least a given limit.
    private static func hasEightHexadecimalDigits(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool
    {
        guard index + 8 <= text.count, let base = text.baseAddress else { return false }
        let bytes = unsafe UnsafeRawPointer(base).loadUnaligned(fromByteOffset: index, as: UInt64.self)
        func repeated(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }
        func highBits(ofBytesAtLeast byte: UInt8, in bytes: UInt64) -> UInt64 {
            bytes &+ repeated(0x80 - UInt64(byte))
        }
        let allHighBits = repeated(0x80)
        guard bytes & allHighBits == 0 else { return false }
        let lower = bytes | repeated(0x20)
        let digits =
            highBits(ofBytesAtLeast: UInt8(ascii: "0"), in: bytes) & ~highBits(
                ofBytesAtLeast: UInt8(ascii: "9") + 1, in: bytes)
        let letters =
            highBits(ofBytesAtLeast: UInt8(ascii: "a"), in: lower) & ~highBits(
                ofBytesAtLeast: UInt8(ascii: "f") + 1, in: lower)
        return (digits | letters) & allHighBits == allHighBits
    }

    /// Returns the index after spaces and the escape sequences of tabs.
    private static func skipSpace(from start: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
        var index = start
        while true {
            if unsafe starts(with: "\\t", at: index, in: text) {
                index += 2
            } else if unsafe starts(with: " ", at: index, in: text) {
                index += 1
            } else {
                return index
            }
        }
    }

    private static func starts(
        with prefix: StaticString, at index: Int, in text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard index + prefix.utf8CodeUnitCount <= text.count else { return false }
        for offset in 0..<prefix.utf8CodeUnitCount
        where unsafe text[index + offset] != prefix.utf8Start[offset] {
            return false
        }
        return true
    }

    // MARK: Texts

    /// Returns the digits of an address such as `0x7f88acc69260` that is not part of a name. An offset such as `+0x1f` may
    /// locate a function, so it is kept.
    private static func addressDigits(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard unsafe text[index + 1] == UInt8(ascii: "x"),
            unsafe index == 0 || !isWord(text[index - 1]) && text[index - 1] != UInt8(ascii: "+")
        else {
            return nil
        }
        var end = index + 2
        while end < text.count, unsafe isHexadecimal(text[end]) { end += 1 }
        guard (1...maxMaskedDigits).contains(end - index - 2), unsafe endsWord(end, in: text) else {
            return nil
        }
        return index + 2..<end
    }

    /// Returns the digits of a duration such as `after 8.912s`, before and after the decimal point.
    private static func durationDigits(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        let prefix: StaticString = "after "
        let start = index + prefix.utf8CodeUnitCount
        guard start < text.count else { return [] }
        for offset in 0..<prefix.utf8CodeUnitCount
        where unsafe text[index + offset] != prefix.utf8Start[offset] {
            return []
        }
        func digits(from start: Int) -> Range<Int> {
            var end = start
            while end < text.count, unsafe isDigit(text[end]) { end += 1 }
            return start..<end
        }
        var runs = [digits(from: start)]
        if runs[0].upperBound < text.count, unsafe text[runs[0].upperBound] == UInt8(ascii: ".") {
            runs.append(digits(from: runs[0].upperBound + 1))
        }
        let end = runs[runs.count - 1].upperBound
        guard runs.allSatisfy({ (1...maxMaskedDigits).contains($0.count) }), end < text.count,
            unsafe text[end] == UInt8(ascii: "s"), unsafe endsWord(end + 1, in: text)
        else { return [] }
        return runs
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    /// Returns `true` if a word ends at `end`. An escape sequence may stand for a character of the word, unless it is
    /// a line end or a quote.
    private static func endsWord(_ end: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard end < text.count else { return true }
        guard unsafe text[end] == UInt8(ascii: "\\"), end + 1 < text.count else {
            return unsafe !isWord(text[end])
        }
        return unsafe text[end + 1] == UInt8(ascii: "n") || text[end + 1] == UInt8(ascii: "\"")
    }
}
