/// All leaks of a class, whatever their stacks, with and without a module before its name.
public struct LeakClass: Sendable {
    /// Rows that are given; all count.
    package static let leaksShown = 200
    /// Names of modules, and of related classes, that are given.
    package static let namesShown = 50

    public var name: String
    /// Modules that reports put before the name.
    public var modules: [String]
    /// Most reports first, at most 200.
    public var leaks: [LeakRow]
    /// How many leaks there are, and what they come to together.
    public var total: Int
    public var reports: Int
    public var freed: Int
    /// Installs with any of the leaks, each counted once: exact up to 256, an estimate beyond.
    public var installs: Int
    /// Time from leak to freed, milliseconds; `nil` without a freed report.
    public var lived: Percentiles?
    /// Milliseconds since 1970.
    public var firstSeen: Int64
    public var lastSeen: Int64
    /// `Outer.Inner` of `Inner`, and the other way round: detectors that leave outer types out make two classes of one.
    public var related: [Related]

    public init(
        name: String, modules: [String], leaks: [LeakRow], total: Int, reports: Int, freed: Int,
        installs: Int,
        lived: Percentiles?, firstSeen: Int64, lastSeen: Int64, related: [Related]
    ) {
        self.name = name
        self.modules = modules
        self.leaks = leaks
        self.total = total
        self.reports = reports
        self.freed = freed
        self.installs = installs
        self.lived = lived
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.related = related
    }

    public struct Related: Hashable, Sendable {
        public var name: String
        public var leaks: Int
        public var reports: Int

        public init(name: String, leaks: Int, reports: Int) {
            self.name = name
            self.leaks = leaks
            self.reports = reports
        }
    }

    /// What follows the last point: `Inner` of `Outer.Inner`.
    package static func innermost(of name: String) -> String {
        String(decoding: name.utf8.suffix(while: { $0 != UInt8(ascii: ".") }), as: UTF8.self)
    }

    /// Whether one of two classes may be the other, named with an outer type more.
    package static func areRelated(_ one: String, _ other: String) -> Bool {
        isInner(one, of: other) || isInner(other, of: one)
    }

    private static func isInner(_ inner: String, of outer: String) -> Bool {
        !inner.isEmpty && outer.utf8.count > inner.utf8.count + 1
            && outer.utf8.suffix(inner.utf8.count + 1).elementsEqual(".\(inner)".utf8)
    }
}

extension BidirectionalCollection {
    /// The longest end of which every element fits.
    fileprivate func suffix(while fits: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, fits(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}
