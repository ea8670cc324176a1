import LeakSeededRandom
import LeakCollectorSupport
import LeakFaultyPeers
import Foundation
import Testing
import LeakPlatform

/// Kills an app with SIGKILL while it records and sends. Sightings that the app printed as stored must be counted exactly once.
///
/// Runs ten rounds; `make soak` runs 200 (`REPORTER_KILLS`). A failed run names its seed. `REPORTER_KILL_SEED` repeats the run
/// of a seed, but the kills may happen at other times.
@Suite(.serialized) struct ReporterKillTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["REPORTER_KILLS"].flatMap { Int($0) } ?? 10
    private static var seed: UInt64 {
        environment["REPORTER_KILL_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000_000)
    }

    @Test func `sightings that an app had stored before it was killed count once`() async throws {
        let seed = Self.seed
        let complaints = try await onThreadOfItsOwn {
            let bench = try KillBench(seed: seed)
            defer { bench.stop() }
            for round in 0..<Self.rounds { try bench.killOne(round) }
            return try bench.countingErrors()
        }
        #expect(complaints == [], "seed \(seed)")
    }

    @Test func `sightings that two killed apps had stored in one folder count once`() async throws {
        let seed = Self.seed
        let complaints = try await onThreadOfItsOwn {
            let bench = try KillBench(seed: seed)
            defer { bench.stop() }
            for round in 0..<(Self.rounds + 1) / 2 { try bench.killTwo(round) }
            return try bench.countingErrors()
        }
        #expect(complaints == [], "seed \(seed)")
    }
}

/// A folder that all killed apps use one after the other or together, and a collector that they reach through a proxy with
/// faults. The collector keeps its address, because reports that wait for another address would not be sent.
private final class KillBench {
    /// The counts that an app printed for the sightings of its own class.
    private struct KilledRun {
        let className: String
        let summary: String
        let stored: Int
        let recorded: Int

        /// - Returns: `nil` if `counted` is at least the stored and at most the recorded number of sightings.
        func countingError(counted: Int, _ what: String) -> String? {
            if (stored...max(stored, recorded)).contains(counted) { return nil }
            return "\(summary): stored \(stored), recorded \(recorded), \(what) counted \(counted)"
        }
    }

    static let app = "com.acme.kills"

    private let collector: RunningCollector
    private enum Network: String, CaseIterable { case sound, broken, absent }
    private let network: Guarded<Network>
    private let proxy: FaultyProxy
    private let folder = TestFolder()
    private var numbers: SeededRandom
    private var killedRuns: [KilledRun] = []

    init(seed: UInt64) throws {
        let collector = try RunningCollector()
        var numbers = SeededRandom(seed: seed)
        self.collector = collector
        let faults = Guarded(SeededRandom(seed: numbers.next()))
        let network = Guarded(Network.sound)
        self.network = network
        proxy = try FaultyProxy(to: collector.port) { _ in
            switch network.with({ $0 }) {
            case .sound: .none
            case .broken: faults.with { Self.fault(&$0) }
            case .absent: Fault(request: .init(cut: .init(afterBytes: 0, .reset)))
            }
        }
        self.numbers = numbers
    }

    func stop() {
        proxy.stop()
        folder.remove()
    }

    /// Returns an error of a gateway that says nothing about the batch, or that arrives after the collector has counted
    /// the batch.
    private static func gateway(_ numbers: inout SeededRandom) -> Fault.Gateway {
        let status = [502, 503, 504, 404, 403, 405, 429].randomElement(using: &numbers) ?? 502
        let (type, body) =
            [
                ("text/html", "<html><body><h1>\(status)</h1></body></html>"),
                (
                    "application/json",
                    #"{"timestamp":"2026-11-22","status":\#(status),"error":"x","path":"/"}"#
                ),
                ("application/problem+json", #"{"type":"about:blank","status":\#(status)}"#),
                ("text/plain", ""),
            ].randomElement(using: &numbers) ?? ("text/plain", "")
        return Fault.Gateway(
            status: status, type: type, body: body,
            cutAfter: numbers.chance(0.2) ? .random(in: 0...120, using: &numbers) : nil,
            forwardsRequest: status >= 500 && numbers.chance(0.5),
            stallMilliseconds: numbers.chance(0.2) ? 50 : 0,
            ending: Fault.Ending.allCases.randomElement(using: &numbers) ?? .close)
    }

    private static func fault(_ numbers: inout SeededRandom) -> Fault {
        if numbers.chance(0.4) { return Fault(gateway: gateway(&numbers)) }
        let ending = Fault.Ending.allCases.randomElement(using: &numbers) ?? .close
        let isRequest = numbers.chance(0.4)
        let cut = Fault.Cut(afterBytes: .random(in: 0...(isRequest ? 1_500 : 600), using: &numbers), ending)
        return isRequest
            ? Fault(request: .init(cut: cut))
            : Fault(answer: .init(cut: cut, delayMilliseconds: numbers.chance(0.3) ? 30 : 0))
    }

    // MARK: Starting and killing apps

    private struct Plan {
        let className: String
        let network: Network
        let waits: Bool
        let arguments: [String]
    }

    /// Returns the version of a run. Each run has a different version, so that the collector counts its checks separately.
    private static func version(of className: String) -> String {
        "1.0-" + className.filter { $0.isNumber || $0.isUppercase }.lowercased()
    }

    private func plan(_ className: String) -> Plan {
        let network = Network.allCases.randomElement(using: &numbers) ?? .sound
        let waits = numbers.chance(0.5)
        return Plan(
            className: className, network: network, waits: waits,
            arguments: [
                "folder=\(folder.path)", "endpoint=http://127.0.0.1:\(proxy.port)",
                "key=\(RunningCollector.key)",
                "version=\(Self.version(of: className))", "class=\(className)", "count=1000000",
                "leaks=\([1, 3, 40].randomElement(using: &numbers) ?? 1)",
                "pause=\([0, 1, 5].randomElement(using: &numbers) ?? 0)", "waits=\(waits ? "yes" : "no")",
                "sendsImmediately=\(numbers.chance(0.5) ? "yes" : "no")",
            ])
    }

    /// Starts an app and kills it: either right after it printed a number of stored sightings and before it records another sighting, or
    /// at a random time.
    func killOne(_ round: Int) throws {
        let plan = plan("Kills.Round\(round)")
        let app = try ReporterAppProcess(plan.arguments)
        try runUntilKill(plan, app)
        app.kill()
        recordKilled(app, plan)
    }

    /// Starts two apps and kills them one after the other. The second may adopt the files of the first.
    func killTwo(_ round: Int) throws {
        let plans = ["A", "B"].map { plan("Kills.Pair\(round)\($0)") }
        let apps = try plans.map { try ReporterAppProcess($0.arguments) }
        for (plan, app) in zip(plans, apps) {
            try runUntilKill(plan, app)
            app.kill()
            recordKilled(app, plan)
        }
    }

    private func runUntilKill(_ plan: Plan, _ app: ReporterAppProcess) throws {
        network.with { $0 = plan.network }
        if plan.waits {
            let last = Int.random(in: 1...40, using: &numbers)
            for number in 1...last {
                guard app.waitForLine("stored", atLeast: number) else { return }
                if number < last { app.letContinue() }
            }
            Thread.sleep(forTimeInterval: .random(in: 0...0.03, using: &numbers))
        } else {
            // Half of these kills happen during the start, while the app adopts the files of earlier runs.
            let longest = numbers.chance(0.5) ? 0.05 : 0.4
            Thread.sleep(forTimeInterval: .random(in: 0...longest, using: &numbers))
        }
    }

    private func recordKilled(_ app: ReporterAppProcess, _ plan: Plan) {
        killedRuns.append(
            KilledRun(
                className: plan.className,
                summary: "\(plan.className), network \(plan.network.rawValue), \(plan.arguments.suffix(4))",
                stored: app.newestNumber(after: "stored"), recorded: app.newestNumber(after: "recorded")))
    }

    // MARK: Comparing counts

    /// Starts one more app, which sends the reports that the killed apps left, and compares the counts of the collector with
    /// the output of the killed apps.
    func countingErrors() throws -> [String] {
        network.with { $0 = .sound }
        let last = try ReporterAppProcess([
            "folder=\(folder.path)", "endpoint=http://127.0.0.1:\(proxy.port)",
            "key=\(RunningCollector.key)", "flush=120",
        ])
        let words = last.wait()
        var complaints: [String] = []
        if !words.hasPrefix("done") || !words.contains("waiting: 0, dropped: [:]") {
            complaints.append("the last app printed: \(words)")
        }
        if !killedRuns.contains(where: { $0.stored > 0 }) { complaints.append("no app stored anything") }
        return try complaints + miscountedReports() + miscountedDenominators()
    }

    private func miscountedReports() throws -> [String] {
        var counted: [String: Int] = [:]
        for (name, count) in try collector.reportsByClass(ofApp: Self.app) {
            counted[String(name.prefix { $0 != "_" }), default: 0] += count
        }
        let complaints = killedRuns.compactMap { run in
            run.countingError(counted: counted.removeValue(forKey: run.className) ?? 0, "reports")
        }
        return complaints + counted.map { "\($0.key): counted \($0.value), but no app recorded it" }
    }

    /// Returns one line for each wrong count of checks or sessions: one check is expected for each sighting, and one session for
    /// each run that stored something.
    private func miscountedDenominators() throws -> [String] {
        let json = try collector.json("/api/v1/releases?app=\(Self.app)")
        let releases = json["releases"] as? [[String: Any]] ?? []
        let counts = Dictionary(
            releases.map {
                ($0["version"] as? String ?? "", ($0["checks"] as? Int ?? 0, $0["sessions"] as? Int ?? 0))
            },
            uniquingKeysWith: { one, _ in one })
        return killedRuns.flatMap { run -> [String] in
            let (checks, sessions) = counts[Self.version(of: run.className)] ?? (0, 0)
            let isOnce = ((run.stored > 0 ? 1 : 0)...(run.recorded > 0 ? 1 : 0)).contains(sessions)
            return [
                run.countingError(counted: checks, "checks"),
                isOnce ? nil : "\(run.summary): \(sessions) sessions",
            ].compactMap(\.self)
        }
    }
}
