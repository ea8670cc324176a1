import LeakStatistics
import Testing

@Suite struct FixProgressTests {
    /// Returns counts that are spread evenly over buckets.
    private static func counts(_ events: Int, of trials: Int, buckets: Int = 50) -> BucketedCounts {
        var counts = BucketedCounts()
        for bucket in 0..<buckets {
            func part(_ number: Int) -> Int { number / buckets + (bucket < number % buckets ? 1 : 0) }
            counts.add(events: part(events), trials: part(trials), bucket: bucket)
        }
        return counts
    }

    private static let nothing = BucketedCounts()
    /// A rate of 14.4 %.
    private static let before = counts(1_440, of: 10_000)

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var before = FixProgressTests.before
        var withoutLeak = FixProgressTests.nothing
        var seenAgain: BucketedCounts?
        var stage: FixProgress.Stage

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "no checks before, none since", before: nothing, stage: .notSeen),
        Case(
            name: "no checks before, some since", before: nothing, withoutLeak: counts(0, of: 500),
            stage: .notSeen),
        Case(
            name: "checks before, but no reports, because versions with the leak did not count checks",
            before: counts(0, of: 10_000), withoutLeak: counts(0, of: 500), stage: .notSeen),
        Case(
            name: "a detector that reports more than it checks", before: counts(200, of: 100),
            withoutLeak: counts(0, of: 500), stage: .notSeen),
        Case(name: "no checks since", stage: .proving),
        Case(name: "fewer checks than needed", withoutLeak: counts(0, of: 120), stage: .proving),
        Case(name: "one check too few", withoutLeak: counts(0, of: 206), stage: .proving),
        Case(name: "just enough checks", withoutLeak: counts(0, of: 207), stage: .fixed),
        Case(name: "many checks", withoutLeak: counts(0, of: 4_812), stage: .fixed),
        Case(
            name: "many checks of three devices", withoutLeak: counts(0, of: 4_812, buckets: 3),
            stage: .proving),
        Case(
            name: "a leak of three devices, which may not have updated",
            before: counts(1_440, of: 10_000, buckets: 3), withoutLeak: counts(0, of: 4_812),
            stage: .proving),
        Case(
            name: "a rate of one report", before: counts(1, of: 10), withoutLeak: counts(0, of: 299),
            stage: .proving),
        Case(
            name: "a leak at every check", before: counts(100, of: 100), withoutLeak: counts(0, of: 29),
            stage: .fixed),
        Case(name: "seen again, lower", seenAgain: counts(96, of: 4_812), stage: .halfFixed),
        Case(name: "seen again, as before", seenAgain: counts(700, of: 4_812), stage: .regressed),
        Case(name: "seen again, higher", seenAgain: counts(1_400, of: 4_812), stage: .regressed),
        Case(name: "seen again, in too few checks to tell", seenAgain: counts(1, of: 10), stage: .regressed),
        Case(
            name: "seen again, lower on three devices", seenAgain: counts(9, of: 900, buckets: 3),
            stage: .regressed),
        Case(name: "seen again, without checks", seenAgain: nothing, stage: .regressed),
        Case(name: "seen again, in no bucket", seenAgain: counts(0, of: 4_812), stage: .regressed),
        Case(
            name: "seen again, without checks before", before: nothing, seenAgain: counts(96, of: 4_812),
            stage: .regressed),
        Case(
            name: "seen again, lower, after too few clean checks", withoutLeak: counts(0, of: 120),
            seenAgain: counts(96, of: 4_812), stage: .halfFixed),
        Case(
            name: "seen again, lower, after the fix was proven", withoutLeak: counts(0, of: 4_812),
            seenAgain: counts(96, of: 4_812), stage: .regressed),
    ])
    func `the stage of a fix follows from the reports and checks before it and since`(example: Case) {
        let progress = FixProgress(
            before: example.before, withoutLeak: example.withoutLeak, seenAgain: example.seenAgain)
        #expect(progress.stage == example.stage)
    }

    @Test func `a fix is proven when its checks without reports exclude a tenth of the earlier rate`() {
        let progress = FixProgress(before: Self.before, withoutLeak: Self.counts(0, of: 4_812))
        #expect(progress.neededChecks == 207)
        #expect(abs(progress.upperBound - 0.000_622_4) < 0.000_000_1)
        #expect(progress.before == Proportion(events: 1_440, trials: 10_000))
        #expect(progress.since == Proportion(events: 0, trials: 4_812) && !progress.hasFewDevices)
    }

    @Test func `if few devices cause all reports, a fix needs more checks to be proven`() throws {
        var uneven = Self.counts(0, of: 9_600, buckets: 48)
        for bucket in 0..<4 { uneven.add(events: 360, trials: 100, bucket: bucket) }
        let even = FixProgress(before: Self.before, withoutLeak: Self.counts(0, of: 500))
        let progress = FixProgress(before: uneven, withoutLeak: Self.counts(0, of: 500))
        #expect(progress.before == even.before)
        #expect(try #require(progress.neededChecks) > 2_000 && progress.stage == .proving)
        #expect(progress.upperBound > 10 * even.upperBound)
    }

    @Test func `without checks the number of needed checks is unknown, and the upper bound of the rate is 1`()
    {
        let progress = FixProgress(before: Self.nothing, withoutLeak: Self.nothing)
        #expect(progress.neededChecks == nil && progress.upperBound == 1 && progress.hasFewDevices)
    }
}
