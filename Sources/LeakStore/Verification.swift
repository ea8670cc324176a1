extension SQLiteStore {
    /// Checks the file's structure too; seconds for a large one.
    public func verify() throws(StoreError) -> [String] { try Self.verify(path: path) }

    /// Checks a file, such as a backup.
    ///
    /// - Throws: ``StoreError`` for one that this version did not write.
    public static func verify(path: String) throws(StoreError) -> [String] {
        let reader = try SQLiteReader(path: path)
        guard try !Migration.isNeeded(on: reader.connection) else {
            throw StoreError(
                .other,
                "database \(path): written by an earlier collector; start this one on it once, then verify")
        }
        return try reader.snapshot { () throws(StoreError) in
            var problems = try reader.structuralProblems()
            for check in RowCheck.all {
                let wrong = Int(try reader.connection.number(check.sql) ?? 0)
                if wrong > 0 { problems.append("\(check.sentence): \(wrong) wrong") }
            }
            return problems + (try reader.installProblems())
        }
    }
}

extension SQLiteReader {
    fileprivate func structuralProblems() throws(StoreError) -> [String] {
        let structure = try texts(connection.statement("pragma integrity_check"), []).filter { $0 != "ok" }
        let orphans = try texts(connection.statement("pragma foreign_key_check"), [])
        return structure + orphans.map { "a row of \($0) refers to nothing" }
    }

    /// Compares each stored number of installs with its set.
    fileprivate func installProblems() throws(StoreError) -> [String] {
        var log: [Int64: [UInt64]] = [:]
        for (row, hash) in try connection.installLog() { log[row, default: []].append(hash) }
        let select = try connection.statement(
            """
            select i.id, i.members, case i.id & 7
                when 0 then (select installs from leak where id = i.id >> 3)
                when 1 then (select installs from leak_build where id = i.id >> 3)
                when 2 then (select installs from release where id = i.id >> 3)
                when 3 then (select -1 from app_slot where id = i.id >> 3)
                when 4 then (select installs from leak_release where id = i.id >> 3) end
            from install_set i
            """)
        defer { select.reset() }
        var wrong = 0
        while try select.step() {
            let counted = select.optionalInt64(2)
            var set = InstallSet(bytes: select.blob(1))
            for hash in log.removeValue(forKey: select.int64(0)) ?? [] { _ = set?.insert(hash) }
            guard let set, let counted, counted == -1 || counted == Int64(set.count) else {
                wrong += 1
                continue
            }
        }
        wrong += log.count
        return wrong == 0 ? [] : ["installs are the size of their set: \(wrong) wrong"]
    }
}

/// A sentence about rows, and a query that counts those for which it does not hold. Sums stop where totals do.
private struct RowCheck: Sendable {
    let sentence: String
    let sql: StaticString

    static let all = [
        RowCheck(
            sentence: "reports and freed of a leak are the sums of its releases",
            sql: """
                select count(*) from leak l
                where (reports, freed) is not (select min(total(reports), 0x1FFFFFFFFFFFFF), min(total(freed), 0x1FFFFFFFFFFFFF)
                  from leak_release where leak = l.id)
                """),
        RowCheck(
            sentence: "reports and freed of a leak in a release are the sums of its builds",
            sql: """
                select count(*) from leak_release c
                where (reports, freed) is not (select min(total(p.reports), 0x1FFFFFFFFFFFFF), min(total(p.freed), 0x1FFFFFFFFFFFFF)
                  from leak_build p join build b on b.id = p.build where p.leak = c.leak and b.release = c.release)
                """),
        RowCheck(
            sentence: "reports of a leak are the sum of its days",
            sql: """
                select count(*) from leak l
                where reports <> (select min(total(reports), 0x1FFFFFFFFFFFFF) from leak_day where leak = l.id)
                """),
        RowCheck(
            sentence: "installs of a leak without a set are those of its only build",
            sql: """
                select count(*) from leak l where not exists (select 1 from install_set where id = l.id << 3)
                  and installs <> (select coalesce(sum(installs), 0) from leak_build where leak = l.id)
                """),
        RowCheck(
            sentence: "installs of a leak in a release without a set are those of its only build",
            sql: """
                select count(*) from leak_release c
                where not exists (select 1 from install_set where id = c.id << 3 | 4)
                  and installs <> (select coalesce(sum(p.installs), 0) from leak_build p
                    join build b on b.id = p.build where p.leak = c.leak and b.release = c.release)
                """),
        RowCheck(
            sentence: "reports of a day are the sum of its hours, where all are kept",
            sql: """
                select count(*) from leak_day d
                where day > (select min(hour) / 24 from leak_hour)
                  and reports <> (select min(total(reports), 0x1FFFFFFFFFFFFF) from leak_hour h
                    where h.leak = d.leak and h.release = d.release and h.hour between d.day * 24 and d.day * 24 + 23)
                """),
        RowCheck(
            sentence: "reports of a leak by system and by model are no more than all",
            sql: """
                select count(*) from leak l where exists (
                  select 1 from leak_value where leak = l.id group by kind
                  having min(total(reports), 0x1FFFFFFFFFFFFF) > l.reports)
                """),
        RowCheck(
            sentence: "reports and freed of a release are the sums of its leaks",
            sql: """
                select count(*) from release r
                where (reports, freed) is not
                  (select min(total(reports), 0x1FFFFFFFFFFFFF), min(total(freed), 0x1FFFFFFFFFFFFF)
                   from leak_release where release = r.id)
                """),
        RowCheck(
            sentence: "checks of a release are the sum of its classes",
            sql: """
                select count(*) from release r
                where checks <> (select min(total(checks), 0x1FFFFFFFFFFFFF) from release_check where release = r.id)
                """),
        RowCheck(
            sentence: "leaks, reports and freed of an app are the sums of its leaks",
            sql: """
                select count(*) from app a where (leaks, reports, freed) is not
                  (select count(*), min(total(reports), 0x1FFFFFFFFFFFFF), min(total(freed), 0x1FFFFFFFFFFFFF)
                   from leak where app = a.id)
                """),
        RowCheck(
            sentence: "the impact of a leak is its installs in the newest release",
            sql: """
                select count(*) from leak l join app a on a.id = l.app where impact <> coalesce(
                  (select installs from leak_release where leak = l.id and release = a.newest_release), 0)
                """),
        RowCheck(
            sentence: "leaks of a release, and new ones, are as many as there are",
            sql: """
                select count(*) from release r where (leaks, new_leaks) is not
                  ((select count(*) from leak_release where release = r.id),
                   (select count(*) from leak where first_release = r.id))
                """),
        RowCheck(
            sentence: "an idempotency key has its answer",
            sql: """
                select count(*) from idempotency i where not exists (select 1 from answer where id = i.answer)
                """),
    ]
}
