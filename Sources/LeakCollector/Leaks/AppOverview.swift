import LeakStore

/// The overview of one app among several.
struct AppOverview: Sendable {
    var app: String
    var overview: Overview

    /// Apps that are told one by one; the others are found by the filter.
    static let told = 5
}
