extension SQLiteReader {
    func forgetCounts(of target: ForgetTarget) throws(StoreError) -> ForgetCounts? {
        try snapshot { _ throws(StoreError) in
            switch target {
            case .leak(let id):
                return try counts(
                    """
                    with gone as (select id as leak, reports from leak where key = ?1)
                    select 0, 0, count(*), cast(min(total(reports), LARGEST_TOTAL) as integer), (\(Self.samplesSQL)), (\(Self.decisionsSQL)), count(*), 0, 0
                    from gone
                    """, id.bytes)
            case .version(let version, let app):
                return try counts(
                    """
                    with found as (select r.id, r.app, r.version, r.reports from app a join release r on r.app = a.id
                        where a.name = ?1 and a.environment = ?2 and r.version = ?3),
                      counted as (select c.leak, not exists (
                          select 1 from leak_release o where o.leak = c.leak and o.release <> c.release) as is_complete
                        from found f join leak_release c on c.release = f.id),
                      gone as (select leak from counted where is_complete)
                    select 0, count(*), (select count(*) from gone), cast(min(total(reports), LARGEST_TOTAL) as integer), (\(Self.samplesSQL)) + (
                        select count(*) from counted c join slot join found f
                          join sample s on s.id = slot.number << 40 | c.leak
                        where not c.is_complete and (s.version = f.version or f.version = 'other'
                          and not exists (select 1 from release r where r.app = f.app and r.version = s.version))),
                      (\(Self.decisionsSQL)), count(*), 0, 0
                    from found
                    """, app.name, app.environment, version)
            case .environment(let app): return try counts(ofApp: app.name, environment: app.environment)
            case .app(let name): return try counts(ofApp: name, environment: nil)
            case .key(let key, let since):
                guard
                    var found = try counts(
                        """
                        with app_gone as (select id from app where made_by = ?1 and made_at >= ?2 and is_shared = 0),
                          release_gone as (select id, app, version from release
                            where made_by = ?1 and made_at >= ?2 and is_shared = 0 or app in (select id from app_gone)),
                          gone as (select id as leak, reports from leak
                            where made_by = ?1 and made_at >= ?2 and is_shared = 0 or app in (select id from app_gone)
                            union select l.id, l.reports
                            from release_gone g join leak_release c on c.release = g.id join leak l on l.id = c.leak
                            where not exists (select 1 from leak_release o
                              where o.leak = c.leak and o.release not in (select id from release_gone))),
                          partial as (select c.leak, c.reports, g.app, g.version
                            from release_gone g join leak_release c on c.release = g.id
                            where c.leak not in (select leak from gone)),
                          merge_gone as (select case length(source_body) when 0 then 0 else reports end as reports from leak_merge
                            where made_by = ?1 and made_at >= ?2 and is_shared = 0 and app not in (select id from app_gone)),
                          made as (select (select count(*) from app_gone) as environments,
                            (select count(*) from release_gone) as versions,
                            (select count(*) from gone) + (select count(*) from merge_gone where reports > 0) as leaks,
                            (select count(*) from build as b where made_by = ?1 and made_at >= ?2
                              and release not in (select id from release_gone)
                              and length(session_buckets) = 0 and length(leaky_buckets) = 0
                              and not exists (select 1 from build_check where build = b.id)
                              and not exists (select 1 from leak_release c
                                join leak_build p on p.leak = c.leak and p.build = b.id
                                where c.release = b.release and c.leak not in (select leak from gone))) as builds,
                            (select count(*) from merge_gone) as merges)
                        select environments, versions, leaks, cast(min(LARGEST_TOTAL, (select total(reports) from gone)
                            + (select total(reports) from partial) + (select total(reports) from merge_gone)) as integer),
                          (\(Self.samplesSQL)) + (\(Self.partialSamplesSQL)), (\(Self.decisionsSQL)),
                          environments + versions + leaks + builds + merges
                            + exists (select 1 from app where made_by = ?1 and made_at >= ?2 and is_shared = 1)
                            + exists (select 1 from release where made_by = ?1 and made_at >= ?2 and is_shared = 1)
                            + exists (select 1 from leak where made_by = ?1 and made_at >= ?2 and is_shared = 1),
                          builds, merges
                        from made
                        """, key, since ?? .min)
                else { return nil }
                found.kept = try readKept(key: key, since: since ?? .min)
                return found
            }
        }
    }

    /// SQL for the number of samples of the leaks in `gone`.
    private static let samplesSQL =
        "select count(*) from gone join slot join sample s on s.id = slot.number << 40 | gone.leak"
    /// SQL for the number of decisions about the leaks in `gone`.
    private static let decisionsSQL = "select count(*) from gone join decision d on d.leak = gone.leak"

    /// SQL for the number of samples that leaks lose with the versions in `partial`.
    private static let partialSamplesSQL = """
        select count(*) from partial p join slot join sample s on s.id = slot.number << 40 | p.leak
        where s.version = p.version or p.version = 'other'
          and not exists (select 1 from release r where r.app = p.app and r.version = s.version)
        """

    private func readKept(key: Int64, since: Int64) throws(StoreError) -> ForgetCounts.Kept {
        let select = try connection.statement(
            """
            select (select count(*) from app where made_by = ?1 and made_at >= ?2 and is_shared = 1),
              (select count(*) from release where made_by = ?1 and made_at >= ?2 and is_shared = 1),
              (select count(*) from leak where made_by = ?1 and made_at >= ?2 and is_shared = 1)
            """)
        defer { select.reset() }
        try select.bind(key, since)
        var kept = ForgetCounts.Kept()
        guard try select.step() else { return kept }
        (kept.environments, kept.versions, kept.leaks) = (select.int(0), select.int(1), select.int(2))
        return kept
    }

    private func counts(ofApp name: String, environment: String?) throws(StoreError) -> ForgetCounts? {
        try counts(
            """
            with found as (select id, reports from app where name = ?1 and (?2 is null or environment = ?2)),
              gone as (select l.id as leak from found f join leak l on l.app = f.id)
            select count(*), (select count(*) from found f join release r on r.app = f.id), (select count(*) from gone),
              cast(min(total(reports), LARGEST_TOTAL) as integer), (\(Self.samplesSQL)), (\(Self.decisionsSQL)), count(*), 0, 0
            from found
            """, name, environment)
    }

    /// - Parameter query: selects the counts in the order of ``ForgetCounts``, a number that is 0 if there is no target, and the
    ///   numbers of builds and merges. It begins with the word `with`, and may use `slot`, the numbers of all sample slots.
    /// - Returns: `nil` if there is no target.
    private func counts<each Value: Bindable>(
        _ query: String, _ values: repeat each Value
    ) throws(StoreError) -> ForgetCounts? {
        let slots = """
            with recursive slot (number) as (
              select 0 union all select number + 1 from slot where number < \(SampleSlot.count - 1)),
            """
        let select = try connection.statement(composed: "\(slots)\(query.dropFirst("with".count))")
        defer { select.reset() }
        try select.bind(repeat each values)
        guard try select.step(), select.int(6) > 0 else { return nil }
        var counts = ForgetCounts()
        counts.environments = select.int(0)
        counts.versions = select.int(1)
        counts.leaks = select.int(2)
        counts.reports = select.int(3)
        counts.samples = select.int(4)
        counts.decisions = select.int(5)
        counts.builds = select.int(7)
        counts.merges = select.int(8)
        return counts
    }
}
