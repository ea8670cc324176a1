/// All leaks of one class: with any stack, and with or without a module before the class.
public struct LeakClass: Sendable {
    /// Maximum number of rows in the result; all leaks are counted.
    package static let maxLeaksShown = 200
    /// Maximum number of module names, and of related classes, in the result.
    package static let maxNamesShown = 50

    public var name: String
    /// Modules that reports name together with the class.
    public var modules: [String]
    /// The leaks with the most reports, at most 200, most reports first.
    public var leaks: [LeakRow]
    /// Number of all leaks of the class. The other counts include all of them, not only those in ``leaks``.
    public var total: Int
    public var reports: Int
    /// Number of leaked objects that were freed after their report.
    public var freed: Int
    /// Installs with any of the leaks, each counted once: exact up to 256, an estimate beyond.
    public var installs: Int
    /// Time in milliseconds from the report of a leaked object until the object was freed; `nil` if no object was freed.
    public var lived: Percentiles?
    /// Milliseconds since 1970.
    public var firstSeen: Int64
    public var lastSeen: Int64
    /// Related classes: `Outer.Inner` for `Inner`, and `Inner` for `Outer.Inner`. One class has both names if a detector omits
    /// outer types.
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

    /// A related class, with the number of its leaks and of their reports.
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

    /// Returns the part after the last point: `Inner` of `Outer.Inner`.
    package static func innermost(of name: String) -> String {
        String(decoding: name.utf8.suffix(while: { $0 != UInt8(ascii: ".") }), as: UTF8.self)
    }

    /// Returns `true` if two names may mean the same class, one of them with an additional outer type.
    package static func areRelated(_ one: String, _ other: String) -> Bool {
        isInner(one, of: other) || isInner(other, of: one)
    }

    private static func isInner(_ inner: String, of outer: String) -> Bool {
        !inner.isEmpty && outer.utf8.count > inner.utf8.count + 1
            && outer.utf8.suffix(inner.utf8.count + 1).elementsEqual(".\(inner)".utf8)
    }
}

extension BidirectionalCollection {
    /// Returns the longest suffix whose elements all match.
    fileprivate func suffix(while matches: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, matches(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}
