import LeakStore
import Testing

/// The daily limit of bytes of details for each ingest key, in SQLite and PostgreSQL: of samples, explanations, system versions,
/// models and checked classes.
@Suite struct StoreDetailLimitTests {
    let place = StoreLocation()

    /// Returns limits with this number of bytes for details, which are samples, explanations, system versions, models and
    /// checked classes, for each ingest key and day. Only first reports of leaks may use all of these bytes. Other details may
    /// use half of them, so `limits(2 * n)` leaves `n` bytes for other details.
    private static func limits(_ bytes: Int) -> StoreLimits {
        var limits = StoreLimits()
        limits.detailBytesPerKeyAndDay = bytes
        return limits
    }

    private static func body(_ bytes: Int) -> String {
        #"{"m":""# + String(repeating: "x", count: bytes - 8) + #""}"#
    }

    private func count(
        _ leaks: [LeakIdentity], bytes: Int, key: Int64 = 1, at time: Int64 = noon, in store: any Store
    ) throws {
        let reports = leaks.map { Report(leak: $0, install: 1, at: time, body: Self.body(bytes)) }
        #expect(try store.count([submission(reports, keyID: key, at: time)], now: time) == [.counted])
    }

    private func samples(of leak: LeakIdentity, in store: any Store) throws -> [SampleReport] {
        try #require(try store.makeReader().samples(of: leak.id))
    }

    /// Returns the number of samples and values that were left out.
    private func countLeftOut(_ store: any Store) throws -> Int {
        try store.makeReader().overview(app: nil, now: noon).overLimit.reduce(0) { sum, limit in
            #expect(limit.limit == .details)
            return sum + limit.count
        }
    }

    @Test
    func `samples beyond an ingest key's daily byte limit are not stored, but their reports are counted`()
        throws
    {
        let limits = Self.limits(100_000)
        let leaks = (0..<20).map { leak("L\($0)", app: "app\($0 % 2)") }
        // A new store has to read first how many bytes the ingest key has added on the day.
        for _ in 0..<3 {
            let store = try place.store(limits: limits)
            for leak in leaks { try count([leak], bytes: 8_000, in: store) }
        }
        let store = try place.store(limits: limits)
        let kept = try leaks.flatMap { try samples(of: $0, in: store) }
        #expect(kept.reduce(0) { $0 + $1.body.count } <= 100_000)
        #expect(kept.count >= 6)
        #expect(try countLeftOut(store) >= 60 - 12)
        #expect(
            try store.makeReader().leaks(LeakQuery(), now: noon).leaks.map(\.reports)
                == [Int](repeating: 3, count: 20))
        #expect(try store.verify() == [])
    }

    @Test func `each ingest key has its own byte limit on each day`() throws {
        let store = try place.store(limits: Self.limits(50_000))
        let pages = (0..<10).map { leak("L\($0)") }
        try count(pages, bytes: 10_000, in: store)
        let before = try countLeftOut(store)
        #expect(before > 0)
        let (home, cart) = (leak("Home"), leak("Cart"))
        // The key that has no bytes left comes first.
        let batches = [(pages[0], Int64(1)), (home, 2)].map { page, key in
            submission([Report(leak: page, body: Self.body(8_000))], keyID: key)
        }
        #expect(try store.count(batches, now: noon) == [.counted, .counted])
        #expect(try samples(of: home, in: store).map(\.body.count) == [8_000])
        #expect(try countLeftOut(store) > before)
        let after = try countLeftOut(store)
        try count([cart], bytes: 8_000, at: noon + 2 * day, in: store)
        #expect(try samples(of: cart, in: store).map(\.body.count) == [8_000])
        #expect(try countLeftOut(store) == after)
    }

    /// Lengths of samples that come one after another.
    static let lengths: [(name: String, lengths: [Int])] = [
        ("equal", [4_000]), ("alternating", [4_000, 200]),
        ("various", [700, 3_100, 1_200, 4_000, 90, 2_500]),
    ]

    @Test(arguments: lengths)
    func `samples that replace other samples do not use up an ingest key's daily byte limit`(
        _ name: String, _ lengths: [Int]
    ) throws {
        // The limit is enough for 18 samples of 4,100 bytes. All 100 reports have more than 190,000 bytes.
        let limits = Self.limits(2 * 18 * 4_100)
        let page = leak("Page")
        var store = try place.store(limits: limits)
        for number in 0..<100 {
            // The new store has not read the lengths of the stored samples.
            if number % 25 == 0 { store = try place.store(limits: limits) }
            try count([page], bytes: lengths[number % lengths.count], at: noon + Int64(number), in: store)
        }
        #expect(try countLeftOut(store) == 0)
        let newest = try #require(try samples(of: page, in: store).first { $0.reason == .newest })
        #expect(newest.body.count == lengths[99 % lengths.count] && newest.at == noon + 99)
    }

    @Test
    func
        `once an ingest key's daily bytes are used up, a sample replaces only a sample of at least its length`()
        throws
    {
        let limits = Self.limits(2 * 31_000)
        let page = leak("Page")
        for (number, bytes) in [(0, 5_000), (1, 5_000), (2, 5_000), (3, 29_000), (4, 5_000)] {
            let store = try place.store(limits: limits)
            try count([page], bytes: bytes, at: noon + Int64(number), in: store)
        }
        let store = try place.store(limits: limits)
        let kept = try samples(of: page, in: store)
        #expect(!kept.contains { $0.body.count == 29_000 })
        #expect(kept.first { $0.reason == .newest }?.at == noon + 4)
        #expect(try countLeftOut(store) == 1)
    }

    @Test
    func `first reports of leaks are still stored when an ingest key has no bytes left for other samples`()
        throws
    {
        let store = try place.store(limits: Self.limits(100_000))
        let (old, new) = (leak("Old"), (0..<4).map { leak("New\($0)") })
        for number in 0..<16 { try count([old], bytes: 10_000, at: noon + Int64(number), in: store) }
        let before = try countLeftOut(store)
        #expect(before > 0)
        for leak in new { try count([leak], bytes: 4_000, in: store) }
        for leak in new { #expect(try samples(of: leak, in: store).map(\.body.count) == [4_000]) }
    }

    @Test func `reasons of explanations beyond an ingest key's daily byte limit are counted under "other"`()
        throws
    {
        // The samples, the system and the model of one report take about 4,500 bytes, so about 9,600 are left for explanations.
        let limits = Self.limits(2 * (10_000 + DetailBytes.ofNewestSample + 2 * 64 - 123))
        let page = leak("Page")
        try count([page], bytes: 100, in: place.store(limits: limits))
        func explain(_ numbers: Range<Int>) throws {
            var batch = submission()
            batch.origins = [Submission.Origin(app: page.app, version: "1.0")]
            batch.explanations = numbers.map { number in
                Submission.Explanation(
                    leak: page, originIndex: 0, at: noon,
                    reason: "p\(number) " + String(repeating: "x", count: 970),
                    bytes: nil)
            }
            #expect(try place.store(limits: limits).count([batch], now: noon) == [.counted])
        }
        for round in 0..<4 { try explain(round * 5..<round * 5 + 5) }
        // Names that are stored already are still counted.
        try explain(0..<5)
        let store = try place.store(limits: limits)
        let reasons = try #require(try store.makeReader().leak(page.id, now: noon)).reasons
        let named = reasons.filter { !$0.value.isEmpty }
        #expect((8...9).contains(named.count))
        #expect(named.filter { $0.reports == 2 }.count == 5)
        #expect(reasons.reduce(0) { $0 + $1.reports } == 25)
        #expect(try countLeftOut(store) == 20 - named.count)
        #expect(try store.verify() == [])
    }

    @Test
    func `an ingest key's daily bytes are used for samples first, then for explanations, across all leaks`()
        throws
    {
        let sampleBytes = 2 * (DetailBytes.ofNewestSample + 3 * 200)
        let store = try place.store(limits: Self.limits(2 * (10_000 + sampleBytes)))
        let (explained, page) = (leak("Explained"), leak("Page"))
        try count([explained, page], bytes: 100, in: store)
        var batch = submission([Report(leak: page, at: noon + 1, body: Self.body(8_000))])
        batch.sightings.insert(
            contentsOf: submission([Report(leak: explained, at: noon + 1)]).sightings, at: 0)
        batch.explanations = (0..<4).map { number in
            Submission.Explanation(
                leak: explained, originIndex: 0, at: noon,
                reason: "p\(number) " + String(repeating: "x", count: 990),
                bytes: nil)
        }
        #expect(try store.count([batch], now: noon + 1) == [.counted])
        #expect(try samples(of: page, in: store).contains { $0.body.count == 8_000 })
        let reasons = try #require(try store.makeReader().leak(explained.id, now: noon)).reasons
        #expect(reasons.contains { $0.value.isEmpty })
        #expect(try store.verify() == [])
    }

    @Test
    func `system versions and models beyond an ingest key's daily byte limit are counted under "other"`()
        throws
    {
        let limits = Self.limits(2 * 10_000)
        let leaks = (0..<20).map { leak("L\($0)") }
        func text(_ number: Int) -> String { "\(number) " + String(repeating: "x", count: 92) }
        func send(_ leaks: [LeakIdentity], key: Int64 = 1) throws {
            for leak in leaks {
                let reports = (0..<4).map { number in
                    Report(leak: leak, system: text(number), model: text(number % 2), count: 2)
                }
                let batch = submission(reports, keyID: key)
                #expect(try place.store(limits: limits).count([batch], now: noon) == [.counted])
            }
        }
        func named() throws -> [LeakDetail.ValueCount] {
            let reader = try place.store(limits: limits).makeReader()
            return try leaks.flatMap { leak in
                let detail = try #require(try reader.leak(leak.id, now: noon))
                for values in [detail.systems, detail.models] {
                    #expect(values.reduce(0) { $0 + $1.reports } == detail.row.reports)
                }
                return (detail.systems + detail.models).filter { $0.value != "other" }
            }
        }
        try send(leaks)
        let first = try named()
        // In every store the limit is enough for the samples and 18 of the 120 values.
        #expect(first.count == 18)
        let store = try place.store(limits: limits)
        #expect(try countLeftOut(store) >= 2 * (6 * 20 - first.count))
        // Names that are stored already are still counted, and another key has its own limit of bytes.
        try send([leaks[0]])
        let known = try named()
        #expect(known.count == first.count)
        #expect(known.reduce(0) { $0 + $1.reports } == first.reduce(0) { $0 + $1.reports } + 16)
        try send([leaks[19]], key: 2)
        #expect(try named().count == first.count + 6)
        #expect(try store.verify() == [])
    }

    @Test(arguments: [100, 150, 1_000])
    func `system versions beyond a leak's maximum use no bytes of the ingest key, in batches of any size`(
        _ atOnce: Int
    ) throws {
        // The limit is enough for the system versions that are counted by name (116 bytes each), the samples and the model.
        let samples = DetailBytes.ofNewestSample + 17 * 200
        let limits = Self.limits(2 * (ValueKind.limit * 116 + samples))
        let store = try place.store(limits: limits)
        func send(_ numbers: Range<Int>) throws {
            let reports = numbers.map {
                Report(leak: leak("L"), system: "\(1_000 + $0)" + String(repeating: "x", count: 96))
            }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
        }
        for start in stride(from: 0, to: 1_000, by: atOnce) { try send(start..<min(start + atOnce, 1_000)) }
        #expect(try countLeftOut(store) == 0)
        let detail = try #require(try store.makeReader().leak(leak("L").id, now: noon))
        #expect(detail.row.reports == 1_000)
        #expect(try store.verify() == [])
    }

    @Test func `system versions beyond a leak's maximum leave the ingest key's bytes for other leaks`()
        throws
    {
        // The limit is enough for 250 system versions, so the batch is stored without separate checks. Only the versions that
        // are counted by name use bytes.
        let samples = 2 * (DetailBytes.ofNewestSample + 17 * 200)
        let store = try place.store(limits: Self.limits(2 * (250 * 116 + samples)))
        func send(_ name: String, _ count: Int) throws {
            let reports = (0..<count).map {
                Report(leak: leak(name), system: "\(1_000 + $0)" + String(repeating: "x", count: 96))
            }
            #expect(try store.count([submission(reports)], now: noon) == [.counted])
        }
        try send("L", 250)
        try send("M", 20)
        #expect(try countLeftOut(store) == 0)
        #expect(try store.verify() == [])
    }

    @Test func `checked classes beyond an ingest key's daily byte limit are counted under "other"`() throws {
        let limits = Self.limits(2 * 13_000)
        func check(_ numbers: Range<Int>, version: String, key: Int64 = 1) throws {
            var batch = submission(keyID: key)
            let name = String(repeating: "x", count: 490)
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: version, build: nil, sessions: 1, leakySessions: 0,
                    checks: Dictionary(uniqueKeysWithValues: numbers.map { ("\($0)" + name, 3) }))
            ]
            #expect(try place.store(limits: limits).count([batch], now: noon) == [.counted])
        }
        // Each version has different class names.
        for version in 1...4 { try check(0..<10, version: "\(version).0") }
        let store = try place.store(limits: limits)
        let unnamed = try countLeftOut(store)
        // Each name takes 763 bytes, so 13,000 bytes are enough for 17 of the 40 names.
        #expect(unnamed == 3 * 23)
        // Names that are stored already are still counted, and another key has its own limit of bytes.
        try check(0..<10, version: "1.0")
        try check(10..<20, version: "4.0", key: 2)
        #expect(try countLeftOut(store) == unnamed)
        try check(0..<10, version: "4.0")
        #expect(try countLeftOut(store) == unnamed + 30)
        #expect(try store.makeReader().releases(app: "shop").map(\.checks) == [90, 30, 30, 60])
        #expect(try store.verify() == [])
    }

    @Test func `checked classes beyond a version's maximum use no bytes of the ingest key`() throws {
        var limits = Self.limits(2 * 2_400)
        limits.checkClassesPerBuild = 2
        // Two classes of version 1.0 and one of version 2.0 are counted by name. Each takes 772 bytes, together 2,316.
        for (version, names) in [("1.0", 0..<10), ("2.0", 0..<1)] {
            var batch = submission()
            let name = String(repeating: "x", count: 499)
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: version, build: nil, sessions: 1, leakySessions: 0,
                    checks: Dictionary(uniqueKeysWithValues: names.map { ("\($0)" + name, 1) }))
            ]
            #expect(try place.store(limits: limits).count([batch], now: noon) == [.counted])
        }
        let store = try place.store(limits: limits)
        let overLimit = try store.makeReader().overview(app: "shop", now: noon).overLimit
        #expect(overLimit.map(\.limit) == [.checkClasses] && overLimit.map(\.count) == [8])
        #expect(try store.verify() == [])
    }

    /// A class whose name is too long for the remaining bytes does not use up the limit of two classes: the next class does.
    @Test
    func `a class for which an ingest key has no bytes left does not count towards the limit of classes`()
        throws
    {
        var limits = Self.limits(2 * 868)
        limits.checkClassesPerBuild = 2
        func check(_ names: [String]) throws {
            var batch = submission()
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: "1.0", build: nil, sessions: 1, leakySessions: 0,
                    checks: Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
            ]
            #expect(try place.store(limits: limits).count([batch], now: noon) == [.counted])
        }
        // The first name takes 873 bytes, more than the limit of 868. Each short name takes 273: two of them are counted by
        // name, and the third exceeds the limit of two classes.
        try check(["A" + String(repeating: "x", count: 600), "B", "C", "D"])
        let overLimit = try place.store(limits: limits).makeReader().overview(app: nil, now: noon).overLimit
        #expect(
            Set(overLimit.map { "\($0.limit.rawValue) \($0.count)" }) == [
                "detail_bytes_per_key_and_day 1", "check_classes_per_build 1",
            ])
        // 546 bytes are used. In another version a name of 50 bytes would be counted, but this name has 51.
        var batch = submission()
        batch.usageCounts = [
            Submission.UsageCounts(
                app: "shop", version: "2.0", build: nil, sessions: 1, leakySessions: 0,
                checks: [String(repeating: "y", count: 51): 1])
        ]
        let store = try place.store(limits: limits)
        #expect(try store.count([batch], now: noon) == [.counted])
        #expect(try store.makeReader().overview(app: nil, now: noon).overLimit.map(\.count).reduce(0, +) == 3)
        #expect(try store.verify() == [])
    }

    @Test
    func `a class for which an ingest key has no bytes left does not use up the class limit for other keys`()
        throws
    {
        var limits = Self.limits(2 * 800)
        limits.checkClassesPerBuild = 2
        let names = ["A", "B", "C"].map { $0 + String(repeating: "x", count: 500) }
        for (key, name) in [(Int64(1), 0), (1, 1), (2, 2), (3, 1)] {
            var batch = submission(keyID: key)
            batch.usageCounts = [
                Submission.UsageCounts(
                    app: "shop", version: "1.0", build: nil, sessions: 1, leakySessions: 0,
                    checks: [names[name]: 1, StoreLimits.other: 1])
            ]
            #expect(try place.store(limits: limits).count([batch], now: noon) == [.counted])
        }
        let store = try place.store(limits: limits)
        let overLimit = try store.makeReader().overview(app: nil, now: noon).overLimit
        #expect(
            Set(overLimit.map { "\($0.limit.rawValue) \($0.count)" }) == [
                "detail_bytes_per_key_and_day 1", "check_classes_per_build 1",
            ])
        #expect(try store.verify() == [])
    }

    @Test
    func `alternating long and short reports use an ingest key's bytes for the newest sample only once`()
        throws
    {
        // The first 17 reports fill the sample slots other than that of the newest sample.
        let store = try place.store(limits: Self.limits(2 * 300_000))
        let page = leak("Page")
        for number in 0..<400 {
            // Another key sends the short reports. As the newest sample both lengths count 4,096 bytes, so no bytes are given
            // back.
            let (bytes, key) = number % 2 == 0 ? (3_900, Int64(1)) : (40, 2)
            try count([page], bytes: bytes, key: key, at: noon + Int64(number), in: store)
        }
        #expect(try countLeftOut(store) == 0)
    }

    @Test
    func `versions and leaks are counted by name, even if an ingest key without bytes left sent them first`()
        throws
    {
        var limits = StoreLimits()
        limits.leakTextBytesPerKeyAndDay = 113_000
        let store = try place.store(limits: limits)
        let page = leak("Page")
        func batch(_ key: Int64, _ version: String, _ leaks: [LeakIdentity]) -> Submission {
            submission(leaks.map { Report(leak: $0, version: version, build: "7") }, keyID: key)
        }
        for number in 0..<20 { _ = try store.count([batch(1, "1.\(number)", [page])], now: noon) }
        // The key without bytes left names the version, the build and the leak first.
        _ = try store.count(
            [batch(1, "9.0", [page, leak("New")]), batch(2, "9.0", [page, leak("New")])], now: noon)
        let reader = try store.makeReader()
        let names = try reader.leaks(LeakQuery(), now: noon).leaks.map(\.identity.title)
        #expect(names.contains("New"))
        let versions = try #require(try reader.leak(page.id, now: noon)).versions
        #expect(versions.contains { $0.version == "9.0" && $0.build == "7" && $0.reports == 1 })
        #expect(try store.verify() == [])
    }

    @Test func `a sample that replaces an expired sample uses all its bytes, not only the difference`()
        throws
    {
        let store = try place.store(limits: Self.limits(2 * 16_000))
        let (page, home) = (leak("Page"), leak("Home"))
        let now = noon + 2 * day
        let old = submission([Report(leak: page, at: noon - 89 * day, body: Self.body(5_000))])
        #expect(try store.count([old], now: noon) == [.counted])
        #expect(try store.expire(now: now) == nil)
        #expect(try samples(of: page, in: store).isEmpty)
        try count([page], bytes: 5_000, at: now, in: store)
        #expect(try samples(of: page, in: store).map(\.reason) == [.newest])
        // The key has bytes left only for a first report, which may use the whole limit.
        try count([home], bytes: 5_000, at: now, in: store)
        #expect(try samples(of: home, in: store).map(\.reason) == [.first])
    }

    @Test
    func
        `bytes that a shorter sample frees can be used by other samples of the ingest key in the same commit`()
        throws
    {
        let store = try place.store(limits: Self.limits(2 * 22_000))
        let (page, home, cart) = (leak("Page"), leak("Home"), leak("Cart"))
        try count([page], bytes: 9_000, key: 2, in: store)
        // The new newest sample of Page frees 5,000 bytes. The same report as a random sample takes 3,000 bytes, and the three
        // samples of Home take 12,000.
        let reports = [(page, 3_000), (home, 4_000)].map { leak, bytes in
            Report(leak: leak, at: noon + 1, body: Self.body(bytes))
        }
        #expect(try store.count([submission(reports)], now: noon) == [.counted])
        // The key has used about 10,000 of 22,000 bytes, so only two of the three samples of Cart are stored.
        try count([cart], bytes: 5_000, in: store)
        #expect(try samples(of: cart, in: store).map(\.reason) == [.newest])
        #expect(try countLeftOut(store) == 2)
    }

    @Test func `samples and explanations of 1,000 leaks need less than half of the default daily bytes`() {
        let samples = 1_000 * 18 * 4_096
        let explanations = 1_000 * 20 * 300
        #expect(samples + explanations < StoreLimits().detailBytesPerKeyAndDay / 2)
        #expect(StoreLimits.forImports.detailBytesPerKeyAndDay == 10 * StoreLimits().detailBytesPerKeyAndDay)
    }
}
