import LeakSeededRandom

/// What a disk holds of one directory's files, and what it was only asked to hold.
///
/// A write is in the cache of the system until the file is synced, and a name until its directory is. When the power
/// goes, any part of that may have reached the disk, in any order: POSIX promises nothing, and disks reorder.
struct DiskImage {
    /// What a disk writes whole.
    static let sectorBytes = 512

    fileprivate enum Change {
        case write(at: Int, bytes: [UInt8])
        case truncate(to: Int)
    }

    private struct File {
        /// As of the last sync.
        var durable: [UInt8] = []
        /// In order, since then.
        var pending: [Change] = []
        var isNameDurable = false
        var isRemoved = false
    }

    private var files: [String: File] = [:]
    /// Whether syncs are answered and not done: the disk that lies.
    var ignoresSync = false

    /// Notes a file that was made, here or by someone who does not write it through here.
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

    /// What was to be written is not on disk, and no later sync brings it there: the cache forgets it, marked as
    /// clean. https://wiki.postgresql.org/wiki/Fsync_Errors
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

    /// The files as they are found after the power was cut: all that was synced, and of the rest whatever chance left.
    func afterPowerCut(_ random: inout SeededRandom) -> [String: [UInt8]] {
        // Nothing, all, or something in between: each cut has its own share.
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

    /// Applies what the disk had come to: each sector whole, not at all, or, rarely, as garbage.
    fileprivate mutating func apply(_ change: DiskImage.Change, share: Double, _ random: inout SeededRandom) {
        switch change {
        case .truncate(let size):
            if Double.random(in: 0..<1, using: &random) < share { truncate(to: size) }
        case .write(let offset, let bytes):
            let end = offset + bytes.count
            // A file may have grown before what was written to it came.
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
