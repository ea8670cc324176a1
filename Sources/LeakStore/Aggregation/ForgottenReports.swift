/// The deleted reports of an app, by day and hour. They are subtracted from the app's days and ten-minute slots.
///
/// The store does not know how many of the reports of a slot belong to a leak. It knows the reports of a leak by hour: these are
/// subtracted from the slots of the hour, in proportion to the reports of these slots. If the hour has no slots any more, its
/// reports are subtracted from the day.
package struct ForgottenReports: Sendable {
    private static let slotsPerHour = 6
    private static let hoursPerDay = 24

    /// Reports by day since 1970.
    package private(set) var days: [Int: Int] = [:]
    /// Reports by hour since 1970. An old day has no hours.
    private var hours: [Int: Int] = [:]

    package init() {}

    package mutating func add(_ reports: Int, day: Int) { days[day, default: 0].addBounded(reports) }

    package mutating func add(_ reports: Int, hour: Int) { hours[hour, default: 0].addBounded(reports) }

    /// Subtracts the reports from the counts of an app.
    ///
    /// - Parameters:
    ///   - slots: the reports of the app by ten-minute slot since 1970.
    ///   - appDays: the reports of the app by day, without those in `slots`.
    /// - Returns: the changed counts.
    package func subtracted(
        fromSlots slots: [Int: Int], days appDays: [Int: Int]
    ) -> (slots: [Int: Int], days: [Int: Int]) {
        var (changedSlots, changedDays): ([Int: Int], [Int: Int]) = ([:], [:])
        let slotsByHour = Dictionary(grouping: slots.keys) { $0 / Self.slotsPerHour }

        func subtract(_ reports: Int, fromSlots numbers: [Int]) -> Int {
            let numbers = numbers.sorted()
            let counts = numbers.map { changedSlots[$0] ?? slots[$0] ?? 0 }
            let sum = counts.reduce(0) { $0 + $1 }
            let subtracted = min(reports, sum)
            guard subtracted > 0 else { return 0 }
            for (number, count) in zip(numbers, Self.scaled(counts, toSum: sum - subtracted)) {
                changedSlots[number] = count
            }
            return subtracted
        }

        for (day, total) in days where total > 0 {
            var rest = total
            let dayHours = (day * Self.hoursPerDay)..<((day + 1) * Self.hoursPerDay)
            let numbers = dayHours.flatMap { slotsByHour[$0] ?? [] }
            if !numbers.isEmpty {
                for hour in dayHours {
                    guard let numbers = slotsByHour[hour], let reports = hours[hour] else { continue }
                    rest -= subtract(min(reports, rest), fromSlots: numbers)
                }
            }
            if rest > 0, let reports = appDays[day] {
                changedDays[day] = max(0, reports - rest)
                rest -= min(rest, reports)
            }
            // Reports that arrived late count in another hour for the leak than for the app.
            if rest > 0 { _ = subtract(rest, fromSlots: numbers) }
        }
        return (changedSlots, changedDays)
    }

    /// Reduces counts in proportion, so that their sum is `newSum`. No count becomes negative.
    ///
    /// - Parameter newSum: at most the sum of the counts.
    package static func scaled(_ counts: [Int], toSum newSum: Int) -> [Int] {
        var sum = 0
        for count in counts { sum.addBounded(count) }
        guard sum > 0, newSum < sum else { return counts }
        var (cumulative, scaledBefore) = (0, 0)
        return counts.map { count in
            cumulative = min(cumulative + count, sum)
            let scaled = sum.dividingFullWidth(cumulative.multipliedFullWidth(by: max(0, newSum))).quotient
            defer { scaledBefore = scaled }
            return scaled - scaledBefore
        }
    }

    /// Returns the part of a count that remains if the reports of its leak become fewer, rounded down.
    package static func remaining(_ count: Int, reports: Int, of formerReports: Int) -> Int {
        guard formerReports > 0, reports < formerReports else { return count }
        return formerReports.dividingFullWidth(count.multipliedFullWidth(by: max(0, reports))).quotient
    }
}
