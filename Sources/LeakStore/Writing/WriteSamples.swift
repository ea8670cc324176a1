extension Writer {
    /// Stores some of a leak's reports as samples. Reads only the JSON of these reports.
    ///
    /// - Parameter day: the day for which the bytes of the samples are counted.
    func keepSamples(
        of leak: SubmissionAggregate.Leak, _ entry: LeakEntry, app: AppEntry, from submissions: [Submission],
        in changed: inout ChangedCounts, day: Int, now: Int64
    ) throws(StoreError) {
        var leftOutOrdinals: Set<Int> = []
        var lastKeptSlot: Int?
        let candidates = entry.samples.candidates(
            of: leak, from: submissions, by: reservoir, &newestSampleLimit, now: now)
        let bodies = SampleChoice.masked(candidates, from: submissions, by: redact)
        for (sample, body) in zip(candidates, bodies) where sample.slot != lastKeptSlot {
            let submission = submissions[sample.sightingIndex.submission]
            let sighting = submission.sightings[sample.sightingIndex.sighting]
            let rowID = SampleSlot.rowID(leakRowID: entry.id, slot: sample.slot)
            var stored = StoredSample(
                rowID: rowID, ordinal: sample.ordinal, reportedAt: sample.reportedAt,
                origin: submission.origins[sighting.originIndex], body: body)
            guard try admit(stored, in: sample.slot, of: entry, key: sample.key, day: day) else {
                leftOutOrdinals.insert(sample.ordinal)
                continue
            }
            lastKeptSlot = sample.slot
            entry.samples.keep(sample, now: now)
            stored.body = SampleBody.packed(body, by: &sampleDeflater)
            changed.samples.append(stored)
        }
        if !leftOutOrdinals.isEmpty { try addOverLimitCount(leftOutOrdinals.count, of: .details, to: app) }
    }
}

/// A row of `sample`.
struct StoredSample {
    var rowID: Int64
    /// The number of the report among the reports of its leak, from 1.
    var ordinal: Int
    /// Time of the report, in milliseconds since 1970.
    var reportedAt: Int64
    /// The origin of the report, without the app.
    var origin: Submission.Origin
    /// The JSON without private data, as ``SampleBody/packed(_:by:)`` returns it.
    var body: [UInt8]

    func write(on connection: SQLiteConnection) throws(StoreError) {
        // Deletes the row first: if a long row were replaced by a short row, its page would stay half empty, because SQLite
        // merges pages only when rows are deleted.
        try connection.run("delete from sample where id = ?", rowID)
        try connection.run(
            """
            insert into sample (id, ordinal, at, version, build, system, model, install_hash, install,
              user, body)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, rowID, ordinal, reportedAt, origin.version, origin.build, origin.system, origin.model,
            origin.installHash.map { Int64(bitPattern: $0) }, origin.install, origin.user, body)
    }
}

extension PackedWriter {
    mutating func append(_ sample: StoredSample) {
        append(Int(sample.rowID))
        append(sample.ordinal)
        append(Int(sample.reportedAt))
        let origin = sample.origin
        append(origin.version)
        for text in [origin.build, origin.system, origin.model, origin.install, origin.user] {
            append(text == nil ? 0 : 1)
            if let text { append(text) }
        }
        append(origin.installHash == nil ? 0 : 1)
        if let hash = origin.installHash {
            // The format allows only 63 bits for a number, so the hash is written as two numbers.
            append(Int(hash >> 32))
            append(Int(hash & 0xFFFF_FFFF))
        }
        append(sample.body)
    }
}

extension PackedReader {
    mutating func readSample() -> StoredSample? {
        guard let rowID = number(), let ordinal = number(), let at = number(), let version = text() else {
            return nil
        }
        var origin = Submission.Origin(app: "", version: version)
        for path in [\Submission.Origin.build, \.system, \.model, \.install, \.user] {
            guard let hasText = number() else { return nil }
            guard hasText == 1 else { continue }
            guard let text = text() else { return nil }
            origin[keyPath: path] = text
        }
        guard let hasHash = number() else { return nil }
        if hasHash == 1 {
            guard let high = number(), let low = number() else { return nil }
            origin.installHash = UInt64(high) << 32 | UInt64(low)
        }
        guard let body = blob() else { return nil }
        return StoredSample(
            rowID: Int64(rowID), ordinal: Total.bounded(ordinal), reportedAt: Int64(at), origin: origin,
            body: body)
    }
}
