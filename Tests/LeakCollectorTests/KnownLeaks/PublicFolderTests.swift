import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct PublicFolderTests {
    /// Runs `body` with a copy of the folder without one file, and removes the copy.
    private func copy(without name: String, _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "public-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: RunningCollector.publicFolder, toPath: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.removeItem(atPath: path + "/" + name)
        try body(path)
    }

    @Test func `the folder of an earlier version has no known leaks, says so, and is served`() throws {
        let own = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        #expect(own.warning == nil && own.knownLeaks.entries.count >= 10)
        try copy(without: "known-leaks.json") { path in
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
    func `a folder without a required file is not a Public folder`(name: String) throws {
        try copy(without: name) { path in
            #expect {
                try PublicFolder(path, knownLeaks: nil)
            } throws: {
                "\($0)" == "--public names \(path), which has no \(name): it is not the Public folder"
            }
        }
    }
}
