extension Writer {
    /// Keeps some of a leak's reports; reads the JSON of those alone.
    func keepSamples(
        of leak: Tally.Leak, _ entry: LeakEntry, from submissions: [Submission], now: Int64
    ) throws(StoreError) {
        let kept = entry.samples.keep(of: leak, from: submissions, by: reservoir, now: now)
        for (sample, body) in zip(kept, SampleChoice.masked(kept, from: submissions, by: redact)) {
            try write(sample, body, to: SampleSlot.row(leak: entry.id, slot: sample.slot), from: submissions)
        }
    }

    private func write(
        _ sample: SampleChoice.Kept, _ body: [UInt8], to row: Int64, from submissions: [Submission]
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
            origin.installHash.map { Int64(bitPattern: $0) }, origin.install, origin.user, body)
    }
}
