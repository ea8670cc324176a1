internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// Another leak of the app that is similar to a leak, and the difference between the two.
struct SimilarLeak: Hashable, Sendable {
    /// Maximum number of similar leaks that a page shows.
    static let maxListedLeaks = 5

    var leak: LeakOutline
    /// One sentence: `same class; 2 of 4 app functions differ: load in Shop ↔ reload in Shop`.
    var difference: String
    private var isSameClass: Bool
    /// Number of elements in which the two grouping keys differ.
    private var differentElementCount: Int
    /// Number of elements that both grouping keys have.
    private var commonElementCount: Int
    /// Number of words in which two similar classes or texts differ.
    private var differentWordCount: Int

    /// Returns the most similar leaks, at most ``maxListedLeaks``. Leaks of the same class come first, then leaks with a
    /// common element of the key, then leaks with a similar class or text. Among these, leaks with fewer different
    /// words and fewer different elements come first.
    static func closest(to leak: LeakOutline, among others: [LeakOutline]) -> [SimilarLeak] {
        let similarLeaks = others.filter { $0.id != leak.id }.compactMap { SimilarLeak($0, beside: leak) }
        return Array(similarLeaks.sorted { $0.precedes($1) }.prefix(maxListedLeaks))
    }

    private func precedes(_ other: SimilarLeak) -> Bool {
        if isSameClass != other.isSameClass { return isSameClass }
        if (commonElementCount > 0) != (other.commonElementCount > 0), !isSameClass {
            return commonElementCount > 0
        }
        if commonElementCount == 0, differentWordCount != other.differentWordCount {
            return differentWordCount < other.differentWordCount
        }
        if differentElementCount != other.differentElementCount {
            return differentElementCount < other.differentElementCount
        }
        if commonElementCount != other.commonElementCount {
            return commonElementCount > other.commonElementCount
        }
        return (other.leak.reports, leak.id) < (leak.reports, other.leak.id)
    }

    /// - Returns: `nil` for a leak that has neither the same class, nor a similar class or text, nor a common element
    ///   of the key.
    private init?(_ other: LeakOutline, beside leak: LeakOutline) {
        self.leak = other
        isSameClass =
            leak.className.map { name in other.className.map { ByteText($0) == ByteText(name) } ?? false }
            ?? false
        let (ours, theirs) = (Key(of: leak), Key(of: other))
        let isComparable = ours.kind == theirs.kind || ours.elements.isEmpty || theirs.elements.isEmpty
        let comparison = Comparison(
            ours.elements, isComparable ? theirs.elements : theirs.elements.map { "\u{0}" + $0 })
        commonElementCount = comparison.commonElementCount
        differentElementCount = comparison.differentElementCount
        let (words, otherWords) = (NameWords(leak), NameWords(other))
        let changedWords = isSameClass ? nil : words.differences(from: otherWords)
        differentWordCount = changedWords ?? 0
        guard isSameClass || commonElementCount > 0 || changedWords != nil else { return nil }
        let classDifference =
            if isSameClass {
                "same class"
            } else if changedWords == nil {
                "other class: \(Self.shortened(other.className ?? other.title))"
            } else if let theirs = other.className, let ours = leak.className {
                "class \(Self.shortened(theirs)) instead of \(Self.shortened(ours))"
            } else {
                Self.textDifference(words.changedWords(from: otherWords))
            }
        if changedWords != nil, ours.elements.isEmpty, theirs.elements.isEmpty {
            difference = classDifference
            return
        }
        let elementDifference =
            isComparable
            ? comparison.differenceText(ours.elements.isEmpty ? theirs.kind : ours.kind)
            : "the other leak has \(theirs.kind.nounPhrase), this leak has \(ours.kind.nounPhrase)"
        let ruleNote =
            leak.groupingKey.version == other.groupingKey.version
            ? "" : "; grouped by rule \(other.groupingKey.version)"
        let separator = isSameClass && comparison.hasEmptyList ? ", " : "; "
        difference = classDifference + separator + elementDifference + ruleNote
    }

    private static func textDifference(_ changed: (ours: String, theirs: String)) -> String {
        switch (changed.ours, changed.theirs) {
        // The texts differ only in spaces.
        case ("", ""): "text with the same words"
        case ("", let theirs): "same text with “\(shortened(theirs))” added"
        case (let ours, ""): "same text without “\(shortened(ours))”"
        case (let ours, let theirs): "text with “\(shortened(theirs))” instead of “\(shortened(ours))”"
        }
    }

    /// Returns the start of a text, because class names and functions may be of any length.
    private static func shortened(_ text: String) -> String {
        let maxLength = 80
        return text.count <= maxLength ? text : text.prefix(maxLength) + "…"
    }

    /// The part of a grouping key that follows the class.
    private struct Key {
        enum Kind {
            case callStack, path, cycle

            /// Returns the noun for `count` elements: `app functions`.
            func noun(_ count: Int) -> String {
                switch self {
                case .callStack: count == 1 ? "app function" : "app functions"
                case .path: count == 1 ? "owner" : "owners"
                case .cycle: count == 1 ? "reference of the cycle" : "references of the cycle"
                }
            }

            var nounPhrase: String {
                switch self {
                case .callStack: "a call stack"
                case .path: "a path of owners"
                case .cycle: "a cycle"
                }
            }
        }

        let kind: Kind
        let elements: [String]

        init(of leak: LeakOutline) {
            let stack = leak.groupingKey.stack
            if let calls = CallStack.titles(of: stack) {
                (kind, elements) = (.callStack, calls)
                return
            }
            kind = leak.groupingKey.className.isEmpty ? .cycle : .path
            // The last element of a path is the leaked object itself.
            let isSelf = stack.last.map { ByteText($0) == ByteText(leak.groupingKey.className) } ?? false
            elements = isSelf ? stack.dropLast() : stack
        }
    }

    /// The comparison of two lists of elements.
    private struct Comparison {
        /// Maximum number of elements of a list that are compared. A list may have 128 elements, one page compares up to
        /// 62 leaks, and the time of a comparison is quadratic.
        private static let maxComparedElements = 48

        let commonElementCount: Int
        let differentElementCount: Int
        private let counts: (ours: Int, theirs: Int)
        /// The first element of each list that the other list does not have.
        private let firstUnshared: (ours: String?, theirs: String?)

        var hasEmptyList: Bool { counts.ours == 0 || counts.theirs == 0 }

        /// True if the difference may come from a compiler that inlines functions in only one of two builds. Then one list
        /// is the other list without some elements: at most half of them, and not the outermost.
        private let mayBeInlined: Bool

        init(_ ours: [String], _ theirs: [String]) {
            counts = (ours.count, theirs.count)
            // Each text gets a number, and the numbers are compared.
            var numbers: [ByteText: Int] = [:]
            func number(_ text: String) -> Int {
                if let known = numbers[ByteText(text)] { return known }
                numbers[ByteText(text)] = numbers.count
                return numbers.count - 1
            }
            let one = ours.prefix(Self.maxComparedElements).map(number)
            let other = theirs.prefix(Self.maxComparedElements).map(number)
            let shared = Self.longestCommonSubsequence(one, other)
            commonElementCount = shared.count
            differentElementCount = max(ours.count, theirs.count) - shared.count
            mayBeInlined =
                commonElementCount == min(one.count, other.count)
                && commonElementCount < max(one.count, other.count)
                && commonElementCount * 2 >= max(one.count, other.count) && one.last == other.last
            let (ourShared, theirShared) = (Set(shared.map(\.ours)), Set(shared.map(\.theirs)))
            firstUnshared = (
                one.indices.first { !ourShared.contains($0) }.map { ours[$0] },
                other.indices.first { !theirShared.contains($0) }.map { theirs[$0] }
            )
        }

        /// Returns the longest common subsequence. Each of its elements is given by its indexes in the two lists.
        private static func longestCommonSubsequence(
            _ one: [Int], _ other: [Int]
        ) -> [(ours: Int, theirs: Int)] {
            let width = other.count + 1
            var lengths = [Int](repeating: 0, count: (one.count + 1) * width)
            for row in one.indices.reversed() {
                for column in other.indices.reversed() {
                    let (below, right) = ((row + 1) * width + column, row * width + column + 1)
                    lengths[row * width + column] =
                        one[row] == other[column]
                        ? lengths[below + 1] + 1 : max(lengths[below], lengths[right])
                }
            }
            var (row, column) = (0, 0)
            var matches: [(ours: Int, theirs: Int)] = []
            while row < one.count, column < other.count {
                if one[row] == other[column] {
                    matches.append((row, column))
                    (row, column) = (row + 1, column + 1)
                } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
                    row += 1
                } else {
                    column += 1
                }
            }
            return matches
        }

        /// Returns the difference in words.
        ///
        /// - Parameter kind: the kind of the elements.
        func differenceText(_ kind: Key.Kind) -> String {
            let elementCount = max(counts.ours, counts.theirs)
            switch (counts.ours, counts.theirs) {
            case (0, 0): return "without \(kind.nounPhrase)"
            case (_, 0): return "the other leak has no stack"
            case (0, _):
                return
                    "the other leak has \(SimilarLeak.shortened(firstUnshared.theirs ?? "")), this leak has no stack"
            default: break
            }
            guard differentElementCount > 0 else {
                return "the same \(elementCount == 1 ? "" : "\(elementCount) ")\(kind.noun(elementCount))"
            }
            let verb = differentElementCount == 1 ? "differs" : "differ"
            let sides =
                "\(firstUnshared.ours.map(SimilarLeak.shortened) ?? "nothing") ↔ \(firstUnshared.theirs.map(SimilarLeak.shortened) ?? "nothing")"
            let reason = kind == .callStack && mayBeInlined ? " (perhaps inlined)" : ""
            return
                "\(differentElementCount) of \(elementCount) \(kind.noun(elementCount)) \(verb): \(sides)\(reason)"
        }
    }
}

/// The other leaks that a leak's page and its JSON show.
struct RelatedLeaks {
    var closest: [SimilarLeak] = []
    /// The leak that new reports belong to, if an older grouping rule grouped the reports of this leak.
    var successor: Successor?
    /// The ids of images whose functions have no names, because no symbols of them were uploaded.
    var imagesWithoutSymbols: [String] = []

    init() {}

    /// - Parameter newest: returns the newest sample report of the leak; called only if it is needed.
    init(
        of leak: LeakRow, newest: () throws(StoreError) -> SampleReport?, reader: any StoreReader
    ) throws(StoreError) {
        let identity = leak.identity
        let outline = LeakOutline(
            id: identity.id, title: identity.title, className: identity.className, stack: identity.stack,
            groupingKey: identity.groupingKey, reports: leak.reports)
        closest = SimilarLeak.closest(to: outline, among: try reader.outlines(similarTo: identity.id))
        successor = try Successor(of: identity, newest: newest, reader: reader)
        let images = CallStack.imageIDs(ofUnnamedFunctionsIn: identity.stack)
        guard !images.isEmpty else { return }
        let imagesWithSymbols = Set(try reader.symbols().compactMap { ImageID($0.image) })
        imagesWithoutSymbols = images.filter { ImageID($0).map { !imagesWithSymbols.contains($0) } ?? false }
    }
}
