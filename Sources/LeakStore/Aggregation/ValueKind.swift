/// The kinds of values by which a leak is counted: its reports by system and by model, and its explanations by reason, retained
/// bytes and closures.
package enum ValueKind: Int, Sendable, CaseIterable {
    case system = 0
    case model = 1
    /// ``Submission/Explanation/reason``. Counts explanations, not reports.
    case reason = 2
    /// Bytes that one object of the leak retains, ``RetainedBytes/rounded(_:)``. Counts explanations.
    case retainedBytes = 3
    /// ``Submission/Explanation/closures``. Counts explanations.
    case closures = 4

    /// `true` if the kind counts reports; `false` if it counts explanations.
    package var countsReports: Bool { self == .system || self == .model }

    /// The maximum number of different values of a kind that are counted separately for a leak; further values are counted
    /// together. Enough for the systems and models of an app's users, and few enough to limit what an untrusted sender can add.
    package static let limit = 200
}

/// Sizes of rows in bytes, as they count for ``StoreLimits/detailBytesPerKeyAndDay`` and, for versions, builds and cells, for
/// ``StoreLimits/leakTextBytesPerKeyAndDay``.
package enum DetailBytes {
    /// Bytes of a row without its text.
    private static let rowBytes = 16

    /// The newest sample of a leak counts as at least this number of bytes. This sample is replaced most often: without the
    /// minimum, alternating short and long reports would use up the bytes of a day.
    package static let ofNewestSample = 4_096

    /// Bytes of a row of `sample` without its texts, but with its entries in indexes.
    package static let ofSampleRow = 4 * rowBytes

    /// Approximate bytes of a row of `sample`.
    package static func ofSample(_ body: [UInt8], from origin: Submission.Origin, inSlot slot: Int) -> Int {
        var bytes = ofSampleRow + body.count + origin.version.utf8.count
        for text in [origin.build, origin.system, origin.model, origin.install, origin.user] {
            bytes += text?.utf8.count ?? 0
        }
        return slot == SampleSlot.newest ? max(bytes, ofNewestSample) : bytes
    }

    /// Approximate bytes of a row of `leak_value`. A row longer than a quarter of a page needs a second page.
    package static func ofValue(_ text: String) -> Int {
        text.utf8.count + rowBytes + (text.utf8.count > 980 ? 4_096 : 0)
    }

    /// Bytes of a row of `release` or `build` with its indexes: the name stands in the row, in its sort key and in an index.
    package static func ofVersion(_ name: String) -> Int { 3 * name.utf8.count + 6 * rowBytes }

    /// Maximum number of bytes of the rows that count a leak in a build: the row of `leak_build` and the row of `leak_release`,
    /// with a set of 256 installs each, the histogram of `leak_lived`, and the rows of hours and days. The sets and the
    /// histogram take a page each.
    package static let ofCell = 12 * 1_024

    /// Bytes of a row of `build_check`, with counts in all 64 buckets. Each build has rows of its own.
    package static func ofCheck(_ className: String) -> Int { className.utf8.count + 17 * rowBytes }
}

/// Bytes that objects retain, rounded to within 1/32, so that only few different numbers have to be counted.
public enum RetainedBytes {
    /// Rounds down to six significant bits.
    public static func rounded(_ bytes: Int) -> Int {
        let bytes = min(max(0, bytes), 1 << 40)
        let shift = max(0, Int.bitWidth - bytes.leadingZeroBitCount - 6)
        return (bytes >> shift) << shift
    }

    /// Returns SQL for the median of the bytes that objects of a leak retain; 0 if no explanation states them. Values beyond
    /// the limit of different values do not count.
    ///
    /// - Parameter leak: SQL for the row ID of the leak, such as a column of the surrounding query.
    package static func medianSQL(ofLeak leak: String) -> String {
        """
        coalesce((select bytes from (select cast(value as bigint) as bytes,
            sum(reports) over (order by cast(value as bigint)) as seen, sum(reports) over () as measured
            from leak_value where leak = \(leak) and kind = \(ValueKind.retainedBytes.rawValue) and value <> '') counted
          where seen * 2 >= measured order by bytes limit 1), 0)
        """
    }
}
