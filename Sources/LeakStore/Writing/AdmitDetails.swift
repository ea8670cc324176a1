extension Writer {
    /// Adds the bytes of a new leak, version or build, or of the rows of a leak in one more build, to the sum of its ingest key and day.
    ///
    /// - Parameter isLast: as for ``NameQuota/admits(_:in:isLast:of:key:)``.
    /// - Returns: `false`, with nothing added, if the sum would exceed ``StoreLimits/leakTextBytesPerKeyAndDay``.
    func admitText(bytes: Int, key: Int64, day: Int, isLast: Bool = false) throws(StoreError) -> Bool {
        var use = try readIdempotencyUse(of: key, day: day)
        guard isLast || use.textBytes + bytes <= limits.leakTextBytesPerKeyAndDay else { return false }
        use.textBytes += bytes
        caches.idempotency.set(use, of: key)
        return true
    }

    /// Adds the bytes of a detail, as ``DetailBytes`` counts them, to the sum of its ingest key and day.
    ///
    /// - Parameters:
    ///   - bytes: bytes by which the file grows; negative for a sample that replaces a longer sample.
    ///   - isFirst: `true` for the first report of a leak, which may use the whole limit; other details may use only the first half.
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

    /// Adds the bytes of a detail to the sum of the first ingest key of `keys` that has room for them.
    ///
    /// - Returns: `false` if no ingest key has room.
    func admitDetail(bytes: Int, keys: [Int64], day: Int) throws(StoreError) -> Bool {
        for key in keys where try admitDetail(bytes: bytes, key: key, day: day) { return true }
        return false
    }

    /// Adds the bytes of a sample to the sum of its ingest key, as ``admitDetail(bytes:key:day:isFirst:)`` does.
    ///
    /// - Parameter sample: with the JSON as its body. It counts before its compression, so that the limit is the same for all stores.
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
            else: """
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

/// Bytes of the samples of one leak.
struct SampleBytes {
    /// Stands for a sample slot whose bytes have not been read.
    private static let unreadMarker: Int32 = -1

    /// For a leak that was read from the database: the bytes of its samples are looked up when needed.
    static let notRead = SampleBytes()
    /// Returns the state of a new leak, which has no samples.
    static let none = SampleBytes(bytes: [Int32](repeating: 0, count: SampleSlot.count))

    /// Bytes by sample slot; empty if no sample slot has been read.
    private var bytes: [Int32] = []

    subscript(slot: Int) -> Int? {
        get { bytes.isEmpty || bytes[slot] == Self.unreadMarker ? nil : Int(bytes[slot]) }
        set {
            if bytes.isEmpty { bytes = [Int32](repeating: Self.unreadMarker, count: SampleSlot.count) }
            bytes[slot] = newValue.map { Int32(clamping: $0) } ?? Self.unreadMarker
        }
    }
}
