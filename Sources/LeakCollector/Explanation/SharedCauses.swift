internal import LeakCauses
internal import LeakMessage
internal import LeakStore

/// The causes that the leaks of an app share. Leaks with the same cycle, or whose objects the same property holds,
/// have one cause.
struct SharedCauses {
    /// One cause, with the leaks that have it.
    struct Cause {
        /// The path of the leak with the highest cost. The paths of the other leaks may lead from the same property to other
        /// objects.
        var path: RetainPath
        /// The names that symbols give the closures of the path, such as `closure #1 in CartModel.bind()`.
        var closureNames: [String] = []
        /// Leaks with this cause, highest cost first, each with the number of its explanations that name the cause.
        var leaks: [(row: LeakRow, explanationCount: Int)] = []
        /// Number of explanations that name the cause.
        var explanationCount = 0
        /// Number of explanations that name the cause and whose path is proven.
        var provenCount = 0
        /// Bytes that would be freed on all devices if the cause were removed. Each leak counts by the share of its examined
        /// explanations that name the cause. `nil` if no explanation has bytes.
        var bytes: Int?

        /// The property that keeps the objects, such as `Session.observers`, or the whole path if it has no property.
        var title: String { path.property ?? path.description }

        /// The programming mistake behind the path.
        var mistake: LeakCause? { LeakCause(of: path, closureNames: closureNames) }
    }

    /// Maximum number of leaks that are examined. Leaks with the highest cost come first.
    static let maxExaminedLeaks = 1_000
    /// Maximum number of different stored reasons that are examined per leak. The most frequent ones are examined.
    static let maxReasonsPerLeak = 5
    /// Maximum number of causes in JSON. The page shows fewer.
    static let maxListedCauses = 200
    /// Maximum number of leaks of one cause in JSON. The page shows fewer.
    static let maxListedLeaks = 100
    /// Maximum number of closure sets that are searched for names per leak.
    private static let maxClosureSetsPerLeak = 100

    /// At most ``maxListedCauses`` causes: those with most bytes first, then those with most leaks.
    private(set) var causes: [Cause]
    /// Number of causes of the examined leaks.
    let causeCount: Int
    /// Number of examined leaks.
    let leakCount: Int
    /// Number of examined leaks that have a cause.
    let explainedLeakCount: Int
    /// Number of all leaks to fix.
    let totalLeakCount: Int

    /// - Parameters:
    ///   - app: the app and the environment of the leaks.
    ///   - first: the ``LeakMessage/RetainPath/causeKey`` of the cause that comes before all other causes.
    init(
        app: AppScope, first: String? = nil, from reader: any StoreReader, symbolTables: SymbolTableCache?,
        now: Int64
    ) throws(StoreError) {
        var query = LeakQuery()
        query.scope = app
        query.sort = .cost
        query.limit = Self.maxExaminedLeaks
        let page = try reader.leaks(query, now: now)
        let reasons = try reader.reasons(of: page.leaks.map(\.identity.id), limit: Self.maxReasonsPerLeak)
        self.init(leaks: page.leaks, total: page.total, reasons: reasons, first: first)
        let firstLeaks = Set(causes.compactMap { $0.leaks.first?.row.identity.id })
        let closures = try reader.closures(of: Array(firstLeaks), limit: Self.maxClosureSetsPerLeak)
        var symbolicator = FrameSymbolicator(symbolTables: symbolTables, reader: reader)
        for index in causes.indices {
            guard let leak = causes[index].leaks.first?.row.identity.id else { continue }
            let path = causes[index].path
            let symbolicatedValues = closures[leak, default: []].compactMap {
                value -> LeakDetail.ValueCount? in
                guard let stored = StoredClosures(text: value.value),
                    stored.pathFingerprint == path.fingerprint
                else {
                    return nil
                }
                return LeakDetail.ValueCount(
                    value: stored.symbolicated(by: &symbolicator).text, reports: value.reports)
            }
            let sets =
                LeakReasons.closureSets(symbolicatedValues, of: [path.fingerprint: path])[path.fingerprint]
                ?? []
            causes[index].closureNames = sets.lazy.map(\.names).first { !$0.isEmpty } ?? []
        }
    }

    /// - Parameter reasons: the stored reasons of each leak, with their numbers of explanations.
    init(
        leaks rows: [LeakRow], total: Int, reasons: [LeakID: [LeakDetail.ValueCount]], first: String?
    ) {
        var keys: [String] = []
        var causesByKey: [String: Cause] = [:]
        var parsedReasons: [String: StoredReason] = [:]
        var explainedCount = 0
        for row in rows {
            guard let counts = reasons[row.identity.id] else { continue }
            let explanationCount = counts.reduce(0) { $0 + $1.reports }
            var countsByKey: [String: Int] = [:]
            for value in counts {
                let reason = parsedReasons[value.value] ?? StoredReason(text: value.value)
                parsedReasons[value.value] = reason
                guard let path = reason.path else { continue }
                let key = path.causeKey
                if causesByKey[key] == nil { keys.append(key) }
                var cause = causesByKey[key] ?? Cause(path: path)
                cause.explanationCount += value.reports
                if reason.isProven { cause.provenCount += value.reports }
                causesByKey[key] = cause
                countsByKey[key, default: 0] += value.reports
            }
            if !countsByKey.isEmpty { explainedCount += 1 }
            for (key, count) in countsByKey {
                causesByKey[key]?.leaks.append((row, count))
                guard let cost = row.cost else { continue }
                let bytesShare = Int(Double(cost) * Double(count) / Double(explanationCount))
                let bytes = causesByKey[key]?.bytes ?? 0
                causesByKey[key]?.bytes = min(bytes + bytesShare, 1 << 53)
            }
        }
        let sortedCauses = keys.compactMap { causesByKey[$0] }.enumerated().sorted {
            ($1.element.bytes ?? -1, $1.element.leaks.count, $1.element.explanationCount, $0.offset)
                < ($0.element.bytes ?? -1, $0.element.leaks.count, $0.element.explanationCount, $1.offset)
        }.map(\.element)
        causeCount = sortedCauses.count
        let firstCause = sortedCauses.filter { $0.path.causeKey == first }
        causes = Array(
            (firstCause + sortedCauses.filter { $0.path.causeKey != first }).prefix(Self.maxListedCauses))
        leakCount = rows.count
        explainedLeakCount = explainedCount
        totalLeakCount = total
    }
}
