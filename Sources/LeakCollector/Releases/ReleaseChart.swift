import LeakStore

/// Charts of all versions, from the oldest to the newest: a line for the share of leak-free sessions, and bars for
/// leaks per 1,000 checks. The table below has the same numbers.
struct ReleaseChart: Component {
    /// Newest version first.
    var releases: [ReleaseSummary]

    /// Distance between versions, in units. The style sheet stretches the chart.
    private static let step = 20
    /// Height of a column in units, each of which is less than a pixel.
    private static let height = 1000
    /// Height of the lowest bar in units, so that small values are visible.
    private static let lowestBar = 10
    /// Maximum number of names along the axis, and minimum number of columns.
    private static let axisNames = 7
    /// Maximum number of versions for which each has a dot on the line. With more there is only room for the line.
    private static let dottedVersions = 60

    /// One version of a chart.
    private struct Point {
        var version: String
        /// `nil` without data.
        var value: Double?
        /// The value as text, as in the table.
        var words: String?
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
                words: $0.leakFreePercentage?.description)
        }
        guard let least = points.compactMap(\.value).min() else {
            return #"<p class="dim">No sessions reported yet.</p>"#
        }
        // The axis does not start at 0, because all lines would then run along the upper edge, and the last percent
        // matters.
        let floor = [0.999, 0.99, 0.98, 0.95, 0.9, 0.8, 0.5].first { $0 <= least } ?? 0
        return chart(
            points, title: "Leak-free sessions", top: "100\u{A0}%",
            bottom: "\(Decimal(tenths: Int(saturating: floor * 1000)))\u{A0}%"
        ) { columns in
            line(columns) { Self.height - Int(saturating: ($0 - floor) / (1 - floor) * Double(Self.height)) }
        }
    }

    private var rates: HTML {
        let points = releases.reversed().map {
            Point(
                version: $0.version, value: $0.exactLeaksPerThousandChecks,
                words: $0.leaksPerThousandChecks?.description)
        }
        guard let most = points.compactMap(\.value).max() else {
            return #"<p class="dim">No checks reported yet.</p>"#
        }
        return chart(
            points, title: "Leaks per 1,000 checks",
            top: Decimal(tenths: Int(saturating: most * 10)).description, bottom: "0"
        ) { columns in
            let bars = columns.map { point, x -> HTML in
                guard let value = point.value else { return "" }
                let height =
                    value <= 0
                    ? 0 : max(Self.lowestBar, Int(saturating: value / most * Double(Self.height)))
                return #"""
                    <rect class="v0" x="\#(x + 2)" y="\#(Self.height - height)" width="16" height="\#(height)"/>
                    """#
            }
            return HTML(bars)
        }
    }

    /// Returns a chart: the values at its edges, the names of versions along its axis, and the number of each version
    /// as a tooltip.
    private func chart(
        _ points: [Point], title: String, top: String, bottom: String,
        _ draw: ([(point: Point, x: Int)]) -> HTML
    ) -> HTML {
        // Versions form groups of equal size with one name each, the newest version last, so that each name is below
        // its version.
        let columnsPerName = max(1, (points.count + Self.axisNames - 1) / Self.axisNames)
        let groups = max(Self.axisNames, (points.count + columnsPerName - 1) / columnsPerName)
        let emptyColumns = groups * columnsPerName - points.count
        let columns = points.enumerated().map { (point: $1, x: ($0 + emptyColumns) * Self.step) }
        let tooltips = columns.map { point, x -> HTML in
            #"""
            <g><title>\#(point.version): \#(point.words ?? "no data")</title>\#
            <rect class="over" x="\#(x)" width="\#(Self.step)" height="\#(Self.height)"/></g>
            """#
        }
        let axis = (1...groups).map { number -> HTML in
            let index = number * columnsPerName - 1 - emptyColumns
            return index < 0 ? "<span></span>" : "<span>\(IsolatedText(points[index].version))</span>"
        }
        return #"""
            <div class="chart"><span class="peak">\#(top)</span>\#
            <svg viewBox="0 0 \#(groups * columnsPerName * Self.step) \#(Self.height)" preserveAspectRatio="none" role="img" \#
            aria-label="\#(label(points, title))">\#(draw(columns))\#(tooltips)</svg><span class="peak low">\#(bottom)</span>\#
            <div class="axis versions\#(columnsPerName > 1 ? " ends" : "")" aria-hidden="true">\#(axis)</div></div>
            """#
    }

    /// Returns a line through neighbouring versions, which is interrupted at a version without data.
    private func line(_ columns: [(point: Point, x: Int)], _ y: (Double) -> Int) -> HTML {
        var line = HTML()
        var dots = HTML()
        var isOpen = false
        for (index, (point, x)) in columns.enumerated() {
            guard let value = point.value else {
                isOpen = false
                continue
            }
            line.append(isOpen ? "L" : "M", x + Self.step / 2)
            line.append(" ", y(value))
            let isAlone = !isOpen && (index + 1 == columns.count || columns[index + 1].point.value == nil)
            if isAlone || columns.count <= Self.dottedVersions {
                dots.append("M", x + Self.step / 2)
                dots.append(" ", y(value))
                dots += "h0"
            }
            isOpen = true
        }
        return #"<path class="line" d="\#(line)"/><path class="dots" d="\#(dots)"/>"#
    }

    private func label(_ points: [Point], _ title: String) -> HTML {
        let known = points.filter { $0.value != nil }
        func words(_ point: Point?) -> String {
            point.map { "\($0.words ?? "no data") in \($0.version)" } ?? ""
        }
        let lowest = known.min { ($0.value ?? 0) < ($1.value ?? 0) }
        let highest = known.max { ($0.value ?? 0) < ($1.value ?? 0) }
        let range =
            known.count > 1 ? " from \(words(known.first)) to \(words(known.last))" : " \(words(known.last))"
        let ends = known.count > 2 ? ", lowest \(words(lowest)), highest \(words(highest))" : ""
        return "\(title):\(range)\(ends). The table below has the numbers."
    }
}
