/// All stored data about one leak, except its sample reports.
public struct LeakDetail: Sendable {
    public var row: LeakRow
    /// Counts by version and build, newest version first.
    public var versions: [VersionCount]
    /// Reports by system, most reports first: at most 20 systems, then all other systems as `other`.
    public var systems: [ValueCount]
    /// Reports by device model, limited in the same way as ``systems``.
    public var models: [ValueCount]
    /// The reasons why objects of the leak stay, each with the number of explanations that named it:
    /// ``Submission/Explanation/reason``. An empty value stands for all reasons beyond a limit.
    public var reasons: [ValueCount]
    /// The closures on retain paths, each text with the number of explanations that named it:
    /// ``Submission/Explanation/closures``. An empty value stands for all closures beyond a limit.
    public var closures: [ValueCount]
    /// Bytes that an object retains, to within 1/32, each with the number of explanations that named them; smallest first.
    public var retainedBytes: [(bytes: Int, count: Int)]
    /// Reports per day by version, the last 14 days.
    public var trend: Trend
    /// Other leaks of the same class in the same app, at most 20, most reports first.
    public var siblings: [Sibling]
    /// Number of stored samples.
    public var samples: Int
    /// Number of freed objects by the time for which they stayed after their report, shortest time first; empty if no object
    /// was freed.
    public var lived: [LivedRange]
    /// The decisions about the leak, newest first, at most ``Decision/maxPerLeak``.
    public var history: [PastDecision]
    /// The version that “now” and “next” of a decision refer to. If a release is pinned, it is this release. Otherwise it is
    /// the current release, or a higher version that is in use, because a fix can only come after that version. A version is in
    /// use if the leak was seen in it on at least 2 installs, and on at least 5 % as many installs as in the version with the
    /// most.
    public var referenceVersion: String?
    /// The newest build of ``referenceVersion`` that is in use, which “now” refers to; `nil` if the order of the builds of the
    /// version is not certain.
    public var referenceBuild: String?
    /// The evidence for the fixes of the newest decisions that resolved the leak. The key is the index of the decision in
    /// ``history``. The evidence for an older decision is from the versions up to the fix of the next decision.
    public var fixes: [Int: FixStatus]

    public init(
        row: LeakRow, versions: [VersionCount], systems: [ValueCount], models: [ValueCount], trend: Trend,
        siblings: [Sibling], samples: Int, lived: [LivedRange] = [], history: [PastDecision] = [],
        fixes: [Int: FixStatus] = [:],
        reasons: [ValueCount] = [], closures: [ValueCount] = [],
        retainedBytes: [(bytes: Int, count: Int)] = [], referenceVersion: String? = nil,
        referenceBuild: String? = nil
    ) {
        self.row = row
        self.versions = versions
        self.systems = systems
        self.models = models
        self.reasons = reasons
        self.closures = closures
        self.retainedBytes = retainedBytes
        self.trend = trend
        self.siblings = siblings
        self.samples = samples
        self.lived = lived
        self.history = history
        self.referenceVersion = referenceVersion
        self.referenceBuild = referenceBuild
        self.fixes = fixes
    }

    /// Returns values sorted by number of explanations, highest first.
    package static func sortedCounts(_ values: [(text: String, count: Int)]) -> [ValueCount] {
        values.sorted { $0.count != $1.count ? $0.count > $1.count : $0.text < $1.text }
            .map { ValueCount(value: $0.text, reports: $0.count) }
    }

    /// Parses numbers of bytes, and returns them with their counts, smallest first. Texts that are not numbers are left out.
    package static func retainedBytes(_ values: [(text: String, count: Int)]) -> [(bytes: Int, count: Int)] {
        values.compactMap { value in Int(value.text).map { ($0, value.count) } }.sorted { $0.0 < $1.0 }
    }

    /// Number of objects that were freed within a range of times after they were reported. Times are known to within 3.2 %, so
    /// that an object near an end of a range may count in the neighbouring range.
    public struct LivedRange: Hashable, Sendable {
        /// The start of the range, in milliseconds.
        public var from: Int
        /// The end of the range, which the range does not include, in milliseconds; `nil` for a range without an end.
        public var to: Int?
        public var count: Int

        public init(from: Int, to: Int?, count: Int) {
            self.from = from
            self.to = to
            self.count = count
        }
    }

    /// Counts of the leak in one build of a version.
    public struct VersionCount: Hashable, Sendable {
        public var version: String
        /// `nil` for reports that name no build.
        public var build: String?
        public var reports: Int
        /// Installs with the leak in this build.
        public var installs: Int
        /// Installs with the leak in any build of the version, each counted once.
        public var versionInstalls: Int

        public init(version: String, build: String?, reports: Int, installs: Int, versionInstalls: Int) {
            self.version = version
            self.build = build
            self.reports = reports
            self.installs = installs
            self.versionInstalls = versionInstalls
        }
    }

    /// A value, such as a system, with its number of reports. Values of ``reasons`` and ``closures`` have the number of
    /// explanations instead.
    public struct ValueCount: Hashable, Sendable {
        public var value: String
        public var reports: Int

        public init(value: String, reports: Int) {
            self.value = value
            self.reports = reports
        }
    }

    /// Another leak of the same class in the same app.
    public struct Sibling: Hashable, Sendable {
        public var id: LeakID
        public var stack: [String]
        public var reports: Int

        public init(id: LeakID, stack: [String], reports: Int) {
            self.id = id
            self.stack = stack
            self.reports = reports
        }
    }
}

/// Reports over time, split by version.
public struct Trend: Hashable, Sendable {
    public enum Step: String, Hashable, Sendable, CaseIterable {
        case hour, day
    }

    public var step: Step
    /// The first hour or day, counted from 1970.
    public var from: Int
    /// Newest version first; each has one count per step.
    public var versions: [Series]

    public init(step: Step, from: Int, versions: [Series]) {
        self.step = step
        self.from = from
        self.versions = versions
    }

    public struct Series: Hashable, Sendable {
        public var version: String
        public var counts: [Int]

        public init(version: String, counts: [Int]) {
            self.version = version
            self.counts = counts
        }
    }
}

/// A sample: a stored report, with its sender.
public struct SampleReport: Sendable {
    /// The reason why the report was stored.
    public enum Reason: String, Sendable {
        case first, newest, random
    }

    public var reason: Reason
    /// Time of the report, in milliseconds since 1970.
    public var at: Int64
    public var origin: Submission.Origin
    /// The report's JSON, in which private texts are masked.
    public var body: [UInt8]

    public init(reason: Reason, at: Int64, origin: Submission.Origin, body: [UInt8]) {
        self.reason = reason
        self.at = at
        self.origin = origin
        self.body = body
    }
}
