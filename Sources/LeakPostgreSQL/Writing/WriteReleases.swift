#if PostgreSQL
    internal import LeakStore

    extension WriteBatch {
        func releasesUpdate() -> Query? {
            guard !aggregate.releases.isEmpty else { return nil }
            let releases = aggregate.releases
            return Query(
                """
                update release r set first_seen = least(r.first_seen, d.first_seen),
                  last_seen = greatest(r.last_seen, d.last_seen), leaks = r.leaks + d.leaks,
                  reports = least(r.reports + d.reports, LARGEST_TOTAL),
                  freed = least(r.freed + d.freed, LARGEST_TOTAL),
                  sessions = least(r.sessions + d.sessions, LARGEST_TOTAL),
                  leaky_sessions = least(r.leaky_sessions + d.leaky_sessions, LARGEST_TOTAL),
                  checks = least(r.checks + d.checks, LARGEST_TOTAL), installs = coalesce(d.installs, r.installs),
                  is_shared = \(Self.isSharedSQL("r"))
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                  $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
                  as d (id, first_seen, last_seen, leaks, reports, freed, sessions, leaky_sessions, checks, installs,
                  key, has_other_keys)
                where r.id = d.id
                """, .integers(rowIDs.releases.map { $0 }), .integers(releases.map { $0.span.first }),
                .integers(releases.map { $0.span.last }), .integers(newLeakCountsOfReleases),
                .integers(releases.map { $0.reports }), .integers(releases.map { $0.freed }),
                .integers(releases.map { $0.sessions }), .integers(releases.map { $0.leakySessions }),
                .integers(releases.map { $0.checks }),
                .integers(rowIDs.releases.map { installCount(of: .release(rowID: $0)) }),
                .integers(releases.map { Optional($0.key) }),
                .integers(releases.map { $0.hasOtherKeys ? 1 as Int : 0 }))
        }

        /// Returns the query that writes the number of leaks that were first seen in each release. Such a release may have no reports
        /// in this transaction.
        func firstReleasesUpdate() -> Query? {
            let changes = firstReleaseChanges.filter { $0.value != 0 }.sorted { $0.key < $1.key }
            guard !changes.isEmpty else { return nil }
            return Query(
                """
                update release r set new_leaks = r.new_leaks + d.change
                from unnest($1::bigint[], $2::bigint[]) as d (id, change) where r.id = d.id
                """, .integers(changes.map(\.key)), .integers(changes.map(\.value)))
        }

        /// Returns the query that counts sessions by bucket. It runs after ``releasesUpdate()``, because it reads the total of
        /// sessions.
        func sessionsUpsert() -> Query? {
            let builds = aggregate.builds.indices.filter {
                !aggregate.builds[$0].sessions.isEmpty || !aggregate.builds[$0].leakySessions.isEmpty
            }.sorted { rowIDs.builds[$0] < rowIDs.builds[$1] }
            guard !builds.isEmpty else { return nil }
            let sum = { (column: String) in
                BucketCountsNumeric.sumSQL("b.\(column)", "d.\(column)", totalSQL: "r.sessions")
            }
            return Query(
                """
                update build b set session_buckets = \(sum("session_buckets")), leaky_buckets = \(sum("leaky_buckets"))
                from unnest($1::bigint[], $2::numeric[], $3::numeric[]) as d (id, session_buckets, leaky_buckets), release r
                where b.id = d.id and r.id = b.release
                """, .integers(builds.map { rowIDs.builds[$0] }),
                .buckets(builds.map { BucketCounts(aggregate.builds[$0].sessions) }),
                .buckets(builds.map { BucketCounts(aggregate.builds[$0].leakySessions) }))
        }

        /// - Parameter maxClasses: number of classes that one build counts separately.
        func checksUpsert(maxClasses: Int) -> Query? {
            CappedCounts.checks.upsert(of: knownChecks + details.checks.map(\.row), maxNames: maxClasses)
        }
    }
#endif
