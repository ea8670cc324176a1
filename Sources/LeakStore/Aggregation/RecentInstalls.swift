/// The installs that were seen in the last ``days`` days, each with the day on which it was seen last.
///
/// Exact up to ``limit`` installs. If there are more, adaptive sampling keeps those whose mixed hash begins with ``level`` zero bits,
/// and each of them stands for two to the power of ``level`` installs (standard error 1.2 divided by the square root of ``limit``, 5 %;
/// Philippe Flajolet, "On adaptive sampling", 1990). An install that was not seen for ``days`` days is dropped.
package struct RecentInstalls: Hashable, Sendable {
    /// Number of days that count: today and the days before it, in UTC.
    package static let days = 7
    /// Maximum number of installs in the set, which then takes 4.5 KiB.
    static let limit = 512

    private struct Install: Hashable, Sendable {
        var hash: UInt64
        var day: Int
    }

    /// Sorted by hash.
    private var installs: [Install] = []
    /// Number of zero bits with which the mixed hash of each install begins.
    private(set) var level = 0

    package init() {}

    package var isEmpty: Bool { installs.isEmpty }

    /// The last day on which an install was seen; `nil` for an empty set.
    package var lastDay: Int? { installs.lazy.map(\.day).max() }

    /// Returns `true` if an install that was seen on a day counts on another day.
    package static func counts(_ day: Int, on today: Int) -> Bool { day > today - days }

    /// - Returns: `true` if the set changed.
    @discardableResult
    package mutating func insert(_ hash: UInt64, day: Int) -> Bool {
        guard Self.isKept(hash, level: level) else { return false }
        let index = insertionIndex(of: hash)
        if index < installs.count, installs[index].hash == hash {
            guard installs[index].day < day else { return false }
            installs[index].day = day
            return true
        }
        installs.insert(Install(hash: hash, day: day), at: index)
        shrink()
        return true
    }

    /// - Returns: `true` if the set contained the install.
    package mutating func remove(_ hash: UInt64) -> Bool {
        let index = insertionIndex(of: hash)
        guard index < installs.count, installs[index].hash == hash else { return false }
        installs.remove(at: index)
        return true
    }

    package mutating func merge(_ other: RecentInstalls) {
        raiseLevel(to: max(level, other.level))
        for install in other.installs { insert(install.hash, day: install.day) }
    }

    /// Returns the number of installs that were seen in the ``days`` days that end with a day.
    package func count(on today: Int) -> Int {
        installs.reduce(0) { Self.counts($1.day, on: today) ? $0 + 1 : $0 } << level
    }

    /// Drops the installs that do not count on a day.
    package mutating func dropInstalls(before today: Int) {
        installs.removeAll { !Self.counts($0.day, on: today) }
        if installs.isEmpty { level = 0 }
    }

    private mutating func shrink() {
        guard installs.count > Self.limit else { return }
        if let lastDay { installs.removeAll { !Self.counts($0.day, on: lastDay) } }
        while installs.count > Self.limit { raiseLevel(to: level + 1) }
    }

    private mutating func raiseLevel(to newLevel: Int) {
        guard newLevel > level else { return }
        level = newLevel
        installs.removeAll { !Self.isKept($0.hash, level: newLevel) }
    }

    private static func isKept(_ hash: UInt64, level: Int) -> Bool {
        level == 0 || SplitMix64.mix(hash).leadingZeroBitCount >= level
    }

    /// Returns the first index whose hash is not smaller than `hash`.
    private func insertionIndex(of hash: UInt64) -> Int {
        var (low, high) = (0, installs.count)
        while low < high {
            let middle = (low + high) / 2
            if installs[middle].hash < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Bytes

    private static let tag: UInt8 = 1
    /// Bytes before the first install: the tag, ``level``, and the last day in four bytes.
    private static let headerBytes = 6
    private static let installBytes = 9

    /// A tag, the level, the last day, and for each install its hash and the number of days before the last day. Numbers are
    /// little-endian, and hashes ascend. Installs that do not count on the last day are left out.
    package var bytes: [UInt8] {
        let lastDay = lastDay ?? 0
        var bytes = [Self.tag, UInt8(level)]
        bytes.reserveCapacity(Self.headerBytes + installs.count * Self.installBytes)
        bytes.append(lastDay, bytes: 4)
        for install in installs where Self.counts(install.day, on: lastDay) {
            bytes.append(Int(bitPattern: UInt(install.hash)), bytes: 8)
            bytes.append(UInt8(lastDay - install.day))
        }
        return bytes
    }

    /// Parses ``bytes``; `nil` for bytes that are no such set.
    package init?(bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes, bytes[0] == Self.tag, bytes[1] < 64,
            (bytes.count - Self.headerBytes).isMultiple(of: Self.installBytes),
            (bytes.count - Self.headerBytes) / Self.installBytes <= Self.limit
        else { return nil }
        level = Int(bytes[1])
        let lastDay = Int(bytes.number(at: 2, bytes: 4))
        installs.reserveCapacity((bytes.count - Self.headerBytes) / Self.installBytes)
        for start in stride(from: Self.headerBytes, to: bytes.count, by: Self.installBytes) {
            let (hash, age) = (bytes.number(at: start, bytes: 8), Int(bytes[start + 8]))
            guard age < Self.days, Self.isKept(hash, level: level),
                installs.last.map({ $0.hash < hash }) ?? true
            else { return nil }
            installs.append(Install(hash: hash, day: lastDay - age))
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: Int, bytes: Int) {
        for shift in stride(from: 0, to: bytes * 8, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate func number(at start: Int, bytes: Int) -> UInt64 {
        (0..<bytes).reduce(0) { $0 | UInt64(self[start + $1]) << (8 * $1) }
    }
}

/// Recognizes installs that were counted on the same day in the same set of ``RecentInstalls``, so that most reports change no set.
///
/// A table with one place for each hash of a set, an install and a day; another entry in the same place replaces it. It takes 512 KiB.
package struct CountedInstalls: Sendable {
    private static let placeBits = 16
    private var places: [UInt64] = []

    package init() {}

    /// - Parameter set: a number of the set.
    /// - Returns: `true` if the install was not known to be counted.
    package mutating func insert(_ install: UInt64, day: Int, in set: UInt64) -> Bool {
        if places.isEmpty { places = [UInt64](repeating: 0, count: 1 << Self.placeBits) }
        let key = SplitMix64.mix(install ^ SplitMix64.mix(set ^ UInt64(truncatingIfNeeded: day) << 44))
        let place = Int(truncatingIfNeeded: key) & (1 << Self.placeBits - 1)
        guard places[place] != key else { return false }
        places[place] = key
        return true
    }
}
