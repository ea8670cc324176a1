/// What a list of apps says of one.
public struct AppSummary: Hashable, Sendable {
    public var id: String
    /// `nil` for an app of which no version is known yet.
    public var newestVersion: String?
    /// Milliseconds since 1970.
    public var lastSeen: Int64

    public init(id: String, newestVersion: String?, lastSeen: Int64) {
        self.id = id
        self.newestVersion = newestVersion
        self.lastSeen = lastSeen
    }
}
