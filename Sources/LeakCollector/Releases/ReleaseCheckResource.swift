internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStatistics
internal import LeakStore

/// The release check: whether a version leaks more than an earlier version. JSON, or Markdown for a comment on a pull request.
struct ReleaseCheckResource: JSONResource, TextResource {
    static let permission = Permission.check
    static let (jsonPath, textPath) = ("/check", "/check/markdown")
    static let mediaType = "text/markdown; charset=utf-8"
    static let jsonParameters =
        Request.scopeParameters
        + ["version", "build", "baseline", "baseline_build"]
        + ReleaseCheckRequest.Limit.allCases.map(\.rawValue)

    static let textParameters = jsonParameters

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
        writer.fields(of: try check(view))
    }

    func text(from view: StoreView) throws -> String {
        try ReleaseCheckResult(check(view)).markdown(address: view.address)
    }

    private func check(_ view: StoreView) throws -> ReleaseCheck {
        do {
            let check = try checkRequest.run(on: view.reader, now: view.now)
            if check.verdict == .failed { view.addEvent?(Event(failed: check, at: view.now)) }
            return check
        } catch let error as UnknownVersionError {
            throw Problem(.notFound, error.withoutOtherApps.description)
        }
    }
}

extension Event {
    /// Creates the event of a failed release check. It is recorded once for each pair of versions or builds.
    fileprivate init(failed check: ReleaseCheck, at time: Int64) {
        func name(_ side: ReleaseCheck.Side?) -> String {
            guard let side else { return "" }
            return side.build.map { "\(side.version) (build \($0))" } ?? side.version
        }
        var parts: [String] = []
        func add(_ count: Int, noun: String, plural: String, _ result: String) {
            if count > 0 { parts.append("\(Count(count).text(noun: noun, plural: plural)) \(result)") }
        }
        add(check.worseCount, noun: "leak", plural: "leaks", "worse")
        add(check.newCount, noun: "leak", plural: "leaks", "new")
        add(check.backCount, noun: "leak", plural: "leaks", "back")
        add(check.worseClasses.count, noun: "class", plural: "classes", "worse")
        if check.isPoolWorse { parts.append("the rare classes together worse") }
        let baseline = check.baseline == nil ? "" : " against \(name(check.baseline))"
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("baseline", check.baseline?.version)
            writer.field("baseline_build", check.baseline?.build)
            writer.field("worse_count", check.worseCount)
            writer.field("new_count", check.newCount)
            writer.field("back_count", check.backCount)
        }
        self.init(
            at: time, kind: .gateFailed, app: AppKey(check.app, environment: check.environment),
            version: check.version.version, build: check.version.build, key: name(check.baseline),
            title: name(check.version),
            text:
                "\(name(check.version)) failed the release check\(baseline): \(parts.joined(separator: ", "))",
            details: String(decoding: writer.bytes, as: UTF8.self))
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
