extension Writer {
    /// Adds bytes to the daily sum of an ingest key: those of a new leak, version or build, or of the rows that count a leak in
    /// one more build.
    ///
    /// - Parameter isLastResort: as for ``NameQuota/admits(_:in:isLastResort:of:key:)``.
    /// - Returns: `false`, with nothing added, if the sum would exceed ``StoreLimits/leakTextBytesPerKeyAndDay``.
    func admitText(bytes: Int, key: Int64, day: Int, isLastResort: Bool = false) throws(StoreError) -> Bool {
        var use = try readIdempotencyUse(of: key, day: day)
        guard isLastResort || use.textBytes + bytes <= limits.leakTextBytesPerKeyAndDay else { return false }
        use.textBytes += bytes
        caches.idempotency.set(use, of: key)
        return true
    }

    /// Adds the bytes of a detail, as ``DetailBytes`` counts them, to the daily sum of its ingest key.
    ///
    /// - Parameters:
    ///   - bytes: bytes by which the file grows; negative for a sample that replaces a longer sample.
    ///   - isFirst: `true` for the first report of a leak, which may use the whole limit; other details may use only the first
    ///     half.
    /// - Returns: `false`, with nothing added, if the sum would exceed the limit.
    func admitDetail(bytes: Int, key: Int64, day: Int, isFirst: Bool = false) throws(StoreError) -> Bool {
        guard bytes != 0 else { return true }
        var use = try readIdempotencyUse(of: key, day: day)
        let limit = limits.detailBytesPerKeyAndDay / (isFirst ? 1 : 2)
        guard bytes < 0 || use.detailBytes + bytes <= limit else { return false }
        use.detailBytes += bytes
        caches.idempotency.set(use, of: key)
        return true
    }

    /// Adds the bytes of a detail to the daily sum of the first ingest key of `keys` that has enough daily bytes left.
    ///
    /// - Returns: `false` if no ingest key has enough daily bytes left.
    func admitDetail(bytes: Int, keys: [Int64], day: Int) throws(StoreError) -> Bool {
        for key in keys where try admitDetail(bytes: bytes, key: key, day: day) { return true }
        return false
    }

    /// Adds the bytes of a sample to the daily sum of its ingest key, as ``admitDetail(bytes:key:day:isFirst:)`` does.
    ///
    /// - Parameter sample: the sample with its JSON as the body. The bytes before compression count, so that the limit is the
    ///   same for all stores.
    func admit(
        _ sample: StoredSample, in slot: Int, of leak: LeakEntry, key: Int64, day: Int
    ) throws(StoreError) -> Bool {
        let bytes = DetailBytes.ofSample(sample.body, from: sample.origin, inSlot: slot)
        let formerBytes: Int
        if let cachedBytes = leak.sampleBytes[slot] {
            formerBytes = cachedBytes
        } else {
            formerBytes = try readSampleBytes(inRow: sample.rowID, slot: slot)
        }
        let isAdmitted = try admitDetail(
            bytes: bytes - formerBytes, key: key, day: day, isFirst: slot == SampleSlot.first)
        leak.sampleBytes[slot] = isAdmitted ? bytes : formerBytes
        return isAdmitted
    }

    /// Returns the bytes of a row of `sample`, as ``DetailBytes/ofSample(_:from:inSlot:)`` counts them; 0 without the row.
    private func readSampleBytes(inRow rowID: Int64, slot: Int) throws(StoreError) -> Int {
        let texts = try number(
            by: """
                select length(sample_json(body)) + length(cast(version as blob)) + ifnull(length(cast(build as blob)), 0)
                  + ifnull(length(cast(system as blob)), 0) + ifnull(length(cast(model as blob)), 0)
                  + ifnull(length(cast(install as blob)), 0) + ifnull(length(cast(user as blob)), 0)
                from sample where id = ?
                """, of: rowID)
        guard texts > 0 else { return 0 }
        let bytes = texts + DetailBytes.ofSampleRow
        return slot == SampleSlot.newest ? max(bytes, DetailBytes.ofNewestSample) : bytes
    }
}

/// The sizes of the samples of one leak, in bytes.
struct SampleBytes {
    /// Stands for a sample slot whose size has not been read.
    private static let unreadMarker: Int32 = -1

    /// The state of a leak that was read from the database: the sizes of its samples are read when they are needed.
    static let notRead = SampleBytes()
    /// The state of a new leak, which has no samples.
    static let none = SampleBytes(sizes: [Int32](repeating: 0, count: SampleSlot.count))

    /// Sizes by sample slot; empty if no size has been read.
    private var sizes: [Int32] = []

    subscript(slot: Int) -> Int? {
        get { sizes.isEmpty || sizes[slot] == Self.unreadMarker ? nil : Int(sizes[slot]) }
        set {
            if sizes.isEmpty { sizes = [Int32](repeating: Self.unreadMarker, count: SampleSlot.count) }
            sizes[slot] = newValue.map { Int32(clamping: $0) } ?? Self.unreadMarker
        }
    }
}
