#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func forgetCounts(of target: ForgetTarget) throws(StoreError) -> ForgetCounts? {
            try snapshot { connection throws(StoreError) in
                guard let row = try connection.run(Self.query(for: target)).first, row.int(6) > 0 else {
                    return nil
                }
                var counts = ForgetCounts()
                counts.environments = row.int(0)
                counts.versions = row.int(1)
                counts.leaks = row.int(2)
                counts.reports = row.int(3)
                counts.samples = row.int(4)
                counts.decisions = row.int(5)
                if case .key = target {
                    counts.builds = row.int(10)
                    counts.merges = row.int(11)
                    counts.kept.environments = row.int(7)
                    counts.kept.versions = row.int(8)
                    counts.kept.leaks = row.int(9)
                }
                return counts
            }
        }

        /// SQL for the number of samples of the leaks in `gone`.
        private static let samplesSQL = "select count(*) from gone join sample s on s.leak = gone.leak"
        /// SQL for the number of decisions about the leaks in `gone`.
        private static let decisionsSQL = "select count(*) from gone join decision d on d.leak = gone.leak"
        private static let reportsSQL = "least(coalesce(sum(reports), 0), LARGEST_TOTAL)::bigint"

        /// Returns a query for the counts in the order of ``ForgetCounts``, and for a number that is 0 if there is no target.
        private static func query(for target: ForgetTarget) -> Query {
            switch target {
            case .leak(let id):
                Query(
                    """
                    with gone as (select id as leak, reports from leak where key = any($1::uuid[]))
                    select 0::bigint, 0::bigint, count(*), \(reportsSQL), (\(samplesSQL)), (\(decisionsSQL)), count(*)
                    from gone
                    """, .uuids([id]))
            case .version(let version, let app):
                Query(
                    """
                    with found as (select r.id, r.app, r.version, r.reports from app a join release r on r.app = a.id
                        where a.name = $1::text and a.environment = $2::text and r.version = $3::text),
                      counted as (select c.leak, not exists (
                          select 1 from leak_release o where o.leak = c.leak and o.release <> c.release) as is_complete
                        from found f join leak_release c on c.release = f.id),
                      gone as (select leak from counted where is_complete)
                    select 0::bigint, count(*), (select count(*) from gone), \(reportsSQL), (\(samplesSQL)) + (
                        select count(*) from counted c cross join found f join sample s on s.leak = c.leak
                        where not c.is_complete and (s.version = f.version or f.version = 'other'
                          and not exists (select 1 from release r where r.app = f.app and r.version = s.version))),
                      (\(decisionsSQL)), count(*)
                    from found
                    """, .text(app.name), .text(app.environment), .text(version))
            case .environment(let app): query(ofApp: app.name, environment: app.environment)
            case .app(let name): query(ofApp: name, environment: nil)
            case .key(let key, let since): query(ofKey: key, since: since ?? .min)
            }
        }

        private static func query(ofKey key: Int64, since: Int64) -> Query {
            let isMade = "made_by = $1::bigint and made_at >= $2::bigint and is_shared"
            return Query(
                """
                with app_gone as (select id from app where \(isMade) = 0),
                  release_gone as (select id, app, version from release
                    where \(isMade) = 0 or app in (select id from app_gone)),
                  gone as (select id as leak, reports from leak
                    where \(isMade) = 0 or app in (select id from app_gone)
                    union select l.id, l.reports
                    from release_gone g join leak_release c on c.release = g.id join leak l on l.id = c.leak
                    where not exists (select 1 from leak_release o
                      where o.leak = c.leak and o.release not in (select id from release_gone))),
                  partial as (select c.leak, c.reports, g.app, g.version
                    from release_gone g join leak_release c on c.release = g.id
                    where c.leak not in (select leak from gone)),
                  merge_gone as (select case length(source_body) when 0 then 0 else reports end as reports from leak_merge
                    where \(isMade) = 0 and app not in (select id from app_gone)),
                  numbers as (select (select count(*) from app_gone) as environments,
                    (select count(*) from release_gone) as versions,
                    (select count(*) from gone) + (select count(*) from merge_gone where reports > 0) as leaks,
                    (select count(*) from build b where made_by = $1::bigint and made_at >= $2::bigint
                      and release not in (select id from release_gone) and session_buckets = 0 and leaky_buckets = 0
                      and not exists (select 1 from build_check where build = b.id)
                      and not exists (select 1 from leak_release c join leak_build p on p.leak = c.leak and p.build = b.id
                        where c.release = b.release and c.leak not in (select leak from gone))) as builds,
                    (select count(*) from merge_gone) as merges,
                    (select count(*) from app where \(isMade) = 1) as kept_environments,
                    (select count(*) from release where \(isMade) = 1) as kept_versions,
                    (select count(*) from leak where \(isMade) = 1) as kept_leaks)
                select environments, versions, leaks,
                  least((select coalesce(sum(reports), 0) from gone) + (select coalesce(sum(reports), 0) from partial)
                    + (select coalesce(sum(reports), 0) from merge_gone),
                    LARGEST_TOTAL)::bigint,
                  (\(samplesSQL)) + (select count(*) from partial p join sample s on s.leak = p.leak
                    where s.version = p.version or p.version = 'other'
                      and not exists (select 1 from release r where r.app = p.app and r.version = s.version)),
                  (\(decisionsSQL)),
                  environments + versions + leaks + builds + merges + kept_environments + kept_versions + kept_leaks,
                  kept_environments, kept_versions, kept_leaks, builds, merges
                from numbers
                """, .integer(key), .integer(since))
        }

        private static func query(ofApp name: String, environment: String?) -> Query {
            Query(
                """
                with found as (
                    select id, reports from app where name = $1::text and ($2::text is null or environment = $2::text)),
                  gone as (select l.id as leak from found f join leak l on l.app = f.id)
                select count(*), (select count(*) from found f join release r on r.app = f.id),
                  (select count(*) from gone), \(reportsSQL), (\(samplesSQL)), (\(decisionsSQL)), count(*)
                from found
                """, .text(name), .text(environment))
        }
    }
#endif
