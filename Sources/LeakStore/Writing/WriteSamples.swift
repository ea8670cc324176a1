extension Writer {
    /// How long the newest report stays while many wait. Every call holds most leaks then, and masking and writing a
    /// report for each of them would cost more than all counts.
    private static let newestMilliseconds: Int64 = 1_000
    /// A call of so few submissions keeps the newest report at once: nobody waits for it.
    private static let quietSubmissions = 4

    /// Keeps the first report, the newest, and a uniform sample; reads the JSON of those alone.
    ///
    /// Under load the one kept as newest came at most ``newestMilliseconds`` before the newest.
    func keepSamples(
        of leak: Tally.Leak, _ entry: LeakEntry, from submissions: [Submission], now: Int64
    ) throws(StoreError) {
        let sinceNewest = entry.newestKept.map { now - $0 }
        let keepsNewest =
            submissions.count <= Self.quietSubmissions
            || !(sinceNewest.map { (0..<Self.newestMilliseconds).contains($0) } ?? false)
        var kept = [Kept?](repeating: nil, count: SampleSlot.reservoir + Reservoir.size)
        for place in leak.sightings {
            entry.sightings.addBounded(1)
            let at = submissions[place.submission].sightings[place.sighting].at
            let this = Kept(place: place, ordinal: entry.sightings)
            if entry.firstSample.map({ at < $0 }) ?? true {
                entry.firstSample = at
                kept[SampleSlot.first] = this
            }
            if keepsNewest, entry.newestSample.map({ at >= $0 }) ?? true {
                entry.newestSample = at
                entry.newestKept = now
                kept[SampleSlot.newest] = this
            }
            if let slot = reservoir.slot(forReport: entry.sightings, of: leak.identity.id) {
                kept[SampleSlot.reservoir + slot] = this
            }
        }
        // A leak's first report is its newest too, and in the reservoir: masked once.
        var last: (ordinal: Int, body: [UInt8])?
        for (slot, sample) in kept.enumerated() {
            guard let sample else { continue }
            let known = last?.ordinal == sample.ordinal ? last?.body : nil
            let body = known ?? masked(sample, submissions)
            last = (sample.ordinal, body)
            try write(sample, body, to: SampleSlot.row(leak: entry.id, slot: slot), from: submissions)
        }
    }

    private func masked(_ sample: Kept, _ submissions: [Submission]) -> [UInt8] {
        let submission = submissions[sample.place.submission]
        let sighting = submission.sightings[sample.place.sighting]
        return redact(submission.body[sighting.sample.clamped(to: submission.body.indices)])
    }

    private struct Kept {
        var place: Tally.Place
        var ordinal: Int
    }

    private func write(
        _ sample: Kept, _ body: [UInt8], to row: Int64, from submissions: [Submission]
    ) throws(StoreError) {
        let submission = submissions[sample.place.submission]
        let sighting = submission.sightings[sample.place.sighting]
        let origin = submission.origins[sighting.origin]
        try connection.run(
            """
            insert or replace into sample (id, ordinal, at, version, build, system, model, install_hash, install,
              user, body)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row, sample.ordinal, sighting.at, origin.version, origin.build, origin.system, origin.model,
            origin.installHash.map { Int64(bitPattern: $0) }, origin.install, origin.user,
            body)
    }
}
