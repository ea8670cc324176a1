#if PostgreSQL
    internal import LeakStore

    extension Writer {
        /// A query that takes the lock of transactions that add events. It is held until the commit, so that events are committed
        /// in the order of their ids, and a reader with a cursor misses none. The first number of the lock spells `EVNT` in ASCII.
        private static let eventLockQuery = Query(
            "select pg_advisory_xact_lock(1163284052, hashtext(current_schema()))")

        /// Adds events: ``Store/record(_:mark:)``.
        ///
        /// Locks the app before the events, as transactions that count or delete lock it before everything else of the app.
        func addEvents(_ events: [Event], mark: EventMark?) throws(StoreError) -> Int {
            let connection = try connector.open()
            do throws(StoreError) {
                connection.begin("begin")
                var queries = [Migration.sharedLockQuery, Migration.versionQuery]
                if let mark {
                    queries.append(
                        Query(
                            """
                            select a.id, exists (select 1 from event_mark where app = a.id and state = '') from app a
                            where a.id = $1::bigint and a.name = $2::text and a.environment = $3::text for no key update
                            """, .integer(mark.appRowID), .text(mark.app.name), .text(mark.app.environment)))
                }
                let answers = try connection.run(queries + [Self.eventLockQuery])
                try Migration.requireKnownVersion(answers[1], connection)
                let app = mark == nil ? nil : answers[2].first
                guard mark == nil || app != nil else {
                    try connection.run(Query("commit"))
                    return 0
                }
                let storable = events.map(\.storable)
                var changes = [Self.insertion(of: storable, isSilent: app?.bool(1) ?? false)]
                for app in Set(storable.compactMap(\.app)) {
                    changes.append(Query(Event.trimSQL.text, .text(app.name), .text(app.environment)))
                }
                if let mark {
                    changes.append(
                        Query(
                            """
                            insert into event_mark (app, state) values ($1::bigint, $2::text)
                            on conflict (app) do update set state = excluded.state
                            """, .integer(mark.appRowID), .text(mark.state)))
                }
                return try connection.run(changes + [Query("commit")])[0].changedRowCount
            } catch {
                connector.reset()
                throw error
            }
        }

        private static func insertion(of events: [Event], isSilent: Bool) -> Query {
            Query(
                """
                insert into event (\(Event.insertedColumnsSQL))
                select d.at, d.kind, d.app, d.environment, d.version, d.build, d.key, d.leak, d.title, d.text, d.details,
                  $12::bigint
                from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                  $8::uuid[], $9::text[], $10::text[], $11::text[]) with ordinality
                  as d (at, kind, app, environment, version, build, key, leak, title, text, details, number)
                where not \(Event.isKnownByMergedLeakSQL)
                order by d.number
                on conflict (kind, app, environment, version, build, key) do nothing
                """, .integers(events.map { Optional($0.at) }), .texts(events.map(\.kind.rawValue)),
                .texts(events.map { $0.app?.name ?? "" }), .texts(events.map { $0.app?.environment ?? "" }),
                .texts(events.map { $0.version ?? "" }), .texts(events.map { $0.build ?? "" }),
                .texts(events.map(\.key)), .optionalUUIDs(events.map(\.leak)),
                .texts(events.map(\.title)), .texts(events.map(\.text)), .texts(events.map(\.details)),
                .integer(isSilent ? 1 : 0))
        }
    }
#endif
