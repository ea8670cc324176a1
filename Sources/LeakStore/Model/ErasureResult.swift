/// The result of erasing one install.
public struct ErasureResult: Hashable, Sendable {
    /// Number of samples that were erased.
    public var samples = 0
    /// Number of sets of installs that contained the install: sets of leaks, of their builds and releases, of
    /// releases, and of an app's days and ten-minute slots.
    public var sets = 0
    /// `true` if the write-ahead log still contains erased data, because a reader prevented the log from being emptied. Erasing
    /// the install again tries again to empty the log.
    public var isLeftInLog = false

    public init() {}
}
