extension SQLiteReader {
    func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try values(.reason, of: leaks, limit: limit)
    }

    func closures(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try values(.closures, of: leaks, limit: limit)
    }

    private func values(
        _ kind: ValueKind, of leaks: [LeakID], limit: Int
    ) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try snapshot { () throws(StoreError) in
            let select = try connection.statement(
                """
                select v.value, v.reports from leak l join leak_value v on v.leak = l.id
                where l.key = ? and v.kind = ? and v.value <> '' order by v.reports desc, v.value limit ?
                """)
            var values: [LeakID: [LeakDetail.ValueCount]] = [:]
            for leak in leaks {
                defer { select.reset() }
                try select.bind(leak.bytes, kind.rawValue, limit)
                while try select.step() {
                    values[leak, default: []].append(
                        LeakDetail.ValueCount(value: select.text(0), reports: select.int(1)))
                }
            }
            return values
        }
    }
}
