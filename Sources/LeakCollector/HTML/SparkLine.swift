import LeakStore

/// Reports per day as a row of small bars: 97 by 22 units.
///
/// All bars are one path, because a rectangle for each bar would make a list of 200 leaks 100 kB larger. The bars are drawn from
/// the top down, which needs fewer bytes, and the style sheet flips them vertically.
struct SparkLine: Component {
    /// Reports per day, oldest first.
    var counts: [Int]
    /// The number of reports per day that has the tallest bar. The lines of one page share it, so that they can be compared.
    var tallest: Int

    /// Distance between the left edges of neighbouring bars, in units. The style sheet sets the width of a bar.
    static let barDistance = 7
    /// Height of the tallest bar, in units.
    static let maxBarHeight = 20

    init(_ counts: [Int], tallest: Int) {
        self.counts = counts
        self.tallest = max(1, tallest)
    }

    var html: HTML {
        var countList = HTML()
        var bars = HTML()
        for (index, count) in counts.enumerated() {
            countList.append(index == 0 ? " " : ", ", count)
            bars.append("M", index * Self.barDistance + 3)
            // A day with one report must differ from a day with none.
            bars.append(
                " 0v", count <= 0 ? 1 : max(2, count.scaled(from: tallest, to: Self.maxBarHeight)))
        }
        return
            #"<svg class="spark" role="img" aria-label="Daily reports:\#(countList)"><path d="\#(bars)"/></svg>"#
    }
}

extension Trend {
    /// Returns the last `count` hours, including the current one. Versions without reports in them are left out.
    ///
    /// - Parameter now: milliseconds since 1970.
    func lastHours(_ count: Int, now: Int64) -> Trend {
        let first = Int(now / 3_600_000) - count + 1
        let versions = versions.compactMap { version -> Series? in
            let counts = (first..<first + count).map { hour in
                version.counts.indices.contains(hour - from) ? version.counts[hour - from] : 0
            }
            return counts.contains { $0 > 0 } ? Series(version: version.version, counts: counts) : nil
        }
        return Trend(step: step, from: first, versions: versions)
    }
}
