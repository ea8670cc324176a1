/// Counts as they stand in a log: those of a row that comes again replace the ones before.
struct LoggedCounts {
    struct Leak {
        var id: Int64
        var reports: Int
        var freed: Int
        var installs: Int
        var sightings: Int
        var aliveAtMost: Int?
        var lastSeen: Int64
        /// `nil` leaves it as it is.
        var impact: Int?
    }

    struct Part {
        var id: Int64
        var reports: Int
        var freed: Int
        var installs: Int
    }

    struct Release {
        var leak: Int64
        var release: Int64
        var part: Part
        /// Reports that `leak_hour` lacks.
        var hours: [(hour: Int, reports: Int)]
    }

    var leaks: [Leak] = []
    var builds: [Part] = []
    var releases: [Release] = []
    var samples: [StoredSample] = []

    var isEmpty: Bool { leaks.isEmpty }

    // MARK: Bytes

    var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.append(leaks.count)
        for leak in leaks {
            writer.append(Int(leak.id))
            writer.append(leak.reports)
            writer.append(leak.freed)
            writer.append(leak.installs)
            writer.append(leak.sightings)
            writer.append(leak.aliveAtMost)
            writer.append(Int(leak.lastSeen))
            writer.append(leak.impact)
        }
        writer.append(builds.count)
        for build in builds { writer.append(build) }
        writer.append(releases.count)
        for release in releases {
            writer.append(Int(release.leak))
            writer.append(Int(release.release))
            writer.append(release.part)
            writer.append(release.hours.count)
            for (hour, reports) in release.hours {
                writer.append(hour)
                writer.append(reports)
            }
        }
        writer.append(samples.count)
        for sample in samples { writer.append(sample) }
        return writer.bytes
    }

    init() {}

    /// Reads rows of the table in their order; `nil` for bytes that ``bytes`` did not write.
    init?(_ log: [[UInt8]]) {
        var (leaks, builds, releases): ([Int64: Leak], [Int64: Part], [Int64: Release]) = ([:], [:], [:])
        var samples: [Int64: StoredSample] = [:]
        for bytes in log {
            var reader = PackedReader(bytes)
            guard let leakCount = reader.number(), leakCount <= bytes.count else { return nil }
            for _ in 0..<leakCount {
                guard var leak = reader.leak() else { return nil }
                leak.impact = leak.impact ?? leaks[leak.id]?.impact
                leaks[leak.id] = leak
            }
            guard let buildCount = reader.number(), buildCount <= bytes.count else { return nil }
            for _ in 0..<buildCount {
                guard let build = reader.part() else { return nil }
                builds[build.id] = build
            }
            guard let releaseCount = reader.number(), releaseCount <= bytes.count else { return nil }
            for _ in 0..<releaseCount {
                guard let release = reader.release() else { return nil }
                releases[release.part.id] = release
            }
            guard let sampleCount = reader.number(), sampleCount <= bytes.count else { return nil }
            for _ in 0..<sampleCount {
                guard let sample = reader.sample() else { return nil }
                samples[sample.row] = sample
            }
            guard reader.isAtEnd else { return nil }
        }
        self.leaks = Array(leaks.values)
        self.builds = Array(builds.values)
        self.releases = Array(releases.values)
        self.samples = Array(samples.values)
    }
}

extension LoggedCounts.Leak {
    init(_ entry: LeakEntry) {
        self.init(
            id: entry.id, reports: entry.reports, freed: entry.freed, installs: entry.installs,
            sightings: entry.samples.sightings, aliveAtMost: entry.aliveAtMost, lastSeen: entry.lastSeen,
            impact: entry.impact)
    }
}

extension LoggedCounts.Part {
    init(_ entry: CountEntry) {
        self.init(id: entry.id, reports: entry.reports, freed: entry.freed, installs: entry.installs)
    }
}

extension PackedWriter {
    fileprivate mutating func append(_ number: Int?) { append(number.map { $0 + 1 } ?? 0) }

    fileprivate mutating func append(_ part: LoggedCounts.Part) {
        append(Int(part.id))
        append(part.reports)
        append(part.freed)
        append(part.installs)
    }
}

extension PackedReader {
    /// A number of the counts that tables hold.
    private mutating func count() -> Int? { number().map { Total.bounded($0) } }

    private mutating func optional() -> Int?? { number().map { $0 == 0 ? nil : Total.bounded($0 - 1) } }

    fileprivate mutating func leak() -> LoggedCounts.Leak? {
        guard let id = number(), let reports = count(), let freed = count(), let installs = count(),
            let sightings = count(), let aliveAtMost = optional(), let lastSeen = count(),
            let impact = optional()
        else { return nil }
        return LoggedCounts.Leak(
            id: Int64(id), reports: reports, freed: freed, installs: installs, sightings: sightings,
            aliveAtMost: aliveAtMost, lastSeen: Int64(lastSeen), impact: impact)
    }

    fileprivate mutating func part() -> LoggedCounts.Part? {
        guard let id = number(), let reports = count(), let freed = count(), let installs = count() else {
            return nil
        }
        return LoggedCounts.Part(id: Int64(id), reports: reports, freed: freed, installs: installs)
    }

    fileprivate mutating func release() -> LoggedCounts.Release? {
        guard let leak = number(), let release = number(), let part = part(), let count = number() else {
            return nil
        }
        var hours: [(hour: Int, reports: Int)] = []
        for _ in 0..<count {
            guard let hour = number(), let reports = self.count() else { return nil }
            hours.append((hour, reports))
        }
        return LoggedCounts.Release(leak: Int64(leak), release: Int64(release), part: part, hours: hours)
    }
}
