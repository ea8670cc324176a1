internal import LeakHTTPServer
internal import LeakPlatform

/// Rate limit of failed attempts to sign in or to read, by the client's address. After a few failures, further
/// attempts from that address are slowed for a while.
///
/// The table is bounded. While it is full of addresses that must wait before their next attempt, all further addresses share
/// one allowance of failures.
final class SignInAttempts: Sendable {
    /// Number of failures in a short time after which an address must wait. A person who pastes the wrong text needs a few.
    static let maxFailures = 10
    /// Milliseconds after which an address may fail once more. In the long run, an address may fail ten times a minute.
    static let refillMilliseconds: Int64 = 6_000
    /// Maximum number of addresses in the table, which then takes about 300 KiB.
    static let addressLimit = 4_096
    /// Minimum milliseconds between two lines of the log, and between two removals of addresses that no longer wait.
    private static let minIntervalMilliseconds: Int64 = 1_000

    /// The way in which an attempt presents its secret.
    enum SignInMethod: String, CaseIterable {
        /// The code of a sign-in link. Its failures are logged, but not limited.
        case link
        /// A token in the form of the sign-in page.
        case form
        /// A token in `Authorization`.
        case bearer

        /// The beginning of a log line about a failed attempt.
        var failureText: String {
            switch self {
            case .link: "sign-in failed: a sign-in link that does not work"
            case .form: "sign-in failed: an access token that is not valid"
            case .bearer: "request rejected: an access token that is not valid"
            }
        }

        /// The end of the log line if the address must now wait.
        var consequenceText: String {
            switch self {
            case .link: ""
            case .form: "; further tokens from this address have to wait"
            case .bearer: "; each further such request from this address closes its connection"
            }
        }
    }

    /// The number of failures that an address has left, which grows with time.
    private struct Allowance {
        /// Failures that are still allowed.
        var remaining = Double(SignInAttempts.maxFailures)
        /// The time for which ``remaining`` was computed, in milliseconds since 1970.
        var countedAt: Int64

        /// Adds the failures that are allowed again at `now`. If the clock is set back, no failures are added or removed.
        mutating func refill(_ now: Int64) {
            let regained = Double(max(0, now - countedAt)) / Double(SignInAttempts.refillMilliseconds)
            remaining = min(Double(SignInAttempts.maxFailures), remaining + regained)
            countedAt = now
        }

        func isFull(at now: Int64) -> Bool { remaining(at: now) >= Double(SignInAttempts.maxFailures) }

        func isExhausted(at now: Int64) -> Bool { remaining(at: now) < 1 }

        private func remaining(at now: Int64) -> Double {
            var allowance = self
            allowance.refill(now)
            return allowance.remaining
        }
    }

    private struct State {
        var allowances: [IPAddress: Allowance] = [:]
        /// The allowance that all addresses without an entry share while the table is full.
        var sharedAllowance = Allowance(countedAt: .min)
        /// Time of the last removal of addresses, in milliseconds since 1970; `.min` for never.
        var prunedAt = Int64.min
        /// Time of the last line of the log, in milliseconds since 1970; `.min` for never.
        var loggedAt = Int64.min
        /// Failed attempts since the last line of the log.
        var unloggedFailures = 0
        var totals = Totals()
    }

    /// Counts since the start of the process.
    struct Totals: Hashable {
        /// Attempts with a wrong secret.
        var failures: [SignInMethod: Int] = [:]
        /// Attempts that were rejected without a check.
        var rejections = 0
    }

    private let state = Guarded(State())

    /// Number of addresses in the table.
    var addressCount: Int { state.with { $0.allowances.count } }

    var totals: Totals { state.with { $0.totals } }

    /// Returns the seconds until the client may try another token, at least 1; `nil` if it may now.
    ///
    /// - Parameter now: milliseconds since 1970.
    func secondsToWait(_ client: IPAddress?, now: Int64) -> Int? {
        state.with { state in
            guard var allowance = Self.allowance(of: client?.network, in: &state, now: now) else {
                return nil
            }
            allowance.refill(now)
            guard allowance.remaining < 1 else { return nil }
            return Int((1 - allowance.remaining) * Double(SignInAttempts.refillMilliseconds) / 1000) + 1
        }
    }

    /// Counts a failed attempt.
    ///
    /// - Returns: a line for the log, at most once a second; `nil` otherwise. It contains no secret.
    func recordFailure(_ client: IPAddress?, by method: SignInMethod, now: Int64) -> String? {
        state.with { state in
            state.totals.failures[method, default: 0] += 1
            var isExhausted = false
            if method != .link {
                var allowance =
                    Self.allowance(of: client?.network, in: &state, now: now) ?? Allowance(countedAt: now)
                allowance.refill(now)
                allowance.remaining = max(0, allowance.remaining - 1)
                isExhausted = allowance.remaining < 1
                Self.store(allowance, of: client?.network, in: &state, now: now)
            }
            // A clock that was set back does not suppress the line.
            guard
                state.loggedAt == .min || now < state.loggedAt
                    || now - state.loggedAt >= Self.minIntervalMilliseconds
            else {
                state.unloggedFailures += 1
                return nil
            }
            defer { (state.loggedAt, state.unloggedFailures) = (now, 0) }
            let wait = isExhausted ? method.consequenceText : ""
            let failures = countText(state.unloggedFailures, of: "more attempt")
            let others =
                state.unloggedFailures > 0 ? "; \(failures) failed since the last line like this" : ""
            let address = client?.description ?? "an unknown address"
            return "\(method.failureText), from \(address)\(wait)\(others)"
        }
    }

    /// Counts an attempt that was rejected without a check, for the next line of the log.
    func recordRejection() {
        state.with { state in
            state.unloggedFailures += 1
            state.totals.rejections += 1
        }
    }

    /// Returns the allowance that applies to an address.
    ///
    /// - Parameter network: `nil` if the address is unknown.
    /// - Returns: the allowance of the address, or the shared one if the address is unknown or the table is full; `nil` for
    ///   an address that has not failed.
    private static func allowance(
        of network: IPAddress?, in state: inout State, now: Int64
    ) -> Allowance? {
        if let network, let allowance = state.allowances[network] { return allowance }
        guard network == nil || !hasRoom(in: &state, now: now) else { return nil }
        if state.sharedAllowance.countedAt == .min { state.sharedAllowance.countedAt = now }
        return state.sharedAllowance
    }

    private static func store(
        _ allowance: Allowance, of network: IPAddress?, in state: inout State, now: Int64
    ) {
        if let network, state.allowances[network] != nil || hasRoom(in: &state, now: now) {
            state.allowances[network] = allowance
        } else {
            state.sharedAllowance = allowance
        }
    }

    /// Returns `true` if the table can take another address. At most once a second, addresses are removed from a full table:
    /// first those whose allowance is complete again; if the table is still full, also all others that need not wait now.
    private static func hasRoom(in state: inout State, now: Int64) -> Bool {
        guard state.allowances.count >= addressLimit else { return true }
        guard
            state.prunedAt == .min || now < state.prunedAt
                || now - state.prunedAt >= minIntervalMilliseconds
        else {
            return false
        }
        state.prunedAt = now
        state.allowances = state.allowances.filter { !$0.value.isFull(at: now) }
        if state.allowances.count >= addressLimit {
            state.allowances = state.allowances.filter { $0.value.isExhausted(at: now) }
        }
        return state.allowances.count < addressLimit
    }
}
