/// The installs that were seen in the last ``days`` days, each with the day on which it was seen last.
///
/// Exact up to ``limit`` installs. If there are more, adaptive sampling drops installs: each day has a level, and only installs
/// whose mixed hash begins with at least as many zero bits as the level of their day are kept. Each of them stands for two to
/// the power of that level installs (standard error 1.2 divided by the square root of ``limit``, 7.5 %; Philippe Flajolet, "On
/// adaptive sampling", 1990). A new day begins with level 0, so that the number is exact again ``days`` days after the number
/// of installs has become small. An install that was not seen for ``days`` days is dropped.
package struct RecentInstalls: Hashable, Sendable {
    /// Number of days that count: today and the days before it, in UTC.
    package static let days = 7
    /// Maximum number of installs in the set, which then takes 2.3 KiB: such a row is on one page of the database.
    static let limit = 256

    private struct Install: Hashable, Sendable {
        var hash: UInt64
        var day: Int
    }

    /// Sorted by hash.
    private var installs: [Install] = []
    /// The last day on which an install was seen; 0 for an empty set.
    package private(set) var lastDay = 0
    /// The level of each day, ``lastDay`` first: the least number of zero bits with which the mixed hash of a kept install
    /// begins. The level of a day is never lower than that of a later day, so that an install that is dropped on one day is not
    /// kept for an earlier day.
    private(set) var levels = [UInt8](repeating: 0, count: days)

    package init() {}

    package var isEmpty: Bool { installs.isEmpty }

    /// Returns `true` if an install that was seen last on `day` counts on `today`.
    package static func isCounted(_ day: Int, on today: Int) -> Bool { day > today &- days }

    /// A stored day that is this many days after today, or more, counts as impossible: it is damaged, or was written while a
    /// clock was ahead. It can be correct only if the clock is now behind.
    package static let impossibleLeadDays = 2 * days

    /// Returns the later of a stored day and today; today if the stored day is impossible (``impossibleLeadDays``).
    package static func laterDay(_ stored: Int, today: Int) -> Int {
        stored >= today + impossibleLeadDays ? today : max(stored, today)
    }

    /// Adds an install.
    ///
    /// - Returns: `true` if the set changed; always `false` if `day` is ``days`` or more days before ``lastDay``.
    @discardableResult
    package mutating func insert(_ hash: UInt64, day: Int) -> Bool {
        guard Self.isCounted(day, on: lastDay) else { return false }
        advance(to: day)
        guard Self.isKept(hash, level: levels[lastDay - day]) else { return false }
        let index = insertionIndex(of: hash)
        if index < installs.count, installs[index].hash == hash {
            guard installs[index].day < day else { return false }
            installs[index].day = day
            return true
        }
        installs.insert(Install(hash: hash, day: day), at: index)
        while installs.count > Self.limit { raiseLevels(to: [levels[0] + 1]) }
        return true
    }

    /// - Returns: `true` if the set contained the install.
    package mutating func remove(_ hash: UInt64) -> Bool {
        let index = insertionIndex(of: hash)
        guard index < installs.count, installs[index].hash == hash else { return false }
        installs.remove(at: index)
        return true
    }

    /// Removes the installs that another set contains and that were not seen since, except those of a third set, which keep the
    /// day of that set.
    package mutating func remove(_ other: RecentInstalls, keeping kept: RecentInstalls) {
        var known = kept
        known.merge(other)
        guard known != self else {
            self = kept
            return
        }
        let days = Dictionary(other.installs.map { ($0.hash, $0.day) }) { $1 }
        let keptDays = Dictionary(kept.installs.map { ($0.hash, $0.day) }) { $1 }
        installs = installs.compactMap { install in
            guard let day = days[install.hash], day >= install.day else { return install }
            guard let keptDay = keptDays[install.hash], Self.isCounted(keptDay, on: lastDay),
                Self.isKept(install.hash, level: levels[lastDay - keptDay])
            else { return nil }
            return Install(hash: install.hash, day: keptDay)
        }
        if installs.isEmpty { self = RecentInstalls() }
    }

    package mutating func merge(_ other: RecentInstalls) {
        var other = other
        advance(to: other.lastDay)
        other.advance(to: lastDay)
        raiseLevels(to: other.levels)
        for install in other.installs { insert(install.hash, day: install.day) }
    }

    /// Returns the number of installs that were seen in the ``days`` days of which `today` is the last.
    package func count(on today: Int) -> Int {
        installs.reduce(0) { sum, install in
            Self.isCounted(install.day, on: today) ? sum + 1 << Int(levels[lastDay - install.day]) : sum
        }
    }

    /// Returns the latest day that ``lastDay`` of a stored set can have; a later day is damaged, or from a clock that was
    /// ahead. Uses ``StoreClock/keyTime``, which never goes back, so that no day becomes impossible while the clock is behind.
    package static func lastPossibleDay(_ clock: StoreClock) -> Int {
        Calendar.day(of: max(clock.expiryTime, clock.keyTime)) + impossibleLeadDays - 1
    }

    /// Removes the installs that do not count today. Empties the set if its ``lastDay`` is later than `lastPossibleDay`: such a
    /// day is damaged, or from a clock that was ahead.
    package mutating func removeInstalls(notCountedOn today: Int, lastPossibleDay: Int = .max) {
        installs.removeAll { !Self.isCounted($0.day, on: today) }
        if installs.isEmpty || lastDay > lastPossibleDay { self = RecentInstalls() }
    }

    /// Makes a day the last day if it is later.
    private mutating func advance(to day: Int) {
        guard day > lastDay else { return }
        let newDays = min(day - lastDay, Self.days)
        levels = [UInt8](repeating: 0, count: newDays) + levels.dropLast(newDays)
        lastDay = day
        installs.removeAll { !Self.isCounted($0.day, on: day) }
    }

    /// Raises the level of each day to at least the level in `newLevels`, and to at least the level of each later day.
    private mutating func raiseLevels(to newLevels: [UInt8]) {
        var lowest: UInt8 = 0
        for index in levels.indices {
            if index < newLevels.count { lowest = max(lowest, newLevels[index]) }
            lowest = max(lowest, levels[index])
            levels[index] = lowest
        }
        installs.removeAll { !Self.isKept($0.hash, level: levels[lastDay - $0.day]) }
    }

    /// Returns `true` if a set keeps an install that was seen last on a day with this level.
    fileprivate static func isKept(_ hash: UInt64, level: UInt8) -> Bool {
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

    private static let tag: UInt8 = 2
    /// Bytes before the first install: the tag, ``levels``, and the last day in four bytes.
    private static let headerBytes = 12
    private static let installBytes = 9
    /// Maximum number of installs in stored bytes with tag 1, the earlier format. Such bytes stay stored until an install is
    /// added.
    private static let maxInstallsInTag1 = 512
    /// Maximum level in valid bytes, far above the levels of real installs. The limit prevents an overflow in ``count(on:)``
    /// for damaged bytes.
    private static let highestLevel: UInt8 = 48

    /// The stored form of the set: a tag, the levels, the last day, and for each install its hash and the number of days before
    /// the last day. Numbers are little-endian, and hashes ascend.
    package var bytes: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.headerBytes + installs.count * Self.installBytes) {
            buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            unsafe bytes[0] = Self.tag
            for (index, level) in levels.enumerated() { unsafe bytes[1 + index] = level }
            unsafe bytes.storeBytes(
                of: UInt32(truncatingIfNeeded: lastDay).littleEndian, toByteOffset: 8, as: UInt32.self)
            count = Self.headerBytes
            for install in installs {
                unsafe bytes.storeBytes(of: install.hash.littleEndian, toByteOffset: count, as: UInt64.self)
                unsafe bytes[count + 8] = UInt8(lastDay - install.day)
                count += Self.installBytes
            }
        }
    }

    /// Parses ``bytes``, or bytes with tag 1 of schema 18 of SQLite and 20 of PostgreSQL, which have one level for all days and
    /// up to 512 installs; `nil` for invalid bytes.
    package init?(bytes: [UInt8]) {
        switch bytes.first {
        case Self.tag where bytes.count >= Self.headerBytes:
            self.init(levels: Array(bytes[1...Self.days]), rest: bytes.dropFirst(1 + Self.days))
        case 1 where bytes.count >= 6:
            self.init(levels: [UInt8](repeating: bytes[1], count: Self.days), rest: bytes.dropFirst(2))
        default: return nil
        }
    }

    /// - Parameter rest: the last day and the installs.
    private init?(levels: [UInt8], rest: ArraySlice<UInt8>) {
        let count = (rest.count - 4) / Self.installBytes
        guard rest.count == 4 + count * Self.installBytes, count <= Self.maxInstallsInTag1,
            levels.allSatisfy({ $0 <= Self.highestLevel }),
            zip(levels, levels.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        self.levels = levels
        installs.reserveCapacity(count)
        let isValid = unsafe rest.withUnsafeBytes { bytes in
            lastDay = unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
            for start in stride(from: 4, to: bytes.count, by: Self.installBytes) {
                let hash = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
                let age = unsafe Int(bytes[start + 8])
                guard age < Self.days, Self.isKept(hash, level: levels[age]),
                    installs.last.map({ $0.hash < hash }) ?? true
                else { return false }
                installs.append(Install(hash: hash, day: lastDay - age))
            }
            return true
        }
        guard isValid else { return nil }
    }
}

/// Recognizes installs that need not be added to a set of ``RecentInstalls``, so that most reports change no set: installs that
/// were already counted on the same day, and installs that a set drops because of the level of their day.
///
/// Each hash has one possible index in a table, and a new entry replaces the entry at its index. The two tables take 640 KiB.
package struct CountedInstalls: Sendable {
    /// Bits of an index of ``entries``.
    private static let entryIndexBits = 16
    /// Bits of an index of ``levels``.
    private static let levelIndexBits = 14
    /// A hash of the set, the install and the day.
    private var entries: [UInt64] = []
    /// A hash of the set and the day, with the level as the last six bits.
    private var levels: [UInt64] = []

    package init() {}

    /// Returns a number that identifies the set of a leak in a release.
    package static func number(ofLeak leak: Int64, release: Int64) -> UInt64 {
        SplitMix64.mix(UInt64(bitPattern: leak)) ^ UInt64(bitPattern: release)
    }

    /// Records that a set has counted an install on a day.
    ///
    /// - Parameter set: a number that identifies the set.
    /// - Returns: `true` if the set may lack the install.
    package mutating func insert(_ install: UInt64, day: Int, in set: UInt64) -> Bool {
        if entries.isEmpty { entries = [UInt64](repeating: 0, count: 1 << Self.entryIndexBits) }
        let setKey = Self.key(ofSet: set, day: day)
        guard RecentInstalls.isKept(install, level: level(ofKey: setKey)) else { return false }
        let key = SplitMix64.mix(install ^ setKey)
        let index = Int(truncatingIfNeeded: key) & (1 << Self.entryIndexBits - 1)
        guard entries[index] != key else { return false }
        entries[index] = key
        return true
    }

    /// Stores the level of a set's last day.
    package mutating func rememberLevel(of installs: RecentInstalls, set: UInt64) {
        guard installs.levels[0] > 0 else { return }
        if levels.isEmpty { levels = [UInt64](repeating: 0, count: 1 << Self.levelIndexBits) }
        let key = Self.key(ofSet: set, day: installs.lastDay)
        levels[Self.levelIndex(ofKey: key)] = key & ~63 | UInt64(installs.levels[0])
    }

    /// Returns the remembered level of a set on a day; 0 if it is not in the table.
    private func level(ofKey key: UInt64) -> UInt8 {
        guard !levels.isEmpty else { return 0 }
        let entry = levels[Self.levelIndex(ofKey: key)]
        return (entry ^ key) & ~63 == 0 ? UInt8(entry & 63) : 0
    }

    private static func key(ofSet set: UInt64, day: Int) -> UInt64 {
        SplitMix64.mix(set ^ UInt64(truncatingIfNeeded: day) << 44)
    }

    private static func levelIndex(ofKey key: UInt64) -> Int { Int(key >> (64 - UInt64(levelIndexBits))) }
}
