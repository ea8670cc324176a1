extension Migration {
    /// Version 9: leaks by the elements of their keys.
    static let schema9 = Migration(
        version: 9,
        script: """
            -- element: KeyElements. A leak that is merged away takes its rows along; there is no reference, since nothing
            -- finds them by their leak.
            create table if not exists leak_element (
              app integer not null references app,
              element integer not null,
              leak integer not null,
              primary key (app, element, leak)
            ) without rowid;
            """,
        convert: { connection throws(StoreError) in
            let rows = 500
            var last: Int64 = 0
            var isLeft = true
            while isLeft {
                let select = try connection.statement(
                    """
                    select t.leak, l.app, t.stack, t.children, t.cycle, t.grouped_version, t.grouped_class, t.grouped_stack
                    from leak_text t join leak l on l.id = t.leak where t.leak > ? order by t.leak limit ?
                    """)
                try select.bind(last, rows)
                var leaks: [(row: Int64, app: Int64, elements: [Int64])] = []
                var count = 0
                while try select.step() {
                    count += 1
                    last = select.int64(0)
                    guard
                        let key = GroupedBy(
                            version: select.int(5), className: select.text(6), packed: select.bytes(7),
                            stack: select.bytes(2), children: select.bytes(3), cycle: select.bytes(4))
                    else { continue }
                    leaks.append((last, select.int64(1), KeyElements.hashes(of: key)))
                }
                select.reset()
                for leak in leaks {
                    for element in leak.elements {
                        try connection.run(
                            "insert or ignore into leak_element (app, element, leak) values (?, ?, ?)",
                            leak.app, element, leak.row)
                    }
                }
                isLeft = count == rows
            }
        })
}
