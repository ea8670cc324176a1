internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStatistics
internal import LeakStore

/// The release check: whether a version leaks more than an earlier version.
struct ReleaseCheckResource: JSONResource {
    static let permission = Permission.check
    static let jsonPath = "/check"
    static let jsonParameters =
        Request.scopeParameters
        + ["version", "build", "baseline", "baseline_build"]
        + ReleaseCheckRequest.Limit.allCases.map(\.rawValue)

    let checkRequest: ReleaseCheckRequest

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        func nonEmpty(_ name: String) -> String? { request.query(name).flatMap { $0.isEmpty ? nil : $0 } }
        let scope = request.queriedScope
        guard let app = scope.app, let version = nonEmpty("version") else {
            throw Problem.invalidParameter(
                "missing parameter: app or version; send both, as in ?app=com.acme.shop&version=5.2.0")
        }
        var query = ReleaseCheckQuery(
            app: app, environment: scope.environment, version: version, build: nonEmpty("build"),
            baseline: nonEmpty("baseline"),
            baselineBuild: nonEmpty("baseline_build"))
        for limit in ReleaseCheckRequest.Limit.allCases {
            guard let text = nonEmpty(limit.rawValue) else { continue }
            guard limit.set(text, in: &query) else {
                throw Problem.invalidParameter("\(limit.rawValue) is “\(text)”, must be \(limit.validValues)")
            }
        }
        checkRequest = ReleaseCheckRequest(query)
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        do {
            writer.fields(of: try checkRequest.run(on: view.reader, now: view.now))
        } catch let error as UnknownVersionError {
            throw Problem(.notFound, error.withoutOtherApps.description)
        }
    }
}

extension JSONWriter {
    mutating func fields(of check: ReleaseCheck) {
        field("app", check.app)
        field("environment", check.environment)
        field("version", check.version.version)
        field("build", check.version.build)
        field("baseline", check.baseline?.version)
        field("baseline_build", check.baseline?.build)
        field("verdict", check.verdict.rawValue)
        field("worse_count", check.worseCount)
        field("new_count", check.newCount)
        field("back_count", check.backCount)
        field("better_count", check.betterCount)
        field("fixed_count", check.fixedCount)
        field("rare_count", check.rareCount)
        field("uncompared_count", check.uncomparedCount)
        field("set_aside", check.setAsideCount)
        field("needed_growth", check.neededGrowth)
        object("sessions") { writer in
            writer.field("baseline", sessions: check.baseline?.sessions)
            writer.field("version", sessions: check.version.sessions)
        }
        object("rates") { writer in
            writer.field("baseline", rates: check.baseline)
            writer.field("version", rates: check.version)
        }
        array("leaks") { writer in
            for leak in check.leaks { writer.object { $0.fields(of: leak) } }
        }
        array("worse_classes") { writer in
            for worse in check.worseClasses { writer.object { $0.fields(of: worse) } }
        }
        if let pool = check.pool {
            object("pool") { $0.fields(of: pool) }
        } else {
            nullField("pool")
        }
        array("classes") { writer in
            for checked in check.classes { writer.object { $0.fields(of: checked) } }
        }
    }

    private mutating func field(_ name: String, sessions: Proportion?) {
        guard let sessions else { return nullField(name) }
        object(name) { writer in
            writer.field("all", sessions.trials)
            writer.field("leaky", sessions.events)
        }
    }

    private mutating func field(_ name: String, rates side: ReleaseCheck.Side?) {
        guard let side else { return nullField(name) }
        object(name) { writer in
            writer.field("reports", side.reports)
            writer.field("checks", side.checks)
            writer.field("leak_free_interval", interval: side.leakFreeInterval)
            writer.field("leaks_per_check_interval", interval: side.leaksPerCheckInterval)
        }
    }

    private mutating func fields(of leak: ReleaseCheck.Leak) {
        field("result", leak.result.kind.rawValue)
        field("probability", leak.result.probability)
        fields(baseline: leak.baseline, version: leak.version)
        object("leak") { $0.fields(of: leak.row) }
    }

    private mutating func fields(of worse: ReleaseCheck.WorseClass) {
        field("class", worse.className)
        field("probability", worse.probability)
        fields(baseline: worse.baseline, version: worse.version)
    }

    private mutating func fields(of pool: ReleaseCheck.ClassPool) {
        field("classes", pool.classCount)
        field("too_few", pool.undecidedClassCount)
        var (probability, growth): (Double?, Double?)
        switch pool.result {
        case .enough: field("result", "enough")
        case .needs(let needed):
            field("result", "too_few")
            growth = needed
        case .fewDevices: field("result", "few_devices")
        case .worse(let rise):
            field("result", "worse")
            probability = rise
        }
        field("probability", probability)
        field("needed_growth", growth)
        fields(baseline: pool.baseline, version: pool.version)
    }

    private mutating func fields(baseline: ReleaseCheck.RateCounts, version: ReleaseCheck.RateCounts) {
        for (name, counts) in [("baseline", baseline), ("version", version)] {
            object(name) { writer in
                writer.field("reports", counts.reports)
                writer.field("checks", counts.checks)
            }
        }
    }

    private mutating func fields(of checked: ReleaseCheck.CheckedClass) {
        field("class", checked.className)
        field("baseline", checked.baselineChecks)
        field("version", checked.versionChecks)
        switch checked.result {
        case .enough: field("result", "enough")
        case .needs: field("result", "too_few")
        case .fewDevices: field("result", "few_devices")
        case .notChecked: field("result", "not_checked")
        case .new: field("result", "new")
        case .pooled: field("result", "pooled")
        case .setAside: field("result", "set_aside")
        }
        if case .needs(let checks) = checked.result {
            field("needed", checks)
        } else {
            nullField("needed")
        }
    }
}
