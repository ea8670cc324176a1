extension SQLiteReader {
    func forgetCounts(of target: ForgetTarget) throws(StoreError) -> ForgetCounts? {
        try snapshot { _ throws(StoreError) in
            switch target {
            case .leak(let id):
                return try counts(
                    """
                    with gone as (select id as leak, reports from leak where key = ?1)
                    select 0, 0, count(*), cast(min(total(reports), LARGEST_TOTAL) as integer), (\(Self.samplesSQL)), (\(Self.decisionsSQL)), count(*)
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
                      (\(Self.decisionsSQL)), count(*)
                    from found
                    """, app.name, app.environment, version)
            case .environment(let app): return try counts(ofApp: app.name, environment: app.environment)
            case .app(let name): return try counts(ofApp: name, environment: nil)
            }
        }
    }

    /// SQL for the number of samples of the leaks in `gone`.
    private static let samplesSQL =
        "select count(*) from gone join slot join sample s on s.id = slot.number << 40 | gone.leak"
    /// SQL for the number of decisions about the leaks in `gone`.
    private static let decisionsSQL = "select count(*) from gone join decision d on d.leak = gone.leak"

    private func counts(ofApp name: String, environment: String?) throws(StoreError) -> ForgetCounts? {
        try counts(
            """
            with found as (select id, reports from app where name = ?1 and (?2 is null or environment = ?2)),
              gone as (select l.id as leak from found f join leak l on l.app = f.id)
            select count(*), (select count(*) from found f join release r on r.app = f.id), (select count(*) from gone),
              cast(min(total(reports), LARGEST_TOTAL) as integer), (\(Self.samplesSQL)), (\(Self.decisionsSQL)), count(*)
            from found
            """, name, environment)
    }

    /// - Parameter query: selects the counts in the order of ``ForgetCounts``, and a number that is 0 if there is no target. It
    ///   begins with the word `with`, and may use `slot`, the numbers of all sample slots.
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
        return counts
    }
}
