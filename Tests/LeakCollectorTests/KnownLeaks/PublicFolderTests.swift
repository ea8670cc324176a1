import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct PublicFolderTests {
    /// Runs `body` with the path of a copy of the Public folder without one file, and removes the copy.
    private func withCopy(without name: String, _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "public-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: RunningCollector.publicFolder, toPath: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.removeItem(atPath: path + "/" + name)
        try body(path)
    }

    @Test
    func `a Public folder without known leaks causes a warning, and its files are served and exported`()
        throws
    {
        let own = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        #expect(own.warning == nil && own.knownLeaks.entries.count >= 10)
        try withCopy(without: "known-leaks.json") { path in
            let folder = try PublicFolder(path, knownLeaks: nil)
            #expect(folder.knownLeaks.entries == [])
            let warning = try #require(folder.warning)
            #expect(warning.hasPrefix("\(path) has no known-leaks.json"), "\(warning)")
            let running = try RunningCollector(publicFolder: path)
            #expect(try running.post(#"{"class": "_UIAlertControllerTextField"}"#).status == 200)
            #expect(try running.json("/api/v1/leaks")["total"] as? Int == 1)
            let exported = path + "/exported"
            _ = try Export(store: running.store, publicFolder: folder).write(to: exported, app: nil)
            let files = try FileManager.default.contentsOfDirectory(atPath: exported)
            #expect(files.contains("style.css") && !files.contains("known-leaks.json"))
        }
    }

    @Test(arguments: ["style.css", "icon.svg", "openapi.json"])
    func `a Public folder without a required file is refused`(name: String) throws {
        try withCopy(without: name) { path in
            #expect {
                try PublicFolder(path, knownLeaks: nil)
            } throws: {
                "\($0)" == "--public names \(path), which has no \(name): it is not the Public folder"
            }
        }
    }
}
