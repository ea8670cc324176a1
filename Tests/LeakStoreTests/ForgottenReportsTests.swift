import Testing

@testable import LeakStore

@Suite struct ForgottenReportsTests {
    @Test
    func `reports are subtracted from the slots of their hour, then from their day, then from other slots`() {
        let day = 20_000
        let slot = day * 144
        var reports = ForgottenReports()
        reports.add(9, day: day)
        reports.add(6, hour: day * 24 + 1)
        let slots = [slot + 6: 3, slot + 7: 6, slot + 30: 5]
        let changed = reports.subtracted(fromSlots: slots, days: [day: 2])
        #expect(changed.slots.values.reduce(0, +) == 7 && changed.days == [day: 0])
        #expect(reports.subtracted(fromSlots: [:], days: [:]).slots.isEmpty)
        #expect(reports.subtracted(fromSlots: [:], days: [day: 100]).days == [day: 91])
    }

    @Test func `counts that are reduced in proportion have the new sum, and none is larger than before`() {
        #expect(ForgottenReports.scaled([1, 2, 3, 4], toSum: 5).reduce(0, +) == 5)
        #expect(ForgottenReports.scaled([10, 0, 30], toSum: 4) == [1, 0, 3])
        #expect(ForgottenReports.scaled([7, 8], toSum: 0) == [0, 0])
        #expect(ForgottenReports.scaled([7, 8], toSum: 99) == [7, 8])
        #expect(ForgottenReports.scaled([], toSum: 0) == [])
        let largest = [Total.largest - 1, 1]
        #expect(ForgottenReports.scaled(largest, toSum: Total.largest - 1).reduce(0, +) == Total.largest - 1)
        for sum in 0...60 {
            let counts = [3, 1, 0, 25, 31]
            let scaled = ForgottenReports.scaled(counts, toSum: sum)
            #expect(scaled.reduce(0, +) == sum && zip(scaled, counts).allSatisfy { $0 <= $1 })
        }
    }

    @Test func `the remaining part of a count is proportional to the remaining reports`() {
        #expect(ForgottenReports.remaining(10, reports: 1, of: 4) == 2)
        #expect(ForgottenReports.remaining(10, reports: 0, of: 4) == 0)
        #expect(ForgottenReports.remaining(10, reports: 5, of: 4) == 10)
        #expect(ForgottenReports.remaining(10, reports: 0, of: 0) == 10)
    }
}
