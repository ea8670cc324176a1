extension QueryReader {
    package func retentionCounts(by rule: RetentionRule, now: Int64) throws(StoreError) -> [RetentionCounts] {
        try snapshot { connection throws(StoreError) in
            try connection.read(StoreQueries.retentionCounts(RetentionRule.Times(rule, now: now)))
        }
    }
}

extension StoreQueries {
    /// Reads the data of each app that is deleted or combined by a ``RetentionRule``. Apps without such data are left out.
    fileprivate static func retentionCounts(_ times: RetentionRule.Times) -> StoreRead<[RetentionCounts]> {
        enum Column: Int32, QueryColumn { case name, environment, samples, leaks, versions, days }
        let leaks = RetentionRule.leakCondition(
            isOther: "l.key < $4::uuid", unseenBefore: "$2::bigint")
        let releases = RetentionRule.oldReleaseCondition(
            unseenBefore: "$2::bigint", firstSeenLeaks: "r.new_leaks - coalesce(n.leaks, 0)")
        let undecided = RetentionRule.undecidedReleaseCondition(isInScope: "true")
        let days = RetentionRule.dayCondition(from: "0", before: "$3::bigint")
        return StoreRead(
            .composed(
                """
                with gone as materialized (select l.id, l.app, l.first_release from leak l where \(leaks)),
                  gone_release as materialized (select r.id, r.app, r.version from release r join app a on a.id = r.app
                    left join (select first_release, count(*) as leaks from gone group by first_release) n
                      on n.first_release = r.id
                    where \(releases) and \(undecided)),
                  counted as (
                    select l.app, (select count(*) from SAMPLES(l.id) as s where s.at < $1::bigint
                        or l.id in (select id from gone)
                        or (l.app, s.version) in (select app, version from gone_release)) as samples,
                      0 as leaks, 0 as versions, 0 as days from leak l
                    union all select app, 0, 1, 0, 0 from gone
                    union all select app, 0, 0, 1, 0 from gone_release
                    union all select l.app, 0, 0, 0, 1 from leak l /*! cross */ join leak_day d on d.leak = l.id
                    where \(days) and l.id not in (select id from gone) and d.release not in (select id from gone_release))
                select a.name, a.environment, sum(c.samples)::bigint as samples, sum(c.leaks)::bigint as leaks,
                  sum(c.versions)::bigint as versions, sum(c.days)::bigint as days
                from counted c join app a on a.id = c.app group by a.id, a.name, a.environment
                having sum(c.samples + c.leaks + c.versions + c.days) > 0 order by a.name, a.environment
                """), .integer(times.samplesBefore), .integer(times.unseenBefore), .int(times.combinedBefore),
            .id(LeakID(high: 1, low: 0))
        ) { (row: NamedRow<Column>) in
            RetentionCounts(
                app: AppKey(row.text(.name), environment: row.text(.environment)), samples: row.int(.samples),
                leaks: row.int(.leaks), versions: row.int(.versions), days: row.int(.days))
        }
    }
}
