internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// The leak that the reports of a stored leak go to by today's rules.
///
/// A stored leak keeps the rule that made it. Where a rule has changed since, new reports of the same objects go to
/// another leak.
enum CurrentGroup {
    /// Its reports still come to the leak itself.
    case same
    case other(LeakIdentity)
    /// Some of its reports go to another leak than others do.
    case several
    /// No report that tells is kept.
    case unknown

    /// - Parameters:
    ///   - reports: kept ones.
    ///   - symbols: names frames that have an image and an offset alone.
    init(
        of leak: LeakIdentity, reports: some Sequence<LeakReport>,
        symbols: CallStack.Symbols = { _, _ in [] }
    ) {
        var found: LeakIdentity?
        for report in reports {
            switch Self.group(of: report, in: leak, symbols) {
            case .same:
                self = found == nil ? .same : .several
                return
            case .other(let identity):
                if let found, found.id != identity.id {
                    self = .several
                    return
                }
                found = found ?? identity
            case .several, .unknown: continue
            }
        }
        self = found.map { .other($0) } ?? .unknown
    }

    /// The group of one report.
    private static func group(
        of report: LeakReport, in leak: LeakIdentity, _ symbols: CallStack.Symbols
    ) -> CurrentGroup {
        if isByFingerprint(leak), report.fingerprint.isEmpty { return .unknown }
        let groups = modules(of: leak).map {
            GroupingRules.groups(report, app: leak.app, module: $0, symbols: symbols)
        }
        let identities = groups.flatMap { ([$0.first] + $0.others).map(\.identity) }
        if identities.contains(where: { $0.id == leak.id || $0.alternative?.id == leak.id }) { return .same }
        // A text that tells of several leaks.
        if groups.contains(where: { !$0.others.isEmpty }) { return .several }
        guard let group = identities.first, isWhole(group, of: leak) else { return .unknown }
        return .other(group)
    }

    /// A kept report no longer says which module its sender named, so that each that it may have been is tried. No type is
    /// in the last one, which leaves dotted names whole.
    private static func modules(of leak: LeakIdentity) -> [String?] {
        let isNested = leak.module == nil && leak.className?.contains(".") ?? false
        return isNested ? [GroupingRules.noModule, nil] : [leak.module, nil, GroupingRules.noModule]
    }

    private static func isByFingerprint(_ leak: LeakIdentity) -> Bool {
        leak.quality == .full && !leak.groupingKey.className.isEmpty
            && leak.groupingKey.className != leak.className
    }

    private static func plain(_ className: String) -> Substring { className.prefix { $0 != "<" } }

    /// Long reports are kept without their stack, and without what else made their group.
    private static func isWhole(_ group: LeakIdentity, of leak: LeakIdentity) -> Bool {
        if group.groupingKey.className.isEmpty, group.groupingKey.stack.isEmpty { return false }
        if group.quality == .low, leak.quality != .low { return false }
        // A kept text that told of several leaks may have lost this one.
        if let className = leak.className, let other = group.className {
            let (one, two) = (plain(className), plain(other))
            guard one.hasSuffix(two) || two.hasSuffix(one) else { return false }
        } else if leak.className == nil, !leak.cycle.isEmpty, leak.cycle.count == group.cycle.count {
            guard leak.cycle == group.cycle else { return false }
        }
        // Symbols that named the frames are no longer there.
        if CallStack.isOfPlaces(group.groupingKey.stack),
            CallStack.titles(of: leak.groupingKey.stack) != nil, !CallStack.isOfPlaces(leak.groupingKey.stack)
        {
            return false
        }
        return (leak.stack.isEmpty || !group.stack.isEmpty)
            && (leak.children.isEmpty || !group.children.isEmpty)
            && (leak.cycle.isEmpty || !group.cycle.isEmpty)
    }
}

/// Where the new reports of a leak go that an older rule made.
struct Successor {
    var identity: LeakIdentity
    /// `nil` while no report has gone there.
    var outline: LeakOutline?

    init(identity: LeakIdentity, outline: LeakOutline?) {
        self.identity = identity
        self.outline = outline
    }

    /// Reads as much as one row, and only for a leak that may be of an older rule.
    ///
    /// - Parameter newest: the newest report of the leak that is kept; asked for only if it matters.
    /// - Returns: `nil` for a leak that its reports still come to.
    init?(
        of leak: LeakIdentity, newest: () throws(StoreError) -> SampleReport?, reader: any StoreReader
    ) throws(StoreError) {
        let isPathOfFrames =
            CallStack.titles(of: leak.stack) == nil && !leak.stack.isEmpty && CallStack(leak.stack) != nil
        let isGeneric = ([leak.groupingKey.className] + leak.groupingKey.stack).contains { $0.contains("<") }
        guard leak.groupingKey.version < GroupingRules.currentVersion,
            leak.quality == .low || isPathOfFrames || isGeneric,
            !leak.isBeyond, let report = try newest().flatMap({ ParsedSample($0).report }),
            case .other(let identity) = CurrentGroup(of: leak, reports: [report])
        else { return nil }
        self.identity = identity
        outline = try reader.outline(of: identity.id)
    }
}
