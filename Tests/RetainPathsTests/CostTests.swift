import LeakMessage
import RetainScenarios
import Synchronization
import Testing

@testable import RetainPaths

private final class Large {
    var bytes: [UInt8]
    init(_ count: Int) { bytes = Array(repeating: 1, count: count) }
}
private final class Owner {
    var parts: [Large] = []
    var text = ""
    var other: Owner?
    weak var weakOther: Owner?
    var onChange: (() -> Void)?
}

private final class Locked { let part = Mutex<Large?>(nil) }

@Suite struct CostTests {
    private let finder: RetainPathFinder

    init() throws { finder = try #require(TestFinder.shared) }

    private func cost(_ object: AnyObject, budget: Budget = .release) throws -> RetainExplanation.Cost {
        var finder = finder
        finder.budget = budget
        let reference = unsafe Unmanaged.passUnretained(object)
        let explanation = unsafe finder.explain(UnsafeRawPointer(reference.toOpaque()), callerReferences: 1)
        return try #require(explanation.cost)
    }

    @Test func `memory that other objects hold is not part of an object's cost`() throws {
        let (own, shared) = (Large(100_000), Large(200_000))
        let owner = Owner()
        let alone = try cost(owner)
        #expect(alone.objects == 1)
        owner.parts = [shared]
        #expect(try cost(owner).bytes < 1_000)
        owner.parts = [shared, Large(100_000)]
        #expect((100_000..<102_000).contains(try cost(owner).bytes))
        withExtendedLifetime((own, shared)) {}
    }

    @Test func `a part with two owners is part of the cost of neither owner`() throws {
        let (first, second) = (Owner(), Owner())
        let part = Large(50_000)
        first.parts = [part]
        second.parts = [part]
        #expect(try cost(first).bytes < 1_000)
        withExtendedLifetime(part) {}
    }

    @Test func `a part that its owner holds several times is counted once`() throws {
        let owner = Owner()
        owner.parts = Array(repeating: Large(50_000), count: 10)
        #expect((50_000..<52_000).contains(try cost(owner).bytes))
    }

    @Test func `a text that other objects hold is not part of an object's cost`() throws {
        let text = String(repeating: "x", count: 10_000 + Int.random(in: 0...9))
        let owner = Owner()
        owner.text = text
        #expect(try cost(owner).bytes < 1_000)
        owner.text = String(repeating: "y", count: 10_000 + Int.random(in: 0...9))
        #expect((10_000..<12_000).contains(try cost(owner).bytes))
        withExtendedLifetime(text) {}
    }

    @Test
    func `the cost of an object in a cycle excludes another object of the cycle that is held from outside`()
        throws
    {
        let (first, second) = (Owner(), Owner())
        (first.other, second.other) = (second, first)
        first.parts = [Large(10_000)]
        second.parts = [Large(20_000)]
        // The test holds both objects, so that for each of them the other object is held from outside.
        let fromFirst = try cost(first).bytes
        let fromSecond = try cost(second).bytes
        #expect((10_000..<11_000).contains(fromFirst))
        #expect((20_000..<21_000).contains(fromSecond))
        (first.other, second.other) = (nil, nil)
    }

    @Test func `memory to which only a suspected reference leads is not part of an object's cost`() throws {
        let owner = Locked()
        owner.part.withLock { $0 = Large(50_000) }
        let explanation = try cost(owner)
        #expect(explanation.bytes < 1_000)
        #expect(explanation.objects == 1)
    }

    @Test func `a budget that ends the walk gives a lower bound of the cost`() throws {
        let owner = Owner()
        owner.parts = (0..<500).map { _ in Large(1_000) }
        let whole = try cost(owner)
        #expect(!whole.isAtLeast)
        var budget = Budget.release
        budget.objects = 100
        let part = try cost(owner, budget: budget)
        #expect(part.isAtLeast)
        #expect(part.bytes < whole.bytes)
    }

    #if canImport(Glibc)
        /// Runs in a separate process, because other tests allocate memory meanwhile.
        @Test(.enabled(if: Allocator.hasChunkHeaders))
        func `for 95 of 100 graphs, the computed cost is within a tenth of the bytes that are freed`() async {
            await #expect(processExitsWith: .success) {
                let finder = try #require(RetainPathFinder())
                for budget in [Budget.release, .thorough] {
                    let measurements = (1...100).map { CostMeasurement(seed: $0, finder, budget) }
                    #expect(measurements.count(where: \.isClose) >= 95)
                }
            }
        }
    #endif
}
