import LeakMessage
import Testing

@testable import LeakReporter

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Stored sightings are counted exactly once, although the process is killed at any call and the disk and the network fail.
///
/// Each seed simulates one device; `make soak` tries more seeds (`REPORTER_SEEDS`). `REPORTER_SEED` repeats one seed.
@Suite struct ExactlyOnceTests {
    static let seeds = number("REPORTER_SEED").map { $0...$0 } ?? 1...(number("REPORTER_SEEDS") ?? 12)

    private static func number(_ variable: String) -> UInt64? {
        unsafe getenv(variable).flatMap { unsafe UInt64(String(cString: $0)) }
    }

    @Test(arguments: seeds) func `after kills, every stored report is counted exactly once`(seed: UInt64) {
        var device = RandomDevice(seed: seed, isHarsh: false)
        device.run(steps: 1_000)
        #expect(device.problems == [], "seed \(seed)")
    }

    @Test(arguments: seeds)
    func `after disk failures, power cuts and clock changes no report is counted twice`(seed: UInt64) {
        var device = RandomDevice(seed: seed, isHarsh: true)
        device.run(steps: 1_000)
        #expect(device.problems == [], "seed \(seed)")
    }
}
