/// The result of erasing one install.
public struct ErasureResult: Hashable, Sendable {
    /// Number of kept reports that were erased.
    public var samples = 0
    /// Number of sets that contained the install: of leaks, builds, releases, and of the last day.
    public var sets = 0
    /// `true` if the write-ahead log still holds what was erased, until it is overwritten: a reader kept the log from being
    /// emptied. Erasing again retries.
    public var isLeftInLog = false

    public init() {}
}
