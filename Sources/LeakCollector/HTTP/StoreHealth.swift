internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// Problems that stop the collector from accepting reports.
final class StoreHealth: Sendable {
    enum Trouble: Int, Hashable, Sendable, CaseIterable {
        /// The database is no longer where it was opened: what is written now goes when the process ends.
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

    /// - Returns: whether that is news.
    @discardableResult
    func note(_ trouble: Trouble, isThere: Bool) -> Bool {
        troubles.with { troubles in
            isThere ? troubles.insert(trouble).inserted : troubles.remove(trouble) != nil
        }
    }

    /// True if the database cannot be reached. A request would wait until it times out.
    var keepsQuestionsOut: Bool { troubles.with { $0.contains(.databaseAway) } }

    /// The worst there is; `nil` when all is well.
    var worst: Trouble? {
        troubles.with { troubles in Trouble.allCases.first { troubles.contains($0) } }
    }
}

extension StoreHealth.Trouble {
    /// Whether reports are refused before they are read. A failed transaction is not: the next may succeed.
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

/// Answers `/readyz`. One look at the store serves all who ask before it begins: anybody may ask, and thousands of
/// questions must not take the place of pages.
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
