import Foundation

/// Folders of the checkout that these tests were built from.
enum Checkout {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Where Scripts/setup-browser puts what it fetches.
    static let fetched = root.appendingPathComponent(".build/browser")
    /// Where pictures of the pages go; `make test` names it.
    static let screenshots = root.appendingPathComponent(".build/screenshots")
}
