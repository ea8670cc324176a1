import LeakStore

/// The list of leaks, a row each.
struct LeakTable: Component {
    var context: PageContext
    var leaks: [LeakRow]
    /// Hidden caption, for people who do not see the text around the table; `nil` for a visible caption with the
    /// content and order of the list.
    var caption: String?
    /// True if the rows are in the order of the context's query. The column heads then show and change this order.
    var isSorted = true

    var html: HTML {
        let caption: HTML = caption.map { #"<caption class="hidden">\#($0)</caption>"# } ?? visibleCaption
        return #"""
            <table class="leaks\#(hasCosts ? " costs" : "")">\#(caption)
            <thead><tr>\#(columnHeading("Leak", .name))\#(columnHeading("State", .state))\#
            \#(columnHeading("14 days", .recent))\#
            \#(columnHeading("Reports", .reports, isNumber: true))\#(columnHeading("Impact", .impact, isNumber: true))\#
            \#(columnHeading("Installs", .installs, isNumber: true))\#
            \#(hasCosts ? columnHeading("Memory", .cost, isNumber: true) : "")\#
            \#(columnHeading("Versions", .firstSeen))\#(columnHeading("Last seen", .lastSeen))</tr></thead>
            <tbody>\#(rows)</tbody></table>
            """#
    }

    private var rows: [HTML] {
        let showsApp = showsApp
        let hasCosts = hasCosts
        // All trends of a page have one scale, so that they can be compared.
        let tallest = leaks.compactMap { $0.trend.max() }.max() ?? 0
        return leaks.map {
            LeakTableRow(
                context: context, row: $0, showsApp: showsApp, hasCost: hasCosts, tallest: tallest
            ).html
        }
    }

    /// True if the cost of at least one leak is known.
    private var hasCosts: Bool { leaks.contains { $0.retainedBytes != nil } }

    /// `true` if the rows show their app, because they may belong to several.
    private var showsApp: Bool {
        context.query.app == nil && (context.apps.count > 1 || Set(leaks.map(\.identity.app)).count > 1)
    }

    /// The visible caption: `To fix · sorted by installs in the current release, 7 days`.
    private var visibleCaption: HTML {
        let query = context.query
        var parts = [query.state.displayName, query.orderDescription]
        if let period = query.period {
            parts.append(
                query.version == nil
                    ? "reports of the last \(period.displayName)" : "seen in the last \(period.displayName)")
        }
        return "<caption>\(parts.joined(separator: " · "))\(reverseLink)</caption>"
    }

    /// Link that reverses the order. It is for narrow windows, which show no column heads.
    private var reverseLink: HTML? {
        guard context.links.isServed, isSorted, !leaks.isEmpty else { return nil }
        let link = context.summaryLink { $0.order = reversedOrder($0.sort) }
        return #"<a href="\#(link)">Reverse the order</a>"#
    }

    /// Returns the opposite of the current direction; `nil` if that is the usual direction of `sort`.
    private func reversedOrder(_ sort: LeakQuery.Sort) -> LeakQuery.Order? {
        let reversed: LeakQuery.Order = context.query.isAscending ? .descending : .ascending
        return reversed == sort.usualOrder ? nil : reversed
    }

    private func columnHeading(_ title: String, _ sort: LeakQuery.Sort, isNumber: Bool = false) -> HTML {
        let isCurrentOrder = isSorted && sort == context.query.effectiveSort
        let isAscending = context.query.isAscending
        let order: HTML =
            isCurrentOrder ? #" aria-sort="\#(isAscending ? "ascending" : "descending")""# : ""
        let number: HTML = isNumber ? #" class="num""# : ""
        let isSortable = sort != .impact || context.query.version == nil
        guard context.links.isServed, isSorted, isSortable else {
            return #"<th scope="col"\#(number)\#(order)>\#(title)</th>"#
        }
        let link = context.summaryLink {
            ($0.sort, $0.order) = (sort, isCurrentOrder ? reversedOrder(sort) : nil)
        }
        return
            #"<th scope="col"\#(number)\#(order)><a href="\#(link)" title="\#(sort.columnTitle)">\#(title)</a></th>"#
    }
}

/// The row of one leak in the list.
struct LeakTableRow: Component {
    var context: PageContext
    var row: LeakRow
    var showsApp = false
    /// True if the table has a column for the bytes that objects keep.
    var hasCost = false
    /// The number of reports per day that has the tallest bar.
    var tallest: Int

    var html: HTML {
        let leak = row.identity
        return #"""
            <tr><th scope="row"><a href="\#(context.links.to(.leak(leak.id)))">\#(IsolatedText(leak.title))</a>\#
            \#(LeakPath(brief: leak))</th><td>\#(StateBadge(row: row))\#(app)</td><td>\#(SparkLine(row.trend, tallest: tallest))</td>\#
            <td class="num">\#(Count(row.reports))</td><td class="num">\#(Count(installs: row.impact))\#(rate)</td>\#
            <td class="num">\#(Count(installs: row.installs))</td>\#
            \#(cost)<td>\#(VersionSpan(row: row))</td><td>\#(context.relativeTime(row.lastSeen))</td></tr>

            """#
    }

    /// The bytes that the leak keeps on all devices, by which the list can be sorted, and the bytes on one device.
    private var cost: HTML? {
        guard hasCost else { return nil }
        guard let all = row.cost, let atOnce = row.retainedAtOnce else { return "<td></td>" }
        let share: HTML? = all == atOnce ? nil : "<small>\(ByteCount(atOnce)) each</small>"
        return #"<td class="num">\#(ByteCount(all))\#(share)</td>"#
    }

    private var app: HTML? {
        showsApp ? "<small>\(IsolatedText(row.identity.app))</small>" : nil
    }

    private var rate: HTML? { LeakRate(row: row).map { "<small>\($0)</small>" } }
}

/// The first and the last version with the leak: `5.0.1 – 5.2.0`, or the only version.
struct VersionSpan: Component {
    /// Maximum bytes of both versions together that stay on one line in the usual font size. Longer versions are shown in
    /// a smaller font.
    private static let maxLineBytes = 24

    var first: String
    var last: String

    init(row: LeakRow) {
        first = row.firstVersion
        last = row.lastVersion
    }

    var html: HTML {
        if first == last { return smallIfLong(IsolatedText(first).html) }
        let isShort = first.utf8.count + last.utf8.count <= Self.maxLineBytes
        // A line may break after a dash even if a no-break space follows. The word joiner prevents that.
        // https://www.unicode.org/reports/tr14/#LB12a
        return isShort
            ? "\(IsolatedText(first))\u{A0}–\u{2060}\u{A0}\(IsolatedText(last))"
            : "<small>\(IsolatedText(first)) – \(IsolatedText(last))</small>"
    }

    private func smallIfLong(_ version: HTML) -> HTML {
        version.bytes.count <= Self.maxLineBytes ? version : "<small>\(version)</small>"
    }
}

/// The rate of a leak in one version, and in the previous version: `1 in 31 dismissals, before 1 in 310`.
struct LeakRate: Component {
    var html: HTML

    /// - Returns: `nil` if the rate is not known, if it says little because there are few checks, or if there are more reports
    ///   than checks.
    init?(row: LeakRow) {
        let noun = ObjectKindName.checksNoun(of: row.identity.kind)
        guard let rate = row.rate?.text(noun: noun) else { return nil }
        let previous: HTML? = row.previousVersionRate?.text().map { ", before \($0)" }
        html = "\(rate)\(previous)"
    }
}

extension ReportsAndChecks {
    /// Number of checks below which a rate says more about chance than about the app.
    static let minChecks = 50

    /// Returns the rate, such as `1 in 31 dismissals`; above one tenth as a percentage, and without reports as
    /// `none of the dismissals`. `nil` if ``percentage`` is `nil`.
    ///
    /// - Parameter noun: noun of the checks; `nil` to leave it out.
    fileprivate func text(noun: String? = nil) -> String? {
        guard let percentage else { return nil }
        guard reports > 0 else { return "none" + (noun.map { " of the \($0)" } ?? "") }
        // Above one tenth, a ratio of whole numbers is too coarse.
        guard reports <= checks / 10 else { return "\(percentage)" + (noun.map { " of the \($0)" } ?? "") }
        return "1\u{A0}in\u{A0}\(Count((checks + reports / 2) / reports))" + (noun.map { " \($0)" } ?? "")
    }

    /// Reports in percent of checks; `nil` below ``minChecks``, and if there are more reports than checks, as from
    /// a detector that does not count its checks.
    var percentage: Percentage? {
        checks < Self.minChecks || reports > checks ? nil : Percentage(reports, of: checks)
    }
}
