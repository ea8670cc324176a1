/// The result of erasing one install.
public struct ErasureResult: Hashable, Sendable {
    /// Number of samples that were erased.
    public var samples = 0
    /// Number of stored sets of installs from which the install was removed. Leaks, builds and releases of leaks, releases, and
    /// days and ten-minute slots of apps have such sets; a release of a leak has a second set, of its recent installs.
    public var sets = 0
    /// `true` if the write-ahead log still contains erased data, because a reader prevented the log from being emptied. Erasing
    /// the install again tries again to empty the log.
    public var isLeftInLog = false

    public init() {}
}
