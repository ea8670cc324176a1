/// The interval at which an app is asked for its checks. It doubles while the app has none.
struct PollInterval: Hashable, Sendable {
    private let firstMilliseconds: Int
    private var currentMilliseconds: Int
    /// The time of the next poll; `nil` if there is none.
    private(set) var nextPollAt: MonotonicTime?

    /// The longest interval: an idle app is asked four times an hour.
    static let longestMilliseconds = 15 * 60_000

    init(milliseconds: Int) {
        firstMilliseconds = milliseconds
        currentMilliseconds = milliseconds
    }

    mutating func start(at now: MonotonicTime) {
        currentMilliseconds = firstMilliseconds
        nextPollAt = now.advanced(byMilliseconds: currentMilliseconds)
    }

    mutating func stop() { nextPollAt = nil }

    func isDue(at now: MonotonicTime) -> Bool { nextPollAt.map { $0 <= now } ?? false }

    /// Sets the time of the next poll after the app was asked.
    mutating func finish(foundChecks: Bool, at now: MonotonicTime) {
        guard nextPollAt != nil else { return }
        let longest = max(Self.longestMilliseconds, firstMilliseconds)
        // The comparison precedes the doubling, which may overflow an Int.
        let doubled = currentMilliseconds > longest / 2 ? longest : max(currentMilliseconds, 1) * 2
        currentMilliseconds = foundChecks ? firstMilliseconds : doubled
        nextPollAt = now.advanced(byMilliseconds: currentMilliseconds)
    }
}
