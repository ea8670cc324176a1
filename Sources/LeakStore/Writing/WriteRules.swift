extension AppRules {
    private enum Column: Int32, QueryColumn { case app, version, text, by, at }

    private init(_ row: NamedRow<Column>) {
        self.init(
            app: row.text(.app), version: row.int(.version), text: row.text(.text), by: row.text(.by),
            at: row.time(.at))
    }

    /// Reads the versions of an app's rules, newest first.
    static func stored(of app: String, limit: Int) -> StoreRead<[AppRules]> {
        StoreRead(
            """
            select app, version, text, by, at from app_rules where app = $1::text
            order by version desc limit $2::bigint
            """, .text(app), .int(limit)
        ) { (row: NamedRow<Column>) in AppRules(row) }
    }

    /// Reads the newest version of each app.
    static var current: StoreRead<[AppRules]> {
        StoreRead(
            """
            select r.app, r.version, r.text, r.by, r.at from app_rules r
            where not exists (select 1 from app_rules n where n.app = r.app and n.version > r.version) order by r.app
            """
        ) { (row: NamedRow<Column>) in AppRules(row) }
    }
}

extension ChangeConnection {
    /// Saves a version of an app's rules, and deletes the versions beyond ``AppRules/maxVersions``, in the current transaction:
    /// ``Store/saveRules(_:of:basedOn:by:now:)``.
    package func saveRules(
        _ text: String, of app: String, basedOn version: Int?, by author: String, now: Int64
    ) throws(StoreError) -> RulesOutcome {
        let (text, app) = (text.storable, app.storable)
        let apps = try read(
            StoreRead<[Int64]>.numbers("select id from app where name = $1::text limit 1", .text(app)))
        // The app that counts the reports of apps beyond the limit has no reports of its own.
        guard !apps.isEmpty, app != StoreLimits.other else { return .unknownApp }
        let current = try read(AppRules.stored(of: app, limit: 1)).first ?? AppRules(app: app)
        guard version == nil || version == current.version else { return .outdated(current: current) }
        guard ByteText(text) != ByteText(current.text) else { return .unchanged(current) }
        let rules = AppRules(
            app: app, version: current.version + 1, text: text, by: author.storable, at: now)
        try change(
            """
            insert into app_rules (app, version, text, by, at)
            values ($1::text, $2::bigint, $3::text, $4::text, $5::bigint)
            """, .text(app), .int(rules.version), .text(text), .text(rules.by), .integer(now))
        try change(
            "delete from app_rules where app = $1::text and version <= $2::bigint", .text(app),
            .int(rules.version - AppRules.maxVersions))
        return .saved(rules)
    }
}

extension RulesOutcome {
    /// The entry for the audit log; `nil` if nothing was changed.
    package func auditEntry(by origin: ChangeOrigin, at time: Int64) -> AuditEntry? {
        guard case .saved(let rules) = self else { return nil }
        return AuditEntry(
            .changeRules, of: rules.app, details: "version \(rules.version)", by: origin, at: time)
    }
}

extension Writer {
    /// Saves a version of an app's rules, in a transaction of its own.
    func saveRules(
        _ text: String, of app: String, basedOn version: Int?, by origin: ChangeOrigin, now: Int64
    ) throws(StoreError) -> RulesOutcome {
        do throws(StoreError) {
            return try connection.transaction(.immediate) { () throws(StoreError) in
                try clearCachesIfOthersWrote()
                let outcome = try connection.saveRules(
                    text, of: app, basedOn: version, by: origin.actor, now: now)
                try record(outcome.auditEntry(by: origin, at: now))
                return outcome
            }
        } catch {
            clearCaches()
            throw error
        }
    }
}
