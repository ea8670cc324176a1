/// The contents of two leaks after a merge by hand is undone.
///
/// The source gets back the counts that it had, except those that were deleted since the merge. The target keeps all others: its
/// own counts, and all reports since the merge. Counts are subtracted. Sets of installs cannot be subtracted: the target has the
/// installs that it had before the merge, and the installs that neither leak had then. So an install of the source that reported
/// either leak since the merge is missing in the target until its next report.
struct MergeUndo {
    /// `nil` if all counts of the source were deleted since the merge.
    let source: LeakContents?
    let target: LeakContents

    /// - Parameters:
    ///   - merged: the merged leak now.
    ///   - saved: the copy of the source that the merge saved, without the releases that were deleted since.
    ///   - former: the copy of the target that the merge saved: ``LeakContents/removeUnneededData(toUndoMergeOf:other:)``.
    init(of merged: LeakContents, source saved: LeakContents, target former: LeakContents) {
        guard !saved.releases.isEmpty else {
            (source, target) = (nil, merged)
            return
        }
        let source = Self.source(saved)
        var target = LeakContents()
        target.leak = merged.leak
        for (id, release) in merged.releases {
            let rest = Self.rest(
                of: release, without: source.releases[id] ?? LeakContents.Release(),
                former: former.releases[id] ?? LeakContents.Release())
            if !rest.builds.isEmpty { target.releases[id] = rest }
        }
        target.samples = Self.samples(of: merged.samples, without: source, former: former.samples)
        target.leak.reports = target.reports
        target.leak.freed = target.freed
        target.leak.sightings = max(
            merged.leak.sightings - source.leak.sightings, target.samples.map(\.ordinal).max() ?? 0)
        target.leak.values = Self.values(
            of: merged.leak.values, without: source.leak.values, reports: target.leak.reports)
        target.leak.lived.subtract(source.leak.lived)
        if merged.leak.maxAlive == max(saved.leak.maxAlive ?? -1, former.leak.maxAlive ?? -1) {
            target.leak.maxAlive = former.leak.maxAlive
        }
        target.leak.madeAt = former.leak.madeAt
        // If the merged leak has a lower first version than both copies, that version came with reports, or with another merged
        // leak, since the merge. So it stays with the target.
        let isLower = [saved, former].allSatisfy {
            merged.leak.firstOrder.lexicographicallyPrecedes($0.leak.firstOrder)
        }
        target.leak.firstOrder = isLower ? merged.leak.firstOrder : former.leak.firstOrder
        (target.leak.firstSeen, target.leak.lastSeen) = Self.times(
            of: target, merged: merged.leak, source: saved.leak, former: former.leak)
        (self.source, self.target) = (source, target)
    }

    /// Returns the source without the counts of deleted releases. Counts that are not stored by release are reduced in proportion
    /// to the reports that are left, as when a version is deleted.
    private static func source(_ saved: LeakContents) -> LeakContents {
        var source = saved
        let (reports, freed) = (source.reports, source.freed)
        for id in source.releases.keys {
            guard let counts = source.releases[id]?.atDecision, let reports = source.releases[id]?.reports
            else { continue }
            source.releases[id]?.atDecision = .init(
                reports: min(counts.reports, reports), hourReports: min(counts.hourReports, reports))
        }
        source.leak.values = ValueKind.allCases.flatMap { kind -> [LeakContents.Leak.Value] in
            let values = saved.leak.values.filter { $0.kind == kind.rawValue }
            guard kind.countsReports else { return values }
            return scaled(values, reports: reports, of: saved.leak.reports)
        }
        source.leak.lived.scale(
            to: ForgottenReports.remaining(saved.leak.lived.count, reports: freed, of: saved.leak.freed))
        source.leak.sightings = max(
            ForgottenReports.remaining(saved.leak.sightings, reports: reports, of: saved.leak.reports),
            saved.samples.map(\.ordinal).max() ?? 0)
        (source.leak.reports, source.leak.freed) = (reports, freed)
        if let reportsThen = source.leak.decisionInForce?.reportsThen {
            source.leak.decisionInForce?.reportsThen = min(reportsThen, reports)
        }
        return source
    }

    /// Reduces the counts by value in proportion to the reports of the leak. Drops values whose count becomes 0.
    private static func scaled(
        _ values: [LeakContents.Leak.Value], reports: Int, of formerReports: Int
    ) -> [LeakContents.Leak.Value] {
        let sum = values.reduce(into: 0) { $0.addBounded($1.reports) }
        let counts = ForgottenReports.scaled(
            values.map(\.reports),
            toSum: min(reports, ForgottenReports.remaining(sum, reports: reports, of: formerReports)))
        return zip(values, counts).compactMap { value, count in
            count == 0 ? nil : LeakContents.Leak.Value(kind: value.kind, value: value.value, reports: count)
        }
    }

    /// Returns the counts of the target in one release: the merged counts without those of the source.
    private static func rest(
        of merged: LeakContents.Release, without source: LeakContents.Release, former: LeakContents.Release
    ) -> LeakContents.Release {
        var rest = merged
        for (id, theirs) in source.builds {
            guard var build = rest.builds[id] else { continue }
            build.reports = max(0, build.reports - theirs.reports)
            build.freed = max(0, build.freed - theirs.freed)
            build.buckets.subtract(theirs.buckets)
            build.installs.remove(theirs.installs, keeping: former.builds[id]?.installs ?? InstallSet())
            rest.builds[id] = build.isEmpty && former.builds[id] == nil ? nil : build
        }
        rest.hours = subtracted(source.hours, from: merged.hours)
        rest.days = subtracted(source.days, from: merged.days, isDay: true)
        rest.recentInstalls.remove(source.recentInstalls, keeping: former.recentInstalls)
        rest.atDecision = former.atDecision
        return rest
    }

    /// Subtracts counts by hour or by day. Counts of hours that have expired since the merge are ignored.
    ///
    /// - Parameter isDay: `true` for counts by day, which may have been combined with the first day of their week since.
    private static func subtracted(
        _ counts: [Int: Int], from all: [Int: Int], isDay: Bool = false
    ) -> [Int: Int] {
        var rest = all
        for (day, reports) in counts {
            let time = isDay && rest[day] == nil ? Calendar.firstDayOfWeek(day) : day
            guard let former = rest[time] else { continue }
            rest[time] = former > reports ? former - reports : nil
        }
        return rest
    }

    /// Subtracts counts by value. A merge counts values beyond the limit under the empty name. So the part of a count that the
    /// value does not have is subtracted from the count of the empty name.
    private static func values(
        of merged: [LeakContents.Leak.Value], without source: [LeakContents.Leak.Value], reports: Int
    ) -> [LeakContents.Leak.Value] {
        struct Key: Hashable {
            var kind: Int
            var value: ByteText
        }
        var counts: [Key: Int] = [:]
        for value in merged {
            counts[Key(kind: value.kind, value: ByteText(value.value)), default: 0] += value.reports
        }
        for value in source {
            var rest = value.reports
            for name in [value.value, ""] {
                let key = Key(kind: value.kind, value: ByteText(name))
                guard let count = counts[key] else { continue }
                counts[key] = max(0, count - rest)
                rest = max(0, rest - count)
            }
        }
        return ValueKind.allCases.flatMap { kind -> [LeakContents.Leak.Value] in
            let rest = merged.filter { $0.kind == kind.rawValue }.compactMap {
                value -> LeakContents.Leak.Value? in
                let count = counts[Key(kind: value.kind, value: ByteText(value.value))] ?? 0
                return count == 0 ? nil : .init(kind: value.kind, value: value.value, reports: count)
            }
            guard kind.countsReports else { return rest }
            let sum = rest.reduce(into: 0) { $0.addBounded($1.reports) }
            return scaled(rest, reports: min(sum, reports), of: sum)
        }
    }

    /// Returns the samples of the target: those that it had before the merge, and those of reports since the merge. The latter
    /// may replace former samples in the same sample slot.
    private static func samples(
        of merged: [LeakContents.Sample], without source: LeakContents, former: [LeakContents.Sample]
    ) -> [LeakContents.Sample] {
        var slots: [Int: LeakContents.Sample] = [:]
        for sample in former { slots[sample.slot] = sample }
        for var sample in merged.sorted(by: { $0.slot < $1.slot }) {
            guard !(source.samples + former).contains(where: { $0.isSameReport(as: sample) }) else {
                continue
            }
            sample.ordinal = max(1, sample.ordinal - source.leak.sightings)
            if sample.slot >= SampleSlot.reservoir, slots[sample.slot] != nil,
                let free = (SampleSlot.reservoir..<SampleSlot.count).first(where: { slots[$0] == nil })
            {
                sample.slot = free
            }
            slots[sample.slot] = sample
        }
        return slots.values.sorted { $0.slot < $1.slot }
    }

    /// Returns when the target was first and last seen: as before the merge, widened by the reports that it has now.
    private static func times(
        of target: LeakContents, merged: LeakContents.Leak, source: LeakContents.Leak,
        former: LeakContents.Leak
    ) -> (first: Int64, last: Int64) {
        var (first, last) = (max(former.firstSeen, merged.firstSeen), min(former.lastSeen, merged.lastSeen))
        if merged.firstSeen < min(former.firstSeen, source.firstSeen) { first = merged.firstSeen }
        if merged.lastSeen > max(former.lastSeen, source.lastSeen) { last = merged.lastSeen }
        let days = target.releases.values.flatMap(\.days.keys)
        guard let firstDay = days.min(), let lastDay = days.max() else { return (first, max(first, last)) }
        let hours = target.releases.values.flatMap(\.hours.keys)
        func hour(of day: Int, _ choose: ([Int]) -> Int?) -> Int? { choose(hours.filter { $0 / 24 == day }) }
        // A report that arrives late counts in the first hour of its day. So a count in that hour does not show that a report was
        // made so early.
        let (firstHour, lastHour) = (hour(of: firstDay) { $0.min() }, hour(of: lastDay) { $0.max() })
        let isEarlier = firstHour.map { $0 % 24 > 0 && $0 < Calendar.hour(of: first) } ?? false
        if isEarlier || firstDay < Calendar.day(of: first) {
            first = max(merged.firstSeen, Int64(firstHour ?? firstDay * 24) * Calendar.hourMilliseconds)
        }
        let isLater = lastHour.map { $0 > Calendar.hour(of: last) } ?? false
        if isLater || lastDay > Calendar.day(of: last) {
            last = min(
                merged.lastSeen, Int64((lastHour ?? lastDay * 24 + 23) + 1) * Calendar.hourMilliseconds - 1)
        }
        return (first, max(first, last))
    }
}
