import Foundation
import LeakMessage
import Testing
import LeakPlatform

@testable import LeakReporter

@Suite struct InstallFileTests {
    /// A folder that does not exist yet. It is removed when the test ends.
    private final class Place {
        let top = NSTemporaryDirectory() + "/install-" + UUID().uuidString
        var file: InstallFile { InstallFile(folder: top + "/state/LeakReporter/app-a") }
        var path: String { file.folder + "/install" }
        deinit { try? FileManager.default.removeItem(atPath: top) }
    }

    private func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 32 && text.allSatisfy { "0123456789abcdef".contains($0) }
    }

    @Test func `the install identifier is created once and stored, readable only by the user`() throws {
        let place = Place()
        let first = place.file.identifier()
        #expect(isIdentifier(first))
        #expect(place.file.identifier() == first)
        let attributes = try FileManager.default.attributesOfItem(atPath: place.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let left = try FileManager.default.contentsOfDirectory(atPath: place.file.folder)
        #expect(left == ["install"], "no draft stays")
    }

    @Test(arguments: [
        "", "abc", String(repeating: "g", count: 32), String(repeating: "a", count: 33),
        String(repeating: "A", count: 32),
    ])
    func `a damaged install file is replaced`(content: String) throws {
        let place = Place()
        try FileManager.default.createDirectory(
            atPath: place.file.folder, withIntermediateDirectories: true)
        try Data(content.utf8).write(to: URL(fileURLWithPath: place.path))
        let first = place.file.identifier()
        #expect(isIdentifier(first))
        #expect(place.file.identifier() == first)
    }

    /// A file is at the path of the folder: even the superuser cannot store anything there.
    @Test func `if the install identifier cannot be stored, each call returns a new identifier`() throws {
        let place = Place()
        try Data().write(to: URL(fileURLWithPath: place.top))
        #expect(isIdentifier(place.file.identifier()))
        #expect(place.file.identifier() != place.file.identifier())
    }

    @Test func `concurrent first requests for the install identifier get the same identifier`() {
        let place = Place()
        let file = place.file
        let lock = NSLock()
        nonisolated(unsafe) var all: Set<String> = []
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let one = file.identifier()
            lock.withLock { _ = unsafe all.insert(one) }
        }
        #expect(unsafe all.count == 1)
    }

    #if os(Linux)
        @Test(arguments: [
            (["XDG_STATE_HOME": "/var/state"], "/var/state"), ([:], "/home/a/.local/state"),
            (["XDG_STATE_HOME": ""], "/home/a/.local/state"),
            (["XDG_STATE_HOME": "relative"], "/home/a/.local/state"),
        ])
        func `the state folder is XDG_STATE_HOME, or the default folder if that is not an absolute path`(
            environment: [String: String], folder: String
        ) {
            #expect(InstallFile.stateFolder(environment, home: "/home/a") == folder)
        }
    #endif

    @Test(arguments: [
        ("com.acme.shop", "app-com.acme.shop"), ("..", "app-.."), ("../../x", "app-.._.._x"),
        ("a\0b", "app-a_b"),
        ("Ä", "app-__"), ("", "app-"),
    ])
    func `the name of an app's folder is one path component for every app id`(id: String, name: String) {
        #expect(InstallFile.folderName(for: AppInfo(id: id)) == name)
    }

    @Test func `the folder name of an app with a long id is truncated`() {
        #expect(InstallFile.folderName(for: AppInfo(id: String(repeating: "a", count: 9_999))).count == 132)
    }
}

@Suite struct InstallTests {
    private func sentInstall(_ install: LeakReporter.Install, _ file: InstallFile) throws -> String? {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        var configuration = LeakReporter.Configuration(
            endpoint: "http://localhost:8080", key: "k", app: AppInfo(id: "a"), install: install)
        configuration.storage = .memory
        let reporter = LeakReporter(configuration) {
            if install == .kept { $0.install = { file.identifier() } }
        } makeTransport: {
            transport
        }
        #expect(!FileManager.default.fileExists(atPath: file.folder), "the initializer creates no file")
        reporter.record(message: "m")
        #expect(reporter.flush(timeout: generousSeconds))
        return try #require(transport.batches().first)["install"] as? String
    }

    @Test func `an app that sets no install identifier sends and stores a random identifier`() throws {
        let folder = NSTemporaryDirectory() + "/install-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = InstallFile(folder: folder)
        #expect(LeakReporter.Configuration(endpoint: "", key: "").install == .kept)
        let first = try sentInstall(.kept, file)
        #expect(first?.count == 32)
        #expect(file.identifier() == first)
    }

    @Test(arguments: [
        ("ci", LeakReporter.Install.kept, true), ("CI", .kept, true), ("ci-nightly", .kept, false),
        ("production", .kept, false), ("ci", .given("mine"), false), ("ci", .none, false),
    ])
    func `each run has a separate install identifier only in the environment ci, with the default setting`(
        environment: String, install: LeakReporter.Install, isOfRun: Bool
    ) throws {
        var configuration = LeakReporter.Configuration(
            endpoint: "http://localhost:8080", key: "k",
            app: AppInfo(id: "test.install-of-a-run", environment: environment), install: install)
        configuration.storage = .memory
        func ofNewRun() -> ReporterEnvironment {
            ReporterEnvironment(configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5))
            { FakeTransport { _, _ in FakeTransport.accepted() } }
        }
        let (first, second) = (ofNewRun(), ofNewRun())
        #expect((first.install() != second.install()) == isOfRun)
        #expect(first.install() == first.install())
        #expect(
            !isOfRun || first.install()?.utf8.count == InstallFile.digitCount && first.installFolder == nil)
        if isOfRun {
            let former = first.install()
            first.forgetInstall()
            #expect(first.install() != former)
        }
    }

    /// The disk may be slow; a call that records must not wait for it.
    @Test func `the install identifier is requested once, on the reporter's own thread`() throws {
        let transport = FakeTransport { _, _ in FakeTransport.accepted() }
        // The threads are compared by identity, because other runtimes may rename threads.
        let asked = Guarded<[ObjectIdentifier]>([])
        var configuration = LeakReporter.Configuration(endpoint: "http://localhost:8080", key: "k")
        configuration.storage = .memory
        let reporter = LeakReporter(configuration) {
            $0.install = {
                asked.with { $0.append(ObjectIdentifier(Thread.current)) }
                return "i1"
            }
        } makeTransport: {
            transport
        }
        for _ in 0..<2 {
            reporter.record(leak: LeakReport())
            #expect(reporter.flush(timeout: generousSeconds))
        }
        #expect(asked.with { $0 }.count == 1)
        #expect(asked.with { $0 } != [ObjectIdentifier(Thread.current)])
        #expect(try transport.batches().map { $0["install"] as? String } == ["i1", "i1"])
    }

    @Test func `no identifier is sent if the install is none, and a given identifier is sent unchanged`()
        throws
    {
        let folder = NSTemporaryDirectory() + "/install-" + UUID().uuidString
        let file = InstallFile(folder: folder)
        #expect(try sentInstall(.none, file) == nil)
        #expect(try sentInstall(.given("mine"), file) == "mine")
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
