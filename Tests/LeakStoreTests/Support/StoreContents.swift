@testable import LeakStore

/// All answers of a store as text. Two stores with the same text cannot be distinguished by queries.
struct StoreContents {
    private(set) var lines: [String] = []

    /// - Parameter apps: apps that are queried separately, in addition to all apps together.
    init(of store: any Store, apps: [String], now: Int64) throws {
        let reader = try store.makeReader()
        lines.append("apps \(try reader.apps())")
        lines.append("all versions \(try reader.versions(app: nil))")
        lines.append("credentials \(try reader.credentials(includingEnded: true, now: now))")
        lines.append("valid credentials \(try reader.credentials(includingEnded: false, now: now))")
        lines.append("symbols \(try reader.symbols()), \(try reader.symbolsVersion())")
        for table in try reader.symbols() {
            lines.append("table \(table.id) \(try reader.symbolTable(table.id) ?? [])")
        }
        lines.append("events \(try reader.events(EventQuery(.after(0), limit: 1_000)))")
        lines.append(
            "marks \(try reader.eventMarks(after: 0, limit: 1_000).map { ($0.app, $0.recordedState) })")
        lines.append("overview \(try reader.overview(app: nil, now: now))")
        var ids: Set<LeakID> = []
        let environments = try reader.environments(app: nil)
        lines.append("environments \(environments)")
        for environment in environments {
            let discarded = try reader.discardedLeaks(app: AppScope(nil, environment: environment))
            lines.append("discarded in \(environment) \(discarded)")
        }
        for key: Int64 in 0...3 {
            let counts = try reader.forgetCounts(of: .key(key, since: nil))
            lines.append("made by \(key) \(String(describing: counts))")
        }
        let scopes = environments.flatMap { environment in
            ([nil] + apps.map(Optional.some)).map { AppScope($0, environment: environment) }
        }
        for scope in scopes {
            let versions = try reader.versions(app: scope)
            if let app = scope.key {
                lines.append("versions of \(app) \(versions)")
                lines.append("releases of \(app) \(try reader.releases(app: app))")
                for period in Period.allCases {
                    let overview = try reader.overview(app: scope, period: period, now: now)
                    lines.append("overview of \(app) \(overview)")
                }
                for version in versions {
                    let check = try reader.releaseCheck(
                        ReleaseCheckQuery(app: app.name, environment: app.environment, version: version),
                        now: now)
                    lines.append("check of \(app) \(version) \(String(describing: check))")
                }
            }
            for query in Self.queries(scope, versions: versions) {
                try read(query, reader, &ids, now: now)
            }
        }
        for id in ids.sorted() { try read(id, reader, now: now) }
    }

    private static func queries(_ scope: AppScope, versions: [String]) -> [LeakQuery] {
        var queries: [LeakQuery] = []
        for sort in LeakQuery.Sort.allCases {
            for version in [nil] + versions.map(Optional.some) {
                var query = LeakQuery()
                (query.scope, query.version, query.sort, query.limit) = (scope, version, sort, 3)
                queries.append(query)
                query.state = .slow
                queries.append(query)
            }
            for period in Period.allCases {
                var query = LeakQuery()
                (query.scope, query.period, query.sort) = (scope, period, sort)
                queries.append(query)
                query.version = versions.first
                queries.append(query)
            }
            for state in LeakQuery.StateFilter.allCases {
                var query = LeakQuery()
                (query.scope, query.state, query.sort, query.limit) = (scope, state, sort, 4)
                queries.append(query)
            }
            for word in ["l1", "Message 3", "no such"] {
                var query = LeakQuery()
                (query.scope, query.sort, query.search) = (scope, sort, word)
                queries.append(query)
            }
            var query = LeakQuery()
            (query.scope, query.sort, query.className, query.kind) = (scope, sort, "L2", "object")
            queries.append(query)
        }
        return queries
    }

    /// Reads all pages of a list. Cursors are left out, because they differ between stores.
    private mutating func read(
        _ query: LeakQuery, _ reader: any StoreReader, _ ids: inout Set<LeakID>, now: Int64
    ) throws {
        var query = query
        repeat {
            let page = try reader.leaks(query, now: now)
            lines.append("list \(page.total) \(page.reports) \(page.leaks)")
            lines.append("left out \(page.known) \(page.resolved) \(page.ignored)")
            for leak in page.leaks { ids.insert(leak.identity.id) }
            query.cursor = page.next
        } while query.cursor != nil
    }

    private mutating func read(_ id: LeakID, _ reader: any StoreReader, now: Int64) throws {
        var detail = try reader.leak(id, now: now)
        // Sorted, because a dictionary has no fixed order.
        lines.append("fixes \((detail?.fixes ?? [:]).sorted { $0.key < $1.key })")
        detail?.fixes = [:]
        lines.append("leak \(String(describing: detail))")
        lines.append("days \(String(describing: try reader.trend(of: id, by: .day, now: now)))")
        lines.append("hours \(String(describing: try reader.trend(of: id, by: .hour, now: now)))")
        lines.append("samples \(String(describing: try reader.samples(of: id)))")
    }

    /// Returns the first three differences: lines that differ, each with its counterpart.
    func differences(from other: StoreContents) -> [String] {
        var differences: [String] = []
        if lines.count != other.lines.count {
            differences.append("\(lines.count) answers, not \(other.lines.count)")
        }
        for (line, expected) in zip(lines, other.lines) where line != expected {
            differences.append("\(line)\nnot \(expected)")
        }
        return Array(differences.prefix(3))
    }
}
