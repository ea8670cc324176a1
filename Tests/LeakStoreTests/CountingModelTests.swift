import Testing

@testable import LeakStore

/// What counting means, without a database.
private struct CountingModel {
    struct Totals: Equatable {
        var reports = 0
        var freed = 0
        var installs: Set<UInt64> = []
        var byBuild: [String: Int] = [:]
        var bySystem: [String: Int] = [:]
        var first = Int64.max
        var last = Int64.min
        var days: [Int: Int] = [:]
    }

    var leaks: [LeakID: Totals] = [:]
    private var keys: [String: UInt8] = [:]

    mutating func count(_ submission: Submission) -> Receipt {
        if let idempotency = submission.idempotency {
            if let body = keys[idempotency.key] {
                return body == idempotency.bodyHash[0] ? .repeated(answer: submission.answer) : .keyReused
            }
            keys[idempotency.key] = idempotency.bodyHash[0]
        }
        for sighting in submission.sightings {
            let origin = submission.origins[sighting.origin]
            var totals = leaks[sighting.leak.id] ?? Totals()
            totals.first = min(totals.first, sighting.at)
            totals.last = max(totals.last, sighting.at)
            if sighting.isFreed {
                totals.freed += sighting.count
                totals.byBuild["\(origin.version) \(origin.build ?? "")", default: 0] += 0
            } else {
                totals.reports += sighting.count
                totals.byBuild["\(origin.version) \(origin.build ?? "")", default: 0] += sighting.count
                if let system = origin.system { totals.bySystem[system, default: 0] += sighting.count }
                if let install = origin.installHash { totals.installs.insert(install) }
                totals.days[Calendar.day(of: sighting.at), default: 0] += sighting.count
            }
            leaks[sighting.leak.id] = totals
        }
        return .counted
    }
}

@Suite struct CountingModelTests {
    /// Calls of random size, repeats, reused keys, full disks and reopenings against the model.
    @Test(arguments: (1...12).map { UInt64($0) })
    func `any interleaving gives the totals of the model`(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = Seeded(state: seed)
        var model = CountingModel()
        var store = try directory.store()
        var sent: [Submission] = []
        for _ in 0..<25 {
            var call: [Submission] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0, let again = sent.randomElement(using: &random)
                {
                    call.append(again)
                } else {
                    call.append(randomSubmission(&random))
                }
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                // A disk that is full for a while: nothing may be counted, nothing remembered.
                try store.limitPages(to: 1)
                let large = call + [bulky(&random)]
                #expect(throws: StoreError.self) { try store.count(large, now: noon) }
                try store.limitPages(to: 1_000_000)
            }
            let expected = call.map { model.count($0) }
            #expect(try store.count(call, now: noon) == expected)
            sent += call
            if Int.random(in: 0..<6, using: &random) == 0 { store = try directory.store() }
        }
        #expect(try store.verify() == [])
        let reader = try store.makeReader()
        #expect(try reader.leaks(LeakQuery(), now: noon).total == model.leaks.count)
        for (id, totals) in model.leaks {
            let detail = try #require(try reader.leak(id, now: noon))
            var found = CountingModel.Totals(
                reports: detail.row.reports, freed: detail.row.freed, installs: totals.installs,
                first: detail.row.firstSeen, last: detail.row.lastSeen)
            for version in detail.versions {
                found.byBuild["\(version.version) \(version.build ?? "")"] = version.reports
            }
            for system in detail.systems { found.bySystem[system.value] = system.reports }
            for (offset, count) in detail.row.trend.enumerated() where count > 0 {
                found.days[detail.row.trendFrom + offset] = count
            }
            #expect(found == totals)
            #expect(detail.row.installs == totals.installs.count)
        }
    }

    private func randomSubmission(_ random: inout Seeded) -> Submission {
        let reports = (0..<Int.random(in: 0...8, using: &random)).map { _ in
            Report(
                leak: leak("L\(Int.random(in: 0..<9, using: &random))"),
                version: ["1.0", "1.1", "2.0-beta"].randomElement(using: &random) ?? "",
                build: Bool.random(using: &random) ? "\(Int.random(in: 1...3, using: &random))" : nil,
                system: Bool.random(using: &random) ? "iOS \(Int.random(in: 15...19, using: &random))" : nil,
                install: Bool.random(using: &random) ? UInt64.random(in: 0..<60, using: &random) : nil,
                isFreed: Int.random(in: 0..<4, using: &random) == 0,
                at: noon - Int64.random(in: 0..<(13 * day), using: &random),
                count: Int.random(in: 1...5, using: &random), lived: 5)
        }
        let keyed = Bool.random(using: &random)
        return submission(
            reports, key: keyed ? "key \(Int.random(in: 0..<80, using: &random))" : nil,
            body: UInt8.random(in: 0...1, using: &random))
    }

    /// Reports of leaks not seen before, large enough to need pages.
    private func bulky(_ random: inout Seeded) -> Submission {
        submission(
            (0..<40).map { _ in
                Report(leak: leak("bulky \(random.next())"), body: String(repeating: "x", count: 4_000))
            })
    }
}
