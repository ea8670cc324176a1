internal import LeakGrammar
internal import LeakMessage

/// Result of a release check, as read from its JSON: the same from a remote collector and from the database.
public struct ReleaseCheckResult: Hashable, Sendable {
    struct Leak: Hashable, Sendable {
        var id = ""
        var title = ""
        /// The path of owners; if it is empty, the references that keep the object.
        var path: [String] = []
        /// Reports of the version that was checked. The installs are of this version too.
        var reports = 0
        var installs = 0
    }

    var app = ""
    var version = ""
    var baseline: String?
    public private(set) var passes = false
    var newCount = 0
    var regressedCount = 0
    var setAside = 0
    var leaks = 0
    var new: [Leak] = []
    var regressed: [Leak] = []

    /// Error for an answer that is not the result of a release check: it comes from another program, or from a much
    /// older or newer collector.
    public struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    /// Parses a result.
    ///
    /// - Parameter json: the body of an answer. Unknown fields are ignored.
    public init(json: [UInt8]) throws(Unreadable) {
        guard UTF8Validity.firstInvalidByte(in: json) == nil else {
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
                    "the response is not the result of a check (\(error)); check the address and the version of the collector"
            )
        }
    }

    fileprivate init() {}
}

extension JSONScanner {
    fileprivate mutating func result() throws(JSONError) -> ReleaseCheckResult {
        var result = ReleaseCheckResult()
        // An answer without a result must not let a release pass.
        var (passes, counts): (Bool?, Int) = (nil, 0)
        let start = offset
        try eachField { name, scanner throws(JSONError) in
            switch name {
            case "app": result.app = try scanner.plainText()
            case "version": result.version = try scanner.plainText()
            case "baseline": result.baseline = try scanner.textOrNull()
            case "passes": passes = try scanner.boolean()
            case "new_count":
                result.newCount = try scanner.count()
                counts += 1
            case "regressed_count":
                result.regressedCount = try scanner.count()
                counts += 1
            case "set_aside": result.setAside = try scanner.count()
            case "leaks": result.leaks = try scanner.count()
            case "new": result.new = try scanner.checkedLeaks()
            case "regressed": result.regressed = try scanner.checkedLeaks()
            default: try scanner.skip()
            }
        }
        guard let passes, counts == 2, passes == (result.newCount == 0 && result.regressedCount == 0) else {
            throw JSONError(.expected("passes, new_count and regressed_count that agree"), at: start)
        }
        return result.passing(passes)
    }

    private mutating func checkedLeaks() throws(JSONError) -> [ReleaseCheckResult.Leak] {
        var leaks: [ReleaseCheckResult.Leak] = []
        guard try enterArray() else { return leaks }
        repeat {
            var leak = ReleaseCheckResult.Leak()
            var (stack, cycle): ([String], [String]) = ([], [])
            var className: String?
            try eachField { name, scanner throws(JSONError) in
                switch name {
                case "id": leak.id = try scanner.plainText()
                case "title": leak.title = try scanner.plainText()
                case "class": className = try scanner.textOrNull()
                case "stack": stack = try scanner.textsOrNull()
                case "cycle": cycle = try scanner.textsOrNull()
                case "reports": leak.reports = try scanner.count()
                case "installs": leak.installs = try scanner.count()
                default: try scanner.skip()
                }
            }
            leak.path = stack.isEmpty ? CycleShape.path(cycle, of: className) : stack
            leaks.append(leak)
        } while try another(in: .array)
        return leaks
    }

    private mutating func eachField(
        _ read: (String, inout JSONScanner) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard try enterObject() else { return }
        repeat {
            let name = try name()
            try read(text(of: name), &self)
        } while try another(in: .object)
    }

    private mutating func plainText() throws(JSONError) -> String { text(of: try string()) }

    private mutating func textOrNull() throws(JSONError) -> String? {
        guard try kind() == .null else { return try plainText() }
        try null()
        return nil
    }

    private mutating func textsOrNull() throws(JSONError) -> [String] {
        guard try kind() != .null else {
            try null()
            return []
        }
        var texts: [String] = []
        guard try enterArray() else { return texts }
        repeat { texts.append(try plainText()) } while try another(in: .array)
        return texts
    }

    private mutating func count() throws(JSONError) -> Int {
        let start = offset
        guard let count = integer(of: try number()), count >= 0 else {
            throw JSONError(.expected("a count"), at: start)
        }
        return count
    }
}

extension ReleaseCheckResult {
    fileprivate func passing(_ passes: Bool) -> ReleaseCheckResult {
        var result = self
        result.passes = passes
        return result
    }
}
