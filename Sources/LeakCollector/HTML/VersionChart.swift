internal import LeakPlatform
import LeakStore

/// Reports over time as stacked bars, one colour per version, with the same numbers as a table.
struct VersionChart: Component {
    /// Number of versions with their own colour. All older versions share one colour.
    static let namedVersions = 4
    /// Distance between bars and height of the tallest bar, in units. The style sheet stretches both.
    private static let step = 20
    private static let height = 100

    private let stepKind: Trend.Step
    private let from: Int
    private let series: [Trend.Series]
    private let totals: [Int]

    init(_ trend: Trend) {
        stepKind = trend.step
        from = trend.from
        let length = trend.versions.map(\.counts.count).max() ?? 0
        var series = Array(trend.versions.prefix(Self.namedVersions))
        let older = trend.versions.dropFirst(Self.namedVersions)
        if !older.isEmpty {
            var counts = [Int](repeating: 0, count: length)
            for version in older {
                for (index, count) in version.counts.enumerated() {
                    counts[index] = counts[index].saturated(adding: count)
                }
            }
            series.append(Trend.Series(version: "older", counts: counts))
        }
        self.series = series
        totals = (0..<length).map { index in
            series.map { $0.counts.indices.contains(index) ? $0.counts[index] : 0 }.saturatedSum()
        }
    }

    var html: HTML {
        guard let most = totals.max(), most > 0 else {
            return #"<p class="dim">No reports in this period.</p>"#
        }
        let bars = totals.indices.map { bar($0, most: most) }
        return #"""
            <ul class="legend">\#(legend)</ul>
            <div class="chart"><span class="peak">\#(Count(most))</span>\#
            <svg viewBox="0 0 \#(totals.count * Self.step) \#(Self.height)" preserveAspectRatio="none" role="img" \#
            aria-label="\#(label(most: most))">\#(bars)</svg>\#
            <div class="axis" aria-hidden="true">\#(axis)</div></div>
            <details><summary>As a table</summary>\#(table)</details>
            """#
    }

    private func bar(_ index: Int, most: Int) -> HTML {
        guard totals[index] > 0 else { return "" }
        var below = 0
        var pieces = HTML()
        for (colour, version) in series.enumerated() where count(version, index) > 0 {
            // Both edges are rounded from the sum, so that the pieces meet.
            let bottom = Self.height - below.scaled(from: most, to: Self.height)
            below = below.saturated(adding: count(version, index))
            let top = max(0, min(bottom - 1, Self.height - below.scaled(from: most, to: Self.height)))
            pieces += #"""
                <rect class="v\#(colour)" x="\#(index * Self.step + 2)" y="\#(top)" width="16" \#
                height="\#(bottom - top)"/>
                """#
        }
        let reports = Count(totals[index]).of("report", "reports")
        return "<g><title>\(name(index)): \(reports) (\(countsByVersion(index)))</title>\(pieces)</g>"
    }

    private func count(_ version: Trend.Series, _ index: Int) -> Int {
        version.counts.indices.contains(index) ? version.counts[index] : 0
    }

    private func countsByVersion(_ index: Int) -> HTML {
        HTML(
            series.filter { count($0, index) > 0 }.map { "\($0.version): \(Count(count($0, index)))" },
            separator: ", ")
    }

    private var legend: [HTML] {
        series.enumerated().map { colour, version in
            #"""
            <li><svg aria-hidden="true"><rect class="v\#(colour)" width="10" height="10" rx="2"/></svg>\#
            \#(IsolatedText(version.version))</li>
            """#
        }
    }

    private func label(most: Int) -> HTML {
        let total = totals.saturatedSum()
        let first = name(0)
        let last = name(totals.count - 1)
        let peak = totals.firstIndex(of: most).map(name) ?? last
        return """
            \(Count(total).of("report", "reports")) from \(first) to \(last), most on \(peak): \(Count(most)). \
            The table below has the numbers.
            """
    }

    /// Labels of the axis: about seven days, or four hours, whose labels are longer. The last bar always has a label.
    private var axis: [HTML] {
        let names = stepKind == .day ? 7 : 4
        let every = max(1, (totals.count + names - 1) / names)
        return totals.indices.compactMap { index in
            (totals.count - 1 - index).isMultiple(of: every) ? "<span>\(name(index))</span>" : nil
        }
    }

    /// Returns the label of a bar: `20 Nov`, `20 Nov 13:00`.
    private func name(_ index: Int) -> String {
        switch stepKind {
        case .day: CivilDate(days: Int64(from + index)).dayAndMonth
        case .hour: CivilTime(milliseconds: Int64(from + index) * 3_600_000).dayAndHour
        }
    }

    private var table: HTML {
        let heads = series.map { #"<th scope="col" class="num">\#(IsolatedText($0.version))</th>"# as HTML }
        let rows = totals.indices.reversed().filter { totals[$0] > 0 }.map { index -> HTML in
            let cells = series.map { #"<td class="num">\#(Count(count($0, index)))</td>"# as HTML }
            return #"<tr><th scope="row">\#(name(index))</th>\#(cells)</tr>"#
        }
        let first: HTML = stepKind == .day ? "Day" : "Hour"
        return #"""
            <div class="scroll" tabindex="0" role="group" aria-label="Reports by version"><table class="small"><thead><tr>\#
            <th scope="col">\#(first)</th>\#(heads)</tr></thead><tbody>\#(rows)</tbody></table></div>
            """#
    }
}
