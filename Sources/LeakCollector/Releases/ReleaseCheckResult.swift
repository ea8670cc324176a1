internal import LeakGrammar
internal import LeakMessage
public import LeakStatistics
internal import LeakStore

/// Result of a release check, parsed from its JSON. A remote collector sends the JSON, or the check is run on the database and
/// encoded as the same JSON.
public struct ReleaseCheckResult: Hashable, Sendable {
    /// Reports of a leak or class, and checks of the class, in one of the two versions.
    struct Counts: Hashable, Sendable {
        var reports = 0
        var checks = 0
    }

    struct Sessions: Hashable, Sendable {
        var totalCount = 0
        var leakyCount = 0
    }

    struct Leak: Hashable, Sendable {
        var result = ReleaseGate.LeakResult.Kind.unchanged
        var id = ""
        var title = ""
        var className: String?
        /// The path of owners; if it is empty, the references that keep the object.
        var path: [String] = []
        /// Number of all reports of the leak in the version that was checked.
        var reports = 0
        /// Number of installs with the leak in the version that was checked.
        var installs = 0
        /// Reports of the leak and checks of its class in the baseline, as far as they can be compared.
        var baseline = Counts()
        /// Reports of the leak and checks of its class in the version that was checked, as far as they can be compared.
        var version = Counts()
    }

    /// A class whose leaks together are worse, although no single leak is.
    struct WorseClass: Hashable, Sendable {
        var name = ""
        /// Reports and checks of the class in the baseline.
        var baseline = Counts()
        /// Reports and checks of the class in the version that was checked.
        var version = Counts()
    }

    /// Rare classes whose leaks are also compared together.
    struct ClassPool: Hashable, Sendable {
        enum Result: String, Hashable, Sendable {
            case enough, worse
            case tooFew = "too_few"
            case fewDevices = "few_devices"
        }

        var result = Result.tooFew
        var classCount = 0
        /// Number of classes that have too few checks by themselves.
        var undecidedClassCount = 0
        /// Reports and checks of all classes in the baseline.
        var baseline = Counts()
        /// Reports and checks of all classes in the version that was checked.
        var version = Counts()
    }

    /// The checks of a class in both versions, and whether they are enough.
    struct CheckedClass: Hashable, Sendable {
        enum Result: String, Hashable, Sendable {
            case enough
            case tooFew = "too_few"
            case fewDevices = "few_devices"
            case notChecked = "not_checked"
            case new
            /// The class has too few checks by itself, and is judged together with other classes.
            case pooled
            /// The class has too few checks, but all its leaks are ignored or known.
            case setAside = "set_aside"
        }

        var name = ""
        var result = Result.enough
        var baselineChecks = 0
        var versionChecks = 0
        /// `true` if the class has enough checks, alone or together with other classes, or needs none. A new class has nothing to
        /// be compared with, so it is not decided.
        var isDecided: Bool {
            switch result {
            case .enough, .pooled, .setAside: true
            case .tooFew, .fewDevices, .notChecked, .new: false
            }
        }
        /// Number of checks that the version needs; `nil` if no number suffices because the baseline has too few, and if the
        /// result is not `tooFew`.
        var neededChecks: Int?
    }

    public internal(set) var verdict: ReleaseGate.Verdict
    var app = ""
    var environment = AppKey.production
    var version = ""
    var build: String?
    var baseline: String?
    var baselineBuild: String?
    var worseCount = 0
    var newCount = 0
    /// Number of leaks that were resolved and have regressed.
    var backCount = 0
    var betterCount = 0
    /// Number of new leaks that are too rare to fail the version.
    var rareCount = 0
    /// Number of leaks that could not be compared, because their classes have no checks in one of the versions.
    var uncomparedCount = 0
    /// Number of leaks of the version that were left out because they are known, ignored or resolved.
    var setAsideCount = 0
    var baselineSessions: Sessions?
    var sessions = Sessions()
    var leaks: [Leak] = []
    var worseClasses: [WorseClass] = []
    var pool: ClassPool?
    /// The factor by which the checks and sessions of the version must grow before it has enough; `nil` if it is unknown, or if
    /// there are enough.
    var neededGrowth: Double?
    /// All checked classes. Those with the most checks in the baseline come first.
    var classes: [CheckedClass] = []

    /// Returns `true` if the result is about the app, environment, version and build of the request.
    public func isAbout(_ request: ReleaseCheckRequest) -> Bool {
        AppKey(app, environment: environment) == request.query.key && version == request.query.version
            && build == request.query.build
    }

    /// Error for a response that is not the result of a release check: it comes from another program, or from a much
    /// older or newer collector.
    public struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String

        public init(description: String) { self.description = description }
    }

    /// Parses a result.
    ///
    /// - Parameter json: the body of a response. Unknown fields are ignored.
    public init(json: [UInt8]) throws(Unreadable) {
        guard UTF8Validator.firstInvalidByte(in: json) == nil else {
            throw Unreadable(
                description: "the response is not UTF-8, so it is not from a collector; check the address")
        }
        do {
            self = try JSONScanner.scan(json) { (scanner) throws(JSONError) in
                let result = try scanner.result()
                try scanner.finish()
                return result
            }
        } catch {
            throw Unreadable(
                description:
                    "the response is not the result of a release check (\(error)); check the address and the version of the collector"
            )
        }
    }

    /// Encodes a release check as JSON, as a server would send it, and parses the JSON.
    init(_ check: ReleaseCheck) throws(Unreadable) {
        var writer = JSONWriter()
        writer.object { $0.fields(of: check) }
        try self.init(json: writer.bytes)
    }

    fileprivate init(_ verdict: ReleaseGate.Verdict) { self.verdict = verdict }
}

extension JSONScanner {
    fileprivate mutating func result() throws(JSONError) -> ReleaseCheckResult {
        var result = ReleaseCheckResult(.cannotTell)
        // A response without a verdict must not let a release pass.
        var verdict: ReleaseGate.Verdict?
        var presentFields: Set<String> = []
        let start = offset
        try eachField { name, scanner throws(JSONError) in
            switch name {
            case "app": result.app = try scanner.plainText()
            case "environment": result.environment = try scanner.plainText()
            case "version": result.version = try scanner.plainText()
            case "build": result.build = try scanner.textOrNull()
            case "baseline": result.baseline = try scanner.textOrNull()
            case "baseline_build": result.baselineBuild = try scanner.textOrNull()
            case "verdict": verdict = ReleaseGate.Verdict(rawValue: try scanner.plainText())
            case "worse_count": result.worseCount = try scanner.count()
            case "new_count": result.newCount = try scanner.count()
            case "back_count": result.backCount = try scanner.count()
            case "better_count": result.betterCount = try scanner.count()
            case "rare_count": result.rareCount = try scanner.count()
            case "uncompared_count": result.uncomparedCount = try scanner.count()
            case "set_aside": result.setAsideCount = try scanner.count()
            case "needed_growth": result.neededGrowth = try scanner.numberOrNull()
            case "sessions": try scanner.readSessions(into: &result)
            case "leaks":
                result.leaks = try scanner.elements { scanner throws(JSONError) in try scanner.parseLeak() }
            case "worse_classes":
                result.worseClasses = try scanner.elements { scanner throws(JSONError) in
                    try scanner.worseClass()
                }
            case "pool": result.pool = try scanner.poolOrNull()
            case "classes":
                result.classes = try scanner.elements { scanner throws(JSONError) in
                    try scanner.parseClass()
                }
            default: try scanner.skip()
            }
            presentFields.insert(name)
        }
        var failures = 0
        for count in [
            result.worseCount, result.newCount, result.backCount, result.worseClasses.count,
            result.pool?.result == .worse ? 1 : 0,
        ] {
            failures.addBounded(count)
        }
        guard let verdict, presentFields.isSuperset(of: ["worse_count", "new_count", "back_count"]),
            (verdict == .failed) == (failures > 0)
        else {
            throw JSONError(
                .expected("verdict, worse_count, new_count and back_count that agree"), at: start)
        }
        result.verdict = verdict
        return result
    }

    private mutating func readSessions(into result: inout ReleaseCheckResult) throws(JSONError) {
        try eachField { name, scanner throws(JSONError) in
            guard try scanner.kind() != .null else { return try scanner.null() }
            var sessions = ReleaseCheckResult.Sessions()
            try scanner.eachField { name, scanner throws(JSONError) in
                switch name {
                case "all": sessions.totalCount = try scanner.count()
                case "leaky": sessions.leakyCount = try scanner.count()
                default: try scanner.skip()
                }
            }
            switch name {
            case "baseline": result.baselineSessions = sessions
            case "version": result.sessions = sessions
            default: break
            }
        }
    }

    private mutating func parseLeak() throws(JSONError) -> ReleaseCheckResult.Leak {
        var leak = ReleaseCheckResult.Leak()
        try eachField { name, scanner throws(JSONError) in
            switch name {
            case "result":
                leak.result = ReleaseGate.LeakResult.Kind(rawValue: try scanner.plainText()) ?? .unchanged
            case "baseline": leak.baseline = try scanner.counts()
            case "version": leak.version = try scanner.counts()
            case "leak": try scanner.readNames(of: &leak)
            default: try scanner.skip()
            }
        }
        return leak
    }

    private mutating func readNames(of leak: inout ReleaseCheckResult.Leak) throws(JSONError) {
        var (stack, cycle): ([String], [String]) = ([], [])
        try eachField { name, scanner throws(JSONError) in
            switch name {
            case "id": leak.id = try scanner.plainText()
            case "title": leak.title = try scanner.plainText()
            case "class": leak.className = try scanner.textOrNull()
            case "stack": stack = try scanner.textsOrNull()
            case "cycle": cycle = try scanner.textsOrNull()
            case "reports": leak.reports = try scanner.count()
            case "installs": leak.installs = try scanner.count()
            default: try scanner.skip()
            }
        }
        leak.path = stack.isEmpty ? CycleShape.path(cycle, of: leak.className) : stack
    }

    private mutating func counts() throws(JSONError) -> ReleaseCheckResult.Counts {
        var counts = ReleaseCheckResult.Counts()
        try eachField { name, scanner throws(JSONError) in
            switch name {
            case "reports": counts.reports = try scanner.count()
            case "checks": counts.checks = try scanner.count()
            default: try scanner.skip()
            }
        }
        return counts
    }

    private mutating func worseClass() throws(JSONError) -> ReleaseCheckResult.WorseClass {
        var worse = ReleaseCheckResult.WorseClass()
        try eachField { name, scanner throws(JSONError) in
            switch name {
            case "class": worse.name = try scanner.plainText()
            case "baseline": worse.baseline = try scanner.counts()
            case "version": worse.version = try scanner.counts()
            default: try scanner.skip()
            }
        }
        return worse
    }

    private mutating func poolOrNull() throws(JSONError) -> ReleaseCheckResult.ClassPool? {
        guard try kind() != .null else {
            try null()
            return nil
        }
        var pool = ReleaseCheckResult.ClassPool()
        try eachField { name, scanner throws(JSONError) in
            switch name {
            case "classes": pool.classCount = try scanner.count()
            case "too_few": pool.undecidedClassCount = try scanner.count()
            case "result":
                // A result that only later collectors know must not count as enough.
                pool.result = .init(rawValue: try scanner.plainText()) ?? .tooFew
            case "baseline": pool.baseline = try scanner.counts()
            case "version": pool.version = try scanner.counts()
            default: try scanner.skip()
            }
        }
        return pool
    }

    private mutating func parseClass() throws(JSONError) -> ReleaseCheckResult.CheckedClass {
        var checked = ReleaseCheckResult.CheckedClass()
        try eachField { name, scanner throws(JSONError) in
            switch name {
            case "class": checked.name = try scanner.plainText()
            case "result":
                // A result that only later collectors know must not count as enough.
                checked.result = .init(rawValue: try scanner.plainText()) ?? .tooFew
            case "baseline": checked.baselineChecks = try scanner.count()
            case "version": checked.versionChecks = try scanner.count()
            case "needed":
                if try scanner.kind() == .null {
                    try scanner.null()
                } else {
                    checked.neededChecks = try scanner.count()
                }
            default: try scanner.skip()
            }
        }
        return checked
    }

    private mutating func elements<Element>(
        _ read: (inout JSONScanner) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var elements: [Element] = []
        guard try enterArray() else { return elements }
        repeat { elements.append(try read(&self)) } while try hasAnotherElement(in: .array)
        return elements
    }

    private mutating func eachField(
        _ read: (String, inout JSONScanner) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard try enterObject() else { return }
        repeat {
            let name = try name()
            try read(text(of: name), &self)
        } while try hasAnotherElement(in: .object)
    }

    private mutating func plainText() throws(JSONError) -> String { text(of: try string()) }

    private mutating func textOrNull() throws(JSONError) -> String? {
        guard try kind() == .null else { return try plainText() }
        try null()
        return nil
    }

    private mutating func numberOrNull() throws(JSONError) -> Double? {
        guard try kind() != .null else {
            try null()
            return nil
        }
        let number = try number()
        return Double(text(of: number.slice))
    }

    private mutating func textsOrNull() throws(JSONError) -> [String] {
        guard try kind() != .null else {
            try null()
            return []
        }
        return try elements { scanner throws(JSONError) in try scanner.plainText() }
    }

    private mutating func count() throws(JSONError) -> Int {
        let start = offset
        guard let count = integer(of: try number()), count >= 0 else {
            throw JSONError(.expected("a count"), at: start)
        }
        return count
    }
}
