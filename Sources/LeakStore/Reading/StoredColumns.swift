// The columns that statements of both stores select. Each store adds the rest of the statement.

extension ReleaseSummary {
    /// Columns for `release` r and `app` a.
    package enum Column: Int32, StoredColumn {
        case row, version, reports, leaks, newLeaks, installs, sessions, leakySessions, checks
        case firstSeen, lastSeen, isCurrent, isPinned, pinnedBy, pinnedAt

        package var sql: String {
            switch self {
            case .row: "r.id"
            case .version: "r.version"
            case .reports: "r.reports"
            case .leaks: "r.leaks"
            case .newLeaks: "r.new_leaks"
            case .installs: "r.installs"
            case .sessions: "r.sessions"
            case .leakySessions: "r.leaky_sessions"
            case .checks: "r.checks"
            case .firstSeen: "r.first_seen"
            case .lastSeen: "r.last_seen"
            case .isCurrent: "r.id = a.newest_release"
            case .isPinned: "r.id = a.pinned_release"
            case .pinnedBy: "a.pinned_by"
            case .pinnedAt: "a.pinned_at"
            }
        }
    }

    /// Reads the columns; ``adoption``, ``builds``, and ``regressedLeaks`` stay empty.
    package init(_ row: NamedRow<Column>) {
        self.init(
            version: row.text(.version), isCurrent: row.bool(.isCurrent), isPinned: row.bool(.isPinned),
            builds: [],
            reports: row.int(.reports),
            leaks: row.int(.leaks), newLeaks: row.int(.newLeaks),
            installs: min(row.int(.installs), row.int(.reports)),
            sessions: row.int(.sessions), leakySessions: row.int(.leakySessions), checks: row.int(.checks),
            firstSeen: row.time(.firstSeen), lastSeen: row.time(.lastSeen))
        if isPinned, let by = row.optionalText(.pinnedBy) { pin = Pin(by: by, at: row.time(.pinnedAt)) }
    }
}

extension LeakOutline {
    /// Columns for `leak` l and `leak_text` t.
    package enum Column: Int32, StoredColumn {
        case id, title, className, stack, children, cycle, groupedVersion, groupedClass, groupedStack, reports

        package var sql: String {
            switch self {
            case .id: "l.key"
            case .title: "t.title"
            case .className: "l.class"
            case .stack: "t.stack"
            case .children: "t.children"
            case .cycle: "t.cycle"
            case .groupedVersion: "t.grouped_version"
            case .groupedClass: "t.grouped_class"
            case .groupedStack: "t.grouped_stack"
            case .reports: "l.reports"
            }
        }
    }

    package init(_ row: NamedRow<Column>) throws(StoreError) {
        guard
            let outline = LeakOutline(
                key: row.bytes(.id), title: row.text(.title), className: row.optionalText(.className),
                stack: row.bytes(.stack), children: row.bytes(.children), cycle: row.bytes(.cycle),
                groupedVersion: row.int(.groupedVersion), groupedClass: row.text(.groupedClass),
                groupedStack: row.bytes(.groupedStack), reports: row.int(.reports))
        else { throw row.unreadable("a leak") }
        self = outline
    }
}

extension PastDecision {
    /// Columns for `decision` d.
    package enum Column: Int32, StoredColumn {
        case kind, version, isAfter, untilAt, untilReports, note, by, at, build
        /// The row ID of the decision.
        case row

        package var sql: String {
            switch self {
            case .kind: "d.kind"
            case .version: "d.version"
            case .isAfter: "d.is_after"
            case .untilAt: "d.until_at"
            case .untilReports: "d.until_reports"
            case .note: "d.note"
            case .by: "d.by"
            case .at: "d.at"
            case .build: "d.build"
            case .row: "d.id"
            }
        }
    }

    package init(_ row: NamedRow<Column>) throws(StoreError) {
        guard
            let action = PastDecision.Action(
                kind: row.text(.kind), version: row.optionalText(.version),
                build: row.optionalText(.build), isAfter: row.bool(.isAfter),
                untilAt: row.optionalTime(.untilAt), untilReports: row.optionalInt(.untilReports))
        else { throw row.unreadable("a decision") }
        self.init(action, note: row.optionalText(.note), by: row.text(.by), at: row.time(.at))
    }
}

extension StoredSymbols {
    /// Columns of `symbol_table`.
    package enum Column: Int32, StoredColumn {
        case id, kind, image, name, uploadedAt, usedAt, bytes

        package var sql: String {
            switch self {
            case .id: "id"
            case .kind: "kind"
            case .image: "image"
            case .name: "name"
            case .uploadedAt: "uploaded_at"
            case .usedAt: "used_at"
            case .bytes: "bytes"
            }
        }
    }

    package init(_ row: NamedRow<Column>) throws(StoreError) {
        guard let kind = Kind(rawValue: row.text(.kind)) else { throw row.unreadable("symbols") }
        self.init(
            id: row.int64(.id), kind: kind, image: row.text(.image), name: row.text(.name),
            uploadedAt: row.time(.uploadedAt), usedAt: row.time(.usedAt), bytes: row.int(.bytes))
    }
}

extension Credential {
    /// Columns of `credential`.
    package enum Column: Int32, StoredColumn {
        case id, purpose, name, hash, role, app, environments, createdAt, expiresAt, revokedAt, openedBy

        package var sql: String {
            switch self {
            case .id: "id"
            case .purpose: "purpose"
            case .name: "name"
            case .hash: "hash"
            case .role: "role"
            case .app: "app"
            case .environments: "environments"
            case .createdAt: "created_at"
            case .expiresAt: "expires_at"
            case .revokedAt: "revoked_at"
            case .openedBy: "opened_by"
            }
        }
    }

    /// - Parameter database: the path of the database, for the error.
    package init(_ storedRow: some StoredRow, in database: String) throws(StoreError) {
        let row = NamedRow(storedRow, of: Column.self)
        guard let purpose = Purpose(rawValue: row.text(.purpose)) else {
            throw .unreadable("a credential", in: database)
        }
        self.init(
            id: row.int64(.id), purpose: purpose, name: row.text(.name), hash: row.bytes(.hash),
            role: row.optionalText(.role).flatMap { Role(rawValue: $0) }, app: row.optionalText(.app),
            environments: (row.optionalText(.environments) ?? "").split(separator: ",").map(String.init),
            createdAt: row.time(.createdAt), expiresAt: row.optionalTime(.expiresAt),
            revokedAt: row.optionalTime(.revokedAt),
            openedBy: row.optionalInt64(.openedBy))
    }
}
