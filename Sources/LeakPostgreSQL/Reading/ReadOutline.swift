#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func target(ofMerged id: LeakID) throws(StoreError) -> LeakID? {
            try snapshot { connection throws(StoreError) in
                try connection.run(
                    Query(
                        """
                        select l.key from merged_leak m join leak l on l.id = m.leak
                        where m.key = any($1::uuid[]) and not exists (select 1 from leak where key = m.key)
                        """, .uuids([id]))
                ).first.flatMap { LeakID(blob: $0.bytes(0)) }
            }
        }

        func outline(of id: LeakID) throws(StoreError) -> LeakOutline? {
            try snapshot { connection throws(StoreError) in
                let rows = try connection.run(
                    Query(
                        """
                        select \(LeakOutline.Column.list)
                        from leak l join leak_text t on t.leak = l.id where l.key = any($1::uuid[])
                        """, .uuids([id])))
                guard let row = rows.first else { return nil }
                return try LeakOutline(row, in: connection.name)
            }
        }

        func outlines(near id: LeakID) throws(StoreError) -> [LeakOutline] {
            guard let leak = try outline(of: id) else { return [] }
            return try snapshot { connection throws(StoreError) in
                let rows = try connection.run(
                    Query(
                        """
                        with this as (select id, app, class from leak where key = any($1::uuid[]))
                        select \(LeakOutline.Column.list)
                        from (
                          select id from (select other.id from this cross join lateral (
                              select l.id, l.reports from leak l
                              where l.app = this.app and l.class = this.class and l.id <> this.id
                              limit $3::bigint) as other
                            order by other.reports desc, other.id limit $4::bigint) as same
                          union
                          select e.leak from this cross join unnest($2::bigint[]) as asked (element)
                          cross join lateral (
                            select e.leak from leak_element e
                            where e.app = this.app and e.element = asked.element and e.leak <> this.id
                            order by e.leak limit $5::bigint) as e
                        ) as near join leak l on l.id = near.id join leak_text t on t.leak = l.id
                        """, .uuids([id]),
                        .integers(KeyElements.hashes(of: leak.groupedBy).map(Optional.some)),
                        .integer(CloseLeaks.classRows), .integer(CloseLeaks.classLeaks),
                        .integer(CloseLeaks.leaksPerElement)))
                var outlines: [LeakOutline] = []
                for row in rows { outlines.append(try LeakOutline(row, in: connection.name)) }
                return outlines
            }
        }
    }
#endif
