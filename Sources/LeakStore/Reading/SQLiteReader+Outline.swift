extension SQLiteReader {
    func outlines(similarTo id: LeakID) throws(StoreError) -> [LeakOutline] {
        try snapshot { connection throws(StoreError) in
            guard let leak = try connection.read(StoreQueries.outline(of: id)) else { return [] }
            let similarLeaks = try connection.read(Self.similarNames(to: leak)).nearest
            return try connection.read(
                StoreQueries.outlines(
                    """
                    with this as (select id, app, class from leak where key = $1),
                      same_class as (
                        select id from (select l.id, l.reports from this cross join leak l indexed by leak_of_class
                            on l.app = this.app and l.class = this.class where l.id <> this.id limit $3)
                          order by reports desc, id limit $4),
                      same_element as (
                        select e.leak as id from this cross join json_each($2) j cross join leak_element e
                          on e.app = this.app and e.element = j.value and e.leak <> this.id
                          and e.leak <= coalesce((select leak from leak_element
                            where app = this.app and element = j.value and leak <> this.id order by leak limit 1 offset $5),
                            0x7FFFFFFFFFFFFFFF))
                    select \(LeakOutline.Column.columnsSQL)
                    from (select id from same_class union select id from same_element
                      union select value from json_each($6)) n
                    cross join leak l on l.id = n.id join leak_text t on t.leak = l.id
                    """, .id(id), .integers(GroupingKeyElements.hashes(of: leak.groupingKey)),
                    .int(SimilarLeakLimits.maxSearchedLeaksOfClass),
                    .int(SimilarLeakLimits.maxReadLeaksOfClass),
                    .int(SimilarLeakLimits.maxLeaksPerElement - 1), .integers(similarLeaks)))
        }
    }

    /// Reads the leaks whose class or text is compared with that of a leak: at most 2 ×
    /// ``SimilarLeakLimits/maxComparedClassNames`` entries of the index `leak_of_class`, or
    /// ``SimilarLeakLimits/maxComparedTexts`` rows.
    private static func similarNames(to leak: LeakOutline) -> StoreRead<SimilarNameSearch> {
        StoreQueries.similarNames(
            leak.className == nil
                ? """
                with this as (select id, app from leak where key = $1)
                select l.id, null as class, t.grouped_class as text
                from this cross join leak l indexed by leak_of_class
                  on l.app = this.app and l.class is null and l.id <> this.id
                join leak_text t on t.leak = l.id order by l.id desc limit $2
                """
                : """
                with this as (select app, class from leak where key = $1)
                select id, class, '' as text from (
                  select l.id, l.class from this cross join leak l indexed by leak_of_class
                  on l.app = this.app and l.class > this.class order by l.class limit $2)
                union all
                select id, class, '' from (select l.id, l.class from this cross join leak l indexed by leak_of_class
                  on l.app = this.app and l.class < this.class order by l.class desc limit $2)
                """, to: leak)
    }

    /// Clears cached data about leaks if leaks were merged or deleted since the last call: their row IDs may be reused for other
    /// leaks.
    func clearOutdatedCaches() throws(StoreError) {
        let newestMerge =
            try connection.number("select seq from sqlite_sequence where name = 'merged_leak'") ?? 0
        guard newestMerge != lastMerge else { return }
        lastMerge = newestMerge
        knownCache = KnownLeakCache()
        decisionCache = DecisionCache()
    }
}
