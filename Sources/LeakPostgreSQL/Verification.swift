#if PostgreSQL
    public import LeakStore

    extension PostgreSQLStore {
        /// Checks that every total is the sum of its parts, in one snapshot of the database, and returns the problems. `pg_amcheck`
        /// checks the structure of the database.
        public func verify() throws(StoreError) -> [String] {
            // Runs without the usual time limit, because it reads the whole database.
            let connector = DatabaseConnector(
                to: address.with(.longRunning), check: Migration.requireKnownSchema)
            return try PostgreSQLReader(connector: connector).snapshot { connection throws(StoreError) in
                try connection.run(Query("set local statement_timeout = 0"))
                return try Self.problems(on: connection)
            }
        }

        /// Returns the problems in the snapshot of the open transaction.
        static func problems(on connection: PostgreSQLConnection) throws(StoreError) -> [String] {
            var problems: [String] = []
            let totalChecks =
                RunningCounts.all.map(\.check) + PeriodColumns.all.map(\.check) + [LastHours.check]
            let checks = RowCheck.all.map { (sentence: $0.sentence, sql: $0.sql) } + totalChecks
            for check in checks {
                let wrongCount = try connection.run(Query(check.sql)).first?.int(0) ?? 0
                if wrongCount > 0 {
                    problems.append(VerificationRule.problem(check.sentence, rowCount: wrongCount))
                }
            }
            let unreadableCount = try connection.unreadableMerges().count
            if unreadableCount > 0 {
                problems.append(
                    VerificationRule.problem(VerificationRule.readableMerges, rowCount: unreadableCount))
            }
            return problems + (try findInstallProblems(on: connection))
                + (try recentInstallProblems(on: connection))
        }

        /// Compares each stored number of recent installs with the size of its set of installs.
        private static func recentInstallProblems(
            on connection: PostgreSQLConnection
        ) throws(StoreError) -> [String] {
            var wrongCount = 0
            var last = RecentInstallSet.Key(leak: -1, release: 0)
            while true {
                let rows = try connection.run(
                    Query(
                        """
                        select \(RecentInstallSet.columns), installs from recent_install_set s
                        where (leak, release) > ($1::bigint, $2::bigint) order by leak, release limit $3::bigint
                        """, .integer(last.leak), .integer(last.release), .integer(setsPerQuery)))
                for row in rows {
                    let set = RecentInstallSet(row)
                    last = set.key
                    if set.installs.isEmpty || set.count != row.int(4) { wrongCount += 1 }
                }
                guard rows.count == setsPerQuery else { break }
            }
            return wrongCount == 0
                ? []
                : [
                    VerificationRule.problem(
                        "the number of recent installs is the size of its set", rowCount: wrongCount)
                ]
        }

        private static let setsPerQuery = 1_000

        /// Compares each stored number of installs with the size of its set of installs.
        private static func findInstallProblems(on connection: PostgreSQLConnection) throws(StoreError)
            -> [String]
        {
            var wrongCount = 0
            var lastSet: (scope: Int64, owner: Int64, part: Int64) = (-1, 0, 0)
            while true {
                let rows = try connection.run(
                    Query(
                        """
                        select i.scope, i.owner, i.part, i.members, case i.scope
                          when 0 then (select installs from leak where id = i.owner)
                          when 1 then (select installs from leak_build where leak = i.owner and build = i.part)
                          when 2 then (select installs from leak_release where leak = i.owner and release = i.part)
                          when 3 then (select installs from release where id = i.owner)
                          when 4 then (select -1 from app_slot where app = i.owner and slot = i.part)
                          when 5 then (select -1 from app_day where app = i.owner and day = i.part) end
                        from install_set i where (i.scope, i.owner, i.part) > ($1::bigint, $2::bigint, $3::bigint)
                        order by i.scope, i.owner, i.part limit $4::bigint
                        """, .integer(lastSet.scope), .integer(lastSet.owner), .integer(lastSet.part),
                        .integer(setsPerQuery)))
                for row in rows {
                    lastSet = (row.int64(0), row.int64(1), row.int64(2))
                    let storedCount = row.optionalInt(4)
                    guard let set = InstallSet(bytes: row.bytes(3)), let storedCount,
                        storedCount == -1 || storedCount == set.count
                    else {
                        wrongCount += 1
                        continue
                    }
                }
                guard rows.count == setsPerQuery else { break }
            }
            return wrongCount == 0
                ? []
                : [
                    VerificationRule.problem(
                        "the number of installs is the size of its set", rowCount: wrongCount)
                ]
        }
    }

    /// A sentence that is true for every row of an undamaged database, and a query that counts the rows for which it is false.
    /// Sums are at most ``Total/largest``.
    private struct RowCheck: Sendable {
        let sentence: String
        let sql: String

        private init(_ sentence: String, _ sql: String) {
            self.sentence = sentence
            self.sql = sql
        }

        private init(_ sentence: String, _ columns: DerivedColumns) {
            self.init(sentence, columns.countSQL)
        }

        private static func cappedSumSQL(of column: String) -> String {
            DerivedColumns.cappedSumSQL(of: column)
        }

        static let all = [
            RowCheck(
                "reports and freed of a leak are the sums of its releases", .leakTotals),
            RowCheck(
                "reports and freed of a leak in a release are the sums of its builds",
                """
                select count(*) from leak_release c where (reports, freed) <>
                  (select \(cappedSumSQL(of: "p.reports")), \(cappedSumSQL(of: "p.freed"))
                   from leak_build p join build b on b.id = p.build
                   where p.leak = c.leak and b.release = c.release)
                """),
            RowCheck(
                "reports of a leak are the sum of its days",
                """
                select count(*) from leak l
                where reports <> (select \(cappedSumSQL(of: "reports")) from leak_day where leak = l.id)
                """),
            RowCheck(
                "the last hour of a leak is in its last day with reports",
                """
                select count(*) from leak l
                left join lateral (select max(day) as day from leak_day where leak = l.id and reports > 0) d on true
                where (last_hour is null) <> (d.day is null)
                  or last_hour not between d.day * 24 and d.day * 24 + 23
                """),
            RowCheck(
                "the last hour of a leak in a release is in its last day with reports",
                """
                select count(*) from leak_release n
                left join lateral (select max(day) as day from leak_day
                  where leak = n.leak and release = n.release and reports > 0) d on true
                where (last_hour is null) <> (d.day is null)
                  or last_hour not between d.day * 24 and d.day * 24 + 23
                """),
            RowCheck(
                // Expiry may have deleted some hours of a leak's oldest day, or all hours of the leak.
                "reports of a day are the sum of its hours, if all hours are kept",
                """
                select count(*) from leak_day d
                where day > (select min(hour) / 24 from leak_hour where leak = d.leak)
                  and reports <> (select \(cappedSumSQL(of: "reports")) from leak_hour h where h.leak = d.leak
                    and h.release = d.release and h.hour between d.day * 24 and d.day * 24 + 23)
                """),
            RowCheck(
                "reports of a leak by system and by model are no more than all its reports",
                """
                select count(*) from leak l where exists (select 1 from leak_value where leak = l.id and kind < 2 group by kind
                  having \(cappedSumSQL(of: "reports")) > l.reports)
                """),
            RowCheck(
                "retained bytes of a leak are the median of its explanations",
                "select count(*) from leak l where retained_bytes <> \(RetainedBytes.medianSQL(ofLeak: "l.id"))"
            ),
            RowCheck(
                "reports and freed of a release are the sums of its leaks", .releaseTotals),
            RowCheck(
                "checks of a release are the sum of its classes", .releaseChecks),
            RowCheck(
                "reports of a leak in a build by bucket of installs are no more than all its reports there",
                "select count(*) from leak_build where \(BucketCountsNumeric.totalSQL(ofColumn: "buckets")) > reports"
            ),
            RowCheck(
                "checks of a class in a build by bucket of installs are no more than all its checks there",
                "select count(*) from build_check where \(BucketCountsNumeric.totalSQL(ofColumn: "buckets")) > checks"
            ),
            RowCheck(
                "leaks, reports and freed of an app are the sums of its leaks", .appTotals),
            RowCheck(
                "the message of a leak is that of its newest report",
                """
                select count(*) from leak_text t
                left join sample s on s.leak = t.leak and s.slot = \(SampleSlot.newest)
                where t.message is distinct from message_of(s.body)
                """),
            RowCheck(
                "builds of a leak are counted correctly", .leakBuilds),
            RowCheck(
                "the stored number of leak builds of an app is not too large",
                """
                select count(*) from app a
                where cells > (select coalesce(sum(builds), 0) from leak where app = a.id)
                """),
            RowCheck(
                "the current release of an app is the pinned one, or the highest with adoption",
                """
                select count(*) from app a where newest_release is distinct from
                  (\(CurrentRelease.rowIDSQL))
                """),
            RowCheck(
                "the impact of a leak is its recent installs in the current release", .impact),
            RowCheck(
                "the first version of a leak is one of its versions, and an evicted one only if that is `other`",
                """
                select count(*) from leak l where not exists (
                  select 1 from leak_release c join release r on r.id = c.release
                  where c.leak = l.id and c.release = l.first_release and (l.first_order is null or r.version = 'other'))
                """),
            RowCheck(
                "leaks and new leaks of a release are counted correctly",
                """
                select count(*) from release r where (leaks, new_leaks) <>
                  ((select count(*) from leak_release where release = r.id),
                   (select count(*) from leak where first_release = r.id))
                """),
            RowCheck(
                "the first build of a leak is the lowest build of its first version in which it was seen",
                .firstBuild),
            RowCheck(
                "the decision in force for a leak is a decision about it",
                """
                select count(*) from leak l where state <> 0 and not exists (select 1 from decision d
                  where d.id = l.state and d.leak = l.id and d.kind in ('resolve', 'ignore'))
                """),
            RowCheck(
                "counts per release from when a leak was resolved belong to its current decision",
                "select count(*) from decision_release where decision not in (select state from leak)"),
            RowCheck(
                "counts of a leak from when it was resolved are no more than its counts now",
                """
                select count(*) from decision_release s where reports > (select coalesce(max(c.reports), 0)
                  from decision d join leak_release c on c.leak = d.leak and c.release = s.release
                  where d.id = s.decision)
                """),
            RowCheck(
                "reports that a leak had from the hour in which it was resolved are no more than its reports now",
                """
                select count(*) from decision_release s where hour_reports > (select coalesce(max(c.reports), 0)
                  from decision d join leak_release c on c.leak = d.leak and c.release = s.release
                  where d.id = s.decision)
                """),
            // If the reports of a day arrive after the app's row of that day has expired, they count only for the leak.
            RowCheck(
                "reports of an app's days and slots are no more than those of its leaks",
                """
                select count(*) from app_day d
                left join (select l.app, n.day, \(cappedSumSQL(of: "n.reports")) as reports
                  from leak_day n join leak l on l.id = n.leak group by l.app, n.day) s
                  on s.app = d.app and s.day = d.day
                where least(d.reports + (select coalesce(sum(reports), 0) from app_slot
                    where app = d.app and slot between d.day * 144 and d.day * 144 + 143), LARGEST_TOTAL)
                  > coalesce(s.reports, 0)
                """),
            RowCheck(
                "an idempotency key has its answer",
                "select count(*) from idempotency i where not exists (select 1 from answer where id = i.answer)"
            ),
            RowCheck(
                "rows with installs have a set of installs",
                """
                select count(*) from (
                  select 0 as scope, id as owner, 0 as part from leak where installs > 0
                  union all select 1, leak, build from leak_build where installs > 0
                  union all select 2, leak, release from leak_release where installs > 0
                  union all select 3, id, 0 from release where installs > 0) c
                where not exists (select 1 from install_set i
                  where i.scope = c.scope and i.owner = c.owner and i.part = c.part)
                """),
            RowCheck(
                "rows that other rows refer to exist",
                """
                select (select count(*) from leak_text t where not exists (select 1 from leak where id = t.leak))
                  + (select count(*) from leak l where not exists (select 1 from leak_text where leak = l.id))
                  + (select count(*) from leak l where not exists (select 1 from app where id = l.app))
                  + (select count(*) from release r where not exists (select 1 from app where id = r.app))
                  + (select count(*) from leak_release c where not exists (select 1 from leak where id = c.leak))
                  + (select count(*) from recent_install_set s where not exists (
                     select 1 from leak_release where leak = s.leak and release = s.release))
                  + (select count(*) from leak_build c where not exists (select 1 from build where id = c.build))
                  + (select count(*) from build b where not exists (select 1 from release where id = b.release))
                  + (select count(*) from sample s where not exists (select 1 from leak where id = s.leak))
                  + (select count(*) from decision d where not exists (select 1 from leak where id = d.leak))
                  + (select count(*) from decision_release s where not exists (select 1 from release where id = s.release))
                  + (select count(*) from leak_element e
                     where not exists (select 1 from leak where id = e.leak and app = e.app))
                  + (select count(*) from merged_leak m where not exists (select 1 from leak where id = m.leak))
                  + (select count(*) from leak_merge m where not exists (select 1 from leak where id = m.leak and app = m.app)
                     or exists (select 1 from leak where key = m.source))
                  + (select count(*) from leak_merge_release c where not exists (
                     select 1 from leak_merge m join release r on r.app = m.app where m.id = c.merge and r.id = c.release))
                  + (select count(*) from leak_merge_sample s where not exists (select 1 from leak_merge where id = s.merge))
                  + (select count(*) from app_day d where not exists (select 1 from app where id = d.app))
                """),
        ]
    }
#endif
