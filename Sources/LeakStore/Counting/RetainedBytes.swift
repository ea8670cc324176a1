/// Bytes that objects keep, to within 1/32: rounded numbers are so few that each can be counted.
public enum RetainedBytes {
    /// Rounds down to six significant bits.
    public static func rounded(_ bytes: Int) -> Int {
        let bytes = min(max(0, bytes), 1 << 40)
        let shift = max(0, Int.bitWidth - bytes.leadingZeroBitCount - 6)
        return (bytes >> shift) << shift
    }
}
