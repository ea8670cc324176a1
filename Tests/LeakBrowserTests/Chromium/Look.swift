/// How a page is looked at.
struct Look: Hashable, Sendable, CustomStringConvertible {
    /// Whether the page's own scripts run.
    var scripts = true
    /// Of the window, in CSS pixels.
    var width = 1200
    /// `nil` for a usual height of windows of that width.
    var height: Int?
    var isDark = false
    var isPrinted = false

    static let desk = Look()
    static let night = Look(isDark: true)
    static let phone = Look(width: 360)
    /// The smallest that is in use: the first iPhone SE.
    static let smallPhone = Look(width: 320, height: 568)
    static let phoneAtNight = Look(width: 360, isDark: true)
    static let withoutScripts = Look(scripts: false)
    /// A4, 96 pixels to the inch.
    static let paper = Look(width: 794, isPrinted: true)

    /// As it goes into the name of a picture: `1200-dark`.
    var name: String { isPrinted ? "print" : "\(width)-\(isDark ? "dark" : "light")" }

    var description: String { scripts ? name : "\(name), no scripts" }
}
