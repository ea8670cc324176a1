import LeakSeededRandom
@testable import LeakStore

/// Computes in memory the counts that a store must have after the same submissions.
struct CountingModel: Sendable {
    struct Totals: Equatable, Sendable {
        var reports = 0
        var freed = 0
        var installHashes: Set<UInt64> = []
        var reportsByBuild: [String: Int] = [:]
        var reportsBySystem: [String: Int] = [:]
        var firstSeen = Int64.max
        var lastSeen = Int64.min
        /// By day since 1970.
        var reportsByDay: [Int: Int] = [:]
        /// By hour since 1970.
        var reportsByHour: [Int: Int] = [:]
    }

    struct Release: Equatable, Sendable {
        var reports = 0
        var installHashes: Set<UInt64> = []
        var sessions = 0
        var checks = 0
    }

    private struct IdempotencyKey: Hashable {
        var ingestKeyID: Int64
        var key: String
    }

    private(set) var leaks: [LeakID: Totals] = [:]
    /// Releases of the only app of the random submissions, by version.
    private(set) var releases: [String: Release] = [:]
    private var keys: [IdempotencyKey: (bodyHash: [UInt8], response: [UInt8], storedAt: Int64)] = [:]
    /// Credentials by hash; `true` if the credential was used or revoked.
    private(set) var credentials: [[UInt8]: Bool] = [:]

    /// Counts the submissions of one call, in order.
    mutating func count(_ submissions: [Submission], now: Int64) -> [Receipt] {
        submissions.map { count($0, now: now) }
    }

    private mutating func count(_ submission: Submission, now: Int64) -> Receipt {
        if let idempotency = submission.idempotency {
            let key = IdempotencyKey(ingestKeyID: submission.keyID, key: idempotency.key)
            if let known = keys[key], known.storedAt > now - 7 * day {
                return known.bodyHash == idempotency.bodyHash
                    ? .repeated(response: known.response) : .keyReused
            }
            keys[key] = (idempotency.bodyHash, submission.response, now)
        }
        for sighting in submission.sightings {
            count(sighting, submission.origins[sighting.originIndex], arrival: submission.receivedAt)
        }
        for usage in submission.usageCounts {
            releases[usage.version, default: Release()].sessions += usage.sessions
            releases[usage.version, default: Release()].checks += usage.checks.values.reduce(0, +)
        }
        return .counted
    }

    private mutating func count(
        _ sighting: Submission.Sighting, _ origin: Submission.Origin, arrival: Int64
    ) {
        var totals = leaks[sighting.leak.id] ?? Totals()
        totals.firstSeen = min(totals.firstSeen, sighting.at)
        totals.lastSeen = max(totals.lastSeen, sighting.at)
        let build = "\(origin.version) \(origin.build ?? "")"
        totals.reportsByBuild[build, default: 0] += sighting.isFreed ? 0 : sighting.count
        releases[origin.version, default: Release()].reports += sighting.isFreed ? 0 : sighting.count
        if sighting.isFreed {
            totals.freed += sighting.count
        } else {
            totals.reports += sighting.count
            if let system = origin.system { totals.reportsBySystem[system, default: 0] += sighting.count }
            if let install = origin.installHash {
                totals.installHashes.insert(install)
                releases[origin.version]?.installHashes.insert(install)
            }
            totals.reportsByDay[Calendar.day(of: sighting.at), default: 0] += sighting.count
            // Reports that are more than two days late count in the first hour of their day.
            let isLate = arrival - sighting.at > 2 * 86_400_000
            let hour = isLate ? sighting.at / 86_400_000 * 24 : sighting.at / 3_600_000
            totals.reportsByHour[Int(hour), default: 0] += sighting.count
        }
        leaks[sighting.leak.id] = totals
    }

    /// Forgets an install.
    mutating func erase(_ install: UInt64) {
        for id in leaks.keys { leaks[id]?.installHashes.remove(install) }
        for version in releases.keys { releases[version]?.installHashes.remove(install) }
    }

    mutating func add(_ hash: [UInt8]) { credentials[hash] = false }

    /// - Returns: `true` if this call used the credential.
    mutating func use(_ hash: [UInt8]) -> Bool {
        guard credentials[hash] == false else { return false }
        credentials[hash] = true
        return true
    }

    /// Compares a store with this model.
    ///
    /// - Parameter comparesOnlyCounts: `true` to leave out values that only one row contains: times, hours of a day, systems,
    ///   credentials.
    /// - Returns: the differences, one line each; empty if there are none.
    func differences(from store: any Store, now: Int64, comparesOnlyCounts: Bool = false) throws -> [String] {
        let reader = try store.makeReader()
        var lines: [String] = []
        func compare<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) {
            if found != expected { lines.append("\(what): \(found), not \(expected)") }
        }
        var query = LeakQuery()
        query.state = .any
        compare("leaks", try reader.leaks(query, now: now).total, leaks.count)
        for (id, totals) in leaks {
            guard let detail = try reader.leak(id, now: now) else {
                lines.append("a leak of \(totals.reports) reports is missing")
                continue
            }
            var found = Self.totals(of: detail, try hours(of: id, reader, now), totals.installHashes)
            if comparesOnlyCounts {
                (found.firstSeen, found.lastSeen) = (totals.firstSeen, totals.lastSeen)
                found.reportsBySystem = totals.reportsBySystem
                found.reportsByHour = totalsOfShownDays(totals, now).reportsByHour
            }
            compare("totals", found, totalsOfShownDays(totals, now))
            compare("installs", detail.row.installs, totals.installHashes.count)
        }
        let overview = try reader.overview(app: nil, now: now)
        compare("reports", overview.reports, leaks.values.reduce(0) { $0 + $1.reports })
        let found = try reader.releases(app: "shop")
        compare("versions", Set(found.map(\.version)), Set(releases.keys))
        for release in found {
            guard let expected = releases[release.version] else { continue }
            compare("reports of \(release.version)", release.reports, expected.reports)
            compare("installs of \(release.version)", release.installs, expected.installHashes.count)
            compare("sessions of \(release.version)", release.sessions, expected.sessions)
            compare("checks of \(release.version)", release.checks, expected.checks)
        }
        guard !comparesOnlyCounts else { return lines }
        // Used credentials are deleted after some time.
        let links = try reader.credentials(includingEnded: true, now: now)
        compare(
            "links", Set(links.filter { $0.revokedAt == nil }.map(\.hash)),
            Set(credentials.filter { !$0.value }.keys))
        compare("used links", links.filter { $0.revokedAt != nil && credentials[$0.hash] != true }.count, 0)
        return lines
    }

    /// Returns the totals with only the days and hours that pages show: the last fourteen days.
    private func totalsOfShownDays(_ totals: Totals, _ now: Int64) -> Totals {
        var totals = totals
        let first = Calendar.day(of: now) - LeakRow.trendDays + 1
        totals.reportsByDay = totals.reportsByDay.filter { $0.key >= first }
        totals.reportsByHour = totals.reportsByHour.filter { $0.key >= first * 24 }
        return totals
    }

    private func hours(of id: LeakID, _ reader: any StoreReader, _ now: Int64) throws -> [Int: Int] {
        guard let trend = try reader.trend(of: id, by: .hour, now: now) else { return [:] }
        var hours: [Int: Int] = [:]
        for series in trend.versions {
            for (offset, count) in series.counts.enumerated() where count > 0 {
                hours[trend.from + offset, default: 0] += count
            }
        }
        return hours
    }

    private static func totals(of detail: LeakDetail, _ hours: [Int: Int], _ installs: Set<UInt64>) -> Totals
    {
        var found = Totals(
            reports: detail.row.reports, freed: detail.row.freed, installHashes: installs,
            firstSeen: detail.row.firstSeen, lastSeen: detail.row.lastSeen, reportsByHour: hours)
        for version in detail.versions {
            found.reportsByBuild["\(version.version) \(version.build ?? "")"] = version.reports
        }
        for system in detail.systems { found.reportsBySystem[system.value] = system.reports }
        for (offset, count) in detail.row.trend.enumerated() where count > 0 {
            found.reportsByDay[detail.row.trendFrom + offset] = count
        }
        return found
    }
}

/// Returns a random submission of the app `shop`. About every second submission has one of 80 idempotency keys and one of two
/// body hashes, so that some repeat an earlier submission, and some use its key with another body.
func randomSubmission(_ random: inout SeededRandom, now: Int64) -> Submission {
    let reports = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        Report(
            leak: leak("L\(Int.random(in: 0..<9, using: &random))"),
            version: ["1.0", "1.1", "2.0-beta"].randomElement(using: &random) ?? "",
            build: Bool.random(using: &random) ? "\(Int.random(in: 1...3, using: &random))" : nil,
            system: Bool.random(using: &random) ? "iOS \(Int.random(in: 15...19, using: &random))" : nil,
            install: Bool.random(using: &random) ? UInt64.random(in: 0..<60, using: &random) : nil,
            isFreed: Int.random(in: 0..<4, using: &random) == 0,
            at: now - Int64.random(in: 0..<(13 * day), using: &random),
            count: Int.random(in: 1...5, using: &random), lived: 5)
    }
    let isKeyed = Bool.random(using: &random)
    var submission = submission(
        reports, key: isKeyed ? "key \(Int.random(in: 0..<80, using: &random))" : nil,
        body: UInt8.random(in: 0...1, using: &random), at: now)
    if Int.random(in: 0..<4, using: &random) == 0 {
        submission.usageCounts = [
            Submission.UsageCounts(
                app: "shop", version: "1.1", build: "1", sessions: 3, leakySessions: 1,
                checks: ["L1": 7, "L2": 2])
        ]
    }
    return submission
}
