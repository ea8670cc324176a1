internal import LeakMessage

// Literals, numbers and strings.

extension JSONScanner {
    package mutating func boolean() throws(JSONError) -> Bool {
        if try peek() == UInt8(ascii: "t") {
            try consumeLiteral("true")
            return true
        }
        guard try peek() == UInt8(ascii: "f") else { throw JSONError(.expected("true or false"), at: offset) }
        try consumeLiteral("false")
        return false
    }

    package mutating func null() throws(JSONError) {
        skipSpace()
        try consumeLiteral("null")
    }

    private mutating func consumeLiteral(_ text: StaticString) throws(JSONError) {
        for index in 0..<text.utf8CodeUnitCount {
            guard offset < end else { throw JSONError(.unexpectedEnd, at: offset) }
            guard unsafe base[offset] == text.utf8Start[index] else {
                throw JSONError(.expected("\(text)"), at: offset)
            }
            offset &+= 1
        }
    }

    /// Reads a number by RFC 8259 §6: no plus sign, no leading zero, digits on both sides of the point.
    package mutating func number() throws(JSONError) -> JSONNumber {
        _ = try peek()
        let start = offset
        let isNegative = unsafe base[offset] == UInt8(ascii: "-")
        if isNegative { offset &+= 1 }
        let firstDigit = offset
        var magnitude: UInt64 = 0
        var overflows = false
        while let digit = digit() {
            let (product, productOverflows) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.addingReportingOverflow(UInt64(digit))
            overflows = overflows || productOverflows || sumOverflows
            magnitude = sum
            offset &+= 1
        }
        guard offset > firstDigit else { throw failure(.invalidNumber) }
        if offset &- firstDigit > 1, unsafe base[firstDigit] == UInt8(ascii: "0") {
            throw JSONError(.invalidNumber, at: firstDigit)
        }
        var isWhole = true
        if offset < end, unsafe base[offset] == UInt8(ascii: ".") {
            isWhole = false
            offset &+= 1
            try skipDigits()
        }
        if offset < end, unsafe base[offset] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset &+= 1
            if offset < end, unsafe base[offset] == UInt8(ascii: "+") || base[offset] == UInt8(ascii: "-") {
                offset &+= 1
            }
            try skipDigits()
        }
        let slice = JSONSlice(start..<offset)
        guard isWhole, !overflows else { return JSONNumber(slice: slice, integer: nil) }
        guard isNegative else { return JSONNumber(slice: slice, integer: Int(exactly: magnitude)) }
        let integer = magnitude == 1 << 63 ? Int.min : Int(exactly: magnitude).map { -$0 }
        return JSONNumber(slice: slice, integer: integer)
    }

    /// Returns the value if the number is whole. Forms such as `1.0` and `1e3`, which some encoders write, count as whole.
    package func integer(of number: JSONNumber) -> Int? {
        number.integer ?? Double(text(of: number.slice))?.wholeNumber
    }

    private func digit() -> UInt8? {
        guard offset < end else { return nil }
        let digit = unsafe base[offset] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    private mutating func skipDigits() throws(JSONError) {
        guard digit() != nil else { throw failure(.invalidNumber) }
        while digit() != nil { offset &+= 1 }
    }

    /// Reads a string, checking its escape sequences.
    ///
    /// Accepts a lone surrogate such as `\ud800`, which the grammar of RFC 8259 allows, and reads it as U+FFFD. A detector that cuts
    /// text between UTF-16 units writes a lone surrogate.
    package mutating func string() throws(JSONError) -> JSONSlice {
        guard try peek() == UInt8(ascii: "\"") else { throw JSONError(.expected("a string"), at: offset) }
        offset &+= 1
        let start = offset
        var isEscaped = false
        while true {
            skipUnescapedText()
            guard offset < end else { throw JSONError(.unexpectedEnd, at: end) }
            switch unsafe base[offset] {
            case UInt8(ascii: "\""):
                let slice = JSONSlice(start..<offset, isEscaped: isEscaped)
                offset &+= 1
                return slice
            case UInt8(ascii: "\\"):
                isEscaped = true
                try skipEscapeSequence()
            default: throw JSONError(.controlCharacter, at: offset)
            }
        }
    }

    /// Reads elements of an array as long as they are strings of at most `limit` bytes without escape sequences, and a comma
    /// and another string follow directly. Most elements of call stacks are such strings, and this function takes half of the
    /// time that ``string()`` takes.
    ///
    /// - Returns: the number of elements read. It never reads the last element of the array.
    package mutating func skipPlainStrings(ofAtMost limit: Int) -> Int {
        var count = 0
        while offset < end, unsafe base[offset] == UInt8(ascii: "\"") {
            let start = offset
            offset &+= 1
            skipUnescapedText()
            guard offset &- start <= limit, offset &+ 2 < end, unsafe base[offset] == UInt8(ascii: "\""),
                unsafe base[offset &+ 1] == UInt8(ascii: ","), unsafe base[offset &+ 2] == UInt8(ascii: "\"")
            else {
                offset = start
                return count
            }
            offset &+= 2
            count &+= 1
        }
        return count
    }

    /// Moves to the next quote, backslash or control character: sixteen bytes at a time while none of them matches, then eight.
    ///
    /// Eight bytes are searched by the borrow trick of https://graphics.stanford.edu/~seander/bithacks.html (“Determine if a
    /// word has a byte less than n”). It may also mark bytes after the first match, but the first mark is always right.
    private mutating func skipUnescapedText() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let quote = SIMD16(repeating: UInt8(ascii: "\""))
        let backslash = SIMD16(repeating: UInt8(ascii: "\\"))
        let space = SIMD16<UInt8>(repeating: 0x20)
        while offset &+ 16 <= end {
            let bytes = unsafe UnsafeRawPointer(base + offset).loadUnaligned(as: SIMD16<UInt8>.self)
            let marks = bytes .== quote .| bytes .== backslash .| bytes .< space
            let halves = unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
            guard halves.x | halves.y == 0 else {
                offset &+=
                    halves.x != 0
                    ? halves.x.littleEndian.trailingZeroBitCount >> 3
                    : 8 &+ halves.y.littleEndian.trailingZeroBitCount >> 3
                return
            }
            offset &+= 16
        }
        while offset &+ 8 <= end {
            let word = UInt64(
                littleEndian: unsafe UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let marks =
                ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- (ones &* 0x20))
                    & ~word)
                & highBits
            guard marks == 0 else {
                offset &+= marks.trailingZeroBitCount >> 3
                return
            }
            offset &+= 8
        }
        while offset < end {
            let byte = unsafe base[offset]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
            offset &+= 1
        }
    }

    private mutating func skipEscapeSequence() throws(JSONError) {
        let start = offset
        offset &+= 1
        guard offset < end else { throw JSONError(.unexpectedEnd, at: end) }
        switch unsafe base[offset] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset &+= 1
        case UInt8(ascii: "u"):
            offset &+= 1
            for _ in 0..<4 {
                guard offset < end else { throw JSONError(.unexpectedEnd, at: end) }
                guard unsafe base[offset].hexadecimalValue != nil else {
                    throw JSONError(.invalidEscape, at: start)
                }
                offset &+= 1
            }
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    /// Returns `true` if the string at `name` equals `text`. Creates no `String` unless the string has escape sequences.
    package func matches(_ name: JSONSlice, _ text: StaticString) -> Bool {
        guard !name.isEscaped else { return self.text(of: name) == "\(text)" }
        guard name.count == text.utf8CodeUnitCount else { return false }
        return unsafe withBytes(of: name) { name in
            for index in 0..<text.utf8CodeUnitCount where unsafe name[index] != text.utf8Start[index] {
                return false
            }
            return true
        }
    }
}
