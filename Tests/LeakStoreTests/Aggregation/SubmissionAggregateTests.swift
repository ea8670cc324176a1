import Testing

@testable import LeakStore

@Suite struct SubmissionAggregateTests {
    @Test func `the sightings of one leak in several submissions are added up`() throws {
        var aggregate = SubmissionAggregate()
        let everyone = UnlimitedNames()
        let page = leak("Page")
        for number in 0..<3 {
            try aggregate.add(
                submission([
                    Report(leak: page, install: 4, count: 2), Report(leak: page, isFreed: true, lived: 9),
                ]),
                number: number, by: everyone)
        }
        #expect(aggregate.leaks.count == 1 && aggregate.cells.count == 1 && aggregate.slots.count == 1)
        #expect(aggregate.leaks[0].reports == 6 && aggregate.leaks[0].freed == 3)
        #expect(aggregate.leaks[0].sightings.map(\.submission) == [0, 1, 2])
        #expect(aggregate.hourCounts.map(\.reports) == [6])
        #expect(aggregate.apps[0].reports == 6 && aggregate.releases[0].freed == 3)
    }

    @Test(arguments: [
        (Int.max, Total.largest), (Total.largest - 1, Total.largest - 1), (Int.min, 0), (-1, 0), (0, 0),
        (7, 7),
    ])
    func `no count overflows or becomes negative`(count: Int, counted: Int) throws {
        var aggregate = SubmissionAggregate()
        let everyone = UnlimitedNames()
        var batch = submission([Report(leak: leak("Page"), count: count)])
        batch.usageCounts = [
            Submission.UsageCounts(
                app: "shop", version: "1.0", build: nil, sessions: count, leakySessions: count,
                checks: ["Page": count])
        ]
        batch.dropped = [Submission.Dropped(app: "shop", reason: "budget", count: count)]
        try aggregate.add(batch, number: 0, by: everyone)
        try aggregate.add(batch, number: 1, by: everyone)
        #expect(aggregate.leaks[0].reports == min(2 * counted, Total.largest))
        #expect(aggregate.releases[0].sessions == min(2 * counted, Total.largest))
        #expect(aggregate.apps[0].dropped[ByteText("budget")] ?? 0 == min(2 * counted, Total.largest))
    }

    @Test func `a sighting with an invalid index of its origin is left out`() throws {
        var aggregate = SubmissionAggregate()
        let everyone = UnlimitedNames()
        var batch = submission([Report(leak: leak("Page"))])
        batch.origins = []
        try aggregate.add(batch, number: 0, by: everyone)
        #expect(aggregate.leaks.isEmpty)
    }

    @Test(arguments: [
        (Int64(0), 0), (-1, -1), (3_600_000, 1), (3_599_999, 0), (-3_600_000, -1), (-3_600_001, -2),
    ])
    func `hours are numbered from 1970 on, and hours before 1970 have negative numbers`(
        time: Int64, hour: Int
    ) {
        #expect(Calendar.hour(of: time) == hour)
    }
}
