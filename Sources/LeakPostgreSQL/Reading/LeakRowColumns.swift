#if PostgreSQL
    internal import LeakStore

    extension LeakRow {
        /// Freed nine times out of ten, and at least once.
        static let isSlow = "(l.freed >= 1 and l.freed * 10 >= l.reports * 9)"

        /// The columns of a row, for a table `page` with `id`, `k1`, `k2`, `reports`, `installs` and `looked_at`.
        static let select = select(with: "")

        /// - Parameter more: columns behind those of ``select``, each behind a comma.
        static func select(with more: String) -> String {
            """
            select page.id, page.k1, page.k2, page.reports, page.installs, l.key, a.name, l.kind, l.class, l.quality,
              l.freed, l.alive_at_most, l.first_seen, l.last_seen, f.version, n.version,
              l.first_release = a.newest_release, \(isSlow), t.title, t.module, t.stack, t.children, t.cycle,
              t.grouped_version, t.grouped_class, t.grouped_stack, lived.histogram, checks.checks, share.reports,
              l.retained_bytes\(more)
            from page join leak l on l.id = page.id join app a on a.id = l.app join leak_text t on t.leak = l.id
            join release f on f.id = l.first_release join release n on n.id = l.last_release
            left join leak_lived lived on lived.leak = l.id
            left join release_check checks on checks.release = page.looked_at and checks.class = l.class
            left join leak_release share on share.leak = l.id and share.release = page.looked_at
            """
        }

        /// The first column of more.
        static let columnCount: Int32 = 30

        /// Reads the columns of ``select``; the trend stays empty.
        init(_ row: Row, _ connection: Connection) throws(StoreError) {
            guard let id = LeakID(blob: row.bytes(5)), let stack = PackedReader.texts(row.bytes(20)),
                let children = PackedReader.texts(row.bytes(21)),
                let cycle = PackedReader.texts(row.bytes(22)),
                let groupedStack = GroupedStack.unpack(row.bytes(25), path: stack + children + cycle),
                let quality = LeakIdentity.Quality(rawValue: row.text(9))
            else { throw .unreadable("a leak", in: connection.name) }
            var lived: Percentiles?
            if !row.isNull(26) {
                guard let histogram = DurationHistogram(bytes: row.bytes(26)) else {
                    throw .unreadable("a histogram", in: connection.name)
                }
                lived = histogram.percentiles
            }
            self.init(
                identity: LeakIdentity(
                    id: id, app: row.text(6), kind: row.text(7), className: row.optionalText(8),
                    module: row.optionalText(19), title: row.text(18), stack: stack, children: children,
                    cycle: cycle, quality: quality,
                    groupedBy: GroupedBy(
                        version: row.int(23), className: row.text(24), stack: groupedStack)),
                state: row.bool(17) ? .slow : .open, isNew: row.bool(16), reports: row.int(3),
                freed: row.int(10), installs: row.int(4), aliveAtMost: row.optionalInt(11),
                retainedBytes: row.int(29) == 0 ? nil : row.int(29), lived: lived,
                firstVersion: row.text(14), lastVersion: row.text(15), firstSeen: row.int64(12),
                lastSeen: row.int64(13), trendFrom: 0, trend: [],
                share: row.optionalInt(27).map { Share(reports: row.int(28), checks: $0) })
        }
    }
#endif
