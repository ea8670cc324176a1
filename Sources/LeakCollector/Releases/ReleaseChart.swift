import LeakStore

/// Charts of all versions, from the oldest to the newest: a line for the share of leak-free sessions, and bars for
/// leaks per 1,000 checks. The table below has the same numbers, rounded.
struct ReleaseChart: Component {
    /// Newest version first.
    var releases: [ReleaseSummary]

    /// Distance between versions, in units. The style sheet stretches the chart.
    private static let columnWidth = 20
    /// Height of a column in units, each of which is less than a pixel.
    private static let height = 1000
    /// Height of the lowest bar in units, so that small values are visible.
    private static let minBarHeight = 10
    /// Maximum number of names along the axis. The chart also has at least this many columns.
    private static let maxAxisNames = 7
    /// Maximum number of versions for which each has a dot on the line. With more versions there is only room for the line.
    private static let maxDottedVersions = 60

    /// One version of a chart.
    private struct Point {
        var version: String
        /// `nil` without data.
        var value: Double?
        /// The value as text, as in the table.
        var valueText: String?
    }

    var html: HTML {
        #"""
        <div class="grid even">\#(Card("Leak-free sessions", sessions))\#
        \#(Card("Leaks per 1,000 checks", rates))</div>
        """#
    }

    private var sessions: HTML {
        let points = releases.reversed().map {
            Point(
                version: $0.version, value: $0.leakFreeSessions.map { min(1, max(0, $0)) },
                valueText: $0.leakFreePercentage?.description)
        }
        guard let lowestShare = points.compactMap(\.value).min() else {
            return #"<p class="dim">No sessions reported yet.</p>"#
        }
        // The axis does not start at 0, because all lines would then run along the upper edge, and the last percent
        // matters.
        let axisMinimum = [0.999, 0.99, 0.98, 0.95, 0.9, 0.8, 0.5].first { $0 <= lowestShare } ?? 0
        return chart(
            points, title: "Leak-free sessions", top: "100\u{A0}%",
            bottom: "\(Decimal(tenths: Int(saturating: axisMinimum * 1000)))\u{A0}%"
        ) { columns in
            line(columns) {
                Self.height - Int(saturating: ($0 - axisMinimum) / (1 - axisMinimum) * Double(Self.height))
            }
        }
    }

    private var rates: HTML {
        let points = releases.reversed().map {
            Point(
                version: $0.version, value: $0.exactLeaksPerThousandChecks,
                valueText: $0.leaksPerThousandChecks?.description)
        }
        guard let highestRate = points.compactMap(\.value).max() else {
            return #"<p class="dim">No checks reported yet.</p>"#
        }
        return chart(
            points, title: "Leaks per 1,000 checks",
            top: Decimal(tenths: Int(saturating: highestRate * 10)).description, bottom: "0"
        ) { columns in
            let bars = columns.map { point, x -> HTML in
                guard let value = point.value else { return "" }
                let height =
                    value <= 0
                    ? 0
                    : max(Self.minBarHeight, Int(saturating: value / highestRate * Double(Self.height)))
                return #"""
                    <rect class="v0" x="\#(x + 2)" y="\#(Self.height - height)" width="16" height="\#(height)"/>
                    """#
            }
            return HTML(bars)
        }
    }

    /// Returns a chart: the values at its edges, the names of versions along its axis, and the value of each version
    /// as a tooltip.
    private func chart(
        _ points: [Point], title: String, top: String, bottom: String,
        _ draw: ([(point: Point, x: Int)]) -> HTML
    ) -> HTML {
        // Versions form groups of equal size with one name each, the newest version last, so that each name is below
        // its version.
        let columnsPerName = max(1, (points.count + Self.maxAxisNames - 1) / Self.maxAxisNames)
        let groupCount = max(Self.maxAxisNames, (points.count + columnsPerName - 1) / columnsPerName)
        let emptyColumnCount = groupCount * columnsPerName - points.count
        let columns = points.enumerated().map { (point: $1, x: ($0 + emptyColumnCount) * Self.columnWidth) }
        let tooltips = columns.map { point, x -> HTML in
            #"""
            <g><title>\#(point.version): \#(point.valueText ?? "no data")</title>\#
            <rect class="over" x="\#(x)" width="\#(Self.columnWidth)" height="\#(Self.height)"/></g>
            """#
        }
        let axis = (1...groupCount).map { number -> HTML in
            let index = number * columnsPerName - 1 - emptyColumnCount
            return index < 0 ? "<span></span>" : "<span>\(IsolatedText(points[index].version))</span>"
        }
        return #"""
            <div class="chart"><span class="peak">\#(top)</span>\#
            <svg viewBox="0 0 \#(groupCount * columnsPerName * Self.columnWidth) \#(Self.height)" preserveAspectRatio="none" role="img" \#
            aria-label="\#(label(points, title))">\#(draw(columns))\#(tooltips)</svg><span class="peak low">\#(bottom)</span>\#
            <div class="axis versions\#(columnsPerName > 1 ? " ends" : "")" aria-hidden="true">\#(axis)</div></div>
            """#
    }

    /// Returns a line through neighbouring versions, which is interrupted at a version without data.
    private func line(_ columns: [(point: Point, x: Int)], _ y: (Double) -> Int) -> HTML {
        var line = HTML()
        var dots = HTML()
        var isLineStarted = false
        for (index, (point, x)) in columns.enumerated() {
            guard let value = point.value else {
                isLineStarted = false
                continue
            }
            line.append(isLineStarted ? "L" : "M", x + Self.columnWidth / 2)
            line.append(" ", y(value))
            let isAlone =
                !isLineStarted && (index + 1 == columns.count || columns[index + 1].point.value == nil)
            if isAlone || columns.count <= Self.maxDottedVersions {
                dots.append("M", x + Self.columnWidth / 2)
                dots.append(" ", y(value))
                dots += "h0"
            }
            isLineStarted = true
        }
        return #"<path class="line" d="\#(line)"/><path class="dots" d="\#(dots)"/>"#
    }

    private func label(_ points: [Point], _ title: String) -> HTML {
        let pointsWithData = points.filter { $0.value != nil }
        func description(of point: Point?) -> String {
            point.map { "\($0.valueText ?? "no data") in \($0.version)" } ?? ""
        }
        let lowest = pointsWithData.min { ($0.value ?? 0) < ($1.value ?? 0) }
        let highest = pointsWithData.max { ($0.value ?? 0) < ($1.value ?? 0) }
        let range =
            pointsWithData.count > 1
            ? " from \(description(of: pointsWithData.first)) to \(description(of: pointsWithData.last))"
            : " \(description(of: pointsWithData.last))"
        let extremes =
            pointsWithData.count > 2
            ? ", lowest \(description(of: lowest)), highest \(description(of: highest))" : ""
        return "\(title):\(range)\(extremes). The table below has the numbers."
    }
}
