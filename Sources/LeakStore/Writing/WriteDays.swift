extension Writer {
    /// Counts reports in their ten-minute slots. If a slot was deleted already, its reports count in their day.
    ///
    /// - Parameter expiry: ``StoreClock/expiryTime``.
    func writeSlots(of aggregate: SubmissionAggregate, _ rows: ResolvedRows, expiry: Int64) throws(StoreError)
    {
        let oldest = SlotWindow.oldestKept(now: expiry)
        let firstDay = Retention.firstAppDay(now: expiry)
        for slot in aggregate.slots {
            let app = rows.apps[aggregate.apps[slot.app].number].id
            if slot.number >= oldest {
                try write(slot, ofApp: app)
            } else if slot.day >= firstDay {
                let day = try write(slot.reports, onDay: slot.day, ofApp: app)
                _ = try add(slot.installHashes, to: .day, of: day)
            }
        }
    }

    private func write(_ slot: SubmissionAggregate.SlotCount, ofApp app: Int64) throws(StoreError) {
        let upsert = try connection.statement(
            """
            insert into app_slot (app, slot, reports) values (?, ?, ?)
            on conflict (app, slot) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
            returning id
            """)
        defer { upsert.reset() }
        try upsert.bind(app, slot.number, slot.reports)
        guard try upsert.step() else { return }
        let rowID = upsert.int64(0)
        while try upsert.step() {}
        _ = try add(slot.installHashes, to: .slot, of: rowID)
    }

    /// Adds reports to a day of an app.
    ///
    /// - Returns: the row ID in `app_day`.
    private func write(_ reports: Int, onDay day: Int, ofApp app: Int64) throws(StoreError) -> Int64 {
        let upsert = try connection.statement(
            """
            insert into app_day (app, day, reports) values (?, ?, ?)
            on conflict (app, day) do update set reports = min(reports + excluded.reports, LARGEST_TOTAL)
            returning id
            """)
        defer { upsert.reset() }
        try upsert.bind(app, day, reports)
        var rowID: Int64 = 0
        while try upsert.step() { rowID = upsert.int64(0) }
        return rowID
    }

    /// Adds the counts of the oldest ten-minute slots, at most `limit`, to their days, and deletes the slots. Slots of days
    /// before `firstDay` are only deleted.
    ///
    /// - Returns: the number of deleted ten-minute slots.
    func rollUp(slotsBefore oldest: Int, firstDay: Int, limit: Int) throws(StoreError) -> Int {
        let select = try connection.statement(
            "select id, app, slot, reports from app_slot where slot < ? order by slot, id limit ?")
        defer { select.reset() }
        try select.bind(oldest, limit)
        var slots: [(rowID: Int64, app: Int64, day: Int, reports: Int)] = []
        while try select.step() {
            slots.append(
                (select.int64(0), select.int64(1), Calendar.day(ofSlot: select.int(2)), select.int(3)))
        }
        select.reset()
        for slot in slots {
            let set = InstallScope.slot.rowID(ownerRowID: slot.rowID)
            if slot.day >= firstDay {
                let day = try write(slot.reports, onDay: slot.day, ofApp: slot.app)
                try merge(set, into: InstallScope.day.rowID(ownerRowID: day))
            }
            try connection.run("delete from install_set where id = ?", set)
            try connection.run("delete from app_slot where id = ?", slot.rowID)
        }
        return slots.count
    }
}
