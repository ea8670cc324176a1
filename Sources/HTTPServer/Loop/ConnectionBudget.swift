internal import Threads

/// How many connections all loops together may hold. Asked once for each connection.
final class ConnectionBudget: Sendable {
    private let open = Guarded(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Returns: whether there is room for one more, which is then counted.
    func take() -> Bool {
        open.with { open in
            guard open < limit else { return false }
            open += 1
            return true
        }
    }

    func give() {
        open.with { $0 -= 1 }
    }
}
