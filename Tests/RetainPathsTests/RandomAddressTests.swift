import LeakSeededRandom
import Foundation
import LeakMessage
import Testing

@testable import RetainPaths

/// Walks from any address of any readable mapping while another thread changes objects: the strongest test of the rule that every
/// word is validated before it is used. `RETAIN_FUZZ_SECONDS` sets how long each test runs; the default is one second.
@Suite(.serialized) struct RandomAddressTests {
    private static let seconds =
        ProcessInfo.processInfo.environment["RETAIN_FUZZ_SECONDS"].flatMap { Double($0) } ?? 1

    private let finder: RetainPathFinder
    private let graph = MutatingGraph()
    private let budget = Budget(
        objects: 300, buffers: 300, cycleLength: 12, cycles: 8, pageBytes: 1 << 20, searchTime: .seconds(1))

    // A separate finder, because other tests would wait for a shared finder.
    init() throws { finder = try #require(RetainPathFinder()) }

    @Test func `a search from any address causes no crash while objects change`() throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        graph.start(seed: seed)
        defer { graph.stop() }
        var generator = SeededRandom(seed: seed)
        let root = unsafe UInt(bitPattern: Unmanaged.passUnretained(graph.root).toOpaque())
        var (walks, accepted) = (0, 0)
        let end = ContinuousClock.now + .seconds(Self.seconds)
        while ContinuousClock.now < end {
            let mappings = Self.readableMappings()
            try #require(!mappings.isEmpty)
            for number in 0..<10_000 {
                let mapping = mappings[Int(generator.next() % UInt64(mappings.count))]
                let offset = UInt(generator.next()) % UInt(mapping.count) & ~7
                finder.withWalker { walker in
                    // Few random addresses are those of an object, so every hundredth address is that of the root object.
                    let address = number.isMultiple(of: 100) ? root : mapping.lowerBound + offset
                    let explanation = walker.explanation(address, callerReferences: 1, budget: budget)
                    if !explanation.type.isEmpty { accepted += 1 }
                }
                walks += 1
            }
        }
        print("seed \(seed): \(walks) addresses, \(accepted) accepted as objects")
        #expect(accepted > 0)
    }

    @Test func `a search does not crash if the graph changes during the search`() {
        let seed = UInt64.random(in: 1...UInt64.max)
        graph.start(seed: seed)
        defer { graph.stop() }
        let root = unsafe Unmanaged.passUnretained(graph.root)
        var (walks, withoutObject) = (0, 0)
        let end = ContinuousClock.now + .seconds(Self.seconds)
        while ContinuousClock.now < end {
            let explanation = unsafe finder.explain(UnsafeRawPointer(root.toOpaque()), callerReferences: 0)
            if explanation.type.isEmpty { withoutObject += 1 }
            walks += 1
        }
        print("seed \(seed): \(walks) walks")
        #expect(withoutObject == 0)
    }

    /// Returns the mappings of this process, without those that the kernel refuses to copy.
    private static func readableMappings() -> [Range<UInt>] {
        guard let text = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ")
            guard columns.count > 1, columns[1].hasPrefix("r"), !line.contains("[v") else { return nil }
            let bounds = columns[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, bounds[1] - bounds[0] < 1 << 30 else { return nil }
            return bounds[0]..<bounds[1]
        }
    }
}
