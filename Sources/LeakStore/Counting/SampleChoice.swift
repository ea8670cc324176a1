/// Which of a leak's reports are kept: the first, the newest, and a uniform sample.
///
/// Under load the one kept as newest came at most ``newestMilliseconds`` before the newest.
package struct SampleChoice {
    /// How long the newest report stays while many wait. Every call holds most leaks then, and masking and writing a
    /// report for each of them would cost more than all counts.
    private static let newestMilliseconds: Int64 = 10_000
    /// A call of so few submissions keeps the newest report at once: nobody waits for it.
    private static let quietSubmissions = 4

    /// Reports of type `leak` received, each counted once: the ordinal of the last one.
    package var sightings = 0
    /// Times of the reports kept as first and newest.
    package var first: Int64?
    package var newest: Int64?
    /// When the newest one was written last.
    package var newestKept: Int64?

    package init() {}

    /// A report that takes a place among those kept.
    package struct Kept {
        package var place: Tally.Place
        /// Which of its leak's reports it was.
        package var ordinal: Int
        /// ``SampleSlot``, or one of the reservoir's behind it.
        package var slot: Int
    }

    /// - Returns: at most one report per slot, in the order of the slots.
    package mutating func keep(
        of leak: Tally.Leak, from submissions: [Submission], by reservoir: Reservoir, now: Int64
    ) -> [Kept] {
        let sinceNewest = newestKept.map { now - $0 }
        let keepsNewest =
            submissions.count <= Self.quietSubmissions
            || !(sinceNewest.map { (0..<Self.newestMilliseconds).contains($0) } ?? false)
        var kept: [Kept] = []
        func keep(_ place: Tally.Place, in slot: Int) {
            let sample = Kept(place: place, ordinal: sightings, slot: slot)
            if let former = kept.firstIndex(where: { $0.slot == slot }) {
                kept[former] = sample
            } else {
                kept.append(sample)
            }
        }
        for place in leak.sightings {
            sightings.addBounded(1)
            let at = submissions[place.submission].sightings[place.sighting].at
            if first.map({ at < $0 }) ?? true {
                first = at
                keep(place, in: SampleSlot.first)
            }
            if keepsNewest, newest.map({ at >= $0 }) ?? true {
                newest = at
                newestKept = now
                keep(place, in: SampleSlot.newest)
            }
            if let drawn = reservoir.slot(forReport: sightings, of: leak.identity.id) {
                keep(place, in: SampleSlot.reservoir + drawn)
            }
        }
        return kept.sorted { $0.slot < $1.slot }
    }

    /// The JSON of reports that are kept, without what is private. A leak's first report is its newest too, and in the
    /// reservoir: masked once.
    package static func masked(
        _ kept: [Kept], from submissions: [Submission], by redact: (ArraySlice<UInt8>) -> [UInt8]
    ) -> [[UInt8]] {
        var last: (ordinal: Int, body: [UInt8])?
        return kept.map { sample in
            if let last, last.ordinal == sample.ordinal { return last.body }
            let submission = submissions[sample.place.submission]
            let range = submission.sightings[sample.place.sighting].sample
            let body = redact(submission.body[range.clamped(to: submission.body.indices)])
            last = (sample.ordinal, body)
            return body
        }
    }
}
