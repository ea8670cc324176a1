extension Migration {
    /// Version 6: texts are stored once, and the bytes that an ingest key brings on a day are counted.
    static let schema6 = Migration(
        version: 6, script: "alter table idempotency_use add column text_bytes integer not null default 0",
        convert: { connection throws(StoreError) in
            let rows = 100
            var last: Int64 = 0
            var isLeft = true
            while isLeft {
                let select = try connection.statement(
                    """
                    select t.leak, t.title, l.class, t.module, t.stack, t.children, t.cycle, t.grouped_stack
                    from leak_text t left join leak l on l.id = t.leak where t.leak > ? order by t.leak limit ?
                    """)
                defer { select.reset() }
                try select.bind(last, rows)
                var texts: [StoredTexts] = []
                var count = 0
                while try select.step() {
                    count += 1
                    last = select.int64(0)
                    if let row = StoredTexts(
                        row: last, title: select.text(1), className: select.optionalText(2),
                        module: select.optionalText(3), stack: select.bytes(4), children: select.bytes(5),
                        cycle: select.bytes(6), groupedStack: select.bytes(7))
                    {
                        texts.append(row)
                    }
                }
                for row in texts {
                    try connection.run(
                        "update leak_text set grouped_stack = ?, search = ? where leak = ?", row.groupedStack,
                        row.search, row.row)
                }
                isLeft = count == rows
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
    package let row: Int64
    package let groupedStack: [UInt8]
    package let search: String

    /// - Returns: `nil` for texts that cannot be read; they stay as they are.
    package init?(
        row: Int64, title: String, className: String?, module: String?, stack: [UInt8], children: [UInt8],
        cycle: [UInt8], groupedStack: [UInt8]
    ) {
        guard let stack = PackedReader.texts(stack), let children = PackedReader.texts(children),
            let cycle = PackedReader.texts(cycle), let grouped = PackedReader.texts(groupedStack)
        else { return nil }
        self.row = row
        let identity = LeakIdentity(
            id: LeakID(high: 0, low: 0), app: "", kind: "", className: className, module: module,
            title: title,
            stack: stack, children: children, cycle: cycle, quality: .full,
            groupedBy: GroupedBy(version: 0, className: "", stack: grouped))
        self.groupedStack = identity.packedGroupedStack
        search = SearchText.of(identity)
    }
}
