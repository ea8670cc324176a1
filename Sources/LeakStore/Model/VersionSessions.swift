/// The sessions that were told of one version of an app.
public struct VersionSessions: Hashable, Sendable {
    public var version: String
    public var sessions: Int
    /// Those among ``sessions`` in which something leaked.
    public var leakySessions: Int

    public init(version: String, sessions: Int, leakySessions: Int) {
        self.version = version
        self.sessions = sessions
        self.leakySessions = leakySessions
    }
}
