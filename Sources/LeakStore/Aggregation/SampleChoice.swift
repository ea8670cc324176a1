/// Chooses the reports of a leak that are stored as samples: the first, the newest, and a uniform random choice.
///
/// Under load, the report that is stored as the newest sample may be up to ``minNewestIntervalMilliseconds`` older than the
/// newest report.
package struct SampleChoice {
    /// Minimum time between two replacements of the newest report under load. A call under load brings most leaks a new report,
    /// and masking and writing all of them would take more time than counting.
    private static let minNewestIntervalMilliseconds: Int64 = 10_000
    /// A call with more submissions is under load, because many submissions waited for it.
    private static let maxSubmissionsWhenIdle = 4

    /// Number of reports of type `leak` received, each counted once; also the ordinal of the last report.
    package var sightings = 0
    /// Time of the report that is stored as the first sample, in milliseconds since 1970; `nil` if there is none.
    package var firstReportedAt: Int64?
    /// Time of the report that is stored as the newest sample, in milliseconds since 1970; `nil` if there is none.
    package var newestReportedAt: Int64?
    /// Time at which the newest sample was last written, in milliseconds since 1970.
    package var newestWrittenAt: Int64?

    package init() {}

    /// A report that may be stored as a sample, with its sample slot.
    package struct Candidate {
        package var sightingIndex: SubmissionAggregate.SightingIndex
        /// The ingest key that sent the report.
        package var key: Int64
        /// Time of the report, in milliseconds since 1970.
        package var reportedAt: Int64
        /// The ordinal of the report among the reports of its leak.
        package var ordinal: Int
        /// ``SampleSlot/first``, ``SampleSlot/newest``, or a slot of the reservoir, from ``SampleSlot/reservoir`` on.
        package var slot: Int

        /// Returns `true` if this report is stored instead of another report with the same sample slot.
        fileprivate func isBetter(than other: Candidate) -> Bool {
            switch slot {
            case SampleSlot.first: (reportedAt, ordinal) < (other.reportedAt, other.ordinal)
            case SampleSlot.newest: (reportedAt, ordinal) > (other.reportedAt, other.ordinal)
            default: ordinal > other.ordinal
            }
        }
    }

    /// Counts the reports of a leak, and returns those that may be stored as samples. Each sample slot has one candidate for
    /// each ingest key, because the best report cannot be stored if its ingest key has used up its daily bytes.
    ///
    /// - Returns: the candidates in the order of the sample slots, and the best candidate of a slot first. In each slot, the
    ///   first candidate whose ingest key has enough daily bytes left is the one to ``keep(_:now:)``.
    package mutating func candidates(
        of leak: SubmissionAggregate.Leak, from submissions: [Submission], by reservoir: Reservoir,
        _ newestLimit: inout NewestSampleLimit, now: Int64
    ) -> [Candidate] {
        let wasJustReplaced =
            newestWrittenAt.map { (0..<Self.minNewestIntervalMilliseconds).contains(now - $0) } ?? false
        let keepsNewest =
            !wasJustReplaced
            || submissions.count <= Self.maxSubmissionsWhenIdle && newestLimit.allowsReplacement(now: now)
        var candidates: [Candidate] = []
        for sightingIndex in leak.sightings {
            sightings.addBounded(1)
            let (key, ordinal) = (submissions[sightingIndex.submission].keyID, sightings)
            let at = submissions[sightingIndex.submission].sightings[sightingIndex.sighting].at
            func add(in slot: Int) {
                let candidate = Candidate(
                    sightingIndex: sightingIndex, key: key, reportedAt: at, ordinal: ordinal, slot: slot)
                guard let index = candidates.firstIndex(where: { $0.slot == slot && $0.key == key }) else {
                    return candidates.append(candidate)
                }
                if candidate.isBetter(than: candidates[index]) { candidates[index] = candidate }
            }
            if firstReportedAt.map({ at < $0 }) ?? true { add(in: SampleSlot.first) }
            if keepsNewest, newestReportedAt.map({ at >= $0 }) ?? true { add(in: SampleSlot.newest) }
            if let reservoirSlot = reservoir.slot(forReport: sightings, of: leak.identity.id) {
                add(in: SampleSlot.reservoir + reservoirSlot)
            }
        }
        return candidates.sorted { $0.slot == $1.slot ? $0.isBetter(than: $1) : $0.slot < $1.slot }
    }

    /// Records that a candidate is stored.
    package mutating func keep(_ candidate: Candidate, now: Int64) {
        switch candidate.slot {
        case SampleSlot.first: firstReportedAt = candidate.reportedAt
        case SampleSlot.newest: (newestReportedAt, newestWrittenAt) = (candidate.reportedAt, now)
        default: break
        }
    }

    /// Returns the JSON of candidates, without private data. A report that is a candidate for several sample slots is masked
    /// once.
    package static func masked(
        _ candidates: [Candidate], from submissions: [Submission], by redact: (ArraySlice<UInt8>) -> [UInt8]
    ) -> [[UInt8]] {
        var lastMasked: (ordinal: Int, body: [UInt8])?
        return candidates.map { sample in
            if let lastMasked, lastMasked.ordinal == sample.ordinal { return lastMasked.body }
            let submission = submissions[sample.sightingIndex.submission]
            let range = submission.sightings[sample.sightingIndex.sighting].jsonRange
            let body = redact(submission.body[range.clamped(to: submission.body.indices)])
            lastMasked = (sample.ordinal, body)
            return body
        }
    }
}

/// A limit of the newest samples that are replaced although they are less than ten seconds old. Without it, a load of a few
/// large batches at a time would replace the newest sample of each of their leaks.
package struct NewestSampleLimit: Sendable {
    /// Maximum number of such replacements in one second.
    package static let replacementsPerSecond = 100

    private var second: Int64 = .min
    private var count = 0

    package init() {}

    /// Counts a replacement, and returns `true` if it is within the limit.
    package mutating func allowsReplacement(now: Int64) -> Bool {
        if now / 1000 != second { (second, count) = (now / 1000, 0) }
        count += 1
        return count <= Self.replacementsPerSecond
    }
}

/// The sample slots of a leak: the numbers under which its samples are stored. The id of a row of `sample` contains the sample
/// slot.
package enum SampleSlot {
    package static let first = 0
    package static let newest = 1
    /// The first of the slots for random samples.
    package static let reservoir = 2
    /// Number of sample slots of one leak.
    package static let count = reservoir + Reservoir.size

    /// Returns the id of the row of a sample, with the sample slot in the high bits. So the newest samples of all leaks, which
    /// each commit replaces, are on few pages. With the leak in the high bits, a commit would write one page for each leak.
    static func rowID(leakRowID: Int64, slot: Int) -> Int64 { Int64(slot) << 40 | leakRowID }
}

/// A random choice of samples, in which each report of a leak has the same probability: algorithm R, Jeffrey Vitter (1985).
///
/// The random number is a function of the seed, the leak and the ordinal of the report. So the choice does not depend on the
/// number of calls, and needs no state that would have to be restored when a transaction is rolled back.
package struct Reservoir: Sendable {
    /// Number of samples: enough to show how reports vary, and less than 12 KiB per leak with reports of 600 bytes.
    package static let size = 16

    package let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// Returns the number of the random sample that the report replaces, from 0 to ``size`` - 1; `nil` if the report is not
    /// stored as a random sample.
    ///
    /// - Parameter ordinal: the report's number among those of its leak, from 1.
    func slot(forReport ordinal: Int, of leak: LeakID) -> Int? {
        guard ordinal > Self.size else { return ordinal - 1 }
        let draw = SplitMix64.mix(SplitMix64.mix(seed ^ leak.high) ^ leak.low &+ UInt64(ordinal))
        let slot = Int(draw.multipliedFullWidth(by: UInt64(ordinal)).high)
        return slot < Self.size ? slot : nil
    }
}

/// A hash of 64 bits: the function that Sebastiano Vigna's SplitMix64 applies to its counter,
/// https://prng.di.unimi.it/splitmix64.c
enum SplitMix64 {
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
