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
                        select \(LeakOutline.Column.columnsSQL)
                        from leak l join leak_text t on t.leak = l.id where l.key = any($1::uuid[])
                        """, .uuids([id])))
                guard let row = rows.first else { return nil }
                return try LeakOutline(row, in: connection.name)
            }
        }

        func outlines(similarTo id: LeakID) throws(StoreError) -> [LeakOutline] {
            guard let leak = try outline(of: id) else { return [] }
            return try snapshot { connection throws(StoreError) in
                let similar = try leaksWithSimilarNames(leak, connection)
                let rows = try connection.run(
                    Query(
                        """
                        with this as (select id, app, class from leak where key = any($1::uuid[]))
                        select \(LeakOutline.Column.columnsSQL)
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
                          union
                          select unnest($6::bigint[])
                        ) as near join leak l on l.id = near.id join leak_text t on t.leak = l.id
                        """, .uuids([id]),
                        .integers(GroupingKeyElements.hashes(of: leak.groupingKey).map(Optional.some)),
                        .integer(SimilarLeakLimits.maxSearchedLeaksOfClass),
                        .integer(SimilarLeakLimits.maxReadLeaksOfClass),
                        .integer(SimilarLeakLimits.maxLeaksPerElement),
                        .integers(similar.map(Optional.some))))
                var outlines: [LeakOutline] = []
                for row in rows { outlines.append(try LeakOutline(row, in: connection.name)) }
                return outlines
            }
        }

        /// Returns the row IDs of leaks with a class or text like that of a leak.
        ///
        /// For a leak with a class, it reads at most 2 × ``SimilarLeakLimits/maxComparedClassNames`` entries of the index
        /// `leak_of_class`, and the other entries of the last class in each direction. For a leak without a class, it reads the
        /// entries of all leaks of the app without a class.
        private func leaksWithSimilarNames(
            _ leak: LeakOutline, _ connection: PostgreSQLConnection
        ) throws(StoreError) -> [Int64] {
            let rows = try connection.run(
                leak.className == nil
                    ? Query(
                        """
                        select l.id, null::text, t.grouped_class from leak this
                        cross join lateral (select l.id from leak l
                          where l.app = this.app and l.class is null and l.id <> this.id
                          order by l.id desc limit $2::bigint) as l
                        join leak_text t on t.leak = l.id where this.key = any($1::uuid[])
                        """, .uuids([leak.id]), .integer(SimilarLeakLimits.maxComparedTexts))
                    : Query(
                        """
                        select l.id, l.class, '' from leak this cross join lateral (
                          (select l.id, l.class from leak l where l.app = this.app and l.class > this.class
                            order by l.class, l.id limit $2::bigint)
                          union all
                          (select l.id, l.class from leak l where l.app = this.app and l.class < this.class
                            order by l.class desc, l.id desc limit $2::bigint)) as l
                        where this.key = any($1::uuid[])
                        """, .uuids([leak.id]), .integer(SimilarLeakLimits.maxComparedClassNames)))
            var similar = SimilarNameSearch(to: leak)
            for row in rows { similar.add(row.int64(0), className: row.optionalText(1), text: row.text(2)) }
            return similar.nearest
        }
    }
#endif
