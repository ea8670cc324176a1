/// The progress of the erasure of one install, step by step.
struct InstallErasure {
    let install: UInt64
    private(set) var erased = ErasureResult()
    /// Rows up to these have been searched; `nil` if all have.
    fileprivate var samplesDone: Int64? = -1
    fileprivate var partsDone: Int64? = -1
    fileprivate var setsDone: Int64? = -1

    init(install: UInt64) { self.install = install }

    /// The newest merge of leaks that the steps have seen.
    private var lastMerge: Int64?

    /// Starts the search again if leaks were merged since the step before.
    mutating func startAgain(after merge: Int64) {
        if let lastMerge, lastMerge != merge { (samplesDone, partsDone, setsDone) = (-1, -1, -1) }
        lastMerge = merge
    }

    fileprivate mutating func count(samples: Int = 0, sets: Int = 0) {
        erased.samples += samples
        erased.sets += sets
    }
}

extension Writer {
    private static let samplesPerStep = 5_000
    /// Sets that one step searches; up to 2 KiB each.
    private static let setsPerStep = 1_000

    /// Scopes whose sets are copied into other sets, whose rows may have been searched already: slots become days, and the set of a
    /// leak's first build is copied when there is a second. They are searched first, so that later copies lack the install.
    private static let parts: (InstallScope, InstallScope) = (.slot, .leakBuild)

    /// Erases some rows, in a transaction of its own.
    ///
    /// - Returns: `true` if anything is left to search.
    func runStep(of erasure: inout InstallErasure) throws(StoreError) -> Bool {
        do throws(StoreError) {
            var next = erasure
            try connection.transaction(.immediate) { () throws(StoreError) in
                try dropCachedIfOthersWrote()
                // A merge moves rows to places that earlier steps have searched.
                try next.startAgain(after: lastMerge())
                if let done = next.samplesDone {
                    try eraseSamples(after: done, &next)
                } else if let done = next.partsDone {
                    next.partsDone = try eraseFromSets(after: done, areParts: true, &next)
                } else if let done = next.setsDone {
                    next.setsDone = try eraseFromSets(after: done, areParts: false, &next)
                }
            }
            erasure = next
            return next.samplesDone != nil || next.partsDone != nil || next.setsDone != nil
        } catch {
            dropCached()
            throw error
        }
    }

    private func eraseSamples(after done: Int64, _ next: inout InstallErasure) throws(StoreError) {
        // Reports may be kept between two steps.
        try flushLogs()
        next.samplesDone = try lastRow(
            "select max(id) from (select id from sample where id > ? order by id limit ?)", after: done,
            limit: Self.samplesPerStep)
        guard let last = next.samplesDone else { return }
        try connection.run(
            "delete from sample where id > ? and id <= ? and install_hash = ?", done, last,
            Int64(bitPattern: next.install))
        guard connection.changes > 0 else { return }
        next.count(samples: connection.changes)
        // The leak's entry caches which sample is the first or the newest.
        caches.removeAll()
    }

    /// - Returns: the last row that was searched; `nil` if none was left.
    private func eraseFromSets(
        after done: Int64, areParts: Bool, _ next: inout InstallErasure
    ) throws(StoreError) -> Int64? {
        // Reports may be counted between two steps.
        try flushLogs()
        let last = try lastRow(
            "select max(id) from (select id from install_set where id > ? order by id limit ?)", after: done,
            limit: Self.setsPerStep)
        guard let last else { return nil }
        let select = try connection.statement(
            """
            select id, members from install_set where id > ? and id <= ? and (id & 7 in (?, ?)) = ? order by id
            """)
        defer { select.reset() }
        try select.bind(
            done, last, Self.parts.0.rawValue, Self.parts.1.rawValue, areParts ? 1 : 0)
        var changed: [(row: Int64, set: InstallSet)] = []
        while try select.step() {
            guard var set = InstallSet(bytes: select.bytes(1)) else {
                throw .unreadable("a set of installs", in: connection.path)
            }
            if set.remove(next.install) { changed.append((select.int64(0), set)) }
        }
        guard !changed.isEmpty else { return last }
        for (row, set) in changed {
            try replace(set, in: row)
            if let leak = try leak(ofSetIn: row) { try setImpact(of: leak) }
            if InstallScope(rawValue: row & 7) == .release {
                let app = try number(else: "select app from release where id = ?", of: row >> 3)
                try chooseNewest(ofApp: Int64(app))
            }
        }
        try reindexAll()
        next.count(sets: changed.count)
        // Entries cache their sets, and the sizes of the sets.
        caches.removeAll()
        return last
    }

    private func leak(ofSetIn row: Int64) throws(StoreError) -> Int64? {
        let select =
            switch InstallScope(rawValue: row & 7) {
            case .leakBuild: try connection.statement("select leak from leak_build where id = ?")
            case .leakRelease: try connection.statement("select leak from leak_release where id = ?")
            default: nil as Statement?
            }
        guard let select else { return nil }
        defer { select.reset() }
        try select.bind(row >> 3)
        return try select.step() ? select.int64(0) : nil
    }

    private func setImpact(of leak: Int64) throws(StoreError) {
        try connection.run(
            """
            update leak set moving = 1, impact = coalesce((select c.installs from leak_release c
              where c.leak = leak.id and c.release = (select newest_release from app where id = leak.app)), 0)
            where id = ?
            """, leak)
    }

    private func lastRow(
        _ sql: StaticString, after done: Int64, limit: Int
    ) throws(StoreError) -> Int64? {
        let select = try connection.statement(sql)
        defer { select.reset() }
        try select.bind(done, limit)
        return try select.step() ? select.optionalInt64(0) : nil
    }

    /// Stores a set, and its size in the row that the set belongs to.
    private func replace(_ set: InstallSet, in row: Int64) throws(StoreError) {
        try connection.run("update install_set set members = ? where id = ?", set.bytes, row)
        let owner = row >> 3
        switch InstallScope(rawValue: row & 7) {
        case .leak:
            try connection.run("update leak set moving = 1, installs = ? where id = ?", set.count, owner)
        case .release: try connection.run("update release set installs = ? where id = ?", set.count, owner)
        case .leakRelease:
            try connection.run("update leak_release set installs = ? where id = ?", set.count, owner)
        case .leakBuild:
            try connection.run("update leak_build set installs = ? where id = ?", set.count, owner)
            // A leak, or a leak in a release, that was seen only in this build has no set of its own: it uses the set of the
            // build.
            try connection.run(
                """
                update leak set moving = 1, installs = ?1 where id = (select leak from leak_build where id = ?2)
                  and not exists (select 1 from install_set where id = leak.id << 3)
                """, set.count, owner)
            try connection.run(
                """
                update leak_release set installs = ?1
                where (leak, release) = (select p.leak, b.release from leak_build p join build b on b.id = p.build
                    where p.id = ?2)
                  and not exists (select 1 from install_set where id = leak_release.id << 3 | 4)
                """, set.count, owner)
        case .slot, .day, nil: break
        }
    }
}
