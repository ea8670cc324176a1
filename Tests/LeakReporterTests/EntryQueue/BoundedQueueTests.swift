import Foundation
import LeakPlatform
import Testing

@testable import LeakReporter

@Suite struct BoundedQueueTests {
    private final class Owned: Sendable {}

    @Test func `items added to the entry queue are taken in order and counted`() {
        let queue = BoundedQueue<String>(items: 10, bytes: 100)
        #expect(queue.offer("a", bytes: 1) == 1)
        #expect(queue.offerIgnoringLimits("b") == 2)
        #expect(queue.offer("c", bytes: 1) == 3)
        var taken = ["before"]
        #expect(queue.take(into: &taken, milliseconds: 0))
        #expect(taken == ["before", "a", "b", "c"])
        #expect(queue.lastSequence == 3)
        #expect(queue.offer("d", bytes: 1) == 4)
        #expect(queue.rejections == QueueRejections())
    }

    @Test func `items of each thread stay in order in the entry queue, and none is lost`() {
        let queue = BoundedQueue<(thread: Int, number: Int)>(items: 100_000, bytes: 100_000)
        let producers = (0..<8).map { thread in
            WorkerThread(name: "offer-\(thread)") {
                for number in 0..<10_000 { _ = queue.offer((thread, number), bytes: 1) }
            }
        }
        let next = Guarded([Int](repeating: 0, count: 8))
        let consumer = WorkerThread(name: "take") {
            var taken: [(thread: Int, number: Int)] = []
            var isOpen = true
            while isOpen {
                isOpen = queue.take(into: &taken, milliseconds: nil)
                for item in taken {
                    // A number out of order stops the count of its thread.
                    next.with { if $0[item.thread] == item.number { $0[item.thread] += 1 } }
                }
                taken.removeAll(keepingCapacity: true)
            }
        }
        for producer in producers { producer.join() }
        queue.close()
        consumer.join()
        #expect(next.with { $0 } == [Int](repeating: 10_000, count: 8))
        #expect(queue.lastSequence == 80_000)
        #expect(queue.rejections == QueueRejections())
    }

    @Test func `the number of items in the entry queue is limited, except for items offered without limits`()
    {
        let queue = BoundedQueue<Int>(items: 100, bytes: .max)
        for number in 1...100 { #expect(queue.offer(number, bytes: .max / 200) == UInt64(number)) }
        #expect(queue.offer(101, bytes: 0) == nil)
        #expect(queue.offerIgnoringLimits(102) == 101)
        #expect(queue.rejections.full == 1)
        var taken: [Int] = []
        queue.take(into: &taken, milliseconds: 0)
        #expect(taken == Array(1...100) + [102])
        #expect(queue.offer(103, bytes: 0) == 102, "rejected items get no sequence number")
    }

    /// A sum that overflows `Int` exceeds any limit. A negative size counts as 0.
    @Test func `the bytes of items in the entry queue are limited`() {
        let queue = BoundedQueue<Int>(items: 100, bytes: 10)
        #expect(queue.offer(1, bytes: 7) == 1)
        #expect(queue.offer(2, bytes: 4) == nil)
        #expect(queue.offer(3, bytes: .max) == nil)
        #expect(queue.offer(4, bytes: -7) == 2)
        #expect(queue.offer(5, bytes: 3) == 3)
        #expect(queue.rejections.full == 2)
        var taken: [Int] = []
        queue.take(into: &taken, milliseconds: 0)
        #expect(queue.offer(6, bytes: 10) == 4, "items that were taken no longer count")
    }

    @Test func `a thread that waits for the entry queue without a time limit is woken by each new entry`() {
        let queue = BoundedQueue<Int>(items: 10, bytes: 10)
        let seen = Guarded<[Int]>([])
        let consumer = WorkerThread(name: "take") {
            var taken: [Int] = []
            while queue.take(into: &taken, milliseconds: nil) {
                let items = taken
                seen.with { $0 = items }
                seen.wakeAll()
            }
        }
        for number in 1...100 {
            #expect(queue.offer(number, bytes: 1) != nil)
            let isSeen = seen.wait(milliseconds: 60_000) { $0.count == number ? true : nil }
            #expect(isSeen == true)
        }
        queue.close()
        consumer.join()
    }

    @Test func `a wait for the entry queue ends when its time is up, and not before`() {
        let queue = BoundedQueue<Int>(items: 10, bytes: 10)
        var taken: [Int] = []
        let clock = ContinuousClock()
        let time = clock.measure { _ = queue.take(into: &taken, milliseconds: 20) }
        #expect(time >= .milliseconds(20) && time < .seconds(30))
        #expect(clock.measure { _ = queue.take(into: &taken, milliseconds: .min) } < .seconds(30))
        #expect(taken == [])
        #expect(queue.offer(1, bytes: 1) == 1)
        queue.take(into: &taken, milliseconds: .max)
        #expect(taken == [1], "an item that is there is taken without a wait")
    }

    @Test func `an item for the entry queue's reserve is accepted when there is no room for ordinary items`()
    {
        let queue = BoundedQueue<Int>(items: 2, bytes: .max)
        #expect([1, 2, 3].map { queue.offer($0, bytes: 1) } == [1, 2, nil])
        #expect([4, 5, 6].map { queue.offer($0, bytes: 1, weight: 0, in: .reserve) } == [3, 4, nil])
        #expect((queue.rejections.full, queue.rejections.weightlessItems) == (1, 1))
    }

    // MARK: Merging

    /// Offers a text to the queue. Texts are merged by joining them.
    private func add(_ text: String, _ queue: BoundedQueue<String>, coarse: Int = 0) {
        queue.merge(
            text, bytes: 1, weight: 1, key: MergeKey(text.hashValue, 0), coarseKey: MergeKey(coarse, 1)
        ) {
            $0 += text
            return true
        }
    }

    private func set(_ value: Int, of name: Int, _ queue: BoundedQueue<String>, isCoarse: Bool = false) {
        let setting = QueueSetting(
            name: MergeKey(name, 2), value: MergeKey(value &+ 1, name &+ 1), isCoarse: isCoarse)
        queue.offerSettingsChange("=\(value)", to: [setting], bytes: 2, isAlwaysKept: true) { item, _ in
            item = "=\(value)"
            return 0
        }
    }

    private func takeAll(from queue: BoundedQueue<String>) -> [String] {
        var items: [String] = []
        queue.take(into: &items, milliseconds: 0)
        return items
    }

    @Test
    func `items are merged across a setting that changed and changed back, but not across other changes`() {
        let queue = BoundedQueue<String>(items: 100, bytes: 1000)
        for value in [1, 2, 1, 2, 1, 3] {
            set(value, of: 7, queue)
            add("a", queue)
        }
        // The change to 3 replaces the three changes before it, because the items between them were merged into earlier items.
        #expect(takeAll(from: queue) == ["=1", "aaa", "=2", "aa", "=3", "a"])
        add("a", queue)
        #expect(queue.offerIgnoringLimits("barrier") != nil)
        add("a", queue)
        #expect(takeAll(from: queue) == ["a", "barrier", "a"])
        #expect(queue.weight == 8)
    }

    @Test func `changes of one setting wait as one queue item, and changes of 300 settings as two items`() {
        let queue = BoundedQueue<String>(items: 100, bytes: 1000)
        for value in 0..<10_000 { set(value, of: 7, queue) }
        #expect(takeAll(from: queue) == ["=9999"])
        add("a", queue)
        for name in 0..<300 { set(0, of: name, queue) }
        add("a", queue)
        #expect(takeAll(from: queue) == ["a", "=0", "=0", "a"], "the first 257 names, and the others")
    }

    @Test
    func `a queue that is three quarters full merges equal coarse keys, but not across a coarse setting`() {
        let queue = BoundedQueue<String>(items: 8, bytes: 1000)
        for text in ["a", "b", "c", "d", "e", "f"] { add(text, queue, coarse: text == "a" ? 1 : 2) }
        set(1, of: 7, queue)
        for text in ["g", "h", "b"] { add(text, queue, coarse: 2) }
        set(0, of: 8, queue, isCoarse: true)
        for text in ["i", "j"] { add(text, queue, coarse: 2) }
        add("k", queue, coarse: 3)
        add("l", queue, coarse: 4)
        #expect(takeAll(from: queue) == ["a", "b", "c", "d", "e", "fghb", "=0", "ij", "k"])
        #expect(queue.rejections.full == 1)
    }

    @Test func `no merged item moves ahead of an item that has to precede it`() {
        let queue = BoundedQueue<String>(items: 100, bytes: 10)
        func addAhead(_ text: String, _ key: Int) {
            queue.mergeAhead(text, bytes: 4, key: MergeKey(key, key)) { item, room in
                guard room > 0 else { return nil }
                item += text
                return 2
            }
        }
        add("a", queue)
        addAhead("X", 1)
        add("a", queue)
        addAhead("X", 1)
        addAhead("Y", 2)
        add("a", queue)
        addAhead("X", 1)
        addAhead("X", 1)
        add("a", queue)
        #expect(takeAll(from: queue) == ["a", "XX", "a", "Y", "aa"])
        #expect(queue.rejections.weightlessItems == 2, "the queue has room for ten bytes")
    }

    @Test func `items in the entry queue's reserve use no room of ordinary items`() {
        let queue = BoundedQueue<String>(items: 4, bytes: 10)
        for _ in 0..<10 { _ = queue.offer("r", bytes: 5, weight: 0, in: .reserve, separating: .none) }
        for (index, text) in ["a", "b", "c", "d", "a", "b"].enumerated() {
            add(text, queue, coarse: index % 4)
        }
        #expect(takeAll(from: queue).filter { $0 != "r" } == ["aa", "bb", "c", "d"])
        #expect(queue.rejections.full == 0)
        #expect(queue.offer("h", bytes: 6, weight: 0, in: .half) == nil)
        #expect(queue.offer("h", bytes: 5, weight: 0, in: .half) != nil)
    }

    @Test func `a closed entry queue returns its items and accepts no more`() {
        let queue = BoundedQueue<Int>(items: 10, bytes: 10)
        #expect(queue.offer(1, bytes: 1) == 1)
        queue.close()
        #expect(queue.offer(2, bytes: 1) == nil)
        #expect(queue.offerIgnoringLimits(3) == nil)
        #expect(queue.rejections.closed == 1, "a rejected required item adds no weight")
        var taken: [Int] = []
        #expect(!queue.take(into: &taken, milliseconds: nil))
        #expect(taken == [1])
        #expect(!queue.take(into: &taken, milliseconds: nil))
        #expect(taken == [1])
    }

    @Test func `a queue retains no items that were taken or rejected, and frees its items when it is freed`()
    {
        weak var taken: Owned?
        weak var refused: Owned?
        weak var left: Owned?
        do {
            let queue = BoundedQueue<Owned>(items: 1, bytes: 10)
            func offer() -> Owned {
                let item = Owned()
                _ = queue.offer(item, bytes: 1)
                return item
            }
            taken = offer()
            refused = offer()
            #expect(taken != nil && refused == nil)
            var items: [Owned] = []
            queue.take(into: &items, milliseconds: 0)
            #expect(items.count == 1 && items.first === taken)
            items = []
            #expect(taken == nil)
            left = offer()
            #expect(left != nil)
        }
        #expect(left == nil)
    }

    @Test func `a MoveBuffer that a burst has enlarged frees memory when its items are taken`() {
        var buffer = MoveBuffer<Int>()
        for number in 0..<1000 { buffer.append(number) }
        #expect(buffer.capacity == 1024)
        var taken: [Int] = []
        buffer.move(to: &taken)
        #expect(taken == Array(0..<1000) && buffer.count == 0)
        #expect(buffer.capacity == MoveBuffer<Int>.smallestCapacity)
    }
}
