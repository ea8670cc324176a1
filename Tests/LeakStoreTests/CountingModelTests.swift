import Testing

@testable import LeakStore

@Suite struct CountingModelTests {
    /// Calls of random size, repeats, reused keys, full disks and reopenings against the model.
    @Test(arguments: (1...12).map { UInt64($0) })
    func `any interleaving gives the totals of the model`(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = Seeded(state: seed)
        var model = CountingModel()
        var store = try directory.store()
        var sent: [Submission] = []
        for _ in 0..<25 {
            var call: [Submission] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0, let again = sent.randomElement(using: &random)
                {
                    call.append(again)
                } else {
                    call.append(randomSubmission(&random, now: noon))
                }
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                // A disk that is full for a while: nothing may be counted, nothing remembered.
                try store.limitPages(to: 1)
                let large = call + [bulky(&random)]
                #expect(throws: StoreError.self) { try store.count(large, now: noon) }
                try store.limitPages(to: 1_000_000)
            }
            let expected = model.count(call, now: noon)
            #expect(try store.count(call, now: noon) == expected)
            sent += call
            if Int.random(in: 0..<6, using: &random) == 0 { store = try directory.store() }
        }
        #expect(try store.verify() == [])
        #expect(try model.differences(from: store, now: noon) == [])
    }

    /// Reports of leaks not seen before, large enough to need pages.
    private func bulky(_ random: inout Seeded) -> Submission {
        submission(
            (0..<40).map { _ in
                Report(leak: leak("bulky \(random.next())"), body: String(repeating: "x", count: 4_000))
            })
    }
}
