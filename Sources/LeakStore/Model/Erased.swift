/// What was erased of one install.
public struct Erased: Hashable, Sendable {
    /// Reports that were kept.
    public var samples = 0
    /// Sets that counted it: of leaks, builds, releases, and of the last day.
    public var sets = 0
    /// Whether the log that commits are written to first still holds what was erased, until it is overwritten: a reader
    /// kept it from being emptied. Erasing again tries again.
    public var isLeftInLog = false

    public init() {}
}
