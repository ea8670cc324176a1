internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// Problems of the database and its disk. All of them except a failed transaction stop the collector from accepting
/// reports.
final class StoreHealth: Sendable {
    /// The raw value is a label of a metric.
    enum Issue: String, Hashable, Sendable, CaseIterable {
        /// The database is no longer where it was opened. Data that is written now is lost when the process ends.
        case dataFolderReplaced = "data_folder_replaced"
        /// The database is damaged, or is not the file that was opened.
        case damaged
        case diskNearlyFull = "disk_nearly_full"
        /// The PostgreSQL database cannot be reached.
        case databaseUnreachable = "database_unreachable"
        /// The last transaction failed.
        case writeFailed = "write_failed"
    }

    private let issues = Guarded<Set<Issue>>([])

    /// Sets or clears a problem.
    ///
    /// - Returns: `true` if this changes anything.
    @discardableResult
    func record(_ issue: Issue, isPresent: Bool) -> Bool {
        issues.with { issues in
            isPresent ? issues.insert(issue).inserted : issues.remove(issue) != nil
        }
    }

    /// True if the database cannot be reached. A request that reads would wait until it times out.
    var blocksReads: Bool { issues.with { $0.contains(.databaseUnreachable) } }

    /// All problems that are present.
    var present: Set<Issue> { issues.with { $0 } }

    /// The most serious problem; `nil` if there is none.
    var mostSerious: Issue? {
        issues.with { issues in Issue.allCases.first { issues.contains($0) } }
    }
}

extension StoreHealth.Issue {
    /// `true` if reports are rejected before they are read. After a failed transaction they are still read, because
    /// the next transaction may succeed.
    var blocksWrites: Bool { self != .writeFailed }

    /// The response to reports that are rejected because of the issue.
    var problem: Problem {
        switch self {
        case .dataFolderReplaced:
            .unavailable(
                "nothing was counted: the data folder was removed or replaced while the collector ran, so the collector must be restarted",
                kind: .dataFolderReplaced, afterSeconds: 60)
        case .damaged:
            .unavailable(
                "nothing was counted: the database may be damaged; keep leaks.sqlite-wal, copy the data folder, then restore a backup; see the collector's log",
                kind: .databaseDamaged, afterSeconds: 60)
        case .diskNearlyFull:
            .unavailable(
                "nothing was counted: the disk is nearly full; free some space", kind: .diskFull,
                afterSeconds: 60)
        case .databaseUnreachable:
            .unavailable(
                "nothing was counted: the database cannot be reached; send again later",
                kind: .databaseUnreachable, afterSeconds: 5)
        case .writeFailed:
            .unavailable(
                "the last reports could not be written; see the collector's log", kind: .writeFailed,
                afterSeconds: 10)
        }
    }
}

/// Handler of `/readyz`. One check of the store answers all requests that arrive before it begins. The requests need
/// no credential, and thousands of them must not delay requests for pages.
final class ReadinessProbe: Sendable {
    private let waitingResponders = Guarded<[SharedResponder]>([])
    private let storeThreads: StoreThreadPool
    /// Returns a problem that does not prevent the collector from serving; `nil` if there is none.
    private let warning: @Sendable () -> String?

    init(storeThreads: StoreThreadPool, warning: @escaping @Sendable () -> String? = { nil }) {
        self.storeThreads = storeThreads
        self.warning = warning
    }

    func receive(_ responder: consuming Responder) {
        let responder = SharedResponder(responder)
        let isFirst = waitingResponders.with { waitingResponders in
            waitingResponders.append(responder)
            return waitingResponders.count == 1
        }
        guard isFirst else { return }
        storeThreads.add(
            StoreWork("/readyz", responders: { [self] in takeResponders() }, rejection: { $0.response }) {
                [self] resources in
                try resources.reader.ping()
                guard let text = warning() else { return .plain("ready\n") }
                var response = Response.plain("")
                response.body = .bytes(Array("ready\nwarning: \(text)\n".utf8))
                return response
            })
    }

    private func takeResponders() -> [SharedResponder] {
        waitingResponders.with { waitingResponders in
            defer { waitingResponders = [] }
            return waitingResponders
        }
    }
}
