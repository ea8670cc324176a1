internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// Problems that stop the collector from accepting reports.
final class StoreHealth: Sendable {
    enum Trouble: Int, Hashable, Sendable, CaseIterable {
        /// The database is no longer where it was opened. Data that is written now is lost when the process ends.
        case folderGone
        /// The database is damaged, or is not the one that was opened.
        case damaged
        case diskNearlyFull
        /// The database on another machine cannot be reached.
        case databaseAway
        /// The last transaction failed.
        case unwritable
    }

    private let troubles = Guarded<Set<Trouble>>([])

    /// Sets or clears a problem.
    ///
    /// - Returns: `true` if this changes anything.
    @discardableResult
    func note(_ trouble: Trouble, isThere: Bool) -> Bool {
        troubles.with { troubles in
            isThere ? troubles.insert(trouble).inserted : troubles.remove(trouble) != nil
        }
    }

    /// True if the database cannot be reached. A request would wait until it times out.
    var keepsQuestionsOut: Bool { troubles.with { $0.contains(.databaseAway) } }

    /// The most serious problem; `nil` if there is none.
    var worst: Trouble? {
        troubles.with { troubles in Trouble.allCases.first { troubles.contains($0) } }
    }
}

extension StoreHealth.Trouble {
    /// `true` if reports are rejected before they are read. After a failed transaction they are still read, because the
    /// next one may succeed.
    var keepsReportsOut: Bool { self != .unwritable }

    var problem: Problem {
        switch self {
        case .folderGone:
            .unavailable(
                "the data folder was removed or replaced under the collector, which must be restarted; nothing was counted",
                afterSeconds: 60)
        case .damaged:
            .unavailable(
                "the database shows damage, so nothing was counted; keep leaks.sqlite-wal, copy the data folder, then restore a backup; the collector's log says more",
                afterSeconds: 60)
        case .diskNearlyFull: .unavailable("the disk is nearly full; nothing was counted", afterSeconds: 60)
        case .databaseAway:
            .unavailable("the database cannot be reached; nothing was counted", afterSeconds: 5)
        case .unwritable:
            .unavailable(
                "the last reports could not be written; the collector's log says why", afterSeconds: 10)
        }
    }
}

/// Answers `/readyz`. One check of the store serves all requests that arrive before it begins, because anybody may send
/// them, and thousands of them must not delay requests for pages.
final class Readiness: Sendable {
    private let waiting = Guarded<[SharedResponder]>([])
    private let threads: StoreThreads

    init(threads: StoreThreads) { self.threads = threads }

    func receive(_ responder: consuming Responder) {
        let responder = SharedResponder(responder)
        let isFirst = waiting.with { waiting in
            waiting.append(responder)
            return waiting.count == 1
        }
        guard isFirst else { return }
        threads.add(
            StoreWork("/readyz", responders: { [self] in take() }, rejection: { $0.response }) { lent in
                try lent.reader.ping()
                return .plain("ready\n")
            })
    }

    private func take() -> [SharedResponder] {
        waiting.with { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
