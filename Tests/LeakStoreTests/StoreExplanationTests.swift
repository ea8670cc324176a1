import LeakStore
import Testing

/// What keeps the objects of a leak, in every store.
@Suite struct StoreExplanationTests {
    let place = StorePlace()
    let store: any Store
    let cart = leak("Cart")
    let home = leak("Home")

    init() throws { store = try place.store() }

    private func explained(
        _ leak: LeakIdentity, _ reasons: [(reason: String, bytes: Int?)], reports: [Report] = []
    ) throws {
        var submission = submission(reports)
        submission.origins.append(Submission.Origin(app: leak.app, version: "1.0"))
        submission.explanations = reasons.map {
            Submission.Explanation(
                leak: leak, origin: submission.origins.count - 1, at: noon, reason: $0.reason, bytes: $0.bytes
            )
        }
        #expect(try store.count([submission], now: noon) == [.counted])
        #expect(try store.verify() == [])
    }

    private func detail(_ leak: LeakIdentity) throws -> LeakDetail? {
        try store.makeReader().leak(leak.id, now: noon)
    }

    @Test func `reasons and sizes are counted, and no report for them`() throws {
        try explained(cart, [("p1", 6_400), ("p1", 6_400)], reports: [Report(leak: cart)])
        try explained(cart, [("p2", 128), ("p1", nil), ("p2'\u{0}é", 0)])
        let detail = try #require(try detail(cart))
        #expect(detail.row.reports == 1)
        #expect(detail.reasons.map { "\($0.value) \($0.reports)" }.prefix(2) == ["p1 3", "p2 1"])
        #expect(detail.reasons.count == 3)
        #expect(detail.retainedBytes.map(\.bytes) == [0, 128, 6_400])
        #expect(detail.retainedBytes.map(\.count) == [1, 1, 2])
        #expect(detail.systems.map(\.value) == ["iOS 19.1"])
    }

    @Test func `of a leak that is not known nothing is kept`() throws {
        try explained(home, [("p1", 1)], reports: [Report(leak: cart)])
        #expect(try detail(home) == nil)
        #expect(try #require(try detail(cart)).reasons.isEmpty)
        #expect(try store.makeReader().leaks(LeakQuery(), now: noon).total == 1)
    }

    @Test func `an explanation may come with the first report of its leak`() throws {
        try explained(cart, [("p1", 1)], reports: [Report(leak: cart)])
        #expect(try #require(try detail(cart)).reasons.map(\.value) == ["p1"])
    }

    @Test func `beyond 200 reasons and sizes the others count together`() throws {
        try explained(cart, [("first", 1)], reports: [Report(leak: cart)])
        try explained(cart, (0..<250).map { ("reason \($0 % 230)", 1 << 10 + $0 * 64) })
        try explained(cart, [("first", 1)])
        let reasons = try #require(try detail(cart)).reasons
        #expect(reasons.count == 201 && reasons.reduce(0) { $0 + $1.reports } == 252)
        #expect(reasons.first { $0.value == "first" }?.reports == 2)
    }

    @Test func `the longest reason is kept`() throws {
        let reason = String(
            (0..<Submission.Explanation.reasonBytes).map {
                Character(Unicode.Scalar(UInt8(33 + ($0 * $0) % 90)))
            })
        try explained(cart, [(reason, nil)], reports: [Report(leak: cart)])
        #expect(try #require(try detail(cart)).reasons.map(\.value) == [reason])
    }

    @Test func `a merged leak has the reasons of its parts`() throws {
        try explained(cart, [("p1", 100), ("p2", 100)], reports: [Report(leak: cart)])
        try explained(home, [("p2", 100)], reports: [Report(leak: home)])
        _ = try store.merge([cart.id], into: home, by: "regroup", now: noon, note: { _ in "joined" })
        let detail = try #require(try detail(home))
        #expect(detail.reasons.map { "\($0.value) \($0.reports)" } == ["p2 2", "p1 1"])
        #expect(detail.retainedBytes.map(\.count) == [3])
        #expect(try store.verify() == [])
    }

    @Test(arguments: [
        (0, 0), (1, 1), (63, 63), (64, 64), (65, 64), (1_000, 992), (Int.max, 1 << 40), (-5, 0),
    ])
    func `sizes keep six bits`(bytes: Int, rounded: Int) {
        #expect(RetainedBytes.rounded(bytes) == rounded)
    }
}
