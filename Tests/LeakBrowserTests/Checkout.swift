import Foundation

/// Folders of the checkout that these tests were built from.
enum Checkout {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Folder of the files that Scripts/setup-browser downloads.
    static let downloadFolder = root.appendingPathComponent(".build/browser")
    /// Folder for screenshots of the pages. `make test` prints its path.
    static let screenshots = root.appendingPathComponent(".build/screenshots")
    /// Folder of the documents and their pictures.
    static let documents = root.appendingPathComponent("docs")
    /// True if the tests write the pictures of the documents.
    static let writesPictures = ProcessInfo.processInfo.environment["PICTURES"] == "1"
}
