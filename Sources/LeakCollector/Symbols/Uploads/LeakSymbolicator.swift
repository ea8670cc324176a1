internal import LeakMessage
internal import LeakPlatform
internal import LeakStore

/// Symbolicator of stored leaks after an upload of symbols. It also merges leaks of several builds that turn out to
/// be one.
struct LeakSymbolicator {
    struct Outcome: Hashable, Sendable {
        /// Number of leaks whose frames have names now.
        var namedCount = 0
        /// Number of named leaks that were merged into another leak.
        var mergedCount = 0
    }

    /// The author of the merge in the history of the merged leak.
    static let author = Decision.AutomaticAuthor.symbols.rawValue
    /// Maximum number of passes. Names for the frames of one leak may allow another leak to be merged, so passes are
    /// repeated until nothing changes.
    private static let maxPasses = 3

    let store: any Store
    let reader: any StoreReader
    let symbolTables: SymbolTableCache
    /// Milliseconds since 1970.
    let now: Int64

    /// Finds the leaks with unnamed frames in one of the images, and groups their sample reports again.
    ///
    /// Each leak has its own transaction, so that reports can be counted between two leaks. A second run changes nothing.
    ///
    /// - Parameters:
    ///   - spellings: the ``SymbolData/spellings`` of the images.
    ///   - shouldContinue: called before each leak. If it returns `false`, the remaining leaks stay as they are.
    func nameFrames(
        with spellings: [String], while shouldContinue: () -> Bool = { true }
    ) throws(StoreError) -> Outcome {
        var outcome = Outcome()
        for _ in 0..<Self.maxPasses {
            let earlierOutcome = outcome
            try runPass(over: spellings, outcome: &outcome, while: shouldContinue)
            if outcome == earlierOutcome { break }
        }
        return outcome
    }

    private func runPass(
        over spellings: [String], outcome: inout Outcome, while shouldContinue: () -> Bool
    ) throws(StoreError) {
        for id in try reader.leaks(withFramesOf: spellings) {
            guard shouldContinue() else { return }
            guard let leak = try reader.leak(id, now: now)?.row.identity, !leak.isOverLimit,
                let samples = try reader.samples(of: id)
            else { continue }
            let reports = samples.compactMap { ParsedSample($0).report }
            var symbolicator = FrameSymbolicator(symbolTables: symbolTables, reader: reader)
            let rules = try FingerprintRules.current(of: leak.app, from: reader)
            let group = CurrentGroup(
                of: leak, merged: try reader.manualMerges(into: id), reports: reports, rules: rules
            ) {
                symbolicator.calls($0, $1)
            }
            if let error = symbolicator.readError { throw error }
            switch group {
            case .other(let target):
                let version = target.groupingKey.version
                // The audit log names the upload, which is the reason for all merges.
                let merge = try store.merge([id], into: target, by: Self.author, audit: nil, now: now) {
                    Self.noteText($0, version: version)
                }
                guard let merge else { continue }
                outcome.namedCount += 1
                if !merge.isNew { outcome.mergedCount += 1 }
            case .same:
                guard let identity = rewritten(leak, reports, rules: rules), try store.rewrite(identity)
                else {
                    continue
                }
                outcome.namedCount += 1
            case .several, .unknown: continue
            }
        }
    }

    /// Returns the leak with names in the path that pages show; `nil` if nothing changes. This is for a leak whose id stays
    /// the same because its grouping key does not contain its frames, such as a leak with a fingerprint.
    private func rewritten(
        _ leak: LeakIdentity, _ reports: [LeakReport], rules: FingerprintRules?
    ) -> LeakIdentity? {
        for report in reports {
            var symbolicator = FrameSymbolicator(symbolTables: symbolTables, reader: reader)
            let groups = [leak.module, nil].map {
                GroupingRules.groups(report, app: leak.appKey, module: $0, rules: rules) {
                    symbolicator.calls($0, $1)
                }
            }
            let regrouped = groups.lazy.map(\.first.identity).first {
                $0.id == leak.id && $0.stack != leak.stack
            }
            guard let regrouped, !symbolicator.usedImages.isEmpty else { continue }
            return LeakIdentity(
                id: leak.id, app: leak.app, environment: leak.environment, kind: leak.kind,
                className: leak.className, module: leak.module, title: leak.title, stack: regrouped.stack,
                children: leak.children, cycle: leak.cycle,
                quality: leak.quality, groupingKey: leak.groupingKey)
        }
        return nil
    }

    private static func noteText(_ merge: LeakMerge, version: Int) -> String {
        let names = merge.sources.map { "\($0.id) (\(countText($0.reports, of: "report")))" }
        let list = names.joined(separator: ", ")
        guard !merge.isNew else {
            return "This leak got function names from symbols. Before, it was \(list)."
        }
        return
            "Merged \(list) into this leak: symbols gave its reports function names, and grouping rule \(version) puts them here."
    }
}
