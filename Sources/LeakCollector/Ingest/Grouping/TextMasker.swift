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

    /// Appends `text`, the content of a JSON string, to `key` with these digits masked.
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
                // JSON contains no zero byte, so no text without digits in this place has the same key.
                key.append(0)
                key.append(UInt8(truncatingIfNeeded: digits.count))
                unmaskedStart = digits.upperBound
            }
            while index + 2 < text.count {
                switch unsafe text[index] {
                case UInt8(ascii: "0"):
                    if let digits = unsafe address(at: index, in: text) {
                        mask(digits, &key)
                        index = digits.upperBound
                    }
                case UInt8(ascii: "a"):
                    for digits in unsafe seconds(at: index, in: text) {
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

    /// Returns `true` if a text has fields of JSON frames that locate code by hexadecimal digits: `imageOffset`,
    /// `image_addr`, `object_addr` and `instruction_addr`.
    private static func hasFrameLocations(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        for (pattern, rareByteOffset) in [("imageOffset", 5), ("_addr", 0)] as [(StaticString, Int)]
        where unsafe next(pattern, rareByteOffset: rareByteOffset, from: 0, in: text) < text.count {
            return true
        }
        return false
    }

    // MARK: Call stacks

    /// Maximum digits of an offset in an image. An address in a process has more.
    private static let maxOffsetDigits = 8

    /// Appends a JSON array of call frames to `key` without the addresses that change from launch to launch.
    ///
    /// - Returns: `false`, without appending anything, if the first element does not begin like a call frame with an
    ///   address, or if an element is a JSON object, whose addresses locate a function in an image.
    static func appendCallStack(_ elements: ArraySlice<UInt8>, to key: inout [UInt8]) -> Bool {
        unsafe elements.withUnsafeBufferPointer { text in
            guard let first = unsafe text.firstIndex(of: UInt8(ascii: "\"")),
                unsafe hasAddress(at: first + 1, in: text)
            else { return false }
            guard unsafe !hasObject(from: first, in: text) else { return false }
            // The text is copied as a whole, and then shortened in place: one byte replaces each address.
            let start = key.count
            unsafe key.append(contentsOf: text)
            let end = unsafe key.withUnsafeMutableBufferPointer { key in
                unsafe compactAddresses(of: text, from: first, into: key, at: start)
            }
            key.removeLast(key.count - end)
            return true
        }
    }

    /// Removes the addresses of call frames from the copy of `text` in `key`.
    ///
    /// - Returns: the index after the last byte of the shortened copy.
    private static func compactAddresses(
        of text: UnsafeBufferPointer<UInt8>, from first: Int, into key: UnsafeMutableBufferPointer<UInt8>,
        at start: Int
    ) -> Int {
        var end = start
        var unmaskedStart = 0
        func append(_ range: Range<Int>) {
            if end != start + range.lowerBound {
                _ = unsafe UnsafeMutableBufferPointer(rebasing: key[end..<end + range.count])
                    .update(fromContentsOf: UnsafeBufferPointer(rebasing: text[range]))
            }
            end += range.count
        }
        var hexadecimal = unsafe next("0x", rareByteOffset: 1, from: first, in: text)
        var bracket = unsafe next(") ", rareByteOffset: 0, from: first, in: text)
        while min(hexadecimal, bracket) < text.count {
            let index = min(hexadecimal, bracket)
            let address = unsafe callAddress(at: index, in: text)
            if let address {
                append(unmaskedStart..<address.lowerBound)
                // The byte is 0x10 to 0x1F, which JSON cannot contain: its only control characters are white space.
                unsafe key[end] = 0x0F + UInt8(truncatingIfNeeded: address.count)
                end += 1
                unmaskedStart = address.upperBound
            }
            let searchStart = address?.upperBound ?? index + 1
            if hexadecimal < searchStart {
                hexadecimal = unsafe next("0x", rareByteOffset: 1, from: searchStart, in: text)
            }
            if bracket < searchStart {
                bracket = unsafe next(") ", rareByteOffset: 0, from: searchStart, in: text)
            }
        }
        append(unmaskedStart..<text.count)
        return end
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

    /// Returns the index of the next pattern such as `0x` or `) `; `text.count` if there is none. The function searches
    /// for the byte at `rareByteOffset` of the pattern, because that byte is rarer in call stacks than the other bytes.
    private static func next(
        _ pattern: StaticString, rareByteOffset: Int, from start: Int, in text: UnsafeBufferPointer<UInt8>
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
    private static func hasAddress(at start: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
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
            if isNumbered || isAddress, unsafe callAddress(at: index, in: text) != nil { return true }
            if unsafe elfAddress(at: index, in: text) != nil { return true }
            index += unsafe text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return unsafe isAddress && callAddress(at: wordStart, in: text) != nil
    }

    /// Returns the digits of an address that is a separate word with more than ``maxOffsetDigits`` digits after its leading
    /// zeros, or of the address in brackets at the end of a string; `nil` if none begins at `index`.
    private static func callAddress(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        if let address = unsafe elfAddress(at: index, in: text) { return address }
        guard index > 0, unsafe starts(with: "0x", at: index, in: text) else { return nil }
        let before = unsafe text[index - 1]
        let isStart =
            unsafe before == UInt8(ascii: " ") || before == UInt8(ascii: "\"")
            || before == UInt8(ascii: "t") && index > 1 && text[index - 2] == UInt8(ascii: "\\")
        guard isStart else { return nil }
        let digits = unsafe hexadecimalDigits(from: index + 2, in: text)
        guard digits.upperBound < text.count, digits.count <= 16 else { return nil }
        let end = unsafe text[digits.upperBound]
        guard end == UInt8(ascii: " ") || end == UInt8(ascii: "\"") || end == UInt8(ascii: "\\") else {
            return nil
        }
        let significant = digits.drop { unsafe text[$0] == UInt8(ascii: "0") }
        return significant.count > maxOffsetDigits ? digits : nil
    }

    /// Returns the digits in square brackets of `(+0x41b9) [0x55dd8268e1b9]`, if `) [` is at `index`.
    private static func elfAddress(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard unsafe starts(with: ") [0x", at: index, in: text) else { return nil }
        let digits = unsafe hexadecimalDigits(from: index + 5, in: text)
        let isEnd = unsafe starts(with: "]\"", at: digits.upperBound, in: text)
        return isEnd && (1...16).contains(digits.count) ? digits : nil
    }

    private static func hexadecimalDigits(from start: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>
    {
        var end = start
        while unsafe hasEightHexadecimalDigits(at: end, in: text) { end += 8 }
        while end < text.count, unsafe isHexadecimal(text[end]) { end += 1 }
        return start..<end
    }

    /// Returns `true` if the next eight bytes are hexadecimal digits. All eight are compared at once by an addition, after
    /// which the high bit of each byte tells whether the byte was at least `byte`.
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

    /// Returns the digits of an address such as `0x7f88acc69260` that is not part of a name.
    private static func address(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard unsafe text[index + 1] == UInt8(ascii: "x"), unsafe index == 0 || !isWord(text[index - 1])
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
    private static func seconds(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
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
