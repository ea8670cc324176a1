import LeakMessage
import Testing

@testable import LeakReporter

/// The rules of what is sent when, on a clock that the tests move.
@Suite struct OutboxTests {
    private final class Table {
        var outbox: Outbox
        var now = Moment(milliseconds: 1_000_000)
        var wallTime = WireTime(milliseconds: 1_764_000_000_000)
        var keys = 0

        init(_ change: (inout LeakReporter.Bounds) -> Void = { _ in }) {
            var bounds = LeakReporter.Bounds()
            change(&bounds)
            outbox = Outbox(bounds: bounds)
        }

        func add(_ count: Int = 1, bytes: Int = 300) {
            for _ in 0..<count {
                var report = LeakReport()
                report.message = "m"
                outbox.add(report, bytes: bytes, at: now)
            }
        }

        func pass(_ milliseconds: Int) {
            now = now.advanced(byMilliseconds: milliseconds)
            passAsleep(milliseconds)
        }

        /// The wall clock alone moves, by sleep or because somebody sets it.
        func passAsleep(_ milliseconds: Int) {
            wallTime = WireTime(milliseconds: wallTime.milliseconds + Int64(milliseconds))
        }

        func next() -> Outbox.Step {
            keys += 1
            let key = "key\(keys)"
            return outbox.next(at: now, wallTime: wallTime) { key }
        }

        func load() -> Outbox.Load? {
            guard case .send(let load) = next() else { return nil }
            return load
        }

        func wait() -> Int? {
            guard case .wait(let moment?) = next() else { return nil }
            return moment.milliseconds - now.milliseconds
        }

        func finish(_ delivery: Delivery) { outbox.finish(delivery, at: now, jitter: 1) }
    }

    private let yes = Delivery.accepted(rejected: 0, reason: nil)
    private let later = Delivery.postponed(afterMilliseconds: nil, why: "away")

    @Test func `nothing waits, nothing is due`() {
        let table = Table()
        #expect(table.next() == .wait(until: nil))
    }

    @Test func `a burst becomes one batch`() throws {
        let table = Table()
        table.add()
        #expect(table.wait() == 200)
        table.pass(150)
        table.add(9)
        #expect(table.wait() == 50)
        table.pass(50)
        let load = try #require(table.load())
        #expect(load.entries.count == 10)
        table.finish(yes)
        #expect(table.next() == .wait(until: nil))
        #expect(table.outbox.statistics.sent == 10)
        #expect(table.outbox.statistics.batches == 1)
    }

    @Test func `a full batch goes at once, by number and by bytes`() {
        let table = Table()
        table.add(63)
        #expect(table.load() == nil)
        table.add()
        #expect(table.load()?.entries.count == 64)

        let heavy = Table { $0.waitingBytes = 10_000_000 }
        heavy.add(5, bytes: 60_000)
        #expect(heavy.load()?.entries.count == 4)
    }

    @Test func `an attempt repeats the same load under the same key`() throws {
        let table = Table()
        table.add(3)
        table.pass(200)
        let first = try #require(table.load())
        for failures in 1...3 {
            table.finish(later)
            table.add()
            #expect(table.wait() == 1_000 << (failures - 1))
            table.pass(1_000 << (failures - 1))
            #expect(table.load() == first)
        }
        table.finish(yes)
        let second = try #require(table.load())
        #expect(second.key != first.key)
        #expect(second.entries.count == 3)
        #expect(table.outbox.statistics.failedAttempts == 3)
        #expect(table.outbox.statistics.lastFailure == "away")
    }

    @Test func `patience starts anew after a success`() {
        let table = Table()
        for _ in 0..<2 {
            table.add()
            table.pass(200)
            #expect(table.load() != nil)
            table.finish(later)
            #expect(table.wait() == 1_000)
            table.pass(1_000)
            #expect(table.load() != nil)
            table.finish(yes)
        }
    }

    @Test func `a wish of the collector is kept even when a flush hurries`() {
        let table = Table()
        table.add()
        table.pass(200)
        _ = table.load()
        table.finish(.postponed(afterMilliseconds: 30_000, why: "busy"))
        #expect(table.wait() == 30_000)
        _ = table.outbox.hurry()
        #expect(table.wait() == 30_000)
        table.pass(30_000)
        #expect(table.load() != nil)
    }

    @Test func `a flush cuts our own patience short`() {
        let table = Table()
        table.add()
        let mark = table.outbox.hurry()
        #expect(!table.outbox.isSettled(through: mark))
        #expect(table.load() != nil)
        table.finish(later)
        #expect(table.load() == nil)
        _ = table.outbox.hurry()
        #expect(table.load() != nil)
        table.finish(yes)
        #expect(table.outbox.isSettled(through: mark))
    }

    /// What was recorded before is on its way while newer ones come and go.
    @Test func `a flush waits for its own reports, not for as many`() {
        let table = Table { $0.waitingReports = 10 }
        table.add(3)
        let mark = table.outbox.hurry()
        #expect(table.load()?.entries.count == 3)
        table.add(100)
        #expect(!table.outbox.isSettled(through: mark))
        table.finish(yes)
        #expect(table.outbox.isSettled(through: mark))
        #expect(!table.outbox.isSettled(through: table.outbox.hurry()))
    }

    @Test func `too many drop the oldest, and the collector is told`() throws {
        let table = Table { $0.waitingReports = 100 }
        table.add(130)
        #expect(table.outbox.statistics.waiting == 100)
        #expect(table.outbox.statistics.dropped == [.queueFull: 30])
        let load = try #require(table.load())
        #expect(load.entries.first?.sequence == 31)
        #expect(load.dropped == [.queueFull: 30])
        table.finish(yes)
        #expect(try #require(table.load()).dropped == [:], "told once")
    }

    @Test func `too many bytes drop the oldest`() {
        let table = Table { $0.waitingBytes = 20_000 }
        table.add(10, bytes: 3_000)
        #expect(table.outbox.statistics.waiting == 6)
        table.add(1, bytes: 50_000)
        #expect(table.outbox.statistics.waiting == 0)
        #expect(table.outbox.statistics.dropped == [.queueFull: 11])
    }

    @Test func `what is on its way counts towards the bounds and is not dropped`() throws {
        let table = Table { $0.waitingReports = 70 }
        table.add(64)
        let load = try #require(table.load())
        table.add(20)
        #expect(table.outbox.statistics.waiting == 70)
        #expect(table.outbox.statistics.dropped == [.queueFull: 14])
        table.finish(later)
        table.pass(1_000)
        #expect(table.load() == load)
    }

    @Test func `a refused batch is lost and counted, the next one goes`() throws {
        let table = Table()
        table.add(70)
        _ = table.load()
        table.finish(.refused(why: "the collector answered 400"))
        let next = try #require(table.load())
        #expect(next.entries.count == 6)
        #expect(next.dropped == [.refused: 64])
        table.finish(yes)
        #expect(table.outbox.statistics.dropped == [.refused: 64])
        #expect(table.outbox.statistics.sent == 6)
        #expect(table.outbox.statistics.lastFailure == "the collector answered 400")
    }

    @Test func `what a refused batch was to tell is told by the next`() throws {
        let table = Table { $0.waitingReports = 64 }
        table.add(66)
        table.outbox.add([ClassChecks(className: "A", count: 4)], at: table.now)
        #expect(try #require(table.load()).dropped == [.queueFull: 2])
        table.finish(.refused(why: "no"))
        table.add(64)
        let next = try #require(table.load())
        #expect(next.dropped == [.queueFull: 2, .refused: 64])
        #expect(next.denominators.list == [ClassChecks(className: "A", count: 4)])
    }

    @Test func `a batch that is too long is halved, down to one`() {
        let table = Table()
        table.add(64)
        var sizes: [Int] = []
        // Whoever answers takes 20 at most.
        while let load = table.load() {
            sizes.append(load.entries.count)
            table.finish(load.entries.count > 20 ? .tooLong(why: "413") : yes)
        }
        #expect(sizes == [64, 32, 16, 32, 16, 32, 16, 16] || sizes.prefix(3) == [64, 32, 16])
        #expect(table.outbox.statistics.sent == 64)
        #expect(table.outbox.statistics.dropped == [:])
    }

    @Test func `a report that is too long alone is lost and counted`() {
        let table = Table()
        table.add(4)
        table.pass(200)
        var order: [Int] = []
        while let load = table.load() {
            let sequences = load.entries.map(\.sequence)
            if !sequences.contains(3) { order += sequences }
            table.finish(sequences.contains(3) ? .tooLong(why: "413") : yes)
        }
        #expect(order == [1, 2, 4])
        #expect(table.outbox.statistics.dropped == [.tooLong: 1])
    }

    @Test func `denominators that make one report too long are let go`() throws {
        let table = Table()
        table.outbox.add([ClassChecks(className: "A", count: 2)], at: table.now)
        table.add()
        table.pass(200)
        let first = try #require(table.load())
        table.finish(.tooLong(why: "413"))
        let second = try #require(table.load())
        #expect(second.entries == first.entries)
        #expect(second.denominators.isEmpty)
        #expect(second.key != first.key, "other bytes, another key")
        table.finish(.tooLong(why: "413"))
        #expect(table.next() == .wait(until: nil))
        #expect(table.outbox.statistics.dropped == [.tooLong: 1])
    }

    /// The collector remembers a key for seven days.
    @Test func `after six days a batch is lost, the next one goes`() throws {
        let table = Table()
        table.add()
        table.pass(200)
        let first = try #require(table.load())
        table.finish(later)
        table.pass(6 * 86_400_000 - 1)
        #expect(table.load() == first)
        table.finish(later)
        table.add(2)
        table.pass(2_000)
        let next = try #require(table.load())
        #expect(next.entries.count == 2)
        #expect(next.dropped == [.tooOld: 1])
    }

    /// Milliseconds by which each clock moves; whether the batch is then given up.
    @Test(arguments: [
        (1_000, 6 * 86_400_000, true), (1_000, 6 * 86_400_000 - 1_000, false),
        (6 * 86_400_000, 6 * 86_400_000, true), (6 * 86_400_000, 0, true),
        (1_000, 30 * 86_400_000, true), (1_000, -86_400_000 - 1, true), (1_000, -86_400_000, false),
        (1_000, 0, false),
    ])
    func `the first clock that says six days counts, and one set back by more than a day`(
        awake: Int, wall: Int, isGivenUp: Bool
    ) throws {
        let table = Table()
        table.add()
        table.pass(200)
        let first = try #require(table.load())
        table.finish(later)
        table.pass(awake)
        table.passAsleep(wall - awake)
        table.add()
        #expect((table.load() == first) != isGivenUp)
        #expect(table.outbox.statistics.dropped == (isGivenUp ? [.tooOld: 1] : [:]))
    }

    /// The old batch may have been counted: what it carried must not be counted again under another key.
    @Test func `nothing of a batch that is too old goes under another key`() throws {
        let table = Table { $0.waitingReports = 64 }
        table.add(66)
        table.outbox.add([ClassChecks(className: "A", count: 4)], at: table.now)
        table.outbox.add(EndedSession(id: "1", checks: 4, leaks: 1), at: table.now)
        #expect(try #require(table.load()).dropped == [.queueFull: 2])
        table.outbox.add([ClassChecks(className: "B", count: 1)], at: table.now)
        table.finish(later)
        table.passAsleep(7 * 86_400_000)
        table.pass(40_000)
        let next = try #require(table.load())
        #expect(next.entries.isEmpty)
        #expect(next.denominators.list == [ClassChecks(className: "B", count: 1)])
        #expect(next.denominators.sessions.isEmpty)
        #expect(next.dropped == [.tooOld: 64])
    }

    @Test func `without leave nothing is sent any more`() {
        let table = Table()
        table.add(70)
        _ = table.load()
        let mark = table.outbox.hurry()
        table.finish(.unauthorized(why: "the collector answered 401: unknown key"))
        table.add(5)
        table.pass(1_000_000)
        #expect(table.next() == .wait(until: nil))
        let statistics = table.outbox.statistics
        #expect(statistics.isStopped)
        #expect(statistics.waiting == 0)
        #expect(statistics.dropped == [.unauthorized: 75])
        #expect(statistics.lastFailure?.contains("unknown key") == true)
        #expect(table.outbox.isSettled(through: mark))
    }

    @Test func `reports that the collector found invalid are counted, and not told back`() throws {
        let table = Table()
        table.add(3)
        table.pass(200)
        _ = table.load()
        table.finish(.accepted(rejected: 1, reason: "class is 700 bytes"))
        #expect(table.outbox.statistics.sent == 2)
        #expect(table.outbox.statistics.dropped == [.rejected: 1])
        #expect(table.outbox.statistics.lastFailure?.contains("class is 700 bytes") == true)
        table.add()
        table.pass(200)
        #expect(try #require(table.load()).dropped == [:])
    }

    @Test func `checks are added up and travel with reports`() throws {
        let table = Table()
        table.outbox.add(
            [ClassChecks(className: "B", count: 1), ClassChecks(className: "A", count: 2)], at: table.now)
        table.outbox.add(
            [ClassChecks(className: "B", count: 5), ClassChecks(className: "", count: 5)], at: table.now)
        #expect(table.wait() == 30_000)
        table.add()
        table.pass(200)
        #expect(
            try #require(table.load()).denominators.list
                == [ClassChecks(className: "A", count: 2), ClassChecks(className: "B", count: 6)])
        table.finish(yes)
        #expect(table.next() == .wait(until: nil))
    }

    @Test func `checks alone go after half a minute, or with a flush`() {
        let table = Table()
        table.outbox.add([ClassChecks(className: "A", count: 2)], at: table.now)
        table.pass(30_000)
        #expect(table.load()?.entries == [])
        table.finish(yes)
        table.outbox.add([ClassChecks(className: "A", count: 2)], at: table.now)
        let mark = table.outbox.hurry()
        #expect(!table.outbox.isSettled(through: mark))
        #expect(table.load()?.denominators.counts.count == 1)
        table.finish(yes)
        #expect(table.outbox.isSettled(through: mark))
    }

    @Test func `checks that are refused alone do not come again`() {
        let table = Table()
        table.outbox.add([ClassChecks(className: "A", count: 2)], at: table.now)
        table.pass(30_000)
        _ = table.load()
        table.finish(.refused(why: "no"))
        table.pass(60_000)
        #expect(table.next() == .wait(until: nil))
    }

    @Test func `checks recorded while others are refused alone are kept`() throws {
        let table = Table()
        table.outbox.add([ClassChecks(className: "A", count: 2)], at: table.now)
        table.pass(30_000)
        _ = table.load()
        table.outbox.add([ClassChecks(className: "B", count: 3)], at: table.now)
        let session = EndedSession(id: "1", checks: 3, leaks: 0)
        table.outbox.add(session, at: table.now)
        table.finish(.refused(why: "no"))
        table.pass(30_000)
        let next = try #require(table.load())
        #expect(next.denominators.list == [ClassChecks(className: "B", count: 3)])
        #expect(next.denominators.sessions == [session])
    }

    @Test func `sessions travel once, and again after a refusal`() throws {
        let table = Table()
        let one = EndedSession(id: "1", checks: 3, leaks: 0)
        let two = EndedSession(id: "2", checks: 4, leaks: 1)
        table.outbox.add(one, at: table.now)
        table.add()
        table.pass(200)
        #expect(try #require(table.load()).denominators.sessions == [one])
        table.outbox.add(two, at: table.now)
        table.finish(.refused(why: "no"))
        table.add()
        table.pass(200)
        #expect(try #require(table.load()).denominators.sessions == [one, two])
        table.finish(yes)
        #expect(table.next() == .wait(until: nil))
    }

    @Test func `of sessions the newest thousand wait`() {
        var denominators = Denominators()
        for number in 0..<1_500 { denominators.add(EndedSession(id: "\(number)", checks: 1, leaks: 0)) }
        #expect(denominators.sessions.count == 1_000)
        #expect(denominators.sessions.last?.id == "1499")
        denominators.restore(denominators)
        #expect(denominators.sessions.count == 1_000)
    }

    @Test func `checks of more classes than a batch carries are left out`() {
        var tally = Denominators()
        tally.add((0..<5_000).map { ClassChecks(className: "C\($0)", count: 1) })
        tally.add([ClassChecks(className: "C1", count: .max), ClassChecks(className: "C2", count: -4)])
        #expect(tally.counts.count == 1_000)
        #expect(tally.counts["C1"] == .max)
        #expect(tally.counts["C2"] == 1)
    }
}

@Suite struct ReportQueueTests {
    private func entry(_ sequence: Int) -> ReportQueue.Entry {
        ReportQueue.Entry(sequence: sequence, bytes: 10, report: LeakReport())
    }

    /// Against a plain array.
    @Test func `gives what came first, whatever is taken and put back`() {
        var queue = ReportQueue()
        var list: [Int] = []
        var random = SystemRandomNumberGenerator()
        for sequence in 0..<3_000 {
            queue.append(entry(sequence))
            list.append(sequence)
            guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
            let taken = queue.take(count: Int.random(in: 1...30, using: &random), bytes: 10_000)
            if Bool.random(using: &random) {
                queue.putBack(taken)
            } else {
                #expect(taken.map(\.sequence) == Array(list.prefix(taken.count)))
                list.removeFirst(taken.count)
            }
            #expect(queue.count == list.count)
            #expect(queue.bytes == list.count * 10)
            #expect(queue.first?.sequence == list.first)
        }
    }

    @Test func `one is taken even if it is heavier than the limit`() {
        var queue = ReportQueue()
        for sequence in 0..<3 { queue.append(entry(sequence)) }
        #expect(queue.take(count: 5, bytes: 1).count == 1)
        #expect(queue.take(count: 0, bytes: 100).count == 0)
        #expect(queue.take(count: 5, bytes: 20).count == 2)
        #expect(queue.takeFirst() == nil)
    }
}
