extension Writer {
    struct InstallChange {
        var count: Int
        /// The hashes that changed the set: the only ones that a set around it can lack.
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
        let fresh = hashes.filter { entry.set.insert($0) }
        guard !fresh.isEmpty else { return nil }
        try connection.run(
            """
            insert into install_set (id, members) values (?, ?)
            on conflict (id) do update set members = excluded.members
            """, row, entry.set.bytes)
        return InstallChange(count: entry.set.count, fresh: fresh)
    }

    private func installs(in row: Int64) throws(StoreError) -> InstallEntry {
        if let known = caches.installs.value(of: row) { return known }
        let select = try connection.statement("select members from install_set where id = ?")
        defer { select.reset() }
        try select.bind(row)
        let entry = InstallEntry(InstallSet())
        if try select.step() {
            guard let set = InstallSet(bytes: select.blob(0)) else {
                throw .unreadable("a set of installs", in: connection.path)
            }
            entry.set = set
        }
        caches.installs.insert(entry, for: row)
        return entry
    }
}

extension StoreError {
    /// For a value that this code did not write.
    static func unreadable(_ what: String, in path: String) -> StoreError {
        StoreError(.corrupt, "database \(path): \(what) cannot be read; restore it from a backup")
    }
}
