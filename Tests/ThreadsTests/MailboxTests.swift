import Foundation
import Testing

@testable import Threads

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

    /// A sum past what an `Int` holds is past any bound; a negative size is none.
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

    @Test func `what is preferred finds room where others do not`() {
        let mailbox = Mailbox<Int>(items: 2, bytes: .max)
        #expect([1, 2, 3].map { mailbox.offer($0, bytes: 1) } == [1, 2, nil])
        #expect([4, 5, 6].map { mailbox.offer($0, bytes: 1, weight: 0, isPreferred: true) } == [3, 4, nil])
        #expect((mailbox.refusals.full, mailbox.refusals.calls) == (1, 1))
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
