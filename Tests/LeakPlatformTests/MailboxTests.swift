import Foundation
import Testing

@testable import LeakPlatform

@Suite struct MailboxTests {
    private final class Owned: Sendable {}

    @Test func `what is left is taken in order and counted`() {
        let mailbox = Mailbox<String>(items: 10, bytes: 100)
        #expect(mailbox.offer("a", bytes: 1) == 1)
        #expect(mailbox.insist("b") == 2)
        #expect(mailbox.offer("c", bytes: 1) == 3)
        var taken = ["before"]
        #expect(mailbox.take(into: &taken, milliseconds: 0))
        #expect(taken == ["before", "a", "b", "c"])
        #expect(mailbox.lastSequence == 3)
        #expect(mailbox.offer("d", bytes: 1) == 4)
        #expect(mailbox.refusals == MailboxRefusals())
    }

    @Test func `each thread's items stay in order and none is lost`() {
        let mailbox = Mailbox<(thread: Int, number: Int)>(items: 100_000, bytes: 100_000)
        let producers = (0..<8).map { thread in
            WorkerThread(name: "offer-\(thread)") {
                for number in 0..<10_000 { _ = mailbox.offer((thread, number), bytes: 1) }
            }
        }
        let next = Guarded([Int](repeating: 0, count: 8))
        let consumer = WorkerThread(name: "take") {
            var taken: [(thread: Int, number: Int)] = []
            var isOpen = true
            while isOpen {
                isOpen = mailbox.take(into: &taken, milliseconds: nil)
                for item in taken {
                    // A number out of its order stops the count of its thread.
                    next.with { if $0[item.thread] == item.number { $0[item.thread] += 1 } }
                }
                taken.removeAll(keepingCapacity: true)
            }
        }
        for producer in producers { producer.join() }
        mailbox.close()
        consumer.join()
        #expect(next.with { $0 } == [Int](repeating: 10_000, count: 8))
        #expect(mailbox.lastSequence == 80_000)
        #expect(mailbox.refusals == MailboxRefusals())
    }

    @Test func `only so many items wait, but for those that are insisted on`() {
        let mailbox = Mailbox<Int>(items: 100, bytes: .max)
        for number in 1...100 { #expect(mailbox.offer(number, bytes: .max / 200) == UInt64(number)) }
        #expect(mailbox.offer(101, bytes: 0) == nil)
        #expect(mailbox.insist(102) == 101)
        #expect(mailbox.refusals.full == 1)
        var taken: [Int] = []
        mailbox.take(into: &taken, milliseconds: 0)
        #expect(taken == Array(1...100) + [102])
        #expect(mailbox.offer(103, bytes: 0) == 102, "a sequence number is given to what is taken alone")
    }

    /// A sum that overflows `Int` exceeds any limit. A negative size counts as no size.
    @Test func `only so many bytes wait`() {
        let mailbox = Mailbox<Int>(items: 100, bytes: 10)
        #expect(mailbox.offer(1, bytes: 7) == 1)
        #expect(mailbox.offer(2, bytes: 4) == nil)
        #expect(mailbox.offer(3, bytes: .max) == nil)
        #expect(mailbox.offer(4, bytes: -7) == 2)
        #expect(mailbox.offer(5, bytes: 3) == 3)
        #expect(mailbox.refusals.full == 2)
        var taken: [Int] = []
        mailbox.take(into: &taken, milliseconds: 0)
        #expect(mailbox.offer(6, bytes: 10) == 4, "what was taken counts no more")
    }

    @Test func `a thread that waits for good is woken`() {
        let mailbox = Mailbox<Int>(items: 10, bytes: 10)
        let seen = Guarded<[Int]>([])
        let consumer = WorkerThread(name: "take") {
            var taken: [Int] = []
            while mailbox.take(into: &taken, milliseconds: nil) {
                let items = taken
                seen.with { $0 = items }
                seen.wakeAll()
            }
        }
        for number in 1...100 {
            #expect(mailbox.offer(number, bytes: 1) != nil)
            let isSeen = seen.wait(milliseconds: 60_000) { $0.count == number ? true : nil }
            #expect(isSeen == true)
        }
        mailbox.close()
        consumer.join()
    }

    @Test func `waiting ends when the time is up, and not before`() {
        let mailbox = Mailbox<Int>(items: 10, bytes: 10)
        var taken: [Int] = []
        let clock = ContinuousClock()
        let time = clock.measure { _ = mailbox.take(into: &taken, milliseconds: 20) }
        #expect(time >= .milliseconds(20) && time < .seconds(30))
        #expect(clock.measure { _ = mailbox.take(into: &taken, milliseconds: .min) } < .seconds(30))
        #expect(taken == [])
        #expect(mailbox.offer(1, bytes: 1) == 1)
        mailbox.take(into: &taken, milliseconds: .max)
        #expect(taken == [1], "what is there is not waited for")
    }

    @Test func `an item in the reserve finds room when the ordinary room is full`() {
        let mailbox = Mailbox<Int>(items: 2, bytes: .max)
        #expect([1, 2, 3].map { mailbox.offer($0, bytes: 1) } == [1, 2, nil])
        #expect([4, 5, 6].map { mailbox.offer($0, bytes: 1, weight: 0, in: .reserve) } == [3, 4, nil])
        #expect((mailbox.refusals.full, mailbox.refusals.calls) == (1, 1))
    }

    // MARK: Merging

    /// Texts are merged by joining them.
    private func add(_ text: String, _ mailbox: Mailbox<String>, coarse: Int = 0) {
        mailbox.merge(
            text, bytes: 1, weight: 1, key: MergeKey(text.hashValue, 0), coarseKey: MergeKey(coarse, 1)
        ) {
            $0 += text
            return true
        }
    }

    private func set(_ value: Int, of name: Int, _ mailbox: Mailbox<String>, isCoarse: Bool = false) {
        let setting = MailboxSetting(
            name: MergeKey(name, 2), value: MergeKey(value &+ 1, name &+ 1), isCoarse: isCoarse)
        mailbox.change([setting], "=\(value)", bytes: 2, isAlwaysKept: true) { item, _ in
            item = "=\(value)"
            return 0
        }
    }

    private func taken(_ mailbox: Mailbox<String>) -> [String] {
        var items: [String] = []
        mailbox.take(into: &items, milliseconds: 0)
        return items
    }

    @Test func `items are merged across settings that came back, and across nothing else`() {
        let mailbox = Mailbox<String>(items: 100, bytes: 1000)
        for value in [1, 2, 1, 2, 1, 3] {
            set(value, of: 7, mailbox)
            add("a", mailbox)
        }
        // The change to 1 in between waits behind nothing that depends on it.
        #expect(taken(mailbox) == ["=1", "aaa", "=2", "aa", "=3", "a"])
        add("a", mailbox)
        #expect(mailbox.insist("barrier") != nil)
        add("a", mailbox)
        #expect(taken(mailbox) == ["a", "barrier", "a"])
        #expect(mailbox.weight == 8)
    }

    @Test func `settings that change without end wait as one item, and too many names separate`() {
        let mailbox = Mailbox<String>(items: 100, bytes: 1000)
        for value in 0..<10_000 { set(value, of: 7, mailbox) }
        #expect(taken(mailbox) == ["=9999"])
        add("a", mailbox)
        for name in 0..<300 { set(0, of: name, mailbox) }
        add("a", mailbox)
        #expect(taken(mailbox) == ["a", "=0", "=0", "a"], "the first 257 names, and the others")
    }

    @Test func `the last quarter of the room merges by the coarse key, but not across coarse settings`() {
        let mailbox = Mailbox<String>(items: 8, bytes: 1000)
        for text in ["a", "b", "c", "d", "e", "f"] { add(text, mailbox, coarse: text == "a" ? 1 : 2) }
        set(1, of: 7, mailbox)
        for text in ["g", "h", "b"] { add(text, mailbox, coarse: 2) }
        set(0, of: 8, mailbox, isCoarse: true)
        for text in ["i", "j"] { add(text, mailbox, coarse: 2) }
        add("k", mailbox, coarse: 3)
        add("l", mailbox, coarse: 4)
        #expect(taken(mailbox) == ["a", "b", "c", "d", "e", "fghb", "=0", "ij", "k"])
        #expect(mailbox.refusals.full == 1)
    }

    @Test func `no merged item comes to stand before one that is to be ahead of it`() {
        let mailbox = Mailbox<String>(items: 100, bytes: 10)
        func addAhead(_ text: String, _ key: Int) {
            mailbox.mergeAhead(text, bytes: 4, key: MergeKey(key, key)) { item, room in
                guard room > 0 else { return nil }
                item += text
                return 2
            }
        }
        add("a", mailbox)
        addAhead("X", 1)
        add("a", mailbox)
        addAhead("X", 1)
        addAhead("Y", 2)
        add("a", mailbox)
        addAhead("X", 1)
        addAhead("X", 1)
        add("a", mailbox)
        #expect(taken(mailbox) == ["a", "XX", "a", "Y", "aa"])
        #expect(mailbox.refusals.calls == 2, "ten bytes are all")
    }

    @Test func `items in the reserve take no room of the others`() {
        let mailbox = Mailbox<String>(items: 4, bytes: 10)
        for _ in 0..<10 { _ = mailbox.offer("r", bytes: 5, weight: 0, in: .reserve, separating: .none) }
        for (index, text) in ["a", "b", "c", "d", "a", "b"].enumerated() {
            add(text, mailbox, coarse: index % 4)
        }
        #expect(taken(mailbox).filter { $0 != "r" } == ["aa", "bb", "c", "d"])
        #expect(mailbox.refusals.full == 0)
        #expect(mailbox.offer("h", bytes: 6, weight: 0, in: .half) == nil)
        #expect(mailbox.offer("h", bytes: 5, weight: 0, in: .half) != nil)
    }

    @Test func `a closed mailbox gives what it has and takes no more`() {
        let mailbox = Mailbox<Int>(items: 10, bytes: 10)
        #expect(mailbox.offer(1, bytes: 1) == 1)
        mailbox.close()
        #expect(mailbox.offer(2, bytes: 1) == nil)
        #expect(mailbox.insist(3) == nil)
        #expect(mailbox.refusals.closed == 1, "what is insisted on weighs nothing")
        var taken: [Int] = []
        #expect(!mailbox.take(into: &taken, milliseconds: nil))
        #expect(taken == [1])
        #expect(!mailbox.take(into: &taken, milliseconds: nil))
        #expect(taken == [1])
    }

    @Test func `nothing that was taken, refused or left behind is kept alive`() {
        weak var taken: Owned?
        weak var refused: Owned?
        weak var left: Owned?
        do {
            let mailbox = Mailbox<Owned>(items: 1, bytes: 10)
            func offer() -> Owned {
                let item = Owned()
                _ = mailbox.offer(item, bytes: 1)
                return item
            }
            taken = offer()
            refused = offer()
            #expect(taken != nil && refused == nil)
            var items: [Owned] = []
            mailbox.take(into: &items, milliseconds: 0)
            #expect(items.count == 1 && items.first === taken)
            items = []
            #expect(taken == nil)
            left = offer()
            #expect(left != nil)
        }
        #expect(left == nil)
    }

    @Test func `the room that a burst needed is given back`() {
        var shelf = Shelf<Int>()
        for number in 0..<1000 { shelf.append(number) }
        #expect(shelf.capacity == 1024)
        var taken: [Int] = []
        shelf.move(to: &taken)
        #expect(taken == Array(0..<1000) && shelf.count == 0)
        #expect(shelf.capacity == Shelf<Int>.smallestCapacity)
    }
}
