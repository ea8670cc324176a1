/// Which of a leak's kept reports a row of `sample` is.
package enum SampleSlot {
    package static let first = 0
    package static let newest = 1
    package static let reservoir = 2
    /// Places of one leak.
    package static let count = reservoir + Reservoir.size

    /// The row. The slot leads: the newest reports of all leaks, rewritten with every commit, fill few pages, where
    /// each leak's reports side by side would dirty one page per leak.
    static func row(leak: Int64, slot: Int) -> Int64 { Int64(slot) << 40 | leak }
}
