internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// The leak to which the current grouping rules assign the reports of a stored leak.
///
/// A stored leak keeps the version of the rules that made it. If the rules have changed since, new reports of the
/// same objects belong to another leak.
enum CurrentGroup {
    /// The reports still belong to the leak itself.
    case same
    /// The reports belong to this other leak, which may not be stored yet.
    case other(LeakIdentity)
    /// The reports belong to several leaks.
    case several
    /// No sample report shows to which leak the reports belong.
    case unknown

    /// Groups the sample reports of a leak again by the current rules.
    ///
    /// - Parameters:
    ///   - merged: the leaks that were merged by hand into the leak, whose reports belong to it too.
    ///   - reports: the sample reports of the leak.
    ///   - rules: the rules of the app. Leaks that they make stay, and so do leaks whose reports they put into other groups now:
    ///     such leaks can be merged by hand.
    ///   - symbols: returns the functions of a frame that has only an image and an offset.
    init(
        of leak: LeakIdentity, merged: [ManualMerge] = [], reports: some Sequence<LeakReport>,
        rules: FingerprintRules? = nil, symbols: CallStack.Symbols = { _, _ in [] }
    ) {
        var otherGroup: LeakIdentity?
        let ids = Set(merged.map(\.source) + [leak.id])
        for report in reports {
            switch Self.group(of: report, in: leak, ids: ids, rules: rules, symbols: symbols) {
            case .same:
                self = otherGroup == nil ? .same : .several
                return
            case .other(let identity):
                if let otherGroup, otherGroup.id != identity.id {
                    self = .several
                    return
                }
                otherGroup = otherGroup ?? identity
            case .several, .unknown: continue
            }
        }
        self = otherGroup.map { .other($0) } ?? .unknown
    }

    /// Returns the group of one report.
    ///
    /// - Parameter ids: the ids under which reports of the leak arrive.
    private static func group(
        of report: LeakReport, in leak: LeakIdentity, ids: Set<LeakID>, rules: FingerprintRules?,
        symbols: CallStack.Symbols
    ) -> CurrentGroup {
        let groupsByRules = groupsByRules(of: report, in: leak, rules, symbols)
        if groupsByRules.contains(where: { ids.contains($0.identity.id) }) { return .same }
        if isGroupedByFingerprint(leak), report.fingerprint.isEmpty { return .unknown }
        let groups = candidateModules(for: leak).map {
            GroupingRules.groups(report, app: leak.appKey, module: $0, symbols: symbols)
        }
        let identities = groups.flatMap { ([$0.first] + $0.others).map(\.identity) }
        if identities.contains(where: { !ids.isDisjoint(with: $0.ids) }) { return .same }
        guard groupsByRules.isEmpty else { return .unknown }
        // A text that describes several leaks belongs to several groups.
        if groups.contains(where: { !$0.others.isEmpty }) { return .several }
        guard let group = identities.first, isFromCompleteData(group, of: leak) else { return .unknown }
        return .other(group)
    }

    /// Returns the groups that rules of the app give to a report.
    private static func groupsByRules(
        of report: LeakReport, in leak: LeakIdentity, _ rules: FingerprintRules?,
        _ symbols: CallStack.Symbols
    ) -> [GroupedReport] {
        guard let rules else { return [] }
        return candidateModules(for: leak).flatMap { module in
            let groups = GroupingRules.groups(
                report, app: leak.appKey, module: module, rules: rules, symbols: symbols)
            return ([groups.first] + groups.others).filter { $0.rule != nil }
        }
    }

    /// Returns the modules to try, because a sample report does not contain the module that its sender named: the module of
    /// the leak; `nil` for a sender that named none; and ``GroupingRules/noModuleMarker``, with which dotted names stay whole.
    static func candidateModules(for leak: LeakIdentity) -> [String?] {
        let isNested = leak.module == nil && leak.className?.contains(".") ?? false
        return isNested
            ? [GroupingRules.noModuleMarker, nil] : [leak.module, nil, GroupingRules.noModuleMarker]
    }

    /// Returns `true` if the key of a leak seems to be the fingerprint of its reports.
    private static func isGroupedByFingerprint(_ leak: LeakIdentity) -> Bool {
        leak.quality == .full && !leak.groupingKey.className.isEmpty
            && leak.groupingKey.className != leak.className
    }

    private static func withoutGenericArguments(_ className: String) -> Substring {
        className.prefix { $0 != "<" }
    }

    /// Returns `true` if a sample report has all data that determines its group. The sample of a long report may lack the
    /// stack and other parts.
    ///
    /// - Parameters:
    ///   - group: the group of the sample report.
    ///   - leak: the stored leak of the report, which shows the parts that the whole report had.
    private static func isFromCompleteData(_ group: LeakIdentity, of leak: LeakIdentity) -> Bool {
        if group.groupingKey.className.isEmpty, group.groupingKey.stack.isEmpty { return false }
        if group.quality == .low, leak.quality != .low { return false }
        // The sample of a text that described several leaks may lack the text about this leak.
        if let className = leak.className, let other = group.className {
            let (one, two) = (withoutGenericArguments(className), withoutGenericArguments(other))
            guard one.hasSuffix(two) || two.hasSuffix(one) else { return false }
        } else if leak.className == nil, !leak.cycle.isEmpty, leak.cycle.count == group.cycle.count {
            guard leak.cycle == group.cycle else { return false }
        }
        // If the symbols that named the leak's frames were removed since, the frames in the group's key have no names.
        if CallStack.hasOnlyOffsets(group.groupingKey.stack),
            CallStack.titles(of: leak.groupingKey.stack) != nil,
            !CallStack.hasOnlyOffsets(leak.groupingKey.stack)
        {
            return false
        }
        return (leak.stack.isEmpty || !group.stack.isEmpty)
            && (leak.children.isEmpty || !group.children.isEmpty)
            && (leak.cycle.isEmpty || !group.cycle.isEmpty)
    }
}

/// The leak to which the current grouping rules assign new reports, if an older version of the rules assigned equal reports to
/// another leak.
struct Successor {
    var identity: LeakIdentity
    /// The stored leak with its number of reports; `nil` if it has no reports yet.
    var outline: LeakOutline?

    init(identity: LeakIdentity, outline: LeakOutline?) {
        self.identity = identity
        self.outline = outline
    }

    /// Finds the successor of a leak. The initializer reads a sample report and an outline, but only if the current rules may
    /// give the leak another group.
    ///
    /// - Parameter newest: returns the newest sample report of the leak; called only if it is needed.
    /// - Returns: `nil` if new reports still belong to the leak itself, or if the newest sample report does not show a single
    ///   leak to which they belong.
    init?(
        of leak: LeakIdentity, newest: () throws(StoreError) -> SampleReport?, reader: any StoreReader
    ) throws(StoreError) {
        let isPathOfFrames =
            CallStack.titles(of: leak.stack) == nil && !leak.stack.isEmpty && CallStack(leak.stack) != nil
        let isGeneric = ([leak.groupingKey.className] + leak.groupingKey.stack).contains { $0.contains("<") }
        guard leak.groupingKey.version < GroupingRules.currentVersion,
            leak.quality == .low || isPathOfFrames || isGeneric,
            !leak.isOverLimit, let report = try newest().flatMap({ ParsedSample($0).report }),
            case .other(let identity) = try CurrentGroup(
                of: leak, merged: reader.manualMerges(into: leak.id), reports: [report],
                rules: FingerprintRules.current(of: leak.app, from: reader))
        else { return nil }
        self.identity = identity
        outline = try reader.outline(of: identity.id)
    }
}
