import LeakCauses
import LeakMessage
import Testing

@testable import LeakDetectorTesting

private final class Row {}
private final class Cell<Value> {}

@Suite struct SurvivorsTests {
    private let place = TestLocation(
        fileID: "Shop/Cart.swift", filePath: "/Shop/Cart.swift", line: 7, column: 3)

    @Test(arguments: [
        (1, 1, "The instance of Shop.Cart tracked here is still in memory 1 s after the block ended."),
        (1, 3, "1 of 3 instances of Shop.Cart tracked here is still in memory 1 s after the block ended."),
        (2, 2, "2 of 2 instances of Shop.Cart tracked here are still in memory 1 s after the block ended."),
    ])
    func `the failure message says how many objects of which class leaked`(
        alive: Int, tracked: Int, opening: String
    ) {
        let survivors = Survivors(
            className: "Shop.Cart", place: place, aliveCount: alive, trackedCount: tracked)
        let message = survivors.message(after: .block, within: 1)
        #expect(message.hasPrefix(opening))
        #expect(!message.contains("\n"))
    }

    @Test
    func `the failure message of an XCTest case mentions properties of the test case as a possible cause`() {
        let survivors = Survivors(className: "Shop.Cart", place: place, aliveCount: 1, trackedCount: 1)
        let message = survivors.message(after: .test, within: 0.25)
        #expect(message.contains("still in memory 0.25 s after the test ended."))
        #expect(message.contains("a property of the test case"))
    }

    #if canImport(RetainPaths)
        private final class Model {
            var onPaid: (() -> Void)?
            var total = 0
            func add() { total += 1 }
            static let bindLine = #line + 1
            func bind() { onPaid = { self.total += 1 } }
            func bindMethod() { onPaid = add }
        }

        @Test
        func `the failure message names the cycle that keeps an object, its cause and what to write instead`()
            throws
        {
            let tracked = TrackedObjects()
            var kept: [Model] = []
            for _ in 0..<2 {
                let model = tracked.track(Model())
                model.bind()
                kept.append(model)
            }
            kept = []
            let survivors = try #require(tracked.survivors.first)
            let message = survivors.message(after: .block, within: 1)
            let cycle =
                "The first is kept by a cycle: SurvivorsTests.Model.onPaid → closure → SurvivorsTests.Model; with it "
            #expect(message.contains(cycle), "\(message)")
            let closure =
                "Closure: closure #1 in SurvivorsTests.Model.bind() (SurvivorsTests.swift:\(Model.bindLine))"
            #expect(
                message.contains(
                    "would be freed. If it may be freed later, pass a longer `within`.\n\(closure)\nCause: "
                ))
            #expect(message.hasSuffix("Write instead:\n    onPaid = { [weak self] in … }"))
        }

        private final class Cache { var row: Row? }
        nonisolated(unsafe) private static let cache = Cache()

        @Test
        func `without a cycle the failure message names what holds the object, or the number of references`()
            throws
        {
            let tracked = TrackedObjects()
            unsafe Self.cache.row = tracked.track(Row())
            let held = try #require(tracked.survivors.first).message(after: .block, within: 1)
            #expect(held.contains(" It is probably kept by global → SurvivorsTests.Cache.row → "), "\(held)")
            unsafe Self.cache.row = nil

            // Memory that a task of another test used earlier may contain the object's address, which the search then takes for
            // a reference. In this case the test tries again with another object, which has another address.
            var messages: [String] = []
            var references: [Unmanaged<Row>] = unsafe []
            defer { for index in unsafe references.indices { unsafe references[index].release() } }
            let isNotFound = { (message: String) in
                message.contains(
                    " It is kept by 1 reference from objects that were not searched; no cycle was found; with it "
                )
                    && message.contains("would be freed. Look for what holds it: a closure ")
            }
            while messages.count < 5, messages.last.map(isNotFound) != true {
                let tracked = TrackedObjects()
                unsafe references.append(Unmanaged.passRetained(tracked.track(Row())))
                messages.append(try #require(tracked.survivors.first).message(after: .block, within: 1))
            }
            #expect(messages.last.map(isNotFound) == true, "\(messages)")
            #expect(
                messages.dropLast().allSatisfy { $0.contains("It is probably kept by Task → ") },
                "\(messages)")
        }

        @Test func `the failure message names the cause that follows from the name of the closure`() throws {
            let tracked = TrackedObjects()
            tracked.track(Model()).bindMethod()
            let message = try #require(tracked.survivors.first).message(after: .block, within: 1)
            #expect(
                message.contains(
                    "\nClosure: implicit closure #2 in implicit closure #1 in SurvivorsTests.Model.bindMethod()"
                ))
            let cause = try #require(LeakCause.all.first { $0.identifier == "method_reference" })
            #expect(message.contains("\nCause: \(cause.name). "), "\(message)")
        }

    #endif

    @Test func `tracked objects that stay are listed by class and source line, in the order of tracking`() {
        let tracked = TrackedObjects()
        var cells = [Cell<Int>(), Cell<Int>(), Cell<Int>()]
        let row = Row()
        for cell in cells { tracked.track(cell) }
        tracked.track(row)
        tracked.track(Row())
        cells.removeLast()
        let survivors = tracked.survivors
        #expect(
            survivors.map(\.className) == [
                "LeakDetectorTestingTests.Cell<Swift.Int>", "LeakDetectorTestingTests.Row",
            ])
        #expect(survivors.map(\.aliveCount) == [2, 1])
        #expect(survivors.map(\.trackedCount) == [3, 1])
        withExtendedLifetime((cells, row)) {}
    }

    @Test func `an object that is tracked twice is counted once, at the first source line`() {
        let tracked = TrackedObjects()
        let row = Row()
        let line = #line + 1
        tracked.track(row)
        tracked.track(row)
        #expect(tracked.survivors.map(\.aliveCount) == [1])
        #expect(tracked.survivors.map(\.place.line) == [UInt(line)])
        withExtendedLifetime(row) {}
    }

    @Test func `objects that follow each other at one address are all counted`() {
        let tracked = TrackedObjects()
        var kept: [Row] = []
        for number in 0..<100 {
            let row = tracked.track(Row())
            if number.isMultiple(of: 10) { kept.append(row) }
        }
        #expect(tracked.survivors.map(\.aliveCount) == [10])
        #expect(tracked.survivors.map(\.trackedCount) == [100])
        withExtendedLifetime(kept) {}
    }
}
