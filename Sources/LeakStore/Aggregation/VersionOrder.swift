/// The order of versions: that of Semantic Versioning 2.0.0 §11, extended to all other texts.
///
/// The byte order of keys is the order of the versions, so that a database can order by `key`. `5.2` ranks the same as `5.2.0`,
/// and so does `v5.2.0`; `5.2b3` counts as a pre-release of `5.2`; a text without a leading number (`unknown`) is older than
/// any version. Versions that rank the same are ordered by their text.
package struct VersionOrder: Hashable, Comparable, Sendable {
    package let key: [UInt8]
    /// Number of leading bytes of ``key`` that all versions of the same rank have in common; the rest is the text.
    private let rankByteCount: Int

    package init(_ version: String) {
        let text = Array(version.utf8)
        var remaining = text[...]
        if remaining.count > 1, remaining[0] | 0x20 == UInt8(ascii: "v"), Self.isDigit(remaining[1]) {
            remaining = remaining.dropFirst()
        }
        guard let numbers = Self.takeNumbers(from: &remaining) else {
            key = [Mark.text] + text
            rankByteCount = key.count
            return
        }
        var key = [Mark.version]
        for number in numbers {
            key.append(Mark.number + UInt8(number.count))
            key.append(contentsOf: number)
        }
        key.append(Mark.end)
        let suffix = remaining.prefix { $0 != UInt8(ascii: "+") }
        if suffix.isEmpty {
            key.append(Mark.released)
        } else {
            Self.append(preRelease: suffix.first == UInt8(ascii: "-") ? suffix.dropFirst() : suffix, to: &key)
        }
        rankByteCount = key.count
        self.key = key + text
    }

    /// `true` if the text begins with a number, or with `v` and a number, so that it can be compared with other versions.
    package var isNumbered: Bool { key[0] == Mark.version }

    /// The least key of a version that begins with a number.
    package static let numberedLowerBound = [Mark.version]

    /// The least key of a version that ranks the same or higher.
    package var sameRankLowerBound: [UInt8] { Array(key.prefix(rankByteCount)) }

    /// The least key of a version that ranks higher.
    package var higherRankLowerBound: [UInt8] {
        // Each text without a number has a rank of its own.
        guard isNumbered else { return key + [0] }
        var bound = sameRankLowerBound
        if bound[rankByteCount - 1] == Mark.released { bound.removeLast() }
        // The bound now ends with ``Mark/end``. No key of a higher rank begins with these bytes.
        bound[bound.count - 1] = Mark.end + 1
        return bound
    }

    /// Returns `true` if both versions rank the same, such as `5.2` and `v5.2.0`.
    package func hasSameRank(as other: String) -> Bool {
        sameRankLowerBound == VersionOrder(other).sameRankLowerBound
    }

    private static let keyOfOther = Self(StoreLimits.other).key

    /// Returns `true` if a version is lower than the first version of a leak, so that it becomes the first. ``StoreLimits/other``
    /// never becomes the first, because reports of any version may be counted in it.
    ///
    /// - Parameters:
    ///   - key: the ``key`` of the version.
    ///   - first: the ``key`` of the first version so far.
    package static func isFirst(_ key: [UInt8], before first: [UInt8]) -> Bool {
        key.lexicographicallyPrecedes(first) && key != keyOfOther
    }

    package static func < (one: Self, other: Self) -> Bool { one.key.lexicographicallyPrecedes(other.key) }

    /// The first bytes of the parts of a key. If different parts may occur at the same position, the part with the
    /// smaller byte sorts first.
    private enum Mark {
        static let text: UInt8 = 1
        static let version: UInt8 = 2
        /// Ends a list of numbers or of pre-release parts, and sorts before any further part.
        static let end: UInt8 = 1
        /// Is added to the count of digits, at most ``digitLimit``, so that a number with more digits sorts later.
        static let number: UInt8 = 2
        static let preReleaseNumber: UInt8 = 2
        static let preReleaseText: UInt8 = 3
        static let released: UInt8 = 0xFF
    }

    /// Maximum number of digits of one number. A date with its time has 14.
    private static let digitLimit = 64

    /// Removes the numbers at the beginning, such as `1.2.3`, and returns their digits. Leaves out zeros at the beginning of a
    /// number, and numbers at the end that are zero. Returns `nil` if there is no number, or a number is too long.
    private static func takeNumbers(from remaining: inout ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var numbers: [ArraySlice<UInt8>] = []
        while true {
            let digits = remaining.prefix(while: isDigit)
            guard !digits.isEmpty else { break }
            let number = digits.drop { $0 == UInt8(ascii: "0") }
            guard number.count <= digitLimit else { return nil }
            numbers.append(number)
            remaining = remaining.dropFirst(digits.count)
            guard remaining.count > 1, remaining.first == UInt8(ascii: "."),
                isDigit(remaining[remaining.startIndex + 1])
            else {
                break
            }
            remaining = remaining.dropFirst()
        }
        guard !numbers.isEmpty else { return nil }
        while numbers.last?.isEmpty == true { numbers.removeLast() }
        return numbers
    }

    private static func append(preRelease: ArraySlice<UInt8>, to key: inout [UInt8]) {
        for part in preRelease.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            let number = part.drop { $0 == UInt8(ascii: "0") }
            if !part.isEmpty, part.allSatisfy(isDigit), number.count <= digitLimit {
                key.append(Mark.preReleaseNumber)
                key.append(UInt8(number.count))
                key.append(contentsOf: number)
            } else {
                key.append(Mark.preReleaseText)
                key.append(contentsOf: part.lazy.map { max($0, 1) })
                key.append(0)
            }
        }
        key.append(Mark.end)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
