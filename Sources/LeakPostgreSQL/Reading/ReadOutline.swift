#if PostgreSQL
    internal import LeakStore

    extension PostgreSQLReader {
        func outlines(similarTo id: LeakID) throws(StoreError) -> [LeakOutline] {
            try snapshot { connection throws(StoreError) in
                guard let leak = try connection.read(StoreQueries.outline(of: id)) else { return [] }
                let similar = try connection.read(Self.similarNames(to: leak)).nearest
                return try connection.read(
                    StoreQueries.outlines(
                        """
                        with this as (select id, app, class from leak where key = $1::uuid)
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
                        """, .id(id), .integers(GroupingKeyElements.hashes(of: leak.groupingKey)),
                        .int(SimilarLeakLimits.maxSearchedLeaksOfClass),
                        .int(SimilarLeakLimits.maxReadLeaksOfClass),
                        .int(SimilarLeakLimits.maxLeaksPerElement), .integers(similar)))
            }
        }

        /// Reads the leaks whose class or text is compared with that of a leak.
        ///
        /// For a leak with a class, it reads at most 2 × ``SimilarLeakLimits/maxComparedClassNames`` entries of the index
        /// `leak_of_class`, and the other entries of the last class in each direction. For a leak without a class, it reads the
        /// entries of all leaks of the app without a class.
        private static func similarNames(to leak: LeakOutline) -> StoreRead<SimilarNameSearch> {
            StoreQueries.similarNames(
                leak.className == nil
                    ? """
                    select l.id, null::text as class, t.grouped_class as text from leak this
                    cross join lateral (select l.id from leak l
                      where l.app = this.app and l.class is null and l.id <> this.id
                      order by l.id desc limit $2::bigint) as l
                    join leak_text t on t.leak = l.id where this.key = $1::uuid
                    """
                    : """
                    select l.id, l.class, '' as text from leak this cross join lateral (
                      (select l.id, l.class from leak l where l.app = this.app and l.class > this.class
                        order by l.class, l.id limit $2::bigint)
                      union all
                      (select l.id, l.class from leak l where l.app = this.app and l.class < this.class
                        order by l.class desc, l.id desc limit $2::bigint)) as l
                    where this.key = $1::uuid
                    """, to: leak)
        }
    }
#endif
