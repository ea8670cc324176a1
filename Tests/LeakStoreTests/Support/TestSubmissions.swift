import LeakStore

/// 2026-11-20 12:00 UTC.
let noon: Int64 = 1_795_176_000_000
let hour: Int64 = 3_600_000
let day: Int64 = 24 * hour

func leak(
    _ name: String, stack: [String] = [], app: String = "shop", environment: String = AppKey.production,
    kind: String = "object"
) -> LeakIdentity {
    var hash: UInt64 = 14_695_981_039_346_656_037
    let place = environment == AppKey.production ? app : app + " in " + environment
    for byte in (place + "/" + name + "/" + stack.joined(separator: "/")).utf8 {
        hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
    }
    return LeakIdentity(
        id: LeakID(high: hash, low: hash &* 31), app: app, environment: environment, kind: kind,
        className: name, module: "Shop", title: name, stack: stack + [name], children: [], cycle: [],
        quality: .full,
        groupingKey: GroupingKey(version: 1, className: name, stack: stack + [name]))
}

extension Store {
    func pin(_ version: String?, of app: AppKey) throws(StoreError) -> Bool {
        try pin(version, of: app, by: "ada", now: noon)
    }
}

/// One report from which tests build a submission.
struct Report {
    var leak: LeakIdentity
    var version = "1.0"
    var build: String?
    var system: String? = "iOS 19.1"
    var model: String? = "iPhone17,1"
    var install: UInt64?
    var isFreed = false
    /// Milliseconds since 1970.
    var at = noon
    var count = 1
    /// Number of objects of the leak that were alive at the same time.
    var alive: Int?
    /// Lifetime of freed objects, in milliseconds.
    var lived: Int?
    var body = "{}"
}

func submission(
    _ reports: [Report] = [], key: String? = nil, body: UInt8 = 1, keyID: Int64 = 1, at: Int64 = noon
) -> Submission {
    var submission = Submission(keyID: keyID, receivedAt: at)
    for report in reports {
        submission.origins.append(
            Submission.Origin(
                app: report.leak.app, environment: report.leak.environment, version: report.version,
                build: report.build, system: report.system, model: report.model, installHash: report.install,
                install: report.install.map { "i\($0)" }))
        let start = submission.body.count
        submission.body += Array(report.body.utf8)
        submission.sightings.append(
            Submission.Sighting(
                leak: report.leak, originIndex: submission.origins.count - 1, isFreed: report.isFreed,
                at: report.at,
                count: report.count, alive: report.alive, livedMilliseconds: report.lived,
                jsonRange: start..<submission.body.count))
    }
    submission.response = Array("answer \(body)".utf8)
    submission.idempotency = key.map {
        Submission.Idempotency(key: $0, bodyHash: [UInt8](repeating: body, count: 32))
    }
    return submission
}

/// Returns a rule of a list of known leaks.
func knownLeakRule(
    _ className: String, _ id: String = "known", stack: [String] = [], kind: String? = nil,
    systems: [(String, String?, String?)] = []
) -> KnownLeakRule {
    KnownLeakRule(
        id: id, className: pattern(className), stack: stack.map(pattern), kind: kind,
        systems: systems.map { name, from, before in
            SystemRange(
                name: name, from: from.flatMap { SystemVersion($0) },
                before: before.flatMap { SystemVersion($0) })
        },
        reason: "The system keeps it.", source: "https://example.com/\(id)")
}

private func pattern(_ text: String) -> NamePattern {
    guard let pattern = NamePattern(text) else { preconditionFailure("\(text) is not a pattern") }
    return pattern
}

/// Returns a submission with reports of one leak, and with sessions, of one version.
func usage(of version: String, reports: Int, sessions: Int) -> Submission {
    var batch = submission(
        reports > 0 ? [Report(leak: leak("Page"), version: version, count: reports)] : [])
    batch.usageCounts = [
        Submission.UsageCounts(
            app: "shop", version: version, build: nil, sessions: sessions, leakySessions: 0, checks: [:])
    ]
    return batch
}
