extension SQLiteReader {
    func reasons(of leaks: [LeakID], limit: Int) throws(StoreError) -> [LeakID: [LeakDetail.ValueCount]] {
        try snapshot { () throws(StoreError) in
            let select = try connection.statement(
                """
                select v.value, v.reports from leak l join leak_value v on v.leak = l.id
                where l.key = ? and v.kind = ? and v.value <> '' order by v.reports desc, v.value limit ?
                """)
            var reasons: [LeakID: [LeakDetail.ValueCount]] = [:]
            for leak in leaks {
                defer { select.reset() }
                try select.bind(leak.bytes, ValueKind.reason.rawValue, limit)
                while try select.step() {
                    reasons[leak, default: []].append(
                        LeakDetail.ValueCount(value: select.text(0), reports: select.int(1)))
                }
            }
            return reasons
        }
    }
}
