import Foundation
import LeakStore
import LoadTools

/// The load of `ingest-bench` as submissions, which are already read and grouped.
struct Submissions {
    private var generator = SplitMix64(state: 20_261_121)
    private let frequencies: Zipf
    private let leaks: [LeakIdentity]
    private let sample = Array(
        (#"{"type":"leak","message":""# + String(repeating: "x", count: 530) + "\"}").utf8)

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
            quality: .full, groupingKey: GroupingKey(version: 1, className: name, stack: stack))
    }

    /// A batch with an idempotency key of its own, from one of 50,000 installs of 12 versions, 40 models and 20 systems.
    ///
    /// - Parameter ranks: the ranks of the leaks in its reports; `nil` chooses leaks by frequency.
    mutating func batch(of count: Int, ranks: Range<Int>? = nil, at time: Int64) -> Submission {
        let install = generator.next() % 50_000
        var mixer = SplitMix64(state: install)
        let (version, system) = (Int(mixer.next() % 12), Int(mixer.next() % 20))
        var submission = Submission(keyID: 1, receivedAt: time)
        submission.origins = [
            Submission.Origin(
                app: "com.acme.shop", version: "5.\(version + 10).0", build: "\(version + 800)",
                system: "iOS \(17 + system / 10).\(system % 10)", model: "iPhone\(mixer.next() % 40 + 10),1",
                installHash: mixer.next(), install: "install-\(install)")
        ]
        submission.body = sample
        submission.response = Array(#"{"accepted":\#(count),"rejected":[]}"#.utf8)
        let key = generator.next()
        submission.idempotency = Submission.Idempotency(
            key: Self.uuid(key), bodyHash: (0..<32).map { UInt8(truncatingIfNeeded: key >> $0) })
        submission.sightings.reserveCapacity(count)
        for number in 0..<count {
            let rank =
                ranks.map { $0.lowerBound + number } ?? frequencies.rank(fromRandomBits: generator.next())
            submission.sightings.append(
                Submission.Sighting(
                    leak: leaks[rank], originIndex: 0, isFreed: false, at: time, count: 1,
                    alive: rank % 4 + 1,
                    livedMilliseconds: nil, jsonRange: 0..<sample.count))
        }
        return submission
    }

    private static func uuid(_ random: UInt64) -> String {
        let digits = String(random | 1 << 63, radix: 16)
        return "\(digits.prefix(8))-\(digits.dropFirst(8).prefix(4))-7a44-9d0e-\(digits.suffix(12))"
    }
}
