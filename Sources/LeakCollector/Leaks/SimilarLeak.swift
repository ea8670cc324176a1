internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// Another leak of the app that is similar to a leak, and the difference between the two.
struct SimilarLeak: Hashable, Sendable {
    /// Maximum number of similar leaks that a page shows.
    static let shown = 5

    var leak: LeakOutline
    /// One sentence: `same class; 2 of 4 app functions differ: load in Shop ↔ reload in Shop`.
    var difference: String
    private var isSameClass: Bool
    /// Number of elements of the key that differ.
    private var different: Int
    private var common: Int
    /// Number of words in which two similar classes or texts differ.
    private var differentWords: Int

    /// Returns the most similar leaks, at most ``shown``. Leaks of the same class come first, then leaks with a
    /// common element of the key, then leaks with a similar class or text. Among these, leaks with fewer different
    /// words and fewer different elements come first.
    static func closest(to leak: LeakOutline, among others: [LeakOutline]) -> [SimilarLeak] {
        let close = others.filter { $0.id != leak.id }.compactMap { SimilarLeak($0, beside: leak) }
        return Array(close.sorted { $0.precedes($1) }.prefix(shown))
    }

    private func precedes(_ other: SimilarLeak) -> Bool {
        if isSameClass != other.isSameClass { return isSameClass }
        if (common > 0) != (other.common > 0), !isSameClass { return common > 0 }
        if common == 0, differentWords != other.differentWords {
            return differentWords < other.differentWords
        }
        if different != other.different { return different < other.different }
        if common != other.common { return common > other.common }
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
        common = comparison.common
        different = comparison.different
        let (words, otherWords) = (NameWords(leak), NameWords(other))
        let changedWords = isSameClass ? nil : words.differences(from: otherWords)
        differentWords = changedWords ?? 0
        guard isSameClass || common > 0 || changedWords != nil else { return nil }
        let className =
            if isSameClass {
                "same class"
            } else if changedWords == nil {
                "other class: \(Self.short(other.className ?? other.title))"
            } else if let theirs = other.className, let ours = leak.className {
                "class \(Self.short(theirs)) instead of \(Self.short(ours))"
            } else {
                Self.textDifference(words.changed(from: otherWords))
            }
        if changedWords != nil, ours.elements.isEmpty, theirs.elements.isEmpty {
            difference = className
            return
        }
        let rest =
            isComparable
            ? comparison.words(ours.elements.isEmpty ? theirs.kind : ours.kind)
            : "it has \(theirs.kind.whole), this leak has \(ours.kind.whole)"
        let rule =
            leak.groupingKey.version == other.groupingKey.version
            ? "" : "; grouped by rule \(other.groupingKey.version)"
        let separator = isSameClass && comparison.isOneSided ? ", " : "; "
        difference = className + separator + rest + rule
    }

    private static func textDifference(_ changed: (ours: String, theirs: String)) -> String {
        switch (changed.ours, changed.theirs) {
        // Two texts that differ in spaces.
        case ("", ""): "text with the same words"
        case ("", let theirs): "same text with “\(short(theirs))” added"
        case (let ours, ""): "same text without “\(short(ours))”"
        case (let ours, let theirs): "text with “\(short(theirs))” instead of “\(short(ours))”"
        }
    }

    /// Returns the start of a text, because class names and functions may be of any length.
    private static func short(_ text: String) -> String {
        let longest = 80
        return text.count <= longest ? text : text.prefix(longest) + "…"
    }

    /// The part of a key that follows the class.
    private struct Key {
        enum Kind {
            case calls, path, cycle

            /// Returns the noun for `count` elements: `app functions`.
            func noun(_ count: Int) -> String {
                switch self {
                case .calls: count == 1 ? "app function" : "app functions"
                case .path: count == 1 ? "owner" : "owners"
                case .cycle: count == 1 ? "reference of the cycle" : "references of the cycle"
                }
            }

            var whole: String {
                switch self {
                case .calls: "a call stack"
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
                (kind, elements) = (.calls, calls)
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
        /// Maximum number of elements of a list that are compared. A list may have 128, and 50 leaks are compared for
        /// a page.
        private static let length = 48

        let common: Int
        let different: Int
        private let counts: (ours: Int, theirs: Int)
        /// The first elements that only one of the two has.
        private let only: (ours: String?, theirs: String?)

        var isOneSided: Bool { counts.ours == 0 || counts.theirs == 0 }

        /// True if a compiler that inlines functions in only one of two builds can cause the difference: one list is
        /// the other one without some elements, at most half of them and not the outermost.
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
            let one = ours.prefix(Self.length).map(number)
            let other = theirs.prefix(Self.length).map(number)
            let kept = Self.longestCommon(one, other)
            common = kept.count
            different = max(ours.count, theirs.count) - kept.count
            mayBeInlined =
                common == min(one.count, other.count) && common < max(one.count, other.count)
                && common * 2 >= max(one.count, other.count) && one.last == other.last
            let (ourKept, theirKept) = (Set(kept.map(\.ours)), Set(kept.map(\.theirs)))
            only = (
                one.indices.first { !ourKept.contains($0) }.map { ours[$0] },
                other.indices.first { !theirKept.contains($0) }.map { theirs[$0] }
            )
        }

        /// Returns the indices of the longest common subsequence.
        private static func longestCommon(
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
            var places: [(ours: Int, theirs: Int)] = []
            while row < one.count, column < other.count {
                if one[row] == other[column] {
                    places.append((row, column))
                    (row, column) = (row + 1, column + 1)
                } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
                    row += 1
                } else {
                    column += 1
                }
            }
            return places
        }

        func words(_ kind: Key.Kind) -> String {
            let all = max(counts.ours, counts.theirs)
            switch (counts.ours, counts.theirs) {
            case (0, 0): return "without \(kind.whole)"
            case (_, 0): return "it has no stack"
            case (0, _):
                return "it has \(SimilarLeak.short(only.theirs ?? "")), this leak has no stack"
            default: break
            }
            guard different > 0 else { return "the same \(all) \(kind.noun(all))" }
            let verb = different == 1 ? "differs" : "differ"
            let sides =
                "\(only.ours.map(SimilarLeak.short) ?? "nothing") ↔ \(only.theirs.map(SimilarLeak.short) ?? "nothing")"
            let reason = kind == .calls && mayBeInlined ? " (perhaps inlined)" : ""
            return "\(different) of \(all) \(kind.noun(all)) \(verb): \(sides)\(reason)"
        }
    }
}

/// The other leaks that a leak's page and its JSON show.
struct RelatedLeaks {
    var closest: [SimilarLeak] = []
    /// The leak that new reports belong to, if an older rule made this leak.
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
        closest = SimilarLeak.closest(to: outline, among: try reader.outlines(near: identity.id))
        successor = try Successor(of: identity, newest: newest, reader: reader)
        let images = CallStack.unnamedImages(in: identity.stack)
        guard !images.isEmpty else { return }
        let known = Set(try reader.symbols().compactMap { ImageID($0.image) })
        imagesWithoutSymbols = images.filter { ImageID($0).map { !known.contains($0) } ?? false }
    }
}
