#if PostgreSQL
    internal import LeakStore

    extension WriteBatch {
        func samplesUpsert() -> Query? {
            let samples = details.samples
            guard !samples.isEmpty else { return nil }
            let reports = samples.map { sample in
                let submission = submissions[sample.candidate.sightingIndex.submission]
                let sighting = submission.sightings[sample.candidate.sightingIndex.sighting]
                return (
                    at: sighting.at, origin: submission.origins[sighting.originIndex],
                    body: sample.body
                )
            }
            let origins = reports.map(\.origin)
            return Query(
                """
                insert into sample (leak, slot, ordinal, at, version, build, system, model, install_hash, install,
                  "user", body)
                select new.*
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[],
                  $8::text[], $9::bigint[], $10::text[], $11::text[], $12::bytea[])
                  as new (leak, slot, ordinal, at, version, build, system, model, install_hash, install, "user", body)
                order by new.leak, new.slot
                on conflict (leak, slot) do update set ordinal = excluded.ordinal, at = excluded.at,
                  version = excluded.version, build = excluded.build, system = excluded.system,
                  model = excluded.model, install_hash = excluded.install_hash, install = excluded.install,
                  "user" = excluded."user", body = excluded.body
                """, .integers(samples.map { $0.leakRowID }), .integers(samples.map { $0.candidate.slot }),
                .integers(samples.map { $0.candidate.ordinal }), .integers(reports.map { $0.at }),
                .texts(origins.map(\.version)), .texts(origins.map(\.build)), .texts(origins.map(\.system)),
                .texts(origins.map(\.model)),
                .integers(origins.map { $0.installHash.map { Int64(bitPattern: $0) } }),
                .texts(origins.map(\.install)), .texts(origins.map(\.user)),
                .byteArrays(reports.map(\.body)))
        }

        /// Returns the query that writes the messages of newest reports.
        func messagesUpdate() -> Query? {
            let newest = details.samples.filter { $0.candidate.slot == SampleSlot.newest }
            guard !newest.isEmpty else { return nil }
            return Query(
                """
                update leak_text t set message = new.message
                from (select leak, message_of(body) as message from unnest($1::bigint[], $2::bytea[]) as new (leak, body)
                  offset 0) as new
                where t.leak = new.leak and t.message is distinct from new.message
                """, .integers(newest.map { $0.leakRowID }), .byteArrays(newest.map(\.body)))
        }
    }

    extension Query {
        /// Statements that set the messages of all leaks from their newest reports.
        static let allMessagesUpdateStatements = [
            """
            update leak_text t set message = message_of(s.body) from sample s
            where s.leak = t.leak and s.slot = \(SampleSlot.newest)
            """,
            "analyze leak_text",
        ]

        /// Returns the query that sets the message of one leak from its newest report.
        static func messageUpdate(of leak: Int64) -> Query {
            Query(
                """
                update leak_text t set message = (
                  select message_of(s.body) from sample s where s.leak = t.leak and s.slot = $2::bigint)
                where t.leak = $1::bigint
                """, .integer(leak), .integer(SampleSlot.newest))
        }
    }
#endif
