internal import LeakGrammar
internal import LeakStore

/// The grouping rules that people wrote for an app. The first rule that matches a report without a fingerprint gives it one, so
/// that its group is named by the rule instead of class and path.
///
/// The text has one rule per line: `class:Cart* stack:*Checkout* -> "Checkout: {class}"`. Empty lines, and lines that begin with
/// `#`, are left out.
struct FingerprintRules: Hashable, Sendable {
    /// A part of a report that a rule compares.
    enum Part: String, Hashable, Sendable, CaseIterable {
        /// The class, with or without its module.
        case className = "class"
        /// The title of a report without a class.
        case text
        /// An element of the path, of the children or of the cycle.
        case stack
    }

    struct Matcher: Hashable, Sendable {
        let part: Part
        let glob: Glob
    }

    struct Rule: Hashable, Sendable {
        /// The number of the line, from 1.
        let line: Int
        /// A report must match all of them; at least one. Those of the stack, which take longest, come last.
        let matchers: [Matcher]
        /// The group, in which ``FingerprintRules/classPlaceholder`` stands for the class.
        let group: String

        /// `true` if the group contains the class, so that the rule applies only to reports with a class.
        let needsClass: Bool

        init(line: Int, matchers: [Matcher], group: String) {
            (self.line, self.matchers, self.group) = (line, matchers, group)
            needsClass = group.contains(FingerprintRules.classPlaceholder)
        }
    }

    /// The group of a report by a rule.
    struct Match: Hashable, Sendable {
        let group: String
        /// The number of the rule's line, from 1.
        let line: Int
    }

    /// The parts of a report, or of a stored leak, that rules compare. Names and elements are those that the page of a leak shows.
    struct Subject {
        /// The class without its module, as a group names it; `nil` for a report without a class.
        let className: String?
        private let classSpellings: [[UInt32]]
        private let title: [UInt32]
        private let path: [[UInt32]]

        /// - Parameters:
        ///   - spellings: the class without and with its module.
        ///   - title: compared only if there is no class.
        ///   - path: the path or the call stack, the children and the cycle.
        init(className: String?, spellings: [String], title: String, path: [String]) {
            self.className = className
            classSpellings = spellings.map(Glob.characters)
            self.title = Glob.characters(of: title)
            self.path = path.map(Glob.characters)
        }

        /// Returns the elements that rules compare: call frames as pages show them, without the word before them.
        static func path(stack: [String], children: [String], cycle: [String]) -> [String] {
            (CallStack.titles(of: stack) ?? stack) + children + cycle
        }

        /// The parts of a stored leak. Its reports may have other elements of the system in their paths.
        init(_ leak: LeakIdentity) {
            let className = leak.className
            self.init(
                className: className,
                spellings: className.map { name in [name] + (leak.module.map { ["\($0).\(name)"] } ?? []) }
                    ?? [],
                title: className == nil ? leak.title : "",
                path: Self.path(stack: leak.stack, children: leak.children, cycle: leak.cycle))
        }

        /// `true` if the class may begin with a module, which other senders of the same leak do not write.
        var hasDottedClass: Bool { className?.contains(".") ?? false }

        fileprivate func matches(_ matcher: Matcher) -> Bool {
            switch matcher.part {
            case .className: classSpellings.contains { matcher.glob.matches($0) }
            case .text: className == nil && matcher.glob.matches(title)
            case .stack: path.contains { matcher.glob.matches($0) }
            }
        }
    }

    static let classPlaceholder = "{class}"

    let rules: [Rule]

    init(rules: [Rule]) { self.rules = rules }

    /// Returns the group of a report by the first rule that matches; `nil` if none does.
    func match(_ subject: Subject) -> Match? {
        for rule in rules where subject.className != nil || !rule.needsClass {
            guard rule.matchers.allSatisfy({ subject.matches($0) }) else { continue }
            return rule.match(className: subject.className)
        }
        return nil
    }

    /// Returns `true` if reports of one leak may match different rules, because rules that may apply to its class compare paths.
    func dependOnPath(_ subject: Subject) -> Bool {
        for rule in rules where subject.className != nil || !rule.needsClass {
            let others = rule.matchers.filter { $0.part != .stack }
            guard others.allSatisfy({ subject.matches($0) }) else { continue }
            return others.count < rule.matchers.count
        }
        return false
    }

    /// Returns the rule that may have named a group.
    func rule(naming group: String, className: String?) -> Match? {
        for rule in rules where className != nil || !rule.needsClass {
            let match = rule.match(className: className)
            if ByteText(match.group) == ByteText(group) { return match }
        }
        return nil
    }
}

extension FingerprintRules.Rule {
    fileprivate func match(className: String?) -> FingerprintRules.Match {
        FingerprintRules.Match(
            group: group.replacing(FingerprintRules.classPlaceholder, with: className ?? ""), line: line)
    }
}

extension FingerprintRules {
    /// Returns the current rules of an app; `nil` if it has none.
    static func current(of app: String, from reader: any StoreReader) throws(StoreError) -> FingerprintRules?
    {
        try reader.rules(of: app, limit: 1).first.flatMap { FingerprintRules($0) }
    }

    /// - Returns: `nil` for rules without a line that applies, and for rules of a later collector that this one cannot read.
    init?(_ stored: AppRules) {
        guard let rules = try? FingerprintRules(text: stored.text), !rules.rules.isEmpty else { return nil }
        self = rules
    }
}
