extension Duration {
    /// Whole milliseconds, rounded down, never negative.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let whole = UInt64(min(seconds, 1 << 40))
        return whole * 1000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
