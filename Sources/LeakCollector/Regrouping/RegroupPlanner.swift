internal import LeakPlatform
internal import LeakGrammar
internal import LeakMessage
package import LeakStore

/// The planner of `collector regroup`: finds the leaks of an app whose reports the current grouping rules assign
/// to other leaks, and merges them.
package struct RegroupPlanner {
    /// A leak in a plan: merged into another leak, or listed in ``Plan/ambiguousLeaks``.
    package struct Part: Sendable {
        package var id: LeakID
        package var title: String
        /// Version of the rules that made the leak: ``GroupingKey/version``.
        package var ruleVersion: Int
        package var reports: Int
    }

    /// Leaks that are merged into one leak, the target.
    package struct Group: Sendable {
        package var target: LeakIdentity
        /// Number of reports of the target; `nil` if the target does not exist yet.
        package var targetReports: Int?
        /// The leaks that are merged into the target. Leaks with most reports come first.
        package var parts: [Part]
        /// The decision in force for the merged leak; `nil` if there is no decision about any leak of the group.
        package var decisionInForce: LeakMerge.DecisionInForce?
        /// Number of leaks, the target included, that have a decision.
        package var decidedLeakCount: Int
    }

    /// The changes in one app.
    package struct Plan: Sendable {
        package var app: AppKey
        /// Number of leaks of the app.
        package var leakCount = 0
        /// The groups, in the order in which their leaks are to be merged.
        package var groups: [Group] = []
        /// Leaks that are not merged, because their reports belong to several leaks now.
        package var ambiguousLeaks: [Part] = []
        /// Number of leaks that are not merged, because no sample report shows to which leak their reports belong.
        package var undeterminedCount = 0
    }

    /// The author of the merge in the history of the merged leak.
    package static let author = Decision.AutomaticAuthor.regroup.rawValue
    /// Maximum number of leaks that one transaction merges. Each leak takes a few milliseconds, during which reports
    /// wait.
    private static let maxPartsPerMerge = 20

    private let reader: any StoreReader
    private let symbolTables: SymbolTableCache
    /// Milliseconds since 1970.
    private let now: Int64

    package init(store: any Store, now: Int64) throws(StoreError) {
        reader = try store.makeReader()
        symbolTables = SymbolTableCache(store: store)
        try symbolTables.refresh(from: reader)
        self.now = now
    }

    /// Returns the plan of each app in each of its environments.
    ///
    /// - Parameter app: `nil` for all apps.
    /// - Returns: one plan for each app that was seen in an environment, except ``StoreLimits/other``, in the order of their
    ///   names and environments.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for an unknown app.
    package func plans(app: String?) throws -> [Plan] {
        let keys = try reader.appSummaries().map(\.key)
        let apps = Set(keys.map { ByteText($0.name) })
        let chosenName = app.map { ByteText($0) }
        if let app, let chosenName, !apps.contains(chosenName) {
            let names = apps.map(\.text).sorted().joined(separator: ", ")
            let knownApps = apps.isEmpty ? "no app has sent reports" : "the apps are \(names)"
            throw StoreError(
                .invalidArgument, TerminalText.text("there is no app \(app); \(knownApps)"))
        }
        // The combined app that counts all apps beyond the limit is left out, because the rules do not determine the ids of its
        // leaks.
        let chosenApps = keys.filter {
            $0.name != StoreLimits.other && (chosenName == nil || ByteText($0.name) == chosenName)
        }
        return try chosenApps.sorted { ($0.name, $0.environment) < ($1.name, $1.environment) }.map {
            try plan(for: $0)
        }
    }

    private func plan(for app: AppKey) throws -> Plan {
        var plan = Plan(app: app)
        var leaks: [LeakID: LeakRow] = [:]
        var targets: [LeakID: LeakIdentity] = [:]
        let rules = try FingerprintRules.current(of: app.name, from: reader)
        let merges = Dictionary(grouping: try reader.manualMerges(app: app.scope), by: \.target)
        try forEachLeak(of: app) { row in
            plan.leakCount += 1
            leaks[row.identity.id] = row
            guard !row.identity.isOverLimit else { return }
            let samples = try reader.samples(of: row.identity.id) ?? []
            var symbolicator = FrameSymbolicator(symbolTables: symbolTables, reader: reader)
            let reports = samples.lazy.compactMap { ParsedSample($0).report }
            let group = CurrentGroup(
                of: row.identity, merged: merges[row.identity.id] ?? [], reports: reports, rules: rules
            ) { symbolicator.calls($0, $1) }
            if let error = symbolicator.readError { throw error }
            switch group {
            case .same: break
            case .other(let target): targets[row.identity.id] = target
            case .several: plan.ambiguousLeaks.append(Self.part(row))
            case .unknown: plan.undeterminedCount += 1
            }
        }
        targets = targets.mapValues { $0.countedIdentity { leaks[$0].map { $0.identity.module ?? "" } } }
        targets = targets.filter { $0.key != $0.value.id }
        var groups: [LeakID: Group] = [:]
        for (source, target) in targets {
            guard let row = leaks[source] else { continue }
            groups[
                target.id,
                default: Group(
                    target: target, targetReports: leaks[target.id]?.reports, parts: [], decidedLeakCount: 0)
            ].parts.append(Self.part(row))
        }
        let depths = Self.depths(targets.mapValues(\.id))
        // A leak may be merged into another leak, and may also be the target of other leaks. Its own merge comes first. The
        // other leaks then become a new leak with its id.
        plan.groups = groups.values.filter { group in group.parts.allSatisfy { depths[$0.id] != nil } }
            .sorted { one, other in
                let depth = (depths[one.parts[0].id] ?? 0, depths[other.parts[0].id] ?? 0)
                return depth.0 == depth.1 ? one.target.id < other.target.id : depth.0 < depth.1
            }
        for index in plan.groups.indices {
            plan.groups[index].parts.sort { ($1.reports, $0.id) < ($0.reports, $1.id) }
            let targetRemains = targets[plan.groups[index].target.id] == nil
            if !targetRemains { plan.groups[index].targetReports = nil }
            try setDecisionInForce(of: &plan.groups[index])
        }
        plan.ambiguousLeaks.sort { ($1.reports, $0.id) < ($0.reports, $1.id) }
        return plan
    }

    /// Returns, for each leak that is merged, how many merges follow its own: 0 if its target stays, 1 if the target is itself
    /// merged into a leak that stays, and so on. A leak is left out if its target, the target of the target, and so on form a
    /// cycle.
    private static func depths(_ targets: [LeakID: LeakID]) -> [LeakID: Int] {
        targets.compactMapValues { first in
            var (target, depth) = (first, 0)
            while let next = targets[target] {
                (target, depth) = (next, depth + 1)
                if depth > targets.count { return nil }
            }
            return depth
        }
    }

    private static func part(_ row: LeakRow) -> Part {
        Part(
            id: row.identity.id, title: row.identity.title, ruleVersion: row.identity.groupingKey.version,
            reports: row.reports)
    }

    private func forEachLeak(of app: AppKey, _ body: (LeakRow) throws -> Void) throws {
        var query = LeakQuery()
        (query.scope, query.state, query.sort, query.limit) = (app.scope, .any, .firstSeen, 200)
        var seen: Set<LeakID> = []
        repeat {
            let page = try reader.leaks(query, now: now)
            for row in page.leaks where seen.insert(row.identity.id).inserted { try body(row) }
            query.cursor = page.next
        } while query.cursor != nil
    }

    /// Sets the decision in force for the merged leak: the most recent decision about any leak of the group, as in the store.
    private func setDecisionInForce(of group: inout Group) throws(StoreError) {
        let target = group.targetReports == nil ? [] : [group.target.id]
        for id in group.parts.map(\.id) + target {
            guard let decision = try reader.leak(id, now: now)?.history.first(where: \.setsState) else {
                continue
            }
            group.decidedLeakCount += 1
            if group.decisionInForce.map({ decision.at > $0.decision.at }) ?? true {
                group.decisionInForce = LeakMerge.DecisionInForce(decision: decision, leak: id)
            }
        }
    }

    /// Merges the leaks of a group.
    ///
    /// - Returns: the number of merged leaks. It is lower than planned if some leaks were removed meanwhile.
    package static func merge(_ group: Group, in store: any Store, now: Int64) throws(StoreError) -> Int {
        var mergedCount = 0
        var remainingParts = group.parts[...]
        while !remainingParts.isEmpty {
            let parts = remainingParts.prefix(maxPartsPerMerge)
            remainingParts = remainingParts.dropFirst(maxPartsPerMerge)
            let version = group.target.groupingKey.version
            let merge = try store.merge(
                parts.map(\.id), into: group.target, by: author,
                audit: AuditEntry(
                    .mergeLeaks, of: "leak \(group.target.id)",
                    details: "\(parts.count) leaks merged into it",
                    by: .commandLine, at: now),
                now: now,
                note: { MergeNote.text($0, version: version) })
            mergedCount += merge?.sources.count ?? 0
        }
        return mergedCount
    }
}

/// The entry in the history of a merged leak.
enum MergeNote {
    /// Maximum number of leaks that the text lists. Further leaks are only counted.
    private static let maxListedLeaks = 20

    /// Returns the text of the entry.
    ///
    /// - Parameter version: version of the rules that group the reports in one leak.
    static func text(_ merge: LeakMerge, version: Int) -> String {
        let names = merge.sources.prefix(maxListedLeaks).map {
            "\($0.id) (\(countText($0.reports, of: "report")))"
        }
        let others = merge.sources.count - names.count
        let list = (names + (others > 0 ? ["\(others) more"] : [])).joined(separator: ", ")
        let sentence =
            "Rule \(version) groups the reports of \(countText(merge.sources.count, of: "other leak")) into this leak: \(list)."
        guard let decisionInForce = merge.decisionInForce else { return sentence }
        let choiceNote =
            merge.decidedLeakCount > 1
            ? ", the most recent of the decisions about \(merge.decidedLeakCount) leaks" : ""
        return
            "\(sentence) Decision in force: \(decisionText(decisionInForce.decision)), about \(decisionInForce.leak)\(choiceNote)."
    }

    /// Returns a decision in words: `resolved in 5.2.0 by ada on 2026-11-20`.
    static func decisionText(_ decision: PastDecision) -> String {
        let actionText =
            switch decision.action {
            case .resolved(let version, let build, let isAfter):
                "resolved in \(isAfter ? "the next version after " : "")\(ReleaseBuild(version: version, build: build).text)"
            case .ignored(nil): "ignored forever"
            case .ignored(.until(let end)): "ignored until \(CivilDate(milliseconds: end).text)"
            case .ignored(.nextReports(let reports)): "ignored until \(countText(reports, of: "more report"))"
            case .reopened: "reopened"
            case .noted: "a comment"
            }
        return "\(actionText) by \(decision.by) on \(CivilDate(milliseconds: decision.at).text)"
    }
}

/// The text that the command prints for a plan.
package enum RegroupSummary {
    /// Maximum characters of a title in a line.
    private static let maxTitleLength = 80
    /// Maximum number of leaks that get a line each, in a group and among the leaks that are not merged.
    private static let maxListedParts = 10

    /// Returns the lines about the result of a run.
    ///
    /// - Parameters:
    ///   - merged: the number of leaks that this run merged.
    ///   - targets: the number of leaks into which it merged them.
    ///   - planned: the number of leaks that were to be merged when the run began.
    package static func outcome(merged: Int, into targets: Int, planned: Int) -> [String] {
        let unmergedCount = planned - merged
        let mergedLines =
            merged == 0
            ? []
            : [
                "merged \(countText(merged, of: "leak")) into \(countText(targets, of: "other leak")); the old addresses lead there"
            ]
        guard unmergedCount > 0 else { return mergedLines }
        return mergedLines + [
            "not merged: \(countText(unmergedCount, of: "leak")) that another command changed or that expired "
                + "while this command ran; collector regroup --dry-run lists the remaining ones"
        ]
    }

    /// Returns the lines that describe a plan.
    package static func lines(_ plan: RegroupPlanner.Plan) -> [String] {
        let mergeCount = plan.groups.reduce(0) { $0 + $1.parts.count }
        var lines = [
            "app \(plan.app): \(mergeCount) of \(countText(plan.leakCount, of: "leak")) to merge"
        ]
        for group in plan.groups {
            let state = group.targetReports.map { countText($0, of: "report") } ?? "new"
            lines.append("  into \(displayName(of: group.target)) (\(group.target.id), \(state))")
            lines += self.lines(group.parts, "    from")
            if let decisionInForce = group.decisionInForce {
                let choiceNote =
                    group.decidedLeakCount > 1
                    ? ", the most recent of the decisions about \(group.decidedLeakCount) leaks" : ""
                lines.append(
                    "    decision in force: \(MergeNote.decisionText(decisionInForce.decision))\(choiceNote)")
            }
        }
        if !plan.ambiguousLeaks.isEmpty {
            lines.append("  not merged, because their reports now belong to several leaks:")
            lines += self.lines(plan.ambiguousLeaks, "   ")
        }
        if plan.undeterminedCount > 0 {
            lines.append(
                "  not checked, because no sample report shows their group: "
                    + countText(plan.undeterminedCount, of: "leak"))
        }
        return lines
    }

    private static func lines(_ parts: [RegroupPlanner.Part], _ start: String) -> [String] {
        let shown = parts.prefix(maxListedParts).map { part in
            "\(start) \(part.id): \(shortened(part.title)), rule \(part.ruleVersion), \(countText(part.reports, of: "report"))"
        }
        let unlistedParts = parts.dropFirst(maxListedParts)
        guard !unlistedParts.isEmpty else { return shown }
        let reports = unlistedParts.reduce(into: 0) { $0.addBounded($1.reports) }
        let count = countText(unlistedParts.count, of: "more leak")
        return shown + ["\(start) \(count), \(countText(reports, of: "report"))"]
    }

    private static func displayName(of leak: LeakIdentity) -> String {
        let calls = CallStack.titles(of: leak.groupingKey.stack)
        let path =
            calls.map { $0.joined(separator: " ← ") } ?? leak.groupingKey.stack.joined(separator: " › ")
        return shortened(path.isEmpty ? leak.title : "\(leak.title), \(path)")
    }

    private static func shortened(_ text: String) -> String {
        let line = String(text.prefix(maxTitleLength))
        return line.count < text.count ? line + "…" : line
    }
}
