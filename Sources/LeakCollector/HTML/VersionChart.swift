internal import LeakPlatform
import LeakStore

/// Reports over time as stacked bars, one colour per version, with the same numbers as a table.
struct VersionChart: Component {
    /// Number of versions with their own colour. All older versions share one colour.
    static let maxColoredVersions = 4
    /// Distance between the left edges of neighbouring bars, in units. The style sheet stretches the chart.
    private static let barDistance = 20
    /// Height of the tallest bar, in units. The style sheet stretches the chart.
    private static let maxBarHeight = 100

    private let timeStep: Trend.Step
    /// The first day or hour, counted from 1970.
    private let firstStep: Int
    /// Reports for each bar, by version in the order of the trend. The last series may combine all older versions.
    private let series: [Trend.Series]
    /// Reports of all versions together, for each bar.
    private let totals: [Int]

    init(_ trend: Trend) {
        timeStep = trend.step
        firstStep = trend.from
        let length = trend.versions.map(\.counts.count).max() ?? 0
        var series = Array(trend.versions.prefix(Self.maxColoredVersions))
        let older = trend.versions.dropFirst(Self.maxColoredVersions)
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
        guard let largestTotal = totals.max(), largestTotal > 0 else {
            return #"<p class="dim">No reports in this period.</p>"#
        }
        let bars = totals.indices.map { bar($0, largestTotal: largestTotal) }
        return #"""
            <ul class="legend">\#(legend)</ul>
            <div class="chart"><span class="peak">\#(Count(largestTotal))</span>\#
            <svg viewBox="0 0 \#(totals.count * Self.barDistance) \#(Self.maxBarHeight)" preserveAspectRatio="none" role="img" \#
            aria-label="\#(label(largestTotal: largestTotal))">\#(bars)</svg>\#
            <div class="axis" aria-hidden="true">\#(axis)</div></div>
            <details><summary>As a table</summary>\#(table)</details>
            """#
    }

    private func bar(_ index: Int, largestTotal: Int) -> HTML {
        guard totals[index] > 0 else { return "" }
        var below = 0
        var pieces = HTML()
        for (colour, version) in series.enumerated() where count(version, index) > 0 {
            // Both edges of a piece are rounded from cumulative counts, so that neighbouring pieces meet.
            let bottom = Self.maxBarHeight - below.scaled(from: largestTotal, to: Self.maxBarHeight)
            below = below.saturated(adding: count(version, index))
            let top = max(
                0,
                min(bottom - 1, Self.maxBarHeight - below.scaled(from: largestTotal, to: Self.maxBarHeight)))
            pieces += #"""
                <rect class="v\#(colour)" x="\#(index * Self.barDistance + 2)" y="\#(top)" width="16" \#
                height="\#(bottom - top)"/>
                """#
        }
        let reports = Count(totals[index]).text(noun: "report", plural: "reports")
        return "<g><title>\(barLabel(index)): \(reports) (\(countsByVersion(index)))</title>\(pieces)</g>"
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

    private func label(largestTotal: Int) -> HTML {
        let total = totals.saturatedSum()
        let first = barLabel(0)
        let last = barLabel(totals.count - 1)
        let peak = totals.firstIndex(of: largestTotal).map(barLabel) ?? last
        return """
            \(Count(total).text(noun: "report", plural: "reports")) from \(first) to \(last), most on \(peak): \(Count(largestTotal)). \
            The table below has the numbers.
            """
    }

    /// Labels of the axis: about seven labels of days, or about four of hours, which are longer. The last bar always has a
    /// label.
    private var axis: [HTML] {
        let labelCount = timeStep == .day ? 7 : 4
        let labelInterval = max(1, (totals.count + labelCount - 1) / labelCount)
        return totals.indices.compactMap { index in
            (totals.count - 1 - index).isMultiple(of: labelInterval) ? "<span>\(barLabel(index))</span>" : nil
        }
    }

    /// Returns the label of a bar: `20 Nov`, `20 Nov 13:00`.
    private func barLabel(_ index: Int) -> String {
        switch timeStep {
        case .day: CivilDate(days: Int64(firstStep + index)).dayAndMonth
        case .hour: CivilTime(milliseconds: Int64(firstStep + index) * 3_600_000).dayAndHour
        }
    }

    private var table: HTML {
        let headings = series.map {
            #"<th scope="col" class="num">\#(IsolatedText($0.version))</th>"# as HTML
        }
        let rows = totals.indices.reversed().filter { totals[$0] > 0 }.map { index -> HTML in
            let cells = series.map { #"<td class="num">\#(Count(count($0, index)))</td>"# as HTML }
            return #"<tr><th scope="row">\#(barLabel(index))</th>\#(cells)</tr>"#
        }
        let firstHeading: HTML = timeStep == .day ? "Day" : "Hour"
        return #"""
            <div class="scroll" tabindex="0" role="group" aria-label="Reports by version"><table class="small"><thead><tr>\#
            <th scope="col">\#(firstHeading)</th>\#(headings)</tr></thead><tbody>\#(rows)</tbody></table></div>
            """#
    }
}
