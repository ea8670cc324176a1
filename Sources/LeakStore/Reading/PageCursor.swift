/// The position of the last row of a page of a list: the sort keys of this row.
///
/// The next page contains the rows after this position. A leak whose counts grow between two pages may move up, so that it is
/// missing on both pages. A leak whose counts do not change is never shown twice.
package struct PageCursor: Hashable, Comparable, Sendable {
    package var primary: Int64
    package var secondary: Int64
    package var leakRowID: Int64

    /// Returns a cursor before the first row of a list.
    package static func start(of query: LeakQuery) -> PageCursor {
        let key = query.isAscending ? Int64.min : .max
        return PageCursor(primary: key, secondary: key, leakRowID: key)
    }

    /// Returns the cursor at the present position of its leak in a list by name. The first key of such a list is the position
    /// of a name, which changes when other names come or go.
    ///
    /// - Parameters:
    ///   - position: the position of the last listed name that does not come after the name of the leak; 0 if there is none.
    ///   - isListed: `true` if the name at that position is the name of the leak.
    package func moved(toNamePosition position: Int64, isListed: Bool, isAscending: Bool) -> PageCursor {
        if isListed { return PageCursor(primary: position, secondary: secondary, leakRowID: leakRowID) }
        return isAscending
            ? PageCursor(primary: position, secondary: secondary, leakRowID: .max)
            : PageCursor(primary: position + 1, secondary: secondary, leakRowID: .min)
    }

    /// Returns 64 hexadecimal digits: the keys, then a hash of the keys and the query.
    package func text(for query: LeakQuery) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for word in [
            UInt64(bitPattern: primary), UInt64(bitPattern: secondary), UInt64(bitPattern: leakRowID),
            hash(for: query),
        ] {
            for shift in stride(from: 60, through: 0, by: -4) {
                text.append(digits[Int(word >> UInt64(shift) & 15)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Throws: ``StoreError/Reason/invalidArgument`` for a text that ``text(for:)`` did not return for this query.
    package init(_ text: String, for query: LeakQuery) throws(StoreError) {
        let invalid = StoreError(
            .invalidArgument, "the cursor does not belong to this list; start at the first page")
        let digits = Array(text.utf8)
        guard digits.count == 64 else { throw invalid }
        var words: [UInt64] = []
        for start in stride(from: 0, to: 64, by: 16) {
            var word: UInt64 = 0
            for digit in digits[start..<start + 16] {
                switch digit {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    word = word << 4 | UInt64(digit - UInt8(ascii: "0"))
                case UInt8(ascii: "a")...UInt8(ascii: "f"):
                    word = word << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
                default: throw invalid
                }
            }
            words.append(word)
        }
        primary = Int64(bitPattern: words[0])
        secondary = Int64(bitPattern: words[1])
        leakRowID = Int64(bitPattern: words[2])
        guard hash(for: query) == words[3] else { throw invalid }
    }

    package static func < (one: PageCursor, other: PageCursor) -> Bool {
        (one.primary, one.secondary, one.leakRowID) < (other.primary, other.secondary, other.leakRowID)
    }

    package init(primary: Int64, secondary: Int64, leakRowID: Int64) {
        self.primary = primary
        self.secondary = secondary
        self.leakRowID = leakRowID
    }

    /// Returns a hash of the keys and of the query without its limit and cursor. A cursor with another hash does not belong to
    /// the query.
    private func hash(for query: LeakQuery) -> UInt64 {
        var listQuery = query
        (listQuery.limit, listQuery.cursor) = (LeakQuery().limit, nil)
        var writer = PackedWriter()
        for (name, value) in listQuery.parameters {
            guard let value else { continue }
            writer.append(name)
            writer.append(value)
        }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in writer.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for word in [primary, secondary, leakRowID] { hash = SplitMix64.mix(hash ^ UInt64(bitPattern: word)) }
        return hash
    }
}
