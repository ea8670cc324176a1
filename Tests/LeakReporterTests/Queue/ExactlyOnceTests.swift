import LeakMessage
import Testing

@testable import LeakReporter

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What was stored is counted once, wherever the process is killed, whatever the disk and the network do.
///
/// Each seed is one device's life; `make soak` tries more (`REPORTER_SEEDS`).
@Suite struct ExactlyOnceTests {
    static let seeds =
        1...(unsafe getenv("REPORTER_SEEDS").flatMap { unsafe UInt64(String(cString: $0)) } ?? 12)

    @Test(arguments: seeds) func `kills lose nothing that was stored and count nothing twice`(seed: UInt64) {
        var life = DeviceLife(seed: seed, isHarsh: false)
        life.live(steps: 1_000)
        #expect(life.problems == [], "seed \(seed)")
    }

    @Test(arguments: seeds)
    func `failing disks, power cuts and wrong clocks count nothing twice`(seed: UInt64) {
        var life = DeviceLife(seed: seed, isHarsh: true)
        life.live(steps: 1_000)
        #expect(life.problems == [], "seed \(seed)")
    }
}
