#if PostgreSQL
    internal import LeakStore

    extension Changes {
        func writeSamples() -> Query? {
            guard !samples.isEmpty else { return nil }
            let reports = samples.map { sample in
                let submission = submissions[sample.kept.place.submission]
                let sighting = submission.sightings[sample.kept.place.sighting]
                return (
                    at: sighting.at, origin: submission.origins[sighting.origin],
                    body: sample.body
                )
            }
            let origins = reports.map(\.origin)
            return Query(
                """
                insert into sample (leak, slot, ordinal, at, version, build, system, model, install_hash, install,
                  "user", body, message)
                select new.*, case when new.slot = $13::bigint then message_of(new.body) end
                from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[],
                  $8::text[], $9::bigint[], $10::text[], $11::text[], $12::bytea[])
                  as new (leak, slot, ordinal, at, version, build, system, model, install_hash, install, "user", body)
                order by new.leak, new.slot
                on conflict (leak, slot) do update set ordinal = excluded.ordinal, at = excluded.at,
                  version = excluded.version, build = excluded.build, system = excluded.system,
                  model = excluded.model, install_hash = excluded.install_hash, install = excluded.install,
                  "user" = excluded."user", body = excluded.body, message = excluded.message
                """, .integers(samples.map { $0.leak }), .integers(samples.map { $0.kept.slot }),
                .integers(samples.map { $0.kept.ordinal }), .integers(reports.map { $0.at }),
                .texts(origins.map(\.version)), .texts(origins.map(\.build)), .texts(origins.map(\.system)),
                .texts(origins.map(\.model)),
                .integers(origins.map { $0.installHash.map { Int64(bitPattern: $0) } }),
                .texts(origins.map(\.install)), .texts(origins.map(\.user)),
                .byteArrays(reports.map(\.body)), .integer(SampleSlot.newest))
        }
    }
#endif
