/// The interval at which an app is asked for its checks. It doubles while the app has none.
struct PollInterval: Hashable, Sendable {
    private let first: Int
    private var wait: Int
    /// The time of the next poll; `nil` if there is none.
    private(set) var at: MonotonicTime?

    /// The longest interval: an idle app is asked four times an hour.
    static let longestMilliseconds = 15 * 60_000

    init(milliseconds: Int) {
        first = milliseconds
        wait = milliseconds
    }

    mutating func start(at now: MonotonicTime) {
        wait = first
        at = now.advanced(byMilliseconds: wait)
    }

    mutating func stop() { at = nil }

    func isDue(at now: MonotonicTime) -> Bool { at.map { $0 <= now } ?? false }

    mutating func finish(foundSome: Bool, at now: MonotonicTime) {
        guard at != nil else { return }
        let longest = max(Self.longestMilliseconds, first)
        // Compared before doubling, which may overflow an Int.
        wait = foundSome ? first : wait > longest / 2 ? longest : max(wait, 1) * 2
        at = now.advanced(byMilliseconds: wait)
    }
}
