extension QueryReader {
    package func events(_ query: EventQuery) throws(StoreError) -> [Event] {
        try read(StoreQueries.events(query))
    }

    package func eventMarks(after appRowID: Int64, limit: Int) throws(StoreError) -> [EventMark] {
        try read(StoreQueries.eventMarks(after: appRowID, limit: limit))
    }

    package func overLimitCounts(app: AppScope) throws(StoreError) -> [OverLimitCount] {
        try read(StoreQueries.overLimitCounts(app))
    }

    package func resolvedLeaks(
        withoutEventOf app: AppKey, after leakRowID: Int64, limit: Int
    ) throws(StoreError) -> [ResolvedLeak] {
        try snapshot { connection throws(StoreError) in
            let eventTimes = try connection.read(StoreQueries.fixEventTimes(of: app))
            var statuses: [Int64: DecisionStatus] = [:]
            for leak in try decidedLeaks(app: app.scope, on: connection) where leak.leakRowID > leakRowID {
                let status = leak.decisionStatus
                guard case .resolved = status.decision.action else { continue }
                let kind: Event.Kind = status.isRegressed ? .regressed : .fixed
                let eventTime = eventTimes[leak.leakRowID]?[kind] ?? .min
                if eventTime < status.decision.at { statuses[leak.leakRowID] = status }
            }
            let rowIDs = Array(statuses.keys.sorted().prefix(limit))
            guard !rowIDs.isEmpty else { return [] }
            let builder = FixHistory.Builder(.current, of: rowIDs)
            _ = try connection.readAll(
                builder.fixes, builder.earlierReports, builder.builds, builder.days)
            let titles = try connection.read(StoreQueries.titles(of: rowIDs))
            return rowIDs.compactMap { rowID in
                guard let (id, title) = titles[rowID], let status = statuses[rowID] else { return nil }
                let counts = builder.histories[rowID]?.current ?? FixCounts()
                return ResolvedLeak(
                    leakRowID: rowID, id: id, title: title, decisionStatus: status,
                    fix: counts.status(regressedIn: status.regressedIn, build: status.regressedInBuild))
            }
        }
    }
}

extension StoreQueries {
    fileprivate static func events(_ query: EventQuery) -> StoreRead<[Event]> {
        enum Column: Int32, QueryColumn {
            case id, at, kind, app, environment, version, build, key, leak, title, text, details, hasLeak
        }
        var values: [StoreValue] = []
        var conditions = ["e.is_silent = 0"]
        func add(_ condition: String, _ value: StoreValue, as type: String) {
            values.append(value)
            conditions.append("\(condition) $\(values.count)::\(type)")
        }
        if let app = query.filter.app { add("e.app =", .text(app), as: "text") }
        if let environment = query.filter.environment {
            add("e.environment =", .text(environment), as: "text")
        }
        if let kind = query.filter.kind { add("e.kind =", .text(kind.rawValue), as: "text") }
        let order: String
        switch query.range {
        case .after(let id):
            add("e.id >", .integer(id), as: "bigint")
            order = "e.id"
        case .before(let id):
            add("e.id <", .integer(id), as: "bigint")
            order = "e.id desc"
        }
        values.append(.int(query.limit))
        return StoreRead(
            .composed(
                """
                select e.id, e.at, e.kind, e.app, e.environment, e.version, e.build, e.key, e.leak, e.title, e.text,
                  e.details, exists (select 1 from leak l where l.key = e.leak)
                    or exists (select 1 from merged_leak m where m.key = e.leak) as has_leak
                from event e where \(conditions.joined(separator: " and "))
                order by \(order) limit $\(values.count)::bigint
                """), values, into: []
        ) { (row: NamedRow<Column>, events) throws(StoreError) in
            let (app, version, build) = (row.text(.app), row.text(.version), row.text(.build))
            var event = Event(
                id: row.int64(.id), at: row.time(.at), kind: Event.Kind(rawValue: row.text(.kind)),
                app: app.isEmpty ? nil : AppKey(app, environment: row.text(.environment)),
                version: version.isEmpty ? nil : version, build: build.isEmpty ? nil : build,
                leak: row.isNull(.leak) ? nil : try row.id(.leak), key: row.text(.key),
                title: row.text(.title), text: row.text(.text), details: row.text(.details))
            event.hasLeak = row.bool(.hasLeak)
            events.append(event)
        }
    }

    fileprivate static func eventMarks(after appRowID: Int64, limit: Int) -> StoreRead<[EventMark]> {
        enum Column: Int32, QueryColumn {
            case id, name, environment, version, state, recordedState
        }
        return StoreRead(
            """
            select a.id, a.name, a.environment, r.version,
              a.last_seen || ' ' || a.reports || ' ' || coalesce(r.id, 0) || ' ' || coalesce(r.sessions, 0)
                || ' ' || coalesce(r.checks, 0) as state,
              m.state as recorded_state
            from app a left join release r on r.id = a.newest_release left join event_mark m on m.app = a.id
            where a.id > $1::bigint order by a.id limit $2::bigint
            """, .integer(appRowID), .int(limit)
        ) { (row: NamedRow<Column>) in
            EventMark(
                appRowID: row.int64(.id), app: AppKey(row.text(.name), environment: row.text(.environment)),
                currentRelease: row.optionalText(.version), state: row.text(.state),
                recordedState: row.optionalText(.recordedState))
        }
    }

    /// Reads the time of the last event about a fix of each leak, by row ID in `leak` and kind. Events of a merged leak count
    /// for the leak that has its reports.
    fileprivate static func fixEventTimes(of app: AppKey) -> StoreRead<[Int64: [Event.Kind: Int64]]> {
        enum Column: Int32, QueryColumn { case leak, kind, at }
        return StoreRead(
            """
            select coalesce((select id from leak where key = e.leak),
                (select leak from merged_leak where key = e.leak), 0) as leak, e.kind, max(e.at) as at
            from event e where e.kind in ('fixed', 'regressed') and e.app = $1::text and e.environment = $2::text
            group by 1, 2
            """, [.text(app.name), .text(app.environment)], into: [:]
        ) { (row: NamedRow<Column>, times) in
            times[row.int64(.leak), default: [:]][Event.Kind(rawValue: row.text(.kind))] = row.time(.at)
        }
    }

    fileprivate static func titles(of leaks: [Int64]) -> StoreRead<[Int64: (id: LeakID, title: String)]> {
        enum Column: Int32, QueryColumn { case id, key, title }
        return StoreRead(
            .composed(
                """
                select l.id, l.key, t.title from \(listedSQL) leak l on l.id = j.value join leak_text t on t.leak = l.id
                """), [.integers(leaks)], into: [:]
        ) { (row: NamedRow<Column>, titles) throws(StoreError) in
            titles[row.int64(.id)] = (try row.id(.key), row.text(.title))
        }
    }
}
