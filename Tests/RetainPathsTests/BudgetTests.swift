import LeakMessage
import Testing

@testable import RetainPaths

private final class Link {
    var next: Link?
    var onChange: (() -> Void)?
    // Tests open their rings explicitly, because a chain of 100,000 objects would be freed by as many nested calls, which
    // overflow the stack.
}
private final class Crowd {
    var links: [Link] = []
    var words: [String] = []
    weak var owner: Crowd?
    var last: Crowd?
}

@Suite struct BudgetTests {
    private let finder: RetainPathFinder

    init() throws { finder = try #require(TestFinder.shared) }

    private func explain(_ object: AnyObject, budget: Budget) -> RetainExplanation {
        var finder = finder
        finder.budget = budget
        let reference = unsafe Unmanaged.passUnretained(object)
        return unsafe finder.explain(UnsafeRawPointer(reference.toOpaque()), callerReferences: 1)
    }

    private func ring(_ count: Int) -> [Link] {
        let links = (0..<count).map { _ in Link() }
        for index in links.indices { links[index].next = links[(index + 1) % count] }
        return links
    }

    private func open(_ links: [Link]) { for link in links { link.next = nil } }

    @Test func `a ring of 100,000 objects does not overflow the stack`() throws {
        let links = ring(100_000)
        defer { open(links) }
        let path = try #require(explain(links[0], budget: .thorough).path)
        #expect(path.fullLength == 100_000)
        #expect(path.references.count == Budget.thorough.cycleLength)
        #expect(path.description.hasSuffix("(100000 references)"))
    }

    @Test(arguments: [(12, true), (13, false), (100, false)])
    func `the number of references in the path of a cycle is limited`(count: Int, isWhole: Bool) throws {
        let links = ring(count)
        defer { open(links) }
        let path = try #require(explain(links[0], budget: .release).path)
        #expect((path.fullLength == nil) == isWhole)
        #expect(path.references.count == 12)
    }

    @Test func `the number of objects that a search visits is limited`() {
        let links = ring(100)
        defer { open(links) }
        var budget = Budget.thorough
        #expect(explain(links[0], budget: budget).path != nil)
        budget.objects = 50
        #expect(explain(links[0], budget: budget).path == nil)
        budget.objects = 1_000
        budget.pageBytes = 4096
        #expect(explain(links[0], budget: budget).cost?.isAtLeast == true)
    }

    @Test func `a budget of one object does not fail the self-test`() {
        var budget = Budget.release
        budget.objects = 1
        #expect(RetainPathFinder(budget: budget) != nil)
    }

    @Test func `a short cycle is found even if the object refers to many other objects`() {
        let crowd = Crowd()
        crowd.links = (0..<50_000).map { _ in Link() }
        crowd.words = (0..<5_000).map { "a text that does not fit into two words \($0)" }
        let last = Crowd()
        crowd.last = last
        last.last = crowd
        let explanation = explain(crowd, budget: .release)
        #expect(explanation.path?.description == "Crowd.last → Crowd.last → Crowd")
        #expect(explanation.cost?.isAtLeast == true)
        last.last = nil
    }

    @Test func `elements that are nil use up the budget of a search`() {
        final class Sparse {
            var links: [Link?]
            var numbers: [String: Link?] = [:]
            init(_ count: Int) { links = Array(repeating: nil, count: count) }
        }
        let sparse = Sparse(100_000)
        #expect(explain(sparse, budget: .release).cost?.isAtLeast == true)
        #expect(explain(sparse, budget: .thorough).cost?.isAtLeast == false)
        let small = Sparse(1_000)
        for number in 0..<1_000 { small.numbers["\(number)"] = .some(nil) }
        #expect(explain(small, budget: .release).cost?.isAtLeast == false)
    }

    @Test func `the reference count of an object is read even if the budget of memory pages is small`() async
    {
        // Runs in a separate process, so that its objects use known pages of memory.
        await #expect(processExitsWith: .success) {
            let finder = try #require(RetainPathFinder())
            let crowd = Crowd()
            // A weak reference moves the count into a side table, which is in another page.
            crowd.owner = crowd
            crowd.links = (0..<20_000).map { _ in Link() }
            let holders = [crowd, crowd, crowd]
            // These pages are enough for the object, its side table and their types, at any address that the linker chose.
            // The links need 200 more pages.
            for pages in 8...12 {
                var budget = Budget.release
                budget.pageBytes = pages * 4096
                let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(crowd).toOpaque())
                let explanation = finder.withWalker { walker in
                    walker.explanation(address, callerReferences: 0, budget: budget)
                }
                #expect(explanation.unexplainedReferences >= holders.count)
            }
        }
    }

    @Test func `a finder keeps less than two megabytes of memory after a search`() throws {
        let crowd = Crowd()
        crowd.links = (0..<50_000).map { _ in Link() }
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(crowd).toOpaque())
        let kept = finder.withWalker { walker in
            _ = walker.explanation(address, callerReferences: 1, budget: .thorough)
            walker.reset()
            let copies = walker.reader.memory.ownRanges.map(\.count).reduce(0, +)
            return copies + walker.graph.nodes.capacity * MemoryLayout<ObjectGraph.Node>.stride
                + walker.graph.edges.capacity * MemoryLayout<ObjectGraph.Edge>.stride
        }
        #expect(kept < 2 << 20)
        withExtendedLifetime(crowd) {}
    }

    @Test func `a thousand cycles with the same path are reported as one cycle`() {
        let links = (0..<1_000).map { _ in Link() }
        let crowd = Crowd()
        crowd.links = links
        for link in links { link.onChange = { use(crowd) } }
        let explanation = explain(crowd, budget: .release)
        #expect(explanation.path?.description == "Crowd.links[*] → Link.onChange → closure → Crowd")
        #expect(explanation.furtherCycles.isEmpty)
        crowd.links = []
    }
}

@inline(never) private func use(_ object: AnyObject) {}
