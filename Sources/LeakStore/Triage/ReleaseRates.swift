package import LeakStatistics

/// The counts that a release check compares, as read from a store.
package struct ReleaseRates: Sendable {
    /// One leak with reports in one of the versions.
    package struct Leak: Sendable {
        /// Row ID in `leak`.
        package var leakRowID: Int64
        package var className: String
        /// Number of reports in the version, including reports that are in no bucket.
        package var reports = 0
        package var installs = 0
        /// `true` if no version or build up to the baseline had the leak.
        package var isNew = false
        package var baselineReports = BucketCounts()
        package var versionReports = BucketCounts()
    }

    /// Checks of one class in both versions, by bucket.
    package struct Checks: Sendable {
        package var baseline = BucketCounts()
        package var version = BucketCounts()
    }

    /// Sessions of one of the versions, by bucket.
    package struct Sessions: Sendable {
        package var all = BucketCounts()
        package var leaky = BucketCounts()
    }

    /// Leaks by row ID in `leak`.
    package private(set) var leaks: [Int64: Leak] = [:]
    /// Checks by class.
    package private(set) var checks: [String: Checks] = [:]
    package private(set) var sessions = (baseline: Sessions(), version: Sessions())

    package init() {}

    // MARK: Filling

    package mutating func add(checks counts: BucketCounts, of className: String, isBaseline: Bool) {
        if isBaseline {
            checks[className, default: Checks()].baseline.add(counts)
        } else {
            checks[className, default: Checks()].version.add(counts)
        }
    }

    /// Adds the reports of a leak in one build.
    ///
    /// - Parameters:
    ///   - reports: reports of the leak in one build, including reports that are in no bucket.
    ///   - installs: number of installs with the leak on the whole side.
    package mutating func add(
        _ counts: BucketCounts, reports: Int, installs: Int, of rowID: Int64, className: String?,
        isBaseline: Bool
    ) {
        var leak = leaks[rowID] ?? Leak(leakRowID: rowID, className: className ?? "")
        if isBaseline {
            leak.baselineReports.add(counts)
        } else {
            leak.versionReports.add(counts)
            leak.reports.addBounded(reports)
            leak.installs = max(leak.installs, installs)
        }
        leaks[rowID] = leak
    }

    package mutating func add(sessions all: BucketCounts, leaky: BucketCounts, isBaseline: Bool) {
        if isBaseline {
            sessions.baseline.all.add(all)
            sessions.baseline.leaky.add(leaky)
        } else {
            sessions.version.all.add(all)
            sessions.version.leaky.add(leaky)
        }
    }

    /// Marks the leaks that were reported in the checked version or build, but in none up to the baseline.
    ///
    /// - Parameter seenLeaks: row IDs of the leaks that were reported up to the baseline, and of the leaks `other`, which are never
    ///   new.
    package mutating func markNew(except seenLeaks: Set<Int64>) {
        for (row, leak) in leaks where leak.reports > 0 && !seenLeaks.contains(row) {
            leaks[row]?.isNew = true
        }
    }
}

/// The result of a release check, before the texts of its leaks are read.
package struct ReleaseVerdict: Sendable {
    package struct Leak: Sendable {
        package var leakRowID: Int64
        package var result: ReleaseGate.LeakResult
        package var baseline: ReleaseCheck.RateCounts
        package var version: ReleaseCheck.RateCounts
    }

    /// Leaks that are worse, new, back or better, in this order, at most ``ReleaseCheck/rowLimit`` of each.
    package private(set) var leaks: [Leak] = []
    /// The result without its leaks.
    private var check: ReleaseCheck

    /// - Parameters:
    ///   - version: the checked version.
    ///   - baseline: `nil` if there is no earlier version.
    ///   - regressed: row IDs of the leaks that regressed in the checked version.
    package init(
        _ rates: ReleaseRates, app: AppKey, version: ReleaseCheck.Side, baseline: ReleaseCheck.Side?,
        _ leakStates: LeakStates, regressed: Set<Int64>, limits: ReleaseGate.Limits
    ) {
        check = ReleaseCheck(
            app: app.name, environment: app.environment, version: version, baseline: baseline,
            verdict: .cannotTell, leaks: [], classes: [], rareCount: 0, setAsideCount: 0)
        // A leak that regressed in another build of the version may be seen in an earlier build than its fix.
        let regressed = regressed.filter { leakStates.isRefuted($0, in: version) }
        var (comparedLeaks, resolvedLeaks): ([ReleaseRates.Leak], [ReleaseRates.Leak]) = ([], [])
        for leak in rates.leaks.values.sorted(by: { $0.leakRowID < $1.leakRowID }) {
            if !regressed.contains(leak.leakRowID),
                Self.isSetAside(leak.leakRowID, in: version, leakStates)
            {
                check.setAsideCount += leak.reports > 0 ? 1 : 0
                if leakStates.states[leak.leakRowID] == .resolved, leak.reports == 0 {
                    resolvedLeaks.append(leak)
                }
            } else {
                comparedLeaks.append(leak)
            }
        }
        let setAsideClasses = Self.setAsideClasses(rates, leakStates)
        let names = Set(rates.checks.keys).union((comparedLeaks + resolvedLeaks).map(\.className)).sorted()
        let classIndices = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
        let classes = names.map { name in
            let checks = rates.checks[name] ?? ReleaseRates.Checks()
            return ReleaseGate.ClassCounts(
                name, baseline: checks.baseline.counts, version: checks.version.counts,
                isSetAside: setAsideClasses.contains(name))
        }
        func counts(_ leak: ReleaseRates.Leak) -> ReleaseGate.LeakCounts {
            ReleaseGate.LeakCounts(
                classIndex: classIndices[leak.className] ?? 0, baseline: leak.baselineReports.counts,
                version: leak.versionReports.counts, devices: leak.installs, isNew: leak.isNew,
                isRegressed: regressed.contains(leak.leakRowID) && leak.reports > 0)
        }
        let gate = ReleaseGate(limits: limits)
        let result = gate.check(classes, comparedLeaks.map(counts))
        (check.verdict, check.hasEnoughData) = (result.verdict, result.hasEnoughData)
        check.neededGrowth = result.neededGrowth
        addClasses(classes, result.classes)
        addPool(result.pool, classes, leaks: comparedLeaks)
        // Fixed leaks are tested separately, so that they change neither the verdict nor the correction for the number of
        // tests.
        let improvements = gate.improvements(classes, resolvedLeaks.map(counts))
        let fixed = zip(resolvedLeaks, improvements).compactMap { leak, result in result.map { (leak, $0) } }
        addLeaks(comparedLeaks + fixed.map(\.0), result.leaks + fixed.map(\.1), of: rates)
        addWorseClasses(classes, result.classRiseProbabilities, leaks: comparedLeaks)
        Self.addTotals(
            to: &check.version, rates.sessions.version, checks: rates.checks.values.map(\.version),
            reports: comparedLeaks.map(\.versionReports))
        if var side = check.baseline {
            Self.addTotals(
                to: &side, rates.sessions.baseline, checks: rates.checks.values.map(\.baseline),
                reports: comparedLeaks.map(\.baselineReports))
            check.baseline = side
        }
        check.classes = Array(check.classes.prefix(ReleaseCheck.rowLimit))
    }

    private static func addTotals(
        to side: inout ReleaseCheck.Side, _ sessions: ReleaseRates.Sessions, checks: [BucketCounts],
        reports: [BucketCounts]
    ) {
        let counts = BucketedCounts(events: sessions.leaky.counts, trials: sessions.all.counts)
        side.sessions = counts.total
        side.sessionsEffect = counts.knownDesignEffect
        var (allChecks, allReports) = (BucketCounts(), BucketCounts())
        for counts in checks { allChecks.add(counts) }
        for counts in reports { allReports.add(counts) }
        side.checks = allChecks.total
        side.reports = allReports.total
        side.reportsEffect =
            BucketedCounts(events: allReports.counts, trials: allChecks.counts).knownDesignEffect
    }

    /// Returns the result with the rows of its leaks.
    ///
    /// - Parameter rows: the rows of ``leaks``, by row ID.
    package func releaseCheck(rows: [Int64: LeakRow]) -> ReleaseCheck {
        var check = check
        check.leaks = leaks.compactMap { leak in
            rows[leak.leakRowID].map {
                ReleaseCheck.Leak(
                    result: leak.result, row: $0, baseline: leak.baseline, version: leak.version)
            }
        }
        return check
    }

    private mutating func addClasses(
        _ classes: [ReleaseGate.ClassCounts], _ results: [ReleaseGate.ClassResult]
    ) {
        let checkedClasses = zip(classes, results).map { counts, result in
            ReleaseCheck.CheckedClass(
                className: counts.className, result: result, baselineChecks: counts.baseline.reduce(0, +),
                versionChecks: counts.version.reduce(0, +))
        }.filter { $0.baselineChecks > 0 || $0.versionChecks > 0 }
        check.classes = checkedClasses.sorted {
            ($1.baselineChecks, $1.versionChecks, $0.className)
                < ($0.baselineChecks, $0.versionChecks, $1.className)
        }
    }

    private mutating func addPool(
        _ pool: ReleaseGate.Pool?, _ classes: [ReleaseGate.ClassCounts], leaks: [ReleaseRates.Leak]
    ) {
        guard let pool else { return }
        let names = Set(pool.classIndices.map { classes[$0].className })
        let leaks = leaks.filter { names.contains($0.className) }
        func checks(_ counts: (ReleaseGate.ClassCounts) -> [Int]) -> Int {
            pool.classIndices.reduce(0) { $0 + counts(classes[$1]).reduce(0, +) }
        }
        check.pool = ReleaseCheck.ClassPool(
            result: pool.result, classCount: pool.classIndices.count,
            undecidedClassCount: pool.undecidedClassCount,
            baseline: ReleaseCheck.RateCounts(
                reports: leaks.reduce(0) { $0 + $1.baselineReports.total }, checks: checks(\.baseline)),
            version: ReleaseCheck.RateCounts(
                reports: leaks.reduce(0) { $0 + $1.versionReports.total }, checks: checks(\.version)))
    }

    private mutating func addWorseClasses(
        _ classes: [ReleaseGate.ClassCounts], _ riseProbabilities: [Double?], leaks: [ReleaseRates.Leak]
    ) {
        let worseClasses = zip(classes, riseProbabilities).compactMap {
            counts, rise -> ReleaseCheck.WorseClass? in
            guard let rise else { return nil }
            let leaks = leaks.filter { $0.className == counts.className }
            return ReleaseCheck.WorseClass(
                className: counts.className, probability: rise,
                baseline: ReleaseCheck.RateCounts(
                    reports: leaks.reduce(0) { $0 + $1.baselineReports.total },
                    checks: counts.baseline.reduce(0, +)),
                version: ReleaseCheck.RateCounts(
                    reports: leaks.reduce(0) { $0 + $1.versionReports.total },
                    checks: counts.version.reduce(0, +))
            )
        }
        check.worseClasses = Array(
            worseClasses.sorted { ($0.probability, $0.className) < ($1.probability, $1.className) }
                .prefix(ReleaseCheck.rowLimit))
    }

    private mutating func addLeaks(
        _ comparedLeaks: [ReleaseRates.Leak], _ results: [ReleaseGate.LeakResult], of rates: ReleaseRates
    ) {
        var byKind:
            [ReleaseGate.LeakResult.Kind: [(leak: ReleaseRates.Leak, result: ReleaseGate.LeakResult)]] = [:]
        for (leak, result) in zip(comparedLeaks, results) {
            byKind[result.kind, default: []].append((leak, result))
        }
        check.worseCount = byKind[.worse]?.count ?? 0
        check.newCount = byKind[.new]?.count ?? 0
        check.backCount = byKind[.back]?.count ?? 0
        check.betterCount = byKind[.better]?.count ?? 0
        check.fixedCount = byKind[.better]?.count { $0.leak.reports == 0 } ?? 0
        let unchanged = byKind.removeValue(forKey: .unchanged) ?? []
        check.rareCount = unchanged.count { $0.leak.isNew }
        check.uncomparedCount = unchanged.count { leak, _ in
            guard !leak.isNew, leak.reports > 0 else { return false }
            let checks = rates.checks[leak.className]
            return (checks?.baseline.total ?? 0) == 0 || (checks?.version.total ?? 0) == 0
        }
        for kind in ReleaseGate.LeakResult.Kind.allCases {
            let sorted = (byKind[kind] ?? []).sorted { one, other in
                let probabilities = (one.result.probability ?? 0, other.result.probability ?? 0)
                guard probabilities.0 == probabilities.1 else { return probabilities.0 < probabilities.1 }
                return (other.leak.reports, one.leak.leakRowID) < (one.leak.reports, other.leak.leakRowID)
            }
            leaks += sorted.prefix(ReleaseCheck.rowLimit).map { leak, result in
                let checks = rates.checks[leak.className] ?? ReleaseRates.Checks()
                return Leak(
                    leakRowID: leak.leakRowID, result: result,
                    baseline: ReleaseCheck.RateCounts(
                        reports: leak.baselineReports.total, checks: checks.baseline.total),
                    version: ReleaseCheck.RateCounts(
                        reports: leak.versionReports.total, checks: checks.version.total))
            }
        }
    }

    /// Returns the classes that have leaks, all of which are known or ignored. A release check needs no checks of these classes.
    private static func setAsideClasses(_ rates: ReleaseRates, _ leakStates: LeakStates) -> Set<String> {
        var (setAside, others): (Set<String>, Set<String>) = ([], [])
        for leak in rates.leaks.values {
            switch leakStates.states[leak.leakRowID] {
            case .known, .ignored: setAside.insert(leak.className)
            case .resolved, .open, .slow, .regressed, nil: others.insert(leak.className)
            }
        }
        return setAside.subtracting(others)
    }

    /// Returns `true` if the release check leaves out the leak. A resolved leak whose fix is in a later version or build is not
    /// left out.
    private static func isSetAside(
        _ rowID: Int64, in version: ReleaseCheck.Side, _ leakStates: LeakStates
    ) -> Bool {
        switch leakStates.states[rowID] {
        case .known, .ignored: true
        case .resolved: leakStates.isRefuted(rowID, in: version)
        case .open, .slow, .regressed, nil: false
        }
    }
}

extension LeakStates {
    /// Returns `true` if the leak is resolved, and a sighting on this side of a release check contradicts the fix.
    fileprivate func isRefuted(_ rowID: Int64, in side: ReleaseCheck.Side) -> Bool {
        decisionStatuses[rowID]?.decision.action.isRefuted(in: side.version, build: side.build) ?? false
    }
}
