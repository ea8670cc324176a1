/// The words of a leak's class, or of the text that replaces a missing class.
package struct NameWords: Sendable {
    /// Maximum number of words of a name that are compared.
    private static let maxWords = 96
    /// Maximum number of words in which two similar texts may differ.
    private static let maxDifferentWords = 4

    package let name: String
    private let isText: Bool
    private let words: [Substring]
    /// The name in front of the generic arguments: `Store` of `Store<HomeState>`.
    private let genericBase: Substring?

    /// - Parameters:
    ///   - className: ``LeakIdentity/className``
    ///   - text: ``GroupingKey/className``, compared if `className` is `nil`.
    package init(className: String?, text: String) {
        name = className ?? text
        isText = className == nil
        let allWords = isText ? name.split(separator: " ") : Self.words(ofType: name)
        words = Array(allWords.prefix(Self.maxWords))
        let bracket = isText ? nil : name.utf8.firstIndex(of: UInt8(ascii: "<"))
        genericBase = if let bracket { name[..<bracket] } else { nil }
    }

    package init(_ leak: LeakOutline) {
        self.init(className: leak.className, text: leak.groupingKey.className)
    }

    /// Returns the number of words in which two names differ.
    ///
    /// - Returns: `nil` if one name is a type and the other is a text, and for names with at most half of their words in
    ///   common, unless both are types with the same generic base. Also `nil` for texts that differ in more than four words.
    package func differences(from other: NameWords) -> Int? {
        guard isText == other.isText, !words.isEmpty, !other.words.isEmpty else { return nil }
        let longer = max(words.count, other.words.count)
        let sharesBase = genericBase.map { base in
            other.genericBase.map { base.utf8.elementsEqual($0.utf8) } ?? false
        }
        let shorter = min(words.count, other.words.count)
        guard sharesBase == true || shorter * 2 > longer else { return nil }
        let differenceCount = longer - commonWordCount(with: other)
        if isText, differenceCount > Self.maxDifferentWords { return nil }
        return sharesBase == true || (longer - differenceCount) * 2 > longer ? differenceCount : nil
    }

    /// Returns the differing part of each name: the words between the common beginning and the common end, such as
    /// `("Home", "Cart")`. The text of a name without such words is empty.
    package func changedWords(from other: NameWords) -> (ours: String, theirs: String) {
        let (start, end) = commonEdges(with: other)
        return (
            words[start..<words.count - end].joined(separator: " "),
            other.words[start..<other.words.count - end].joined(separator: " ")
        )
    }

    /// Returns the number of words that both names have: the common words at their beginnings and ends, and equal words
    /// anywhere between these.
    private func commonWordCount(with other: NameWords) -> Int {
        let (start, end) = commonEdges(with: other)
        var remaining: [ByteText: Int] = [:]
        for word in words[start..<words.count - end] {
            remaining[ByteText(String(word)), default: 0] += 1
        }
        var commonCount = start + end
        guard !remaining.isEmpty else { return commonCount }
        for word in other.words[start..<other.words.count - end] {
            guard let number = remaining[ByteText(String(word))], number > 0 else { continue }
            remaining[ByteText(String(word))] = number - 1
            commonCount += 1
        }
        return commonCount
    }

    /// Returns the number of words with which both names begin, and the number of words after these with which both end.
    private func commonEdges(with other: NameWords) -> (start: Int, end: Int) {
        let shorter = min(words.count, other.words.count)
        var (start, end) = (0, 0)
        while start < shorter, isSame(words[start], other.words[start]) { start += 1 }
        while end < shorter - start,
            isSame(words[words.count - 1 - end], other.words[other.words.count - 1 - end])
        {
            end += 1
        }
        return (start, end)
    }

    private func isSame(_ one: Substring, _ other: Substring) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// Splits a type's name into words: `HomeURLSession2<Cart>` into `Home`, `URL`, `Session`, `2` and `Cart`.
    private static func words(ofType name: String) -> [Substring] {
        enum Kind { case upper, lower, digit, none }
        func kind(_ byte: UInt8) -> Kind {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
            case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: .lower
            case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
            default: .none
            }
        }
        let bytes = name.utf8
        var words: [Substring] = []
        var start = bytes.startIndex
        var (kindBeforeLast, lastKind) = (Kind.none, Kind.none)
        var previousIndex = start
        func endWord(at end: String.Index) { if start < end { words.append(name[start..<end]) } }
        for index in bytes.indices {
            let current = kind(bytes[index])
            if current == .none {
                endWord(at: index)
                start = bytes.index(after: index)
            } else if lastKind == .upper, current == .lower, kindBeforeLast == .upper {
                // The last of several capital letters begins the next word.
                endWord(at: previousIndex)
                start = previousIndex
            } else if lastKind != .none, lastKind != current, !(lastKind == .upper && current == .lower) {
                endWord(at: index)
                start = index
            }
            (kindBeforeLast, lastKind, previousIndex) = (lastKind, current, index)
        }
        endWord(at: bytes.endIndex)
        return words
    }
}

/// A search for the leaks whose classes or texts are most similar to the class or text of one leak.
package struct SimilarNameSearch {
    private let words: NameWords
    private var similarNames: [(leak: Int64, differences: Int)] = []

    package init(to leak: LeakOutline) { words = NameWords(leak) }

    /// Adds a leak to the search if its class or text is similar.
    ///
    /// - Parameter leak: the row ID of the leak.
    package mutating func add(_ leak: Int64, className: String?, text: String) {
        let differences = words.differences(from: NameWords(className: className, text: text))
        if let differences { similarNames.append((leak, differences)) }
    }

    /// The row IDs of the leaks with the fewest differences, at most ``SimilarLeakLimits/maxLeaksWithSimilarName``.
    package var nearest: [Int64] {
        similarNames.sorted { ($0.differences, $0.leak) < ($1.differences, $1.leak) }
            .prefix(SimilarLeakLimits.maxLeaksWithSimilarName).map(\.leak)
    }
}
