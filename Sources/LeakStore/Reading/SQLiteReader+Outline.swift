extension SQLiteReader {
    func target(ofMerged id: LeakID) throws(StoreError) -> LeakID? {
        let select = try connection.statement(
            """
            select l.key from merged_leak m join leak l on l.id = m.leak
            where m.key = ?1 and not exists (select 1 from leak where key = ?1)
            """)
        defer { select.reset() }
        try select.bind(id.bytes)
        return try select.step() ? LeakID(blob: select.bytes(0)) : nil
    }

    func outline(of id: LeakID) throws(StoreError) -> LeakOutline? {
        try snapshot { () throws(StoreError) in try readStoredOutline(of: id) }
    }

    private func readStoredOutline(of id: LeakID) throws(StoreError) -> LeakOutline? {
        let select = try connection.statement(
            composed: """
                select \(LeakOutline.Column.columnsSQL)
                from leak l join leak_text t on t.leak = l.id where l.key = ?
                """)
        defer { select.reset() }
        try select.bind(id.bytes)
        return try select.step() ? LeakOutline(select, in: connection.path) : nil
    }

    func outlines(similarTo id: LeakID) throws(StoreError) -> [LeakOutline] {
        try snapshot { () throws(StoreError) in
            guard let leak = try readStoredOutline(of: id) else { return [] }
            let similarLeaks = try leaksWithSimilarNames(leak)
            let select = try connection.statement(
                composed: """
                    with this as (select id, app, class from leak where key = ?1),
                      same_class as (
                        select id from (select l.id, l.reports from this cross join leak l indexed by leak_of_class
                            on l.app = this.app and l.class = this.class where l.id <> this.id limit ?3)
                          order by reports desc, id limit ?4),
                      same_element as (
                        select e.leak as id from this cross join json_each(?2) j cross join leak_element e
                          on e.app = this.app and e.element = j.value and e.leak <> this.id
                          and e.leak <= coalesce((select leak from leak_element
                            where app = this.app and element = j.value and leak <> this.id order by leak limit 1 offset ?5),
                            0x7FFFFFFFFFFFFFFF))
                    select \(LeakOutline.Column.columnsSQL)
                    from (select id from same_class union select id from same_element
                      union select value from json_each(?6)) n
                    cross join leak l on l.id = n.id join leak_text t on t.leak = l.id
                    """)
            defer { select.reset() }
            try select.bind(
                id.bytes, GroupingKeyElements.hashes(of: leak.groupingKey).jsonArray,
                SimilarLeakLimits.maxSearchedLeaksOfClass,
                SimilarLeakLimits.maxReadLeaksOfClass, SimilarLeakLimits.maxLeaksPerElement - 1,
                similarLeaks.jsonArray)
            var outlines: [LeakOutline] = []
            while try select.step() { outlines.append(try LeakOutline(select, in: connection.path)) }
            return outlines
        }
    }

    /// Returns the row IDs of leaks whose class or text is similar to that of a leak. Reads at most 2 ×
    /// ``SimilarLeakLimits/maxComparedClassNames`` entries of the index `leak_of_class`, or
    /// ``SimilarLeakLimits/maxComparedTexts`` rows.
    private func leaksWithSimilarNames(_ leak: LeakOutline) throws(StoreError) -> [Int64] {
        let select =
            leak.className == nil
            ? try connection.statement(
                """
                with this as (select id, app from leak where key = ?1)
                select l.id, null, t.grouped_class from this cross join leak l indexed by leak_of_class
                  on l.app = this.app and l.class is null and l.id <> this.id
                join leak_text t on t.leak = l.id order by l.id desc limit ?2
                """)
            : try connection.statement(
                """
                with this as (select app, class from leak where key = ?1)
                select id, class, '' from (select l.id, l.class from this cross join leak l indexed by leak_of_class
                  on l.app = this.app and l.class > this.class order by l.class limit ?2)
                union all
                select id, class, '' from (select l.id, l.class from this cross join leak l indexed by leak_of_class
                  on l.app = this.app and l.class < this.class order by l.class desc limit ?2)
                """)
        defer { select.reset() }
        try select.bind(
            leak.id.bytes,
            leak.className == nil
                ? SimilarLeakLimits.maxComparedTexts : SimilarLeakLimits.maxComparedClassNames)
        var search = SimilarNameSearch(to: leak)
        while try select.step() {
            search.add(select.int64(0), className: select.optionalText(1), text: select.text(2))
        }
        return search.nearest
    }

    /// Clears cached data about leaks if leaks were merged since the last call: the row IDs of merged leaks may be reused for
    /// other leaks.
    func forgetMergedLeaks() throws(StoreError) {
        let newestMerge = try connection.number("select coalesce(max(id), 0) from merged_leak") ?? 0
        guard newestMerge != lastMerge else { return }
        lastMerge = newestMerge
        knownCache = KnownLeakCache()
        decisionCache = DecisionCache()
    }
}
