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
                "nothing was counted: the data folder was removed or replaced while the collector ran, so it must be restarted",
                afterSeconds: 60)
        case .damaged:
            .unavailable(
                "nothing was counted: the database may be damaged; keep leaks.sqlite-wal, copy the data folder, then restore a backup; see the collector's log",
                afterSeconds: 60)
        case .diskNearlyFull:
            .unavailable("nothing was counted: the disk is nearly full; free some space", afterSeconds: 60)
        case .databaseAway:
            .unavailable(
                "nothing was counted: the database cannot be reached; send again later", afterSeconds: 5)
        case .unwritable:
            .unavailable(
                "the last reports could not be written; see the collector's log", afterSeconds: 10)
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
