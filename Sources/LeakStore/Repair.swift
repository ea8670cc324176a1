internal import LeakPlatform

/// The result of repairing a database.
public struct Repair: Hashable, Sendable {
    /// Problems that were repaired, one line each.
    public var repaired: [String]
    /// Problems that cannot be repaired from other rows, one line each.
    public var unrepaired: [String]

    fileprivate static func text(_ sentence: String, rowCount: Int) -> String {
        "\(sentence): \(countText(rowCount, of: "row")) repaired"
    }
}

extension SQLiteStore {
    /// Recomputes the totals that are not the sums of their parts, as far as other rows have the parts, in one transaction.
    /// Migrates an older schema.
    ///
    /// Prevents a server from starting meanwhile.
    ///
    /// - Throws: ``StoreError/Reason/locked`` if a server has the file open; ``StoreError/Reason/corrupt`` for a file with a
    ///   damaged structure, which is not changed.
    public static func repair(path: String) throws(StoreError) -> Repair {
        let lock = try LockFile(beside: path)
        defer { withExtendedLifetime(lock) {} }
        if let damage = try verify(path: path).damage.first {
            throw StoreError(
                .corrupt, "database \(path): its structure is damaged (\(damage)); restore it from a backup")
        }
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        try Migration.run(on: connection)
        let writer = try Writer(
            connection: connection, limits: StoreLimits(), redact: { Array($0) },
            reservoir: Reservoir(seed: 0))
        return try connection.transaction(.immediate) { () throws(StoreError) in
            var repaired = try writer.repairInstalls() + writer.repairRecentInstalls()
            let unreadableCount = try connection.deleteUnreadableMerges()
            if unreadableCount > 0 {
                repaired.append(Repair.text(VerificationRule.readableMerges, rowCount: unreadableCount))
            }
            for check in RowCheck.all {
                guard let repair = check.repairSQL else { continue }
                try connection.execute(repair)
                if connection.changes > 0 {
                    repaired.append(Repair.text(check.sentence, rowCount: connection.changes))
                }
            }
            return Repair(
                repaired: repaired,
                unrepaired: try connection.findInconsistentTotals(of: Migration.newestVersion))
        }
    }
}

extension Writer {
    /// Flushes the logs, and writes the size of each set of installs to the row that the set belongs to.
    fileprivate func repairInstalls() throws(StoreError) -> [String] {
        try flushLogs()
        let select = try connection.statement("select id, members from install_set order by id")
        defer { select.reset() }
        var repairedCount = 0
        while try select.step() {
            let rowID = select.int64(0)
            guard let set = InstallSet(bytes: select.bytes(1)), let scope = InstallScope(rawValue: rowID & 7)
            else { throw .unreadable("a set of installs", in: connection.path) }
            if try setInstalls(set.count, of: scope, owner: rowID >> 3) { repairedCount += 1 }
        }
        return repairedCount == 0
            ? [] : [Repair.text("the number of installs is the size of its set", rowCount: repairedCount)]
    }

    /// Writes the size of each set of recent installs to its row.
    fileprivate func repairRecentInstalls() throws(StoreError) -> [String] {
        let wrongSets = try connection.wrongRecentInstallSets()
        for set in wrongSets { try connection.put(set) }
        return wrongSets.isEmpty
            ? []
            : [Repair.text("the number of recent installs is the size of its set", rowCount: wrongSets.count)]
    }

    /// Writes the number of installs to the row with the row ID `owner`. Returns `true` if the row had another number.
    private func setInstalls(
        _ installs: Int, of scope: InstallScope, owner: Int64
    ) throws(StoreError) -> Bool {
        let update: StaticString
        switch scope {
        case .leak: update = "update leak set installs = ?1 where id = ?2 and installs <> ?1"
        case .leakBuild: update = "update leak_build set installs = ?1 where id = ?2 and installs <> ?1"
        case .release: update = "update release set installs = ?1 where id = ?2 and installs <> ?1"
        case .leakRelease: update = "update leak_release set installs = ?1 where id = ?2 and installs <> ?1"
        case .slot, .day: return false
        }
        try connection.run(update, installs, owner)
        return connection.changes > 0
    }
}
