import Foundation

/// Folders of the checkout that these tests were built from.
enum Checkout {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Folder of the files that Scripts/setup-browser downloads.
    static let fetched = root.appendingPathComponent(".build/browser")
    /// Folder for screenshots of the pages; `make test` names it.
    static let screenshots = root.appendingPathComponent(".build/screenshots")
    /// Folder of the documents and their pictures.
    static let documents = root.appendingPathComponent("docs")
    /// True if the pictures of the documents are to be made anew.
    static let writesPictures = ProcessInfo.processInfo.environment["PICTURES"] == "1"
}
