extension Writer {
    /// The change of a set of installs by a call.
    struct InstallChange {
        /// Number of installs in the changed set.
        var installCount: Int
        /// The hashes that changed the set. Only these hashes can be missing in a superset of the set.
        var newHashes: [UInt64]
    }

    /// Adds hashes to a set. Reads and writes its row only if necessary.
    ///
    /// - Parameter owner: the row ID of the row that the set belongs to, such as a leak.
    /// - Returns: `nil` if the set already contains all hashes.
    func add(
        _ hashes: [UInt64], to scope: InstallScope, of owner: Int64
    ) throws(StoreError) -> InstallChange? {
        guard !hashes.isEmpty else { return nil }
        let rowID = scope.rowID(ownerRowID: owner)
        let entry = try installs(in: rowID)
        let newHashes = entry.insert(hashes)
        guard !newHashes.isEmpty else { return nil }
        // The sets of ten-minute slots and days are written directly to their table, because every overview reads them, and an
        // overview does not read the log. Readers of other sets also read the log.
        if entry.isStored, scope != .slot, scope != .day {
            caches.logs?.installs.add(newHashes, to: entry, rowID)
        } else {
            try store(entry, in: rowID)
        }
        return InstallChange(installCount: entry.set.count, newHashes: newHashes)
    }

    /// Adds the members of the set with the row ID `source` to the set with the row ID `rowID`.
    func merge(_ source: Int64, into rowID: Int64) throws(StoreError) {
        let members = try installs(in: source).set
        guard !members.isEmpty else { return }
        let entry = try installs(in: rowID)
        entry.set.merge(members)
        try store(entry, in: rowID)
    }

    /// Sets the members of the set with the row ID `rowID` to the members of the set with the row ID `source`.
    func copyInstalls(from source: Int64, to rowID: Int64) throws(StoreError) {
        let members = try installs(in: source).set
        guard !members.isEmpty else { return }
        let entry = try installs(in: rowID)
        entry.set = members
        try store(entry, in: rowID)
    }

    /// Returns the set with this row ID in `install_set`; an empty set if there is no row.
    private func installs(in rowID: Int64) throws(StoreError) -> InstallEntry {
        if let entry = caches.installs.value(of: rowID) { return entry }
        let entry: InstallEntry
        if let pendingEntry = caches.logs?.installs.pendingSets[rowID] {
            entry = pendingEntry
        } else {
            entry = InstallEntry()
            let select = try connection.statement("select members from install_set where id = ?")
            defer { select.reset() }
            try select.bind(rowID)
            if try select.step() {
                guard let set = InstallSet(bytes: select.bytes(0)) else {
                    throw .unreadable("a set of installs", in: connection.path)
                }
                entry.set = set
                entry.isStored = true
            }
        }
        caches.installs.insert(entry, for: rowID)
        return entry
    }

    private func store(_ entry: InstallEntry, in rowID: Int64) throws(StoreError) {
        try connection.run(
            """
            insert into install_set (id, members) values (?, ?)
            on conflict (id) do update set members = excluded.members
            """, rowID, entry.set.bytes)
        entry.isStored = true
    }

    // MARK: The log

    /// Reads the log, and adds its members to the cached sets.
    func readInstallLog() throws(StoreError) -> InstallLog {
        var log = InstallLog()
        for (rowID, hash) in try connection.readLoggedInstalls() {
            // The cache may have evicted a set to which this loop has added members. These members are not in the table.
            let entry =
                if let pendingEntry = log.pendingSets[rowID] { pendingEntry } else { try installs(in: rowID) }
            if entry.set.insert(hash) { log.add([hash], to: entry, rowID) }
        }
        log.unwritten = []
        return log
    }

    /// Writes the sets with members in the log to their table, and empties the log.
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
/// A set takes up to 2 KiB, and a commit adds members to hundreds of sets. So commits append the new members to a log, which
/// takes few pages, and the sets are written when the log is long.
struct InstallLog: PendingLog {
    /// If the log has more members than this number, the sets are written. This number of members takes 4 MiB on disk.
    private static let memberLimit = 262_144

    /// Sets with members in the log, by row ID in `install_set`.
    private(set) var pendingSets: [Int64: InstallEntry] = [:]
    private var memberCount = 0
    /// The part of the log that is not on disk: for each member, the row ID of its set and its hash, both little-endian.
    var unwritten: [UInt8] = []

    func isLong(beyond limits: PendingLogs.Limits) -> Bool {
        memberCount > Self.memberLimit || pendingSets.count > limits.installSets
    }

    mutating func add(_ newHashes: [UInt64], to entry: InstallEntry, _ rowID: Int64) {
        if !entry.isInLog { pendingSets[rowID] = entry }
        entry.isInLog = true
        memberCount += newHashes.count
        for hash in newHashes {
            let member = (UInt64(bitPattern: rowID).littleEndian, hash.littleEndian)
            unsafe withUnsafeBytes(of: member) { unsafe unwritten.append(contentsOf: $0) }
        }
    }
}

extension SQLiteConnection {
    /// Returns the members that `install_log` adds to the sets: row IDs in `install_set`, each with a hash.
    func readLoggedInstalls() throws(StoreError) -> [(rowID: Int64, hash: UInt64)] {
        let select = try statement("select members from install_log")
        defer { select.reset() }
        var members: [(rowID: Int64, hash: UInt64)] = []
        while try select.step() {
            let words = select.words(0)
            for index in stride(from: 0, to: words.count - 1, by: 2) {
                members.append((Int64(bitPattern: words[index]), words[index + 1]))
            }
        }
        return members
    }
}

/// The kind of row that a set in `install_set` belongs to.
enum InstallScope: Int64 {
    case leak = 0
    case leakBuild = 1
    case release = 2
    case slot = 3
    case leakRelease = 4
    case day = 5

    /// Returns the row ID of the set of installs that belongs to a row, such as a leak. The scope is in its low three bits,
    /// so that one table and one index serve all scopes.
    func rowID(ownerRowID: Int64) -> Int64 { ownerRowID << 3 | rawValue }
}
