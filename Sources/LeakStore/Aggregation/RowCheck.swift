/// A statement about rows, with a query that counts the rows for which it is false, and SQL that corrects these rows.
struct RowCheck: Sendable {
    /// The statement, as a sentence without a period.
    let sentence: String
    /// A query for the number of rows for which the statement is false.
    let countSQL: String
    /// SQL that corrects the rows that ``countSQL`` counts; `nil` if the values cannot be derived from other rows.
    let repairSQL: String?
    /// The first schema version with the columns that the check reads.
    let firstSchema: Int
    /// SQL that computes the columns of the row with the row ID `?1` from other rows; `nil` if they cannot be derived.
    let rowUpdateSQL: String?

    private init(
        _ sentence: String, countSQL: String, repairSQL: String? = nil, firstSchema: Int = 1,
        rowUpdateSQL: String? = nil
    ) {
        self.sentence = sentence
        self.countSQL = countSQL
        self.repairSQL = repairSQL
        self.firstSchema = firstSchema
        self.rowUpdateSQL = rowUpdateSQL
    }

    /// Creates a check of columns that are derived from other rows.
    ///
    /// - Parameters:
    ///   - columns: columns of `table`, as a list.
    ///   - alias: the name of `table` in `parts` and `condition`.
    ///   - parts: a query for the correct values.
    ///   - condition: limits the check to some rows.
    private init(
        _ sentence: String, _ columns: String, of table: String, as alias: String, from parts: String,
        where condition: String = "true", firstSchema: Int = 1
    ) {
        let wrongRows = "where (\(condition)) and (\(columns)) is not (\(parts))"
        self.init(
            sentence, countSQL: "select count(*) from \(table) as \(alias) \(wrongRows)",
            repairSQL: "update \(table) as \(alias) set (\(columns)) = (\(parts)) \(wrongRows)",
            firstSchema: firstSchema,
            rowUpdateSQL:
                "update \(table) as \(alias) set (\(columns)) = (\(parts)) where (\(condition)) and \(alias).id = ?1"
        )
    }

    /// Returns SQL for the sum of a column, at most ``Total/largest``.
    private static func sumSQL(_ column: String) -> String { "min(total(\(column)), LARGEST_TOTAL)" }

    /// SQL for the sum of the reports by hour on the day of a row `d` of `leak_day`.
    private static let reportsOfHoursSQL = """
        select \(sumSQL("reports")) from leak_hour h
        where h.leak = d.leak and h.release = d.release and h.hour between d.day * 24 and d.day * 24 + 23
        """
    /// SQL for the first day for which a leak has rows in `leak_hour`; some rows of that day may be deleted already. Null
    /// without such rows.
    private static let firstDayWithHoursSQL = "select min(hour) / 24 from leak_hour where leak = d.leak"
    private static let leakBuildsOfAppSQL =
        "select count(*) from leak l join leak_build b on b.leak = l.id where l.app = a.id"
    private static let textBytesOfAppSQL = """
        select coalesce(sum(length(cast(title as blob)) + length(stack) + length(children) + length(cycle)
          + length(cast(grouped_class as blob)) + length(grouped_stack) + length(cast(search as blob))), 0)
        from leak l join leak_text t on t.leak = l.id where l.app = a.id
        """

    /// SQL condition for a build `b` whose sessions by bucket are more than the sessions of its release.
    private static let wrongSessionsSQL = """
        max(bucket_total(session_buckets), bucket_total(leaky_buckets)) > (select sessions from release where id = b.release)
        """
    /// SQL for the decision in force for a leak `l`; no row if `l.state` is not such a decision.
    private static let decisionInForceSQL =
        "select 1 from decision d where d.id = l.state and d.leak = l.id and d.kind in ('resolve', 'ignore')"
    /// SQL for the condition that the first version of a leak `l` is none of its versions, or counts as evicted but is not `other`.
    private static let hasWrongFirstReleaseSQL = """
        not exists (select 1 from leak_release c join release r on r.id = c.release
          where c.leak = l.id and c.release = l.first_release and (l.first_order is null or r.version = '\(StoreLimits.other)'))
        """
    /// SQL for the present number of reports that a row `s` of `decision_release` must not exceed.
    private static let currentReportsSQL = """
        select coalesce(max(c.reports), 0) from decision d
        join leak_release c on c.leak = d.leak and c.release = s.release where d.id = s.decision
        """
    /// SQL for the reports of all leaks of each app by day.
    private static let reportsOfDaysSQL = """
        select l.app as app, d.day as day, cast(\(sumSQL("d.reports")) as integer) as reports
        from leak_day d join leak l on l.id = d.leak group by l.app, d.day
        """
    /// SQL for the reports in the ten-minute slots of a row `d` of `app_day`.
    private static let reportsOfSlotsSQL = """
        (select coalesce(sum(reports), 0) from app_slot
         where app = d.app and slot between d.day * 144 and d.day * 144 + 143)
        """

    // Checks whose rows are also computed one by one, after a part of their sums was deleted or moved: ForgetRun, Eviction.

    static let leakTotals = RowCheck(
        "reports and freed of a leak are the sums of its releases",
        "reports, freed", of: "leak", as: "l",
        from: "select \(sumSQL("reports")), \(sumSQL("freed")) from leak_release where leak = l.id")
    static let leakInstalls = RowCheck(
        "installs of a leak without a set are those of its only build",
        "installs", of: "leak", as: "l",
        from: "select coalesce(sum(installs), 0) from leak_build where leak = l.id",
        where: "not exists (select 1 from install_set where id = l.id << 3)")
    static let releaseTotals = RowCheck(
        "reports and freed of a release are the sums of its leaks",
        "reports, freed", of: "release", as: "r",
        from: "select \(sumSQL("reports")), \(sumSQL("freed")) from leak_release where release = r.id")
    static let releaseChecks = RowCheck(
        "checks of a release are the sum of its classes",
        "checks", of: "release", as: "r",
        from: """
            select \(sumSQL("c.checks"))
            from build b join build_check c on c.build = b.id where b.release = r.id
            """, firstSchema: 14)
    static let appTotals = RowCheck(
        "leaks, reports and freed of an app are the sums of its leaks",
        "leaks, reports, freed", of: "app", as: "a",
        from: "select count(*), \(sumSQL("reports")), \(sumSQL("freed")) from leak where app = a.id")
    static let currentRelease = RowCheck(
        "the current release of an app is the pinned one, or the highest with adoption",
        "newest_release", of: "app", as: "a",
        from: CurrentRelease.rowIDSQL, firstSchema: 17)
    static let impact = RowCheck(
        "the impact of a leak is its recent installs in the current release",
        "impact", of: "leak", as: "l",
        from: """
            select coalesce((select s.installs from leak_release c join recent_install_set s on s.id = c.id
              join app a on a.newest_release = c.release where c.leak = l.id and a.id = l.app), 0)
            """,
        firstSchema: 18)
    static let firstBuild = RowCheck(
        "the first build of a leak is the lowest build of its first version in which it was seen",
        "first_build", of: "leak", as: "l",
        from: """
            select b.id from leak_build p join build b on b.id = p.build
            where p.leak = l.id and b.release = l.first_release order by b.order_key limit 1
            """,
        firstSchema: 22)

    /// All checks, in the order of their repairs. Each repair uses the results of the preceding repairs: reports, and reports
    /// of freed objects, are added up from the builds of a leak, over releases and leaks, to the apps.
    static let all = [
        RowCheck(
            "reports and freed of a leak in a release are the sums of its builds",
            "reports, freed", of: "leak_release", as: "c",
            from: """
                select \(sumSQL("p.reports")), \(sumSQL("p.freed"))
                from leak_build p join build b on b.id = p.build
                where p.leak = c.leak and b.release = c.release
                """),
        leakTotals,
        leakInstalls,
        RowCheck(
            "installs of a leak in a release without a set are those of its only build",
            "installs", of: "leak_release", as: "c",
            from: """
                select coalesce(sum(p.installs), 0) from leak_build p join build b on b.id = p.build
                where p.leak = c.leak and b.release = c.release
                """,
            where: "not exists (select 1 from install_set where id = c.id << 3 | 4)"),
        // Old hours are deleted leak by leak, so the first day with all its hours differs between leaks. If the reports of a
        // day are not the sum of its hours, either may be wrong. The repair changes the day only if the days of its leak do not
        // add up to the reports of the leak.
        RowCheck(
            "reports of a day are the sum of its hours, if all hours are kept",
            countSQL: """
                select count(*) from leak_day d
                where day > (\(firstDayWithHoursSQL)) and reports <> (\(reportsOfHoursSQL))
                """,
            repairSQL: """
                update leak_day as d set reports = (\(reportsOfHoursSQL))
                where day > (\(firstDayWithHoursSQL)) and reports <> (\(reportsOfHoursSQL))
                  and (select reports from leak where id = d.leak)
                    <> (select \(sumSQL("reports")) from leak_day where leak = d.leak)
                """),
        RowCheck(
            "reports of a leak are the sum of its days",
            countSQL: """
                select count(*) from leak l
                where reports <> (select \(sumSQL("reports")) from leak_day where leak = l.id)
                """),
        RowCheck(
            "an element of a grouping key belongs to a leak of its app",
            countSQL: """
                select count(*) from leak_element e
                where not exists (select 1 from leak where id = e.leak and app = e.app)
                """,
            repairSQL: """
                delete from leak_element as e where not exists (select 1 from leak where id = e.leak and app = e.app)
                """,
            firstSchema: 9),
        RowCheck(
            "reports of a leak by system and by model are no more than all its reports",
            countSQL: """
                select count(*) from leak l where exists (
                  select 1 from leak_value where leak = l.id and kind < 2
                  group by kind having \(sumSQL("reports")) > l.reports)
                """),
        RowCheck(
            "retained bytes of a leak are the median of its explanations",
            "retained_bytes", of: "leak", as: "l",
            from: "select \(RetainedBytes.medianSQL(ofLeak: "l.id"))", firstSchema: 11),
        releaseTotals,
        releaseChecks,
        RowCheck(
            "reports of a leak in a build by bucket of installs are no more than all its reports there",
            countSQL: "select count(*) from leak_build where bucket_total(buckets) > reports",
            repairSQL: "update leak_build set buckets = x'' where bucket_total(buckets) > reports",
            firstSchema: 14),
        RowCheck(
            "sessions of a build by bucket of installs are no more than those of its version",
            countSQL: "select count(*) from build as b where \(wrongSessionsSQL)",
            repairSQL:
                "update build as b set session_buckets = x'', leaky_buckets = x'' where \(wrongSessionsSQL)",
            firstSchema: 14),
        RowCheck(
            "checks of a class in a build by bucket of installs are no more than all its checks there",
            countSQL: "select count(*) from build_check where bucket_total(buckets) > checks",
            repairSQL: "update build_check set buckets = x'' where bucket_total(buckets) > checks",
            firstSchema: 14),
        appTotals,
        currentRelease,
        impact,
        RowCheck(
            "an indexed leak has a position in every sort order",
            "rank_impact, rank_reports, rank_installs, rank_last_seen", of: "leak", as: "l",
            from: "select l.impact, l.reports, l.installs, l.last_seen", where: "l.is_unindexed = 0",
            firstSchema: 18),
        RowCheck(
            "the first version of a leak is one of its versions, and an evicted one only if that is `other`",
            countSQL: "select count(*) from leak as l where \(hasWrongFirstReleaseSQL)",
            repairSQL: """
                update leak as l set first_order = null, first_release = coalesce(
                  (select r.id from leak_release c join release r on r.id = c.release where c.leak = l.id
                   order by r.order_key, r.id limit 1), first_release)
                where \(hasWrongFirstReleaseSQL)
                """,
            firstSchema: 26),
        RowCheck(
            "leaks and new leaks of a release are counted correctly",
            "leaks, new_leaks", of: "release", as: "r",
            from: """
                select (select count(*) from leak_release where release = r.id),
                  (select count(*) from leak where first_release = r.id)
                """,
            firstSchema: 2),
        firstBuild,
        // `text_bytes` is estimated before a leak is stored, so it may be up to twice the real number of bytes.
        RowCheck(
            "counters for the limits of an app are not too high",
            countSQL: """
                select count(*) from app a
                where cells > (\(leakBuildsOfAppSQL)) or text_bytes > 2 * (\(textBytesOfAppSQL))
                """,
            repairSQL: """
                update app as a set cells = (\(leakBuildsOfAppSQL)), text_bytes = (\(textBytesOfAppSQL))
                where cells > (\(leakBuildsOfAppSQL)) or text_bytes > 2 * (\(textBytesOfAppSQL))
                """,
            firstSchema: 2),
        RowCheck(
            "the decision in force for a leak is a decision about it",
            countSQL: "select count(*) from leak l where state <> 0 and not exists (\(decisionInForceSQL))",
            repairSQL:
                "update leak as l set state = 0 where state <> 0 and not exists (\(decisionInForceSQL))",
            firstSchema: 3),
        RowCheck(
            "counts per release from when a leak was resolved belong to its current decision",
            countSQL: "select count(*) from decision_release where decision not in (select state from leak)",
            repairSQL: "delete from decision_release where decision not in (select state from leak)",
            firstSchema: 3),
        RowCheck(
            "counts of a leak from when it was resolved are no more than its counts now",
            countSQL: "select count(*) from decision_release as s where reports > (\(currentReportsSQL))",
            repairSQL: """
                update decision_release as s set reports = (\(currentReportsSQL))
                where reports > (\(currentReportsSQL))
                """,
            firstSchema: 3),
        RowCheck(
            "reports that a leak had from the hour in which it was resolved are no more than its reports now",
            countSQL:
                "select count(*) from decision_release as s where hour_reports > (\(currentReportsSQL))",
            repairSQL: """
                update decision_release as s set hour_reports = (\(currentReportsSQL))
                where hour_reports > (\(currentReportsSQL))
                """,
            firstSchema: 19),
        // If a report arrives after the row of its day in `app_day` was deleted, it counts only in its leak.
        RowCheck(
            "reports of an app's days and slots are no more than those of its leaks",
            countSQL: """
                select count(*) from app_day d
                left join (\(reportsOfDaysSQL)) s on s.app = d.app and s.day = d.day
                where min(d.reports + \(reportsOfSlotsSQL), LARGEST_TOTAL) > coalesce(s.reports, 0)
                """,
            repairSQL: """
                update app_day as d set reports = max(coalesce(s.reports, 0) - \(reportsOfSlotsSQL), 0)
                from app_day o left join (\(reportsOfDaysSQL)) s on s.app = o.app and s.day = o.day
                where o.id = d.id
                  and min(d.reports + \(reportsOfSlotsSQL), LARGEST_TOTAL) > coalesce(s.reports, 0)
                """,
            firstSchema: 3),
        // Before the repair, a repeated request gets an empty response if its key has no answer.
        RowCheck(
            "an idempotency key has its answer",
            countSQL:
                "select count(*) from idempotency where not exists (select 1 from answer where id = idempotency.answer)",
            repairSQL:
                "delete from idempotency where not exists (select 1 from answer where id = idempotency.answer)"
        ),
        // The repair deletes a sample that cannot be read, because it makes the page of its leak fail. Its report stays
        // counted.
        RowCheck(
            "a report that is kept as a sample can be read",
            countSQL: "select count(*) from sample where sample_json(body) is null",
            repairSQL: "delete from sample where sample_json(body) is null"),
        // Without its leak, the repair deletes the merge: the merged leak is counted by itself again.
        RowCheck(
            "a merge by hand belongs to a leak of its app, and the merged leak does not exist",
            countSQL: "select count(*) from leak_merge as m where \(wrongMergeSQL)",
            repairSQL: "delete from leak_merge as m where \(wrongMergeSQL)", firstSchema: 27),
        RowCheck(
            "counts that a merge by hand keeps belong to a merge and a release of its app",
            countSQL: "select count(*) from leak_merge_release as c where \(wrongMergeReleaseSQL)",
            repairSQL: "delete from leak_merge_release as c where \(wrongMergeReleaseSQL)", firstSchema: 27),
        RowCheck(
            "samples that a merge by hand keeps belong to a merge and can be read",
            countSQL: "select count(*) from leak_merge_sample where \(wrongMergeSampleSQL)",
            repairSQL: "delete from leak_merge_sample where \(wrongMergeSampleSQL)", firstSchema: 27),
    ]

    private static let wrongMergeSQL = """
        not exists (select 1 from leak l where l.id = m.leak and l.app = m.app)
          or exists (select 1 from leak l where l.key = m.source)
        """
    private static let wrongMergeReleaseSQL = """
        not exists (select 1 from leak_merge m join release r on r.app = m.app where m.id = c.merge and r.id = c.release)
        """
    private static let wrongMergeSampleSQL =
        "sample_json(body) is null or merge not in (select id from leak_merge)"
}
