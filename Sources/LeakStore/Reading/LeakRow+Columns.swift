extension LeakRow {
    /// Number of days of ``trend``.
    package static let trendDays = 14

    /// SQL condition for a slow leak: at least one `freed` report, and `freed` reports for at least 90 % of the reports.
    package static let isSlowSQL = "(l.freed >= 1 and l.freed * 10 >= l.reports * 9)"

    /// Returns SQL for the release whose rate a row shows: the app's current release, or the last one with the leak if the app has
    /// none.
    ///
    /// - Parameter leak: the name of the table of leaks.
    package static func rateReleaseSQL(of leak: String) -> String {
        "coalesce((select newest_release from app where id = \(leak).app), \(leak).last_release)"
    }

    /// Returns SQL for the checks of the leak's class in a release; null if there are none.
    private static func checksSQL(in release: String) -> String {
        """
        (select cast(sum(c.checks) as bigint) from build b join build_check c on c.build = b.id and c.class = l.class
         where b.release = \(release))
        """
    }

    /// The columns of a row, for a table `page` with the columns `id`, `k1` and `k2` (the sort keys), `reports`, `installs`,
    /// and `rate_release` (the release whose rate the row shows).
    ///
    /// No expression reads `leak_day` or `leak_hour`, which have many rows. Values from these tables, such as the trend, are
    /// added to the rows of one page later.
    package enum Column: Int32, StoredColumn {
        /// The row ID of the leak.
        case row
        /// The columns by which the list is sorted.
        case primary, secondary
        case reports, installs, id, app, environment, kind, className, quality, freed, maxAlive, firstSeen,
            lastSeen
        case firstVersion, lastVersion, isNew, isSlow, title, module, stack, children, cycle
        case groupedVersion, groupedClass, groupedStack, lived, checks, rateReports, rateVersion,
            retainedBytes,
            impact, previousChecks, previousRateReports, allReports, newInBuild

        package var sql: String {
            switch self {
            case .row: "page.id"
            case .primary: "page.k1"
            case .secondary: "page.k2"
            case .reports: "page.reports"
            case .installs: "page.installs"
            case .id: "l.key"
            case .app: "a.name"
            case .environment: "a.environment"
            case .kind: "l.kind"
            case .className: "l.class"
            case .quality: "l.quality"
            case .freed: "l.freed"
            case .maxAlive: "l.alive_at_most"
            case .firstSeen: "l.first_seen"
            case .lastSeen: "l.last_seen"
            case .firstVersion: "f.version"
            case .lastVersion: "n.version"
            case .isNew: "l.first_release = a.newest_release"
            case .isSlow: LeakRow.isSlowSQL
            case .title: "t.title"
            case .module: "t.module"
            case .stack: "t.stack"
            case .children: "t.children"
            case .cycle: "t.cycle"
            case .groupedVersion: "t.grouped_version"
            case .groupedClass: "t.grouped_class"
            case .groupedStack: "t.grouped_stack"
            case .lived: "lived.histogram"
            case .checks: LeakRow.checksSQL(in: "page.rate_release")
            case .rateReports: "share.reports"
            case .rateVersion: "rate_release_row.version"
            case .retainedBytes: "l.retained_bytes"
            case .impact: "l.impact"
            case .previousChecks: LeakRow.checksSQL(in: "rate_release_row.previous")
            case .previousRateReports: "previous_share.reports"
            case .allReports: "l.reports"
            case .newInBuild: "case when first_build_row.has_lower = 1 then first_build_row.name end"
            }
        }
    }

    /// ``selectSQL(with:)`` without additional columns.
    package static let selectSQL = selectSQL(with: "")

    /// Returns SQL that follows the table `page` of a `with` clause. The previous version is computed once for each version of
    /// the page, because that takes one pass over all versions of an app.
    ///
    /// - Parameter additionalColumns: columns after those of ``selectSQL``, each preceded by a comma.
    package static func selectSQL(with additionalColumns: String) -> String {
        """
        , rate_release_row as materialized (
          select v.id, v.version, (\(CurrentRelease.previousReleaseSQL(of: "v.id", app: "v.app"))) as previous
          from release v where v.id in (select rate_release from page)
        )
        select \(Column.columnsSQL)\(additionalColumns)
        from page join leak l on l.id = page.id join app a on a.id = l.app join leak_text t on t.leak = l.id
        join release f on f.id = l.first_release join release n on n.id = l.last_release
        left join build first_build_row on first_build_row.id = l.first_build
        left join leak_lived lived on lived.leak = l.id
        left join leak_release share on share.leak = l.id and share.release = page.rate_release
        left join rate_release_row on rate_release_row.id = page.rate_release
        left join leak_release previous_share on previous_share.leak = l.id
          and previous_share.release = rate_release_row.previous
        """
    }

    /// Reads the columns of ``selectSQL``; the trend stays empty.
    ///
    /// An estimated number of installs may be greater than the number of reports, which is exact, so the reports limit it.
    ///
    /// - Parameter isOfPeriod: true if only the reports of a period count in the row, but all installs.
    package init(_ row: NamedRow<Column>, isOfPeriod: Bool = false) throws(StoreError) {
        guard let id = LeakID(blob: row.bytes(.id)), let stack = PackedReader.texts(row.bytes(.stack)),
            let children = PackedReader.texts(row.bytes(.children)),
            let cycle = PackedReader.texts(row.bytes(.cycle)),
            let groupedStack = GroupedStack.unpack(row.bytes(.groupedStack), path: stack + children + cycle),
            let quality = LeakIdentity.Quality(rawValue: row.text(.quality))
        else { throw row.unreadable("a leak") }
        let lived = row.isNull(.lived) ? nil : try row.histogram(.lived).percentiles
        self.init(
            identity: LeakIdentity(
                id: id, app: row.text(.app), environment: row.text(.environment), kind: row.text(.kind),
                className: row.optionalText(.className), module: row.optionalText(.module),
                title: row.text(.title), stack: stack, children: children,
                cycle: cycle, quality: quality,
                groupingKey: GroupingKey(
                    version: row.int(.groupedVersion), className: row.text(.groupedClass),
                    stack: groupedStack)),
            state: row.bool(.isSlow) ? .slow : .open,
            isNew: row.bool(.isNew) && !LeakIdentity.isOverLimit(id), reports: row.int(.reports),
            freed: row.int(.freed),
            installs: min(row.int(.installs), row.int(isOfPeriod ? .allReports : .reports)),
            impact: min(row.int(.impact), row.int(.allReports)),
            maxAlive: row.optionalInt(.maxAlive),
            retainedBytes: row.int(.retainedBytes) == 0 ? nil : row.int(.retainedBytes), lived: lived,
            firstVersion: row.text(.firstVersion), newInBuild: row.optionalText(.newInBuild),
            lastVersion: row.text(.lastVersion),
            firstSeen: row.time(.firstSeen), lastSeen: row.time(.lastSeen), trendFrom: 0, trend: [],
            rate: row.optionalInt(.checks).map {
                ReportsAndChecks(reports: row.int(.rateReports), checks: $0)
            }, rateVersion: row.optionalText(.rateVersion),
            previousVersionRate: row.optionalInt(.previousChecks).map {
                ReportsAndChecks(reports: row.int(.previousRateReports), checks: $0)
            })
    }
}

extension PageCursor {
    /// - Parameter row: a row of a query with ``LeakRow/selectSQL``.
    package init(_ row: NamedRow<LeakRow.Column>) {
        self.init(primary: row.int64(.primary), secondary: row.int64(.secondary), leakRowID: row.int64(.row))
    }
}
