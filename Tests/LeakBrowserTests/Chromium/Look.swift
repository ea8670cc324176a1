/// The conditions under which a test opens a page: scripts, window size, colour scheme, print.
struct Look: Hashable, Sendable, CustomStringConvertible {
    /// True if the page's own scripts run.
    var runsScripts = true
    /// Width of the window in CSS pixels.
    var width = 1200
    /// Height of the window in CSS pixels. `nil` uses a usual height for windows of that width.
    var height: Int?
    var isDark = false
    var isPrinted = false

    static let desktop = Look()
    static let dark = Look(isDark: true)
    static let phone = Look(width: 360)
    /// The smallest screen that is still in use: the first iPhone SE.
    static let smallPhone = Look(width: 320, height: 568)
    static let darkPhone = Look(width: 360, isDark: true)
    static let withoutScripts = Look(runsScripts: false)
    /// A4 with 96 pixels per inch.
    static let paper = Look(width: 794, isPrinted: true)

    /// The name of these conditions in the file name of a screenshot, such as `1200-dark`.
    var name: String { isPrinted ? "print" : "\(width)-\(isDark ? "dark" : "light")" }

    var description: String { runsScripts ? name : "\(name), no scripts" }
}
