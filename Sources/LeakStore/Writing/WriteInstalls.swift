extension Writer {
    struct InstallChange {
        var count: Int
        /// The hashes that changed the set: only these can be missing in a set that contains it.
        var fresh: [UInt64]
    }

    /// Adds hashes to a set, reading and writing it only as needed.
    ///
    /// - Returns: `nil` when the set stays as it is.
    func add(
        _ hashes: [UInt64], to scope: InstallScope, of owner: Int64
    ) throws(StoreError) -> InstallChange? {
        guard !hashes.isEmpty else { return nil }
        let row = scope.row(owner: owner)
        let entry = try installs(in: row)
        let fresh = entry.insert(hashes)
        guard !fresh.isEmpty else { return nil }
        // Every overview reads the sets of slots and days, so these are written at once. Readers of other sets add the members in
        // the log.
        if entry.isStored, scope != .slot, scope != .day {
            caches.logs?.installs.add(fresh, to: entry, row)
        } else {
            try store(entry, in: row)
        }
        return InstallChange(count: entry.set.count, fresh: fresh)
    }

    /// Adds the members of one set to another, and does not change the first.
    func merge(_ source: Int64, into row: Int64) throws(StoreError) {
        let members = try installs(in: source).set
        guard !members.isEmpty else { return }
        let entry = try installs(in: row)
        entry.set.merge(members)
        try store(entry, in: row)
    }

    /// Starts a set with the members of another.
    func copyInstalls(from source: Int64, to row: Int64) throws(StoreError) {
        let members = try installs(in: source).set
        guard !members.isEmpty else { return }
        let entry = try installs(in: row)
        entry.set = members
        try store(entry, in: row)
    }

    private func installs(in row: Int64) throws(StoreError) -> InstallEntry {
        if let known = caches.installs.value(of: row) { return known }
        let entry: InstallEntry
        if let pendingSets = caches.logs?.installs.pendingSets[row] {
            entry = pendingSets
        } else {
            entry = InstallEntry()
            let select = try connection.statement("select members from install_set where id = ?")
            defer { select.reset() }
            try select.bind(row)
            if try select.step() {
                guard let set = InstallSet(bytes: select.bytes(0)) else {
                    throw .unreadable("a set of installs", in: connection.path)
                }
                entry.set = set
                entry.isStored = true
            }
        }
        caches.installs.insert(entry, for: row)
        return entry
    }

    private func store(_ entry: InstallEntry, in row: Int64) throws(StoreError) {
        try connection.run(
            """
            insert into install_set (id, members) values (?, ?)
            on conflict (id) do update set members = excluded.members
            """, row, entry.set.bytes)
        entry.isStored = true
    }

    // MARK: The log

    /// Reads the log, and adds its members to the cached sets.
    func readInstallLog() throws(StoreError) -> InstallLog {
        var log = InstallLog()
        for (row, hash) in try connection.installLog() {
            // The cache may have forgotten the set since the log named it first, and the table lacks what the log has.
            let entry =
                if let pendingSets = log.pendingSets[row] { pendingSets } else { try installs(in: row) }
            if entry.set.insert(hash) { log.add([hash], to: entry, row) }
        }
        log.unwritten = []
        return log
    }

    func flushInstallLog() throws(StoreError) {
        guard let log = caches.logs?.installs, !log.pendingSets.isEmpty else { return }
        for (row, entry) in log.pendingSets.sorted(by: { $0.key < $1.key }) {
            try store(entry, in: row)
            entry.isInLog = false
        }
        try connection.run("delete from install_log")
        caches.logs?.installs = InstallLog()
    }
}

/// Members of sets that are in memory and in `install_log`, and not yet in `install_set`.
///
/// A set has up to 2 KiB, and a commit adds to hundreds of sets. So commits append new members to a log, in few pages, and the sets
/// are written when the log is long.
struct InstallLog: PendingLog {
    /// 4 MiB on disk: the sets are written once for this number of new members.
    private static let memberLimit = 262_144

    /// Sets that have members in the log, by row of `install_set`.
    private(set) var pendingSets: [Int64: InstallEntry] = [:]
    private var count = 0
    /// Rows and hashes in turn, little-endian: the part of the log that is not on disk.
    var unwritten: [UInt8] = []

    func isLong(beyond limits: PendingLogs.Limits) -> Bool {
        count > Self.memberLimit || pendingSets.count > limits.installSets
    }

    mutating func add(_ fresh: [UInt64], to entry: InstallEntry, _ row: Int64) {
        if !entry.isInLog { pendingSets[row] = entry }
        entry.isInLog = true
        count += fresh.count
        for hash in fresh {
            let member = (UInt64(bitPattern: row).littleEndian, hash.littleEndian)
            unsafe withUnsafeBytes(of: member) { unsafe unwritten.append(contentsOf: $0) }
        }
    }
}

extension SQLiteConnection {
    /// Returns the members that `install_log` adds to the sets: rows of `install_set`, each with a hash.
    func installLog() throws(StoreError) -> [(row: Int64, hash: UInt64)] {
        let select = try statement("select members from install_log")
        defer { select.reset() }
        var members: [(row: Int64, hash: UInt64)] = []
        while try select.step() {
            let words = select.words(0)
            for index in stride(from: 0, to: words.count - 1, by: 2) {
                members.append((Int64(bitPattern: words[index]), words[index + 1]))
            }
        }
        return members
    }
}

extension StoreError {
    /// Returns the error for a value that this code did not write.
    static func unreadable(_ what: String, in path: String) -> StoreError {
        StoreError(.corrupt, "database \(path): \(what) cannot be read; restore it from a backup")
    }
}

/// The kind of owner of a set in `install_set`.
enum InstallScope: Int64 {
    case leak = 0
    case leakBuild = 1
    case release = 2
    case slot = 3
    case leakRelease = 4
    case day = 5

    /// Returns the row of the set. The scope is in its low three bits, so that one table and one index serve all scopes.
    func row(owner: Int64) -> Int64 { owner << 3 | rawValue }
}
