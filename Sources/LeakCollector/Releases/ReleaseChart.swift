import LeakStore

/// How versions did, one after the other from the oldest to the newest: a line for the share of leak-free sessions, bars
/// for leaks per 1,000 checks. The table below has the same numbers.
struct ReleaseChart: Component {
    /// Newest version first.
    var releases: [ReleaseSummary]

    /// Units from version to version and of the tallest bar; the style sheet stretches both.
    private static let step = 20
    /// Units of a column: tenths of a percent, which is less than a pixel.
    private static let height = 1000
    /// Units of the lowest bar: a little is never nothing.
    private static let lowestBar = 10
    /// Names along the axis, and columns that a chart of fewer versions has room for.
    private static let names = 7
    /// Versions up to which each has a dot on the line; with more the line is all there is room for.
    private static let dottedVersions = 60

    /// One version of a chart.
    private struct Point {
        var version: String
        /// `nil` without data.
        var value: Double?
        /// The value as the table has it.
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
        // From 0 on, all lines would run along the upper edge: what counts is the last percent.
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

    /// The frame of a chart: its edges' values, the versions along it, and each one's number under the pointer.
    private func chart(
        _ points: [Point], title: String, top: String, bottom: String,
        _ draw: ([(point: Point, x: Int)]) -> HTML
    ) -> HTML {
        // Whole groups of versions with one name each, the newest last: the names stand below what they name.
        let group = max(1, (points.count + Self.names - 1) / Self.names)
        let groups = max(Self.names, (points.count + group - 1) / group)
        let empty = groups * group - points.count
        let columns = points.enumerated().map { (point: $1, x: ($0 + empty) * Self.step) }
        let pointed = columns.map { point, x -> HTML in
            #"""
            <g><title>\#(point.version): \#(point.words ?? "no data")</title>\#
            <rect class="over" x="\#(x)" width="\#(Self.step)" height="\#(Self.height)"/></g>
            """#
        }
        let axis = (1...groups).map { number -> HTML in
            let index = number * group - 1 - empty
            return index < 0 ? "<span></span>" : "<span>\(IsolatedText(points[index].version))</span>"
        }
        return #"""
            <div class="chart"><span class="peak">\#(top)</span>\#
            <svg viewBox="0 0 \#(groups * group * Self.step) \#(Self.height)" preserveAspectRatio="none" role="img" \#
            aria-label="\#(label(points, title))">\#(draw(columns))\#(pointed)</svg><span class="peak low">\#(bottom)</span>\#
            <div class="axis versions\#(group > 1 ? " ends" : "")" aria-hidden="true">\#(axis)</div></div>
            """#
    }

    /// A line through neighbours, broken where a version has no data.
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
