/// Which of an app's versions counts as its newest: the highest one that leaked on ``installs`` installs or has
/// ``sessions`` sessions; while there is none, the highest of all.
///
/// One device may run anything: a build from a desk that calls itself 999.0 would otherwise be the newest for good. What
/// this asks for only grows, but for installs that are erased.
public enum NewestVersion {
    /// One may be a desk's. A release in the field has these with its second leak.
    public static let installs = 2
    /// Of a version that does not leak, or whose reports name no install.
    public static let sessions = 100

    /// How rows of `release` are sorted, the newest first.
    ///
    /// - Parameters:
    ///   - table: of the columns.
    ///   - numbered: ``VersionOrder/numbered`` as the database writes it. A text without a number is of any age.
    package static func order(of table: String, numbered: String) -> String {
        "\(isSeen(table, numbered: numbered)) desc, \(table).order_key desc"
    }

    /// Whether a row of `release` is more than one device's.
    package static func isSeen(_ table: String, numbered: String) -> String {
        "(\(table).order_key >= \(numbered) and (\(table).installs >= \(installs) or \(table).sessions >= \(sessions)))"
    }
}
