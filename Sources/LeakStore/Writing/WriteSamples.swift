extension Writer {
    /// Keeps the first report, the newest, and a uniform sample; reads the JSON of those alone.
    func keepSamples(
        of leak: Tally.Leak, _ entry: LeakEntry, from submissions: [Submission]
    ) throws(StoreError) {
        var kept = [Kept?](repeating: nil, count: SampleSlot.reservoir + Reservoir.size)
        for place in leak.sightings {
            entry.sightings += 1
            let at = submissions[place.submission].sightings[place.sighting].at
            let this = Kept(place: place, ordinal: entry.sightings)
            if entry.firstSample.map({ at < $0 }) ?? true {
                entry.firstSample = at
                kept[SampleSlot.first] = this
            }
            if entry.newestSample.map({ at >= $0 }) ?? true {
                entry.newestSample = at
                kept[SampleSlot.newest] = this
            }
            if let slot = reservoir.slot(forReport: entry.sightings, of: leak.identity.id) {
                kept[SampleSlot.reservoir + slot] = this
            }
        }
        for (slot, sample) in kept.enumerated() {
            guard let sample else { continue }
            try write(sample, to: SampleSlot.row(leak: entry.id, slot: slot), from: submissions)
        }
    }

    private struct Kept {
        var place: Tally.Place
        var ordinal: Int
    }

    private func write(_ sample: Kept, to row: Int64, from submissions: [Submission]) throws(StoreError) {
        let submission = submissions[sample.place.submission]
        let sighting = submission.sightings[sample.place.sighting]
        let origin = submission.origins[sighting.origin]
        let range = sighting.sample.clamped(to: submission.body.indices)
        try connection.run(
            """
            insert or replace into sample (id, ordinal, at, version, build, system, model, install_hash, install,
              user, body)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row, sample.ordinal, sighting.at, origin.version, origin.build, origin.system, origin.model,
            origin.installHash.map { Int64(bitPattern: $0) }, origin.install, origin.user,
            redact(submission.body[range]))
    }
}
