import Foundation
import LeakStore
import LoadTools

/// The load of `ingest-bench` after reading and grouping.
struct Submissions {
    private var generator = SplitMix64(state: 20_261_121)
    private let frequencies: Zipf
    private let leaks: [LeakIdentity]
    private let sample = Array(
        (#"{"type":"leak","message":""# + String(repeating: "x", count: 530) + "\"}").utf8)
    private var keys = 0

    init(leaks count: Int) {
        frequencies = Zipf(ranks: count)
        leaks = (0..<count).map(Self.leak)
    }

    private static func leak(_ number: Int) -> LeakIdentity {
        let name = "Screen\(number)ViewController"
        let stack = ["UINavigationController", "Shop.Flow\(number % 7)", "Shop.\(name)"]
        var mixer = SplitMix64(state: UInt64(number))
        return LeakIdentity(
            id: LeakID(high: mixer.next(), low: mixer.next()), app: "com.acme.shop", kind: "view_controller",
            className: name, module: "Shop", title: name, stack: stack, children: [], cycle: [],
            quality: .full, groupedBy: GroupedBy(version: 1, className: name, stack: stack))
    }

    /// A batch with an idempotency key of its own, from one of 100,000 installs.
    ///
    /// - Parameter ranks: what its reports are of; by frequency where there is none.
    mutating func batch(of count: Int, ranks: Range<Int>? = nil, at time: Int64) -> Submission {
        let install = generator.next() % 100_000
        var mixer = SplitMix64(state: install)
        var submission = Submission(keyID: 1, receivedAt: time)
        submission.origins = [
            Submission.Origin(
                app: "com.acme.shop", version: "5.2.0", build: "812", system: "iOS 19.1", model: "iPhone17,1",
                installHash: mixer.next(), install: "install-\(install)")
        ]
        submission.body = sample
        submission.answer = Array(#"{"accepted":\#(count),"rejected":[]}"#.utf8)
        keys += 1
        submission.idempotency = Submission.Idempotency(
            key: "01936f2c-7c1e-7a44-9d0e-\(keys)",
            bodyHash: (0..<32).map { UInt8(truncatingIfNeeded: keys >> $0) })
        submission.sightings.reserveCapacity(count)
        for number in 0..<count {
            let rank = ranks.map { $0.lowerBound + number } ?? frequencies.rank(at: generator.next())
            submission.sightings.append(
                Submission.Sighting(
                    leak: leaks[rank], origin: 0, isFreed: false, at: time, count: 1, alive: rank % 4 + 1,
                    livedMilliseconds: nil, sample: 0..<sample.count))
        }
        return submission
    }
}
