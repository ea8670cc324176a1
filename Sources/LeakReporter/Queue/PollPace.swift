/// How often an app is asked for what it has counted: seldom while it counts nothing.
struct PollPace: Hashable, Sendable {
    private let first: Int
    private var wait: Int
    /// When to ask next; `nil` never.
    private(set) var at: Moment?

    /// An app that stands still is asked four times an hour.
    static let longestMilliseconds = 15 * 60_000

    init(milliseconds: Int) {
        first = milliseconds
        wait = milliseconds
    }

    mutating func start(at now: Moment) {
        wait = first
        at = now.advanced(byMilliseconds: wait)
    }

    mutating func stop() { at = nil }

    func isDue(at now: Moment) -> Bool { at.map { $0 <= now } ?? false }

    mutating func finish(foundSome: Bool, at now: Moment) {
        guard at != nil else { return }
        let longest = max(Self.longestMilliseconds, first)
        // Compared before it is doubled, which may pass what an Int holds.
        wait = foundSome ? first : wait > longest / 2 ? longest : max(wait, 1) * 2
        at = now.advanced(byMilliseconds: wait)
    }
}
