/// Bytes that objects keep, to within 1/32: rounded numbers are so few that each can be counted.
public enum RetainedBytes {
    /// Rounds down to six significant bits.
    public static func rounded(_ bytes: Int) -> Int {
        let bytes = min(max(0, bytes), 1 << 40)
        let shift = max(0, Int.bitWidth - bytes.leadingZeroBitCount - 6)
        return (bytes >> shift) << shift
    }

    /// SQL for the median of what the objects of a leak keep; 0 where no explanation says so. Values beyond the limit of
    /// different ones do not count.
    ///
    /// - Parameter leak: SQL for the row of the leak, of a table outside.
    package static func median(ofLeak leak: String) -> String {
        """
        coalesce((select bytes from (select cast(value as bigint) as bytes,
            sum(reports) over (order by cast(value as bigint)) as seen, sum(reports) over () as measured
            from leak_value where leak = \(leak) and kind = \(ValueKind.retainedBytes.rawValue) and value <> '') counted
          where seen * 2 >= measured order by bytes limit 1), 0)
        """
    }
}
