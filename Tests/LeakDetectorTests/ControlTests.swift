import Dispatch
import LeakMessage
import Testing
import LeakPlatform

@testable import LeakDetector

#if canImport(Observation)
    import Observation
#endif

private final class Row {}
private final class OtherCell {}

private func makeCell() -> AnyObject {
    final class Cell {}
    return Cell()
}

/// Changes that an app makes while a detector runs. Also types with equal names, and the number of living objects in a report.
@Suite struct ControlTests {
    private let bench = Bench()

    @Test func `if the onDetect closure stops the detector, the leak passed to the closure is not reported`()
    {
        let stop = Guarded<(@Sendable () -> Void)?>(nil)
        let bench = Bench { _ in
            stop.with { $0 }?()
            return .report
        }
        let detector = bench.detector
        stop.with { $0 = { detector.stop() } }
        let page = Page()
        detector.expectDeallocation(of: page)
        bench.advance(by: 10_000)
        #expect(bench.findings.count == 1)
        #expect(bench.lines.isEmpty)
        stop.with { $0 = nil }
        withExtendedLifetime(page) {}
    }

    @Test
    func `an object is not reported if the onDetect closure passes it to ignore and then returns report`() {
        let page = Guarded<Page?>(Page())
        let detector = Guarded<LeakDetector?>(nil)
        let bench = Bench { _ in
            detector.with { detector in page.with { detector?.ignore($0!) } }
            return .report
        }
        detector.with { $0 = bench.detector }
        page.with { bench.detector.expectDeallocation(of: $0!) }
        bench.advance(by: 10_000)
        #expect(bench.findings.count == 1)
        #expect(bench.lines.isEmpty)
        page.with { $0 = nil }
        bench.advance(by: 100_000)
        #expect(bench.lines.isEmpty)
        detector.with { $0 = nil }
    }

    @Test func `after two pauses, objects are checked only after the second resume`() {
        let page = Page()
        bench.detector.resume()
        bench.detector.pause()
        bench.detector.pause()
        bench.detector.expectDeallocation(of: page)
        bench.detector.resume()
        bench.advance(by: 60_000)
        #expect(bench.lines.isEmpty)
        bench.detector.resume()
        bench.advance(by: 2_000)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime(page) {}
    }

    @Test func `objects that were freed since their last check are not counted as alive in the next report`()
        throws
    {
        var pages = (0..<40).map { _ in Page() }
        for page in pages { bench.detector.expectDeallocation(of: page) }
        bench.advance(by: 300_000)
        #expect(bench.reports.last?.alive == 40)
        pages = [Page()]
        bench.detector.expectDeallocation(of: pages[0])
        bench.advance(by: 1_600)
        let leak = try #require(bench.reports.last { $0.event == .leak })
        #expect(leak.alive == 1)
        #expect(bench.detector.counts.freed == 40)
        withExtendedLifetime(pages) {}
    }

    @Test func `private types of one name in two files are two leaks`() throws {
        let rows = [Row(), Row(), OtherRow.make(), Page()]
        bench.detector.expectDeallocation(of: rows[0], path: ["UINavigationController", "Cart"])
        bench.detector.expectDeallocation(of: rows[1], path: ["Cart"])
        bench.detector.expectDeallocation(of: rows[2], path: ["Cart"], file: OtherRow.file)
        bench.detector.expectDeallocation(of: rows[3], path: ["Cart"])
        bench.advance(by: 2_000)
        let reports = bench.reports
        try #require(reports.count == 4)
        #expect(Set(reports.prefix(3).map(\.className)) == ["LeakDetectorTests.Row"])
        #expect(
            reports.map(\.fingerprint) == [
                ["LeakDetectorTests/ControlTests.swift", "Cart", "LeakDetectorTests.Row"],
                ["LeakDetectorTests/ControlTests.swift", "Cart", "LeakDetectorTests.Row"],
                ["LeakDetectorTests/OtherRow.swift", "Cart", "LeakDetectorTests.Row"],
                [],
            ])
        withExtendedLifetime(rows) {}
    }

    @Test func `types of one name that are declared in functions of two files are two leaks`() throws {
        let cells = [makeCell(), makeOtherCell()]
        bench.detector.expectDeallocation(of: cells[0])
        bench.detector.expectDeallocation(of: cells[1], file: OtherRow.file)
        bench.advance(by: 2_000)
        let reports = bench.reports
        try #require(reports.count == 2)
        #expect(reports[0].className == reports[1].className)
        #expect(
            reports.map(\.fingerprint) == [
                ["LeakDetectorTests/ControlTests.swift", "LeakDetectorTests.Cell"],
                ["LeakDetectorTests/OtherRow.swift", "LeakDetectorTests.Cell"],
            ])
        withExtendedLifetime(cells) {}
    }

    @Test func `a fingerprint of many owners stays within the limits of the wire format`() {
        let many = (0..<100).map { "Owner \($0)" }
        let parts = Fingerprint.limitedParts(many)
        #expect(parts.count == WireLimits.fingerprintCount)
        #expect(parts.last == "Owner 99")
        #expect(Fingerprint.limitedParts(many + ["x"]).first != parts.first)
        #expect(Fingerprint.limitedParts(many) == parts)
        let long = String(repeating: "x", count: 300)
        #expect(
            Fingerprint.limitedParts(["a", long]).allSatisfy { $0.utf8.count <= WireLimits.fingerprintBytes })
    }

    @Test func `classes can be suppressed and allowed again at run time`() {
        let pages = [Page(), Page(), Page()]
        bench.detector.suppression.classes.insert("Page")
        bench.detector.expectDeallocation(of: pages[0])
        bench.advance(by: 5_000)
        #expect(bench.lines.isEmpty)
        bench.detector.suppression = .standard
        bench.detector.expectDeallocation(of: pages[1])
        bench.advance(by: 5_000)
        #expect(bench.lines == ["leak Page"])
        withExtendedLifetime(pages) {}
    }

    @Test func `no change is lost if several threads change the suppression at the same time`() {
        let detector = bench.detector
        let before = detector.suppression.classes.count
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 {
                detector.changeSuppression { $0.classes.insert("T\(thread).N\(number)") }
            }
        }
        #expect(detector.suppression.classes.count == before + 2_000)
    }

    @Test func `a closure that changes the suppression may use the detector and make a nested change`() {
        let detector = bench.detector
        detector.changeSuppression { suppression in
            suppression.classes.formUnion(detector.suppression.classes)
            detector.changeSuppression { $0.classes.insert("Inner") }
            suppression.classes.insert("Outer")
        }
        #expect(detector.suppression.classes.isSuperset(of: ["Inner", "Outer"]))
    }

    @Test func `a class may have its own grace period`() {
        var limits = LeakDetector.Limits()
        limits.graceMillisecondsByClass = ["Page": 60_000, "LeakDetectorTests.OtherCell": -5, "Row": .max]
        let bench = Bench(limits: limits)
        let objects: [AnyObject] = [Page(), Sheet(), OtherCell(), Page()]
        for object in objects.prefix(3) { bench.detector.expectDeallocation(of: object) }
        bench.detector.expectDeallocation(of: objects[3], after: 2, owner: objects[1])
        bench.advance(by: 600)
        #expect(bench.lines == ["leak OtherCell"])
        bench.advance(by: 1_000)
        #expect(bench.lines == ["leak OtherCell", "leak Sheet"], "a subclass is a class of its own")
        bench.advance(by: 58_000)
        #expect(bench.lines.count == 2)
        bench.advance(by: 2_000)
        #expect(bench.lines.last == "leak Page")
        withExtendedLifetime(objects) {}
    }

    #if canImport(Observation)
        @Observable
        final class Store {
            @ObservationIgnored @Deallocating var page = Page()
        }

        @available(macOS 14, iOS 17, tvOS 17, *)
        @Test func `a Deallocating property of an observable class can be marked as ObservationIgnored`() {
            let store = Store()
            #expect(store.page === store.page)
        }
    #endif

    #if os(macOS) || os(Linux)
        /// Runs in a separate process, because the whole process has one shared detector.
        @Test func `a detector can be started again after a stop`() async {
            await #expect(processExitsWith: .success) {
                let first = LeakDetector.start(.report { _ in })
                #expect(LeakDetector.start(.assert) === first)
                let (page, owner) = (Page(), LeakWatcher())
                owner.expectDeallocation(of: page)
                first.stop()
                var limits = LeakDetector.Limits()
                limits.graceMilliseconds = 10
                limits.secondCheckMilliseconds = 10
                let leaks = Guarded([String]())
                let second = LeakDetector.start(
                    .report { leak in leaks.with { $0.append(leak.className ?? "") } }, limits: limits)
                #expect(second !== first)
                #expect(LeakDetector.shared === second)
                do { LeakWatcher().expectDeallocation(of: page) }
                #expect(second.counts.outstanding == 0, "the first watcher still owns the page")
                let sheet = Sheet()
                LeakDetector.expectDeallocation(of: sheet)
                while leaks.with({ $0.isEmpty }) { try await Task.sleep(nanoseconds: 10_000_000) }
                #expect(leaks.with { $0 } == ["LeakDetectorTests.Sheet"])
                withExtendedLifetime((page, sheet, owner)) {}
            }
        }
    #endif
}
