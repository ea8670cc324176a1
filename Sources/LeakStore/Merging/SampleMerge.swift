/// Chooses the samples of a merged leak: the first, the newest, and a random choice in which each report of both leaks had
/// about the same chance.
package struct SampleMerge {
    /// A stored sample, with its sample slot.
    package struct KeptSample: Hashable, Sendable {
        package var slot: Int
        package var ordinal: Int
        /// Time of the report, in milliseconds since 1970.
        package var reportedAt: Int64

        package init(slot: Int, ordinal: Int, reportedAt: Int64) {
            self.slot = slot
            self.ordinal = ordinal
            self.reportedAt = reportedAt
        }
    }

    /// A sample that stays stored, with its former sample slot (`from`) and its new slot (`slot`).
    package struct Move: Hashable, Sendable {
        /// `true` for a sample of the leak that is merged into the other leak.
        package var isSource: Bool
        package var from: Int
        package var slot: Int
        package var ordinal: Int
        /// Time of the report, in milliseconds since 1970.
        package var reportedAt: Int64
    }

    /// The samples that stay stored, in the order of their new sample slots.
    package private(set) var moves: [Move] = []

    /// - Parameters:
    ///   - target: the samples of the leak that the other leak is merged into.
    ///   - targetReceivedReports: number of reports that the target received.
    ///   - seed: the seed of the random choice. The same seed and samples give the same result.
    package init(
        target: [KeptSample], targetReceivedReports: Int, source: [KeptSample], sourceReceivedReports: Int,
        seed: UInt64
    ) {
        func move(_ sample: KeptSample, isSource: Bool, to slot: Int) -> Move {
            var ordinal = sample.ordinal
            if isSource { ordinal.addBounded(targetReceivedReports) }
            return Move(
                isSource: isSource, from: sample.slot, slot: slot, ordinal: ordinal,
                reportedAt: sample.reportedAt)
        }
        func bestSample(in slot: Int, isBetter: (Int64, Int64) -> Bool) -> Move? {
            let ours = target.first { $0.slot == slot }
            guard let theirs = source.first(where: { $0.slot == slot }) else {
                return ours.map { move($0, isSource: false, to: slot) }
            }
            guard let ours else { return move(theirs, isSource: true, to: slot) }
            let isTheirs = isBetter(theirs.reportedAt, ours.reportedAt)
            return move(isTheirs ? theirs : ours, isSource: isTheirs, to: slot)
        }
        moves = [
            bestSample(in: SampleSlot.first, isBetter: <), bestSample(in: SampleSlot.newest, isBetter: >),
        ]
        .compactMap(\.self)
        var ours = target.filter { $0.slot >= SampleSlot.reservoir }.sorted { $0.slot < $1.slot }
        var theirs = source.filter { $0.slot >= SampleSlot.reservoir }.sorted { $0.slot < $1.slot }
        var allSightings = targetReceivedReports
        allSightings.addBounded(sourceReceivedReports)
        guard allSightings > Reservoir.size else {
            // There is room for all samples: each gets the sample slot of its ordinal, as if one leak had received all reports. After
            // a merge was undone, the slots of the target may be higher than its number of reports, so that the slot may be taken.
            moves += ours.map { move($0, isSource: false, to: $0.slot) }
            var freeSlots = Set(SampleSlot.reservoir..<(SampleSlot.reservoir + Reservoir.size))
            freeSlots.subtract(ours.map(\.slot))
            for sample in theirs {
                let slot = SampleSlot.reservoir + targetReceivedReports + sample.ordinal - 1
                guard let free = freeSlots.contains(slot) ? slot : freeSlots.min() else { break }
                freeSlots.remove(free)
                moves.append(move(sample, isSource: true, to: free))
            }
            moves.sort { $0.slot < $1.slot }
            return
        }
        var weights = (
            ours: max(targetReceivedReports, ours.count), theirs: max(sourceReceivedReports, theirs.count)
        )
        var state = seed
        func draw(below limit: Int) -> Int {
            state = SplitMix64.mix(state &+ 0x9E37_79B9_7F4A_7C15)
            return Int(state.multipliedFullWidth(by: UInt64(limit)).high)
        }
        for slot in SampleSlot.reservoir..<(SampleSlot.reservoir + Reservoir.size) {
            guard !ours.isEmpty || !theirs.isEmpty else { break }
            let isTheirs =
                ours.isEmpty
                || (!theirs.isEmpty && draw(below: weights.ours + weights.theirs) >= weights.ours)
            if isTheirs {
                weights.theirs -= 1
                moves.append(
                    move(theirs.remove(at: draw(below: theirs.count)), isSource: true, to: slot))
            } else {
                weights.ours -= 1
                moves.append(move(ours.remove(at: draw(below: ours.count)), isSource: false, to: slot))
            }
        }
    }
}

/// Merges the counts of two leaks by value, such as the reports by system.
package enum ValueMerge {
    /// Adds the counts of the source leak to the counts of the target leak. All values of the target are still counted by name.
    /// Values of the source, most reports first, are counted by name until there are ``ValueKind/limit`` names; the others are
    /// counted together under an empty name.
    package static func merged(
        _ target: [(value: String, reports: Int)], _ source: [(value: String, reports: Int)]
    ) -> [(value: String, reports: Int)] {
        var counts: [ByteText: Int] = [:]
        for row in target { counts[ByteText(row.value), default: 0].addBounded(row.reports) }
        var namedCount = counts.keys.count { !$0.text.isEmpty }
        let order = source.sorted {
            $0.reports == $1.reports
                ? $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) : $0.reports > $1.reports
        }
        for row in order {
            var name = ByteText(row.value)
            if counts[name] == nil, !row.value.isEmpty {
                if namedCount < ValueKind.limit { namedCount += 1 } else { name = ByteText("") }
            }
            counts[name, default: 0].addBounded(row.reports)
        }
        return counts.map { ($0.key.text, $0.value) }
            .sorted { $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) }
    }
}
