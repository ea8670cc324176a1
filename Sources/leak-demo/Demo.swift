import Dispatch
import Foundation
import LeakDetector
import LeakMessage
import LeakReporter
import LeakSampleData

#if canImport(RetainPaths)
    import RetainPaths
#endif

/// The demo: sends the reports of a made-up shop, creates the leaks on all simulated phones and sends their reports.
@MainActor
struct Demo {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Runs the demo.
    ///
    /// - Returns: `true` if all leaks were noticed in time and everything was delivered.
    func run() -> Bool { sendSampleData() && reportRealLeaks() }

    private func sendSampleData() -> Bool {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        print("leak-demo: sends two weeks of reports of a made-up shop to \(options.endpoint) …")
        do {
            var delivery = try SampleDelivery(options)
            try delivery.send(SampleFleet(.demo, end: now))
            print("   batches: \(delivery.batchCount), decisions about leaks: \(delivery.decisionCount)\n")
            return true
        } catch {
            print("\nThe shop's reports were not delivered. \(error)\n\(Self.hint)")
            return false
        }
    }

    private static let hint =
        "Check the address and that a collector is there (`make run` starts one here), then try again."

    /// Creates the leaks and sends their reports.
    ///
    /// - Returns: `true` if all leaks were noticed in time and all reports were delivered.
    private func reportRealLeaks() -> Bool {
        let fleet = Phone.fleet(version: options.version, previous: options.previousVersion)
        print("leak-demo: creates real leaks and reports them")
        let phones = fleet.map { SimulatedPhone($0, options) }

        print("\n1. Screens are closed, some with a mistake that leaks:")
        for scenarioGroup in ScenarioGroup.all {
            print("   \(scenarioGroup.title)")
            for scenario in scenarioGroup.scenarios {
                print("     - \(scenario.title)\(releaseSuffix(of: scenario))")
            }
        }
        let scenarios = ScenarioGroup.all.flatMap(\.scenarios)
        // Phones leak one after another: they share a finder, which explains one object at a time, and a detector drops an
        // explanation that takes more than two seconds. The objects that are freed late are explained here, before they are
        // released below.
        let end = date(afterSeconds: 60)
        var (leaked, explained) = (true, true)
        for phone in phones {
            for _ in 0..<options.repeatCount { phone.play(scenarios, newest: options.version) }
            leaked = runUntil(date(afterSeconds: 60)) { phone.hasNoticedLeaks } && leaked
            explained = runUntil(end) { phone.hasExplainedLeaks } && explained
        }
        print("\n2. LeakDetector has checked twice. Now the objects that are only late are freed …")
        LateReleases.releaseAll()
        let inTime = leaked && runUntil(date(afterSeconds: 60)) { phones.allSatisfy(\.hasNoticedEverything) }
        for phone in phones { print("   \(phone.summary)") }
        if !inTime { print("   not every leak was noticed in time; sending the noticed ones") }
        if !explained { print("   not every leak was explained in time") }

        print("\n3. Messages of other detectors, unchanged:")
        for (index, text) in OtherDetectors.texts.enumerated() {
            print("   - \(text.prefix { $0 != "\n" }.prefix(76))")
            // Two phones report each text, so that it comes from several installs.
            phones[index % phones.count].reporter.record(message: text)
            phones[(index + 3) % phones.count].reporter.record(message: text)
        }
        phones[4].reporter.record(error: OtherDetectors.error)

        print("\n4. A leak with its call stack:")
        let report = ShopWindow.close()
        for frame in report.stack.prefix(3) { print("   - \(frame)") }
        // A phone of each version reports the leak.
        for index in [0, 3] { phones[index].reporter.record(leak: report) }

        print("\n5. Sending …")
        let deadline = Date().addingTimeInterval(20)
        for phone in phones {
            phone.reporter.record(checks: phone.detector.takeChecks())
            // Waits in steps: if no collector answers, waiting longer than a few attempts is useless.
            while !phone.reporter.flush(timeout: min(0.5, max(deadline.timeIntervalSinceNow, 0))) {
                let statistics = phone.reporter.statistics
                let isHopeless = statistics.sent == 0 && statistics.failedAttempts >= Self.attemptLimit
                guard !isHopeless, deadline.timeIntervalSinceNow > 0 else { break }
            }
        }
        return printSummary(phones.map(\.reporter.statistics)) && inTime
    }

    /// The number of attempts without any answer after which the demo gives up.
    private static let attemptLimit = 2

    private func releaseSuffix(of scenario: Scenario) -> String {
        switch scenario.onlyIn {
        case nil: ""
        case .previous: " (fixed in \(options.version))"
        case .newest: " (new in \(options.version))"
        }
    }

    /// Prints the sums of all reporters.
    ///
    /// - Returns: `true` if every report was delivered.
    private func printSummary(_ all: [LeakReporter.Statistics]) -> Bool {
        let sent = all.reduce(0) { $0 + $1.sent }
        let waiting = all.reduce(0) { $0 + $1.waiting }
        let dropped = all.flatMap(\.dropped)
        let lost = dropped.reduce(0) { $0 + $1.value }
        print(
            "   reports sent: \(sent), batches: \(all.reduce(0) { $0 + $1.batches }), waiting: \(waiting), dropped: \(lost)"
        )
        guard waiting > 0 || lost > 0 else {
            print("\nEverything was delivered.")
            print("The shop:        \(options.endpoint)/?app=com.example.shop")
            print("The real leaks:  \(options.endpoint)/?environment=debug")
            return true
        }
        for reason in LeakReporter.DropReason.allCases {
            let count = dropped.filter { $0.key == reason }.reduce(0) { $0 + $1.value }
            if count > 0 { print("   dropped, \(reason.rawValue): \(count)") }
        }
        print("\nNot everything was delivered. \(all.compactMap(\.lastFailure).last ?? "No answer in time").")
        if waiting > 0 {
            print(Self.hint)
        }
        return false
    }

    private func date(afterSeconds seconds: Double) -> Date { Date().addingTimeInterval(seconds) }

    /// Runs the main run loop until the condition holds, and checks the condition twenty times a second.
    ///
    /// - Returns: `false` if the deadline passed first.
    private func runUntil(_ deadline: Date, _ condition: () -> Bool) -> Bool {
        while !condition() {
            guard Date() < deadline else { return false }
            RunLoop.main.run(until: Date().addingTimeInterval(0.05))
        }
        return true
    }
}

/// A phone with its own detector and reporter.
@MainActor
private final class SimulatedPhone {
    private let phone: Phone
    let reporter: LeakReporter
    let detector: LeakDetector
    /// The counts that the detector has once it has noticed all leaks and late releases.
    private var expected = LeakDetector.Counts()
    /// The indices of the scenarios that went wrong. The detector explains one leak of each scenario.
    private var wrongScenarios: Set<Int> = []
    private let explained = ExplanationCount()

    #if canImport(RetainPaths)
        /// One finder for all phones, because a search for holders would also find the data that another finder has copied.
        private static let explainer = RetainPathFinder(search: [.globals, .heap])
    #else
        private static let explainer: (any LeakExplainer)? = nil
    #endif

    init(_ phone: Phone, _ options: Options) {
        self.phone = phone
        var configuration = LeakReporter.Configuration(
            endpoint: options.endpoint, key: options.key,
            app: AppInfo(
                id: "com.example.leak-demo", module: "leak_demo", environment: "debug",
                version: phone.version, build: phone.build),
            device: phone.device, install: .given(phone.install))
        // In memory, because files of made-up phones would never be read again.
        configuration.storage = .memory
        // These limits are enough for a hundred repetitions. A real phone may report far less.
        configuration.bounds.memoryBytes = 64 * 1024 * 1024
        configuration.bounds.reportsPerSession = 100_000
        configuration.bounds.bytesPerDay = 64 * 1024 * 1024
        let reporter = LeakReporter(configuration)
        self.reporter = reporter
        var limits = LeakDetector.Limits()
        limits.graceMilliseconds = 300
        limits.secondCheckMilliseconds = 200
        (limits.outstanding, limits.survivors) = (200_000, 50_000)
        let explained = explained
        detector = LeakDetector(
            .report(
                reporter.record(leak:),
                onExplain: { leak, explanation in
                    reporter.record(leak, explanation: explanation)
                    Task { @MainActor in explained.count += 1 }
                }, wantsExplanations: { reporter.takesExplanations }), limits: limits,
            explainer: Self.explainer, queue: DispatchQueue(label: "leak-demo"))
    }

    /// Plays all scenarios of the phone's release several times, and records a session for each time.
    func play(_ scenarios: [Scenario], newest: String) {
        let release = phone.version == newest ? Scenario.Release.newest : .previous
        let mine = scenarios.enumerated().filter { $1.onlyIn == nil || $1.onlyIn == release }
        for close in 1...phone.closeCount {
            var session = EndedSession(id: UUID().uuidString, checks: mine.count, leaks: 0)
            for (index, scenario) in mine {
                // The intervals of the scenarios differ, so that some leaks are frequent and some are rare.
                let interval = phone.minClosesPerLeak + index % 10
                let goesWrong = scenario.end != .freedInTime && close.isMultiple(of: interval)
                scenario.play(with: detector, goesWrong: goesWrong)
                guard goesWrong else { continue }
                session.leaks += 1
                expected.leaked += 1
                wrongScenarios.insert(index)
                if scenario.end == .freedLate { expected.freed += 1 }
            }
            reporter.record(session: session)
        }
    }

    var hasNoticedLeaks: Bool {
        let counts = detector.counts
        return counts.leaked >= expected.leaked && counts.outstanding == 0
    }

    var hasExplainedLeaks: Bool { Self.explainer == nil || explained.count >= wrongScenarios.count }

    var hasNoticedEverything: Bool { hasNoticedLeaks && detector.counts.freed >= expected.freed }

    var summary: String {
        let counts = detector.counts
        return
            "\(phone.device.model ?? "") with \(phone.version): \(counts.checked) checked, \(counts.leaked) leaked, "
            + "\(counts.freed) freed late"
    }
}

/// The number of explanations that a detector has given. Its ``SimulatedPhone`` reads the number.
@MainActor
private final class ExplanationCount {
    var count = 0
}
