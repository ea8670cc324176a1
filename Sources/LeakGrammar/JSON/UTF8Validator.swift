internal import LeakMessage

/// A check that a whole body is UTF-8. One check is enough for all steps that read the body later.
///
/// `UTF8Span` does the same, but it does not exist on the oldest supported systems.
package enum UTF8Validator {
    /// Looks for the first byte that is not part of well-formed UTF-8 (Unicode 16, table 3-7).
    ///
    /// - Returns: the offset of the byte, or `nil` if all bytes are valid.
    package static func firstInvalidByte(in bytes: [UInt8]) -> Int? {
        unsafe bytes.withUnsafeBufferPointer { unsafe firstInvalidByte(in: $0) }
    }

    /// Looks for the first invalid byte in a part of `bytes`, without copying it. The offset is from the start of `bytes`.
    package static func firstInvalidByte(in bytes: [UInt8], range: Range<Int>) -> Int? {
        let range = range.clamped(to: 0..<bytes.count)
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe firstInvalidByte(in: UnsafeBufferPointer(rebasing: buffer[range]))
        }.map { $0 + range.lowerBound }
    }

    private static func firstInvalidByte(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let count = bytes.count
        var index = 0
        while index < count {
            while index &+ 8 <= count {
                let word = unsafe UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
                guard word & 0x8080_8080_8080_8080 == 0 else { break }
                index &+= 8
            }
            guard index < count else { return nil }
            let first = unsafe base[index]
            if first < 0x80 {
                index &+= 1
                continue
            }
            // The number of bytes that follow, and the allowed range of the first of them. The range excludes overlong forms,
            // surrogates and code points past U+10FFFF.
            let followingCount: Int
            var allowedNext: ClosedRange<UInt8> = 0x80...0xBF
            switch first {
            case 0xC2...0xDF: followingCount = 1
            case 0xE0: (followingCount, allowedNext) = (2, 0xA0...0xBF)
            case 0xED: (followingCount, allowedNext) = (2, 0x80...0x9F)
            case 0xE1...0xEF: followingCount = 2
            case 0xF0: (followingCount, allowedNext) = (3, 0x90...0xBF)
            case 0xF4: (followingCount, allowedNext) = (3, 0x80...0x8F)
            case 0xF1...0xF3: followingCount = 3
            default: return index
            }
            guard index &+ followingCount < count, unsafe allowedNext.contains(base[index &+ 1]) else {
                return index
            }
            for step in 1...followingCount where unsafe base[index &+ step] & 0xC0 != 0x80 { return index }
            index &+= followingCount &+ 1
        }
        return nil
    }
}
