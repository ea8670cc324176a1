import Dispatch
import Foundation
import LeakMessage
import LeakTransport
import Testing
import LeakPlatform

@testable import LeakReporter

/// Mistakes of an app, which do not crash it. The statistics show their effect.
@Suite struct MisuseTests {
    private let transport = FakeTransport { _, _ in FakeTransport.accepted() }

    private func configuration() -> LeakReporter.Configuration {
        var configuration = LeakReporter.Configuration(
            endpoint: "http://localhost:8080", key: "k", app: AppInfo(id: "a"), install: .none)
        configuration.storage = .memory
        return configuration
    }

    private func reporter(_ configuration: LeakReporter.Configuration) -> LeakReporter {
        let transport = transport
        return LeakReporter(configuration) { transport }
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max])
    func `extreme values of limits do not crash the app`(number: Int) {
        let changes: [@Sendable (inout LeakReporter.Bounds) -> Void] = [
            { $0.memoryBytes = number }, { $0.diskBytes = number }, { $0.batchReports = number },
            { $0.batchBytes = number }, { $0.gatherMilliseconds = number },
            { $0.gatherRepeatsMilliseconds = number }, { $0.gatherDenominatorsMilliseconds = number },
            { $0.pollMilliseconds = number }, { $0.reportsPerSession = number },
            { $0.bytesPerDay = number }, { $0.exitMilliseconds = number },
            { $0.backgroundMilliseconds = number },
        ]
        for change in changes {
            var configuration = configuration()
            change(&configuration.bounds)
            let reporter = reporter(configuration)
            reporter.startSession { [] }
            for _ in 0..<3 { reporter.record(message: "leak") }
            reporter.endSession()
            #expect(reporter.flush(timeout: generousSeconds))
            let statistics = reporter.statistics
            #expect(statistics.sent + statistics.dropped.values.reduce(0, +) == 3)
        }
    }

    @Test(arguments: [Double.nan, -1, 0, 1, 1e300, .infinity])
    func `any sampling rate is accepted`(rate: Double) {
        var configuration = configuration()
        configuration.bounds.sampleRate = rate
        let reporter = reporter(configuration)
        reporter.record(message: "leak")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == (rate == 0 ? 0 : 1))
    }

    /// If `beforeSend` were also called for the reports that it records itself, it would never end.
    @Test func `reports that beforeSend records itself are rejected and counted`() {
        let held = Guarded<LeakReporter?>(nil)
        let answers = Guarded([Bool]())
        var configuration = configuration()
        configuration.beforeSend = { report in
            guard let reporter = held.with({ $0 }) else { return report }
            reporter.record(message: "one more")
            reporter.sendUnsentReports()
            let isFlushed = reporter.flush(timeout: generousSeconds)
            answers.with { $0.append(isFlushed) }
            return report
        }
        let reporter = reporter(configuration)
        held.with { $0 = reporter }
        reporter.record(message: "leak")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(answers.with { $0 } == [false])
        #expect(reporter.statistics.dropped == [.reentrant: 1])
        #expect(reporter.statistics.sent == 1)
        held.with { $0 = nil }
    }

    /// A daemon may have no standard error.
    @Test func `a warning does not crash an app without standard error`() async {
        await #expect(processExitsWith: .success) {
            close(STDERR_FILENO)
            var configuration = LeakReporter.Configuration(endpoint: "", key: "")
            configuration.storage = .memory
            let reporter = LeakReporter(configuration)
            reporter.record(message: "leak")
            guard reporter.flush(timeout: generousSeconds), reporter.statistics.dropped == [.misconfigured: 1]
            else {
                exit(2)
            }
        }
    }

    /// If the warning blocked, the process of the test would never end.
    @Test func `a warning does not block the reporter if standard error is a full pipe that is not read`()
        async
    {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) == STDERR_FILENO else { exit(2) }
            func warns() -> Bool {
                var configuration = LeakReporter.Configuration(endpoint: "", key: "")
                configuration.storage = .memory
                let reporter = LeakReporter(configuration)
                reporter.record(message: "leak")
                return reporter.flush(timeout: generousSeconds)
                    && reporter.statistics.dropped == [.misconfigured: 1]
            }
            var text = [UInt8](repeating: 0, count: 13)
            guard warns(), unsafe read(ends[0], &text, 13) == 13, text == Array("LeakReporter:".utf8) else {
                exit(3)
            }
            let flags = fcntl(ends[1], F_GETFL)
            _ = fcntl(ends[1], F_SETFL, flags | O_NONBLOCK)
            for size in [4096, 1] {
                let bytes = [UInt8](repeating: 0x78, count: size)
                while unsafe write(ends[1], bytes, bytes.count) > 0 {}
            }
            _ = fcntl(ends[1], F_SETFL, flags)
            exit(warns() ? 0 : 1)
        }
    }

    @Test func `a reporter works in a process that has used up its thread keys`() async {
        await #expect(processExitsWith: .success) {
            var key = pthread_key_t()
            while unsafe pthread_key_create(&key, nil) == 0 {}
            var configuration = LeakReporter.Configuration(
                endpoint: "http://localhost:8080", key: "k", app: AppInfo(id: "a", version: "1"),
                install: .none)
            configuration.storage = .memory
            let transport = FakeTransport { _, _ in FakeTransport.accepted() }
            let reporter = LeakReporter(configuration) { transport }
            reporter.record(message: "leak")
            guard reporter.flush(timeout: generousSeconds), reporter.statistics.sent == 1 else { exit(2) }
        }
    }

    @Test func `a flush sends no reports that wait for sendUnsentReports`() {
        var configuration = configuration()
        configuration.sendsAutomatically = false
        let reporter = reporter(configuration)
        reporter.record(message: "leak")
        #expect(!reporter.flush(timeout: 20))
        #expect(transport.posts.isEmpty)
        reporter.sendUnsentReports()
        #expect(eventually { reporter.statistics.sent == 1 })
    }
}
