extension Migration {
    /// Version 4: a release with few installs and sessions is not the newest release of an app if another release has more.
    static let schema4 = Migration(
        version: 4,
        // This SQL is the rule of schema 4. It stays the same, although ``CurrentRelease`` now has another rule.
        script: """
            update app set newest_release = (select id from release where app = app.id
              order by (order_key >= x'02' and (installs >= 2 or sessions >= 100)) desc, order_key desc limit 1);
            update leak as l set impact = i.installs
              from (select l.id as leak, coalesce(c.installs, 0) as installs from app a join leak l on l.app = a.id
                left join leak_release c on c.leak = l.id and c.release = a.newest_release) i
              where i.leak = l.id and l.impact <> i.installs;
            update leak set rank_impact = impact where moving = 0 and rank_impact <> impact;
            """)
}

extension Migration {
    /// Version 5: the state of the clock by which rows and idempotency keys expire.
    static let schema5 = Migration(
        version: 5,
        script: """
            -- One row: StoreClock.Stored. Without the row, the time of the system clock is used.
            create table if not exists clock (
              id integer primary key,
              wall integer not null,
              keys integer not null,
              waited integer not null
            );
            insert or ignore into clock (id, wall, keys, waited)
              select 1, seen, max(seen, (select coalesce(max(at), 0) from idempotency)), 0
              from (select max(last_seen) as seen from app) where seen is not null;
            """)
}

extension Migration {
    /// Version 6: texts are stored once, and the bytes that an ingest key adds on a day are counted.
    static let schema6 = Migration(
        version: 6, script: "alter table idempotency_use add column text_bytes integer not null default 0",
        convert: { connection throws(StoreError) in
            let maxRowsPerStep = 100
            var lastRowID: Int64 = 0
            var hasMoreRows = true
            while hasMoreRows {
                let select = try connection.statement(
                    """
                    select t.leak, t.title, l.class, t.module, t.stack, t.children, t.cycle, t.grouped_stack
                    from leak_text t left join leak l on l.id = t.leak where t.leak > ? order by t.leak limit ?
                    """)
                defer { select.reset() }
                try select.bind(lastRowID, maxRowsPerStep)
                var texts: [StoredTexts] = []
                var count = 0
                while try select.step() {
                    count += 1
                    lastRowID = select.int64(0)
                    if let convertedTexts = StoredTexts(
                        rowID: lastRowID, title: select.text(1), className: select.optionalText(2),
                        module: select.optionalText(3), stack: select.bytes(4), children: select.bytes(5),
                        cycle: select.bytes(6), groupedStack: select.bytes(7))
                    {
                        texts.append(convertedTexts)
                    }
                }
                for row in texts {
                    try connection.run(
                        "update leak_text set grouped_stack = ?, search = ? where leak = ?", row.groupedStack,
                        row.search, row.rowID)
                }
                hasMoreRows = count == maxRowsPerStep
            }
            try connection.execute(
                """
                update app set text_bytes = (select coalesce(sum(length(cast(title as blob)) + length(stack)
                    + length(children) + length(cycle) + length(cast(grouped_class as blob)) + length(grouped_stack)
                    + length(cast(search as blob))), 0)
                  from leak l join leak_text t on t.leak = l.id where l.app = app.id)
                """)
        })
}

/// Texts of a leak, converted to the form in which each text is stored once.
package struct StoredTexts: Sendable {
    package let rowID: Int64
    package let groupedStack: [UInt8]
    package let search: String

    /// - Returns: `nil` if a text cannot be read. Such texts are not converted.
    package init?(
        rowID: Int64, title: String, className: String?, module: String?, stack: [UInt8], children: [UInt8],
        cycle: [UInt8], groupedStack: [UInt8]
    ) {
        guard let stack = PackedReader.texts(stack), let children = PackedReader.texts(children),
            let cycle = PackedReader.texts(cycle), let groupingStack = PackedReader.texts(groupedStack)
        else { return nil }
        self.rowID = rowID
        let identity = LeakIdentity(
            id: LeakID(high: 0, low: 0), app: "", kind: "", className: className, module: module,
            title: title,
            stack: stack, children: children, cycle: cycle, quality: .full,
            groupingKey: GroupingKey(version: 0, className: "", stack: groupingStack))
        self.groupedStack = identity.packedGroupedStack
        search = SearchText.of(identity)
    }
}

extension Migration {
    /// Version 7: logs of systems and models, and of idempotency keys.
    static let schema7 = Migration(
        version: 7,
        script: """
            -- Reports by system and by model that are not yet in leak_value: ValueLog.
            create table value_log (
              id integer primary key,
              counts blob not null
            );
            -- Keys that are not yet in idempotency: KeyLog.
            create table key_log (
              id integer primary key,
              keys blob not null
            );
            """)
}

extension Migration {
    /// Version 8: the ids of leaks that were merged into other leaks.
    static let schema8 = Migration(
        version: 8,
        script: """
            -- key: the id of a leak that was merged into another one. leak: that other leak. Ids are never used again: readers drop
            -- their caches of leaks when a higher id appears.
            create table if not exists merged_leak (
              id integer primary key autoincrement,
              key blob not null unique,
              leak integer not null references leak on delete cascade,
              at integer not null
            );
            create index if not exists merged_leak_into on merged_leak (leak);
            """)
}

extension Migration {
    /// Version 9: a table that finds leaks by the elements of their keys.
    static let schema9 = Migration(
        version: 9,
        script: """
            -- element: a hash by GroupingKeyElements. Merging a leak deletes its rows. The column leak is no foreign key,
            -- because no index finds rows by leak.
            create table if not exists leak_element (
              app integer not null references app,
              element integer not null,
              leak integer not null,
              primary key (app, element, leak)
            ) without rowid;
            """,
        convert: { connection throws(StoreError) in
            let maxRowsPerStep = 500
            var lastRowID: Int64 = 0
            var hasMoreRows = true
            while hasMoreRows {
                let select = try connection.statement(
                    """
                    select t.leak, l.app, t.stack, t.children, t.cycle, t.grouped_version, t.grouped_class, t.grouped_stack
                    from leak_text t join leak l on l.id = t.leak where t.leak > ? order by t.leak limit ?
                    """)
                try select.bind(lastRowID, maxRowsPerStep)
                var leaks: [(rowID: Int64, app: Int64, elements: [Int64])] = []
                var count = 0
                while try select.step() {
                    count += 1
                    lastRowID = select.int64(0)
                    guard
                        let key = GroupingKey(
                            version: select.int(5), className: select.text(6), packed: select.bytes(7),
                            stack: select.bytes(2), children: select.bytes(3), cycle: select.bytes(4))
                    else { continue }
                    leaks.append((lastRowID, select.int64(1), GroupingKeyElements.hashes(of: key)))
                }
                select.reset()
                for leak in leaks {
                    for element in leak.elements {
                        try connection.run(
                            "insert or ignore into leak_element (app, element, leak) values (?, ?, ?)",
                            leak.app, element, leak.rowID)
                    }
                }
                hasMoreRows = count == maxRowsPerStep
            }
        })
}

extension Migration {
    /// Version 10: symbols of images.
    static let schema10 = Migration(
        version: 10,
        script: """
            -- kind: image or mapping. image: StoredSymbols.image. Ids are never used again: readers reload tables when a higher id
            -- appears. body: the compressed table, the last column because it is long.
            create table if not exists symbol_table (
              id integer primary key autoincrement,
              kind text not null,
              image text not null,
              name text not null,
              uploaded_at integer not null,
              used_at integer not null,
              bytes integer not null,
              body blob not null,
              unique (kind, image)
            );
            create index if not exists symbol_table_by_use on symbol_table (used_at);
            """)
}

extension Migration {
    /// Version 11: the bytes that an object of each leak retains, to sort lists by cost.
    static let schema11 = Migration(
        version: 11,
        script: """
            -- retained_bytes: the median that RetainedBytes.medianSQL(ofLeak:) computes.
            alter table leak add column retained_bytes integer not null default 0;
            update leak set retained_bytes = \(RetainedBytes.medianSQL(ofLeak: "leak.id"))
            where id in (select leak from leak_value where kind = \(ValueKind.retainedBytes.rawValue));
            """)
}

extension Migration {
    /// Version 12: a log of the counts of leaks.
    static let schema12 = Migration(
        version: 12,
        script: """
            -- Counts that are not yet in leak, leak_release, leak_build, leak_hour, leak_day and sample: CountLog.
            create table if not exists count_log (
              id integer primary key,
              counts blob not null
            );
            """)
}

extension Migration {
    /// Version 13: the bytes of samples and explanations that an ingest key adds on a day.
    static let schema13 = Migration(
        version: 13,
        script: """
            -- detail_bytes: bytes that count towards StoreLimits.detailBytesPerKeyAndDay.
            alter table idempotency_use add column detail_bytes integer not null default 0;
            """)
}
