import LeakSeededRandom

/// The durable contents of one directory's files, and the changes that are only cached.
///
/// A write stays in the cache of the system until its file is synced, and a new or removed name until its directory is synced.
/// If the power fails, any part of the cache may have reached the disk, in any order: POSIX promises no order, and disks
/// reorder writes.
struct DiskImage {
    /// Bytes that a disk writes atomically.
    static let sectorBytes = 512

    fileprivate enum Change {
        case write(at: Int, bytes: [UInt8])
        case truncate(to: Int)
    }

    private struct File {
        /// The contents at the last sync.
        var durable: [UInt8] = []
        /// The changes since the last sync, in order.
        var pending: [Change] = []
        var isNameDurable = false
        var isRemoved = false
    }

    private var files: [String: File] = [:]
    /// True if syncs report success but do nothing, as on a disk that acknowledges writes that it has not stored.
    var ignoresSync = false

    /// Records a new file, which may have been created by code that does not write through this image.
    mutating func touch(_ name: String) {
        if files[name]?.isRemoved ?? true { files[name] = File() }
    }

    mutating func write(_ bytes: [UInt8], to name: String, at offset: Int) {
        files[name, default: File()].pending.append(.write(at: offset, bytes: bytes))
    }

    mutating func truncate(_ name: String, to size: Int) {
        files[name, default: File()].pending.append(.truncate(to: size))
    }

    mutating func sync(_ name: String) {
        guard !ignoresSync, var file = files.removeValue(forKey: name) else { return }
        for change in file.pending { file.durable.apply(change) }
        file.pending = []
        files[name] = file
    }

    /// Fails a sync: the pending writes are lost, and no later sync writes them, because the cache marks them as clean.
    /// https://wiki.postgresql.org/wiki/Fsync_Errors
    mutating func failSync(_ name: String) { files[name]?.pending = [] }

    mutating func syncNames() {
        guard !ignoresSync else { return }
        files = files.compactMapValues { file in
            guard !file.isRemoved else { return nil }
            var file = file
            file.isNameDurable = true
            return file
        }
    }

    mutating func remove(_ name: String) { files[name]?.isRemoved = true }

    /// Returns the files after a power cut: everything that was synced, and a random part of the rest.
    func filesAfterPowerCut(_ random: inout SeededRandom) -> [String: [UInt8]] {
        // The share of pending changes that survives this cut: none, all, or something in between.
        let share: Double = [0.0, 0.0, 0.1, 0.5, 0.9, 1.0].randomElement(using: &random) ?? 0
        var left: [String: [UInt8]] = [:]
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            let isThere = (file.isNameDurable && !file.isRemoved) || Bool.random(using: &random)
            guard isThere else { continue }
            var bytes = file.durable
            for change in file.pending { bytes.apply(change, share: share, &random) }
            left[name] = bytes
        }
        return left
    }
}

extension [UInt8] {
    fileprivate mutating func apply(_ change: DiskImage.Change) {
        switch change {
        case .write(let offset, let bytes): put(bytes[...], at: offset)
        case .truncate(let size): truncate(to: size)
        }
    }

    /// Applies the part of a change that reached the disk: each sector completely, not at all, or, rarely, as garbage.
    fileprivate mutating func apply(_ change: DiskImage.Change, share: Double, _ random: inout SeededRandom) {
        switch change {
        case .truncate(let size):
            if Double.random(in: 0..<1, using: &random) < share { truncate(to: size) }
        case .write(let offset, let bytes):
            let end = offset + bytes.count
            // A file may have grown before the written bytes reached the disk.
            if end > count, Double.random(in: 0..<1, using: &random) < share / 2 { grow(to: end) }
            var start = offset
            while start < end {
                let stop = Swift.min(end, (start / DiskImage.sectorBytes + 1) * DiskImage.sectorBytes)
                if Double.random(in: 0..<1, using: &random) < share {
                    let sector = bytes[(start - offset)..<(stop - offset)]
                    let isGarbage = Int.random(in: 0..<40, using: &random) == 0
                    put(isGarbage ? ArraySlice(sector.map { ~$0 }) : sector, at: start)
                }
                start = stop
            }
        }
    }

    private mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        if offset + bytes.count > count { grow(to: offset + bytes.count) }
        unsafe withUnsafeMutableBytes { own in
            unsafe bytes.withUnsafeBytes { unsafe own[offset...].copyBytes(from: $0) }
        }
    }

    private mutating func grow(to size: Int) {
        append(contentsOf: [UInt8](repeating: 0, count: size - count))
    }

    private mutating func truncate(to size: Int) {
        if size < count { removeLast(count - size) } else { grow(to: size) }
    }
}
