extension SQLiteReader {
    /// Returns the samples of a leak. A report in several sample slots is returned once: as the newest, else as the first, else
    /// as a random one.
    func samples(of leak: Int64) throws(StoreError) -> [SampleReport] {
        let select = try connection.statement(
            """
            select j.value, s.ordinal, s.at, a.name, s.version, s.build, s.system, s.model, s.install_hash,
              s.install, s.user, s.body, a.environment
            from json_each('[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]') j
            join sample s on s.id = j.value << 40 | ?1 join leak l on l.id = ?1 join app a on a.id = l.app
            order by case j.value when 1 then 0 when 0 then 1 else 2 end, s.at desc, s.ordinal desc
            """)
        defer { select.reset() }
        try select.bind(leak)
        var seenOrdinals: Set<Int> = []
        var samples: [SampleReport] = []
        while try select.step() {
            guard seenOrdinals.insert(select.int(1)).inserted else { continue }
            let reason: SampleReport.Reason =
                switch select.int(0) {
                case SampleSlot.first: .first
                case SampleSlot.newest: .newest
                default: .random
                }
            let origin = Submission.Origin(
                app: select.text(3), environment: select.text(12), version: select.text(4),
                build: select.optionalText(5), system: select.optionalText(6), model: select.optionalText(7),
                installHash: select.optionalInt64(8).map { UInt64(bitPattern: $0) },
                install: select.optionalText(9), user: select.optionalText(10))
            guard let json = SampleBody.json(select.bytes(11)) else {
                throw .unreadable("a report", in: connection.path)
            }
            samples.append(SampleReport(reason: reason, at: select.time(2), origin: origin, body: json))
        }
        if samples.count > 1, samples[1].reason == .first { samples.swapAt(0, 1) }
        return samples
    }

    func sampleCount(of leak: Int64) throws(StoreError) -> Int {
        let select = try connection.statement(
            """
            select count(distinct s.ordinal)
            from json_each('[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]') j
            join sample s on s.id = j.value << 40 | ?1
            """)
        defer { select.reset() }
        try select.bind(leak)
        return try select.step() ? select.int(0) : 0
    }
}
