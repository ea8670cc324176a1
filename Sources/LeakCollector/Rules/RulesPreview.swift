internal import LeakGrammar
internal import LeakMessage
public import LeakStore

/// The leaks whose later reports would get another group if the rules of their app were replaced.
///
/// The sample reports of a leak are grouped by the current rules and by the new ones. If only the class of a leak decides, or if
/// it has no sample reports, the stored leak is compared instead of them.
public struct RulesPreview: Sendable {
    /// A leak with reports that would get another group.
    public struct Leak: Sendable {
        public var row: LeakRow
        /// Reports of the last 7 and 30 days.
        public var recentReports: (week: Int, month: Int)
        /// Sample reports that were grouped again; 0 if the stored leak was compared.
        public var samples: Int
        /// Sample reports that would get the group.
        public var movedSamples: Int
    }

    /// A group that reports of some leaks would get.
    public struct Group: Sendable {
        /// The id of its leak. If that leak was merged into another by hand, the id of the other.
        public var id: LeakID
        public var title: String
        /// The number of the line of the rule, from 1; `nil` for a group by class and path.
        public var line: Int?
        /// Reports that the group has already; `nil` if there is no such leak yet.
        public var reports: Int?
        /// The leaks with most reports come first.
        public var leaks: [Leak]
    }

    public var app: AppKey
    /// The groups with most leaks come first.
    public var groups: [Group] = []
    /// Number of leaks that were compared, those with most reports first.
    public var comparedLeaks = 0
    /// Number of leaks of the app in the environment.
    public var allLeaks = 0

    /// Number of compared leaks whose reports keep their group.
    public var unchangedLeaks: Int {
        comparedLeaks - Set(groups.flatMap { $0.leaks.map(\.row.identity.id) }).count
    }

    /// Maximum number of leaks that are compared: the limit of a list.
    static let maxLeaks = 1_000
    /// Maximum number of sample reports that are grouped again, which takes about a second. Of the leaks after them, the stored
    /// leaks are compared.
    static let maxSamples = 5_000
    /// Maximum number of previews that run or wait. One runs at a time.
    static let maxRequestCount = 9

    /// Compares the current rules of an app with a new text, for the leaks of one environment.
    ///
    /// - Parameters:
    ///   - text: the new rules.
    ///   - symbolTables: names the frames of sample reports; `nil` for a command, which loads its own.
    ///   - isWanted: called before each leak.
    /// - Returns: `nil` if `isWanted` returned `false`.
    /// - Throws: ``StoreError``; ``StoreError/Reason/invalidArgument`` for a mistake in the text.
    static func make(
        of rules: FingerprintRules, app: AppKey, from reader: any StoreReader,
        symbolTables: SymbolTableCache, now: Int64, while isWanted: () -> Bool = { true }
    ) throws(StoreError) -> RulesPreview? {
        var query = LeakQuery()
        (query.scope, query.state, query.sort) = (app.scope, .any, .reports)
        query.limit = maxLeaks
        let page = try reader.leaks(query, now: now)
        func reports(in period: Period) throws(StoreError) -> [LeakID: Int] {
            var query = query
            query.period = period
            return Dictionary(
                try reader.leaks(query, now: now).leaks.map { ($0.identity.id, $0.reports) },
                uniquingKeysWith: { one, _ in one })
        }
        let (week, month) = (try reports(in: .week), try reports(in: .month))
        let merges = Dictionary(grouping: try reader.manualMerges(app: app.scope), by: \.target)
        var comparison = RulesComparison(
            current: try FingerprintRules.current(of: app.name, from: reader), new: rules, reader: reader,
            symbolTables: symbolTables)
        var groups: [LeakID: Group] = [:]
        for row in page.leaks where !row.identity.isOverLimit {
            guard isWanted() else { return nil }
            let ids = [row.identity.id] + (merges[row.identity.id] ?? []).map(\.source)
            let changes = try comparison.changes(of: row.identity, ids: Set(ids))
            for (id, change) in changes.targets {
                let leak = Leak(
                    row: row,
                    recentReports: (week[row.identity.id] ?? 0, month[row.identity.id] ?? 0),
                    samples: changes.samples, movedSamples: changes.samples == 0 ? 0 : change.count)
                groups[
                    id, default: Group(id: id, title: change.title, line: change.line, leaks: [])
                ].leaks.append(leak)
            }
        }
        var preview = RulesPreview(app: app)
        preview.comparedLeaks = page.leaks.count { !$0.identity.isOverLimit }
        preview.allLeaks = max(page.total, preview.comparedLeaks)
        for var group in groups.values {
            group.id = try reader.target(ofMerged: group.id) ?? group.id
            if let outline = try reader.outline(of: group.id) {
                (group.title, group.reports) = (outline.title, outline.reports)
            }
            preview.groups.append(group)
        }
        preview.groups.sort { ($1.leaks.count, $0.title, $0.id) < ($0.leaks.count, $1.title, $1.id) }
        return preview
    }
}

/// Compares the groups that two sets of rules give to the reports of leaks.
private struct RulesComparison {
    /// The groups that reports of a leak would get, other than their present group.
    struct Changes {
        struct Target {
            var title: String
            var line: Int?
            var count = 0
        }

        var targets: [LeakID: Target] = [:]
        /// Number of sample reports that were compared.
        var samples = 0
    }

    let current: FingerprintRules?
    let new: FingerprintRules
    let reader: any StoreReader
    let symbolTables: SymbolTableCache
    private var sampleCount = 0

    init(
        current: FingerprintRules?, new: FingerprintRules, reader: any StoreReader,
        symbolTables: SymbolTableCache
    ) {
        (self.current, self.new, self.reader, self.symbolTables) = (current, new, reader, symbolTables)
    }

    /// - Parameter ids: the ids under which reports of the leak arrive.
    mutating func changes(of leak: LeakIdentity, ids: Set<LeakID>) throws(StoreError) -> Changes {
        let subject = FingerprintRules.Subject(leak)
        // A leak that a rule or a fingerprint named may have reports of several classes, and reports to which no rule applies.
        let mayHaveClasses =
            leak.groupingKey.stack.isEmpty || leak.groupingKey.className != leak.className
        let needsSamples =
            mayHaveClasses || new.dependOnPath(subject) || current?.dependOnPath(subject) ?? false
            || subject.hasDottedClass
        if needsSamples, sampleCount < RulesPreview.maxSamples {
            let changes = try changesOfSamples(of: leak, ids: ids)
            if changes.samples > 0 { return changes }
        }
        var changes = Changes()
        let (before, after) = (current?.match(subject), new.match(subject))
        guard before?.group != after?.group else { return changes }
        let id = after.map { GroupingRules.id(app: leak.appKey, rule: $0) } ?? leak.id
        if !ids.contains(id) {
            changes.targets[id] = Changes.Target(title: after?.group ?? leak.title, line: after?.line)
        }
        return changes
    }

    private mutating func changesOfSamples(
        of leak: LeakIdentity, ids: Set<LeakID>
    ) throws(StoreError) -> Changes {
        var changes = Changes()
        var symbolicator = FrameSymbolicator(symbolTables: symbolTables, reader: reader)
        for sample in try reader.samples(of: leak.id) ?? [] {
            guard let report = ParsedSample(sample).report else { continue }
            func groups(_ module: String?, _ rules: FingerprintRules?) -> [GroupedReport] {
                let groups = GroupingRules.groups(
                    report, app: leak.appKey, module: module, rules: rules
                ) { symbolicator.calls($0, $1) }
                return [groups.first] + groups.others
            }
            sampleCount += 1
            changes.samples += 1
            // A sample does not contain the module that its sender named. The right one is that of the leak, by the current rules
            // or by those before them.
            let modules = CurrentGroup.candidateModules(for: leak)
            func place(_ module: String?, _ rules: FingerprintRules?) -> Int? {
                groups(module, rules).firstIndex { !ids.isDisjoint(with: $0.identity.ids) }
            }
            var (module, index) = (modules[0], 0)
            for candidate in modules {
                guard let found = place(candidate, current) ?? place(candidate, nil) else { continue }
                (module, index) = (candidate, found)
                break
            }
            let (before, after) = (groups(module, current)[index].identity, groups(module, new)[index])
            guard Set(before.ids).isDisjoint(with: after.identity.ids),
                ids.isDisjoint(with: after.identity.ids)
            else { continue }
            changes.targets[
                after.identity.id,
                default: Changes.Target(title: after.identity.title, line: after.rule?.line)
            ].count += 1
        }
        if let error = symbolicator.readError { throw error }
        return changes
    }
}

extension RulesPreview {
    /// Compares the current rules of an app with a new text, for a command.
    ///
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a mistake in the text, and for an app that was not seen in the
    ///   environment.
    public init(of text: String, app: AppKey, in store: any Store, now: Int64) throws(StoreError) {
        let rules: FingerprintRules
        do throws(RuleError) {
            rules = try FingerprintRules(text: text)
        } catch {
            throw StoreError(.invalidArgument, error.description)
        }
        let reader = try store.makeReader()
        guard try reader.environments(app: app.name).contains(app.environment) else {
            throw StoreError(.invalidArgument, "there is no app \(app)")
        }
        let symbolTables = SymbolTableCache(store: store)
        try symbolTables.refresh(from: reader)
        let preview = try Self.make(
            of: rules, app: app, from: reader, symbolTables: symbolTables, now: now)
        guard let preview else { throw StoreError(.other, "the preview was stopped") }
        self = preview
    }
}

extension AppRules {
    /// Returns the text of rules as it is stored.
    ///
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a mistake in the text.
    public static func checked(_ text: String) throws(StoreError) -> String {
        do throws(RuleError) {
            _ = try FingerprintRules(text: text)
        } catch {
            throw StoreError(.invalidArgument, error.description)
        }
        return FingerprintRules.normalized(text)
    }
}
