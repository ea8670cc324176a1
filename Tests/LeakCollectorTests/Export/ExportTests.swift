import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakPlatform
import LeakStore
import Testing

@testable import LeakCollector

/// Exports of the pages as plain files.
@Suite struct ExportTests {
    private let running: RunningCollector
    private let root = NSTemporaryDirectory() + "export-\(UUID().uuidString)"
    private static let shop = "com.acme.Shop"
    /// Equal to `shop` in a file system that ignores case.
    private static let twin = "com.acme.shop"
    private static let hostile = "../a b/<script>%2F?#&\"'=." + String(repeating: "é", count: 100)

    init() throws {
        running = try RunningCollector()
        let many = (0..<205).map { #"{"class":"Shop.Screen\#($0)","stack":["Root","Shop.Screen\#($0)"]}"# }
        try report(app: Self.shop, version: "1.0", Array(many[..<100]))
        try report(app: Self.shop, version: "1.1", Array(many[100...]))
        try report(
            app: Self.twin, version: "2.0",
            [#"{"class":"cart"}"#, #"{"class":"Cart"}"#, #"{"class":"Cart","stack":["Tab","Cart"]}"#])
        let name = String(repeating: "W<é", count: 120)
        try report(
            app: Self.hostile, version: "<1>",
            [
                #"{"class":"\#(name)"}"#, #"{"class":"Outer.Inner"}"#, #"{"class":"Inner"}"#,
                #"{"message":"zzz"}"#,
            ])
    }

    private func report(app: String, version: String, _ reports: [String]) throws {
        let id = String(decoding: try JSONEncoder().encode(app), as: UTF8.self)
        let batch = #"""
            {"app":{"id":\#(id),"module":"Shop","version":"\#(version)"},"install":"i",
             "sessions":[{"id":"s","checks":2,"leaks":1}],"reports":[\#(reports.joined(separator: ","))]}
            """#
        let answer = try running.post(batch)
        #expect(answer.status == 200 && answer.text.contains(#""rejected":[]"#), "\(answer.text)")
    }

    @discardableResult
    private func export(
        to name: String, app: String? = nil, at: Int64? = nil, progress: (Export.Progress) -> Void = { _ in }
    ) throws -> Export.Result {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        return try Export(store: running.store, publicFolder: publicFolder, at: at)
            .write(to: "\(root)/\(name)", app: app, progress: progress)
    }

    /// Returns every file of an export, by its name in the export.
    private func files(_ name: String) throws -> [String: Data] {
        let folder = "\(root)/\(name)"
        return try FileManager.default.subpathsOfDirectory(atPath: folder).reduce(into: [:]) { files, name in
            let kind = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.type]
            guard kind as? FileAttributeType == .typeRegular else { return }
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
    }

    /// Returns the broken links of pages and lists, and the pages that cannot be reached from the first pages.
    private func problems(of files: [String: Data]) throws -> [String] {
        var problems: [String] = []
        var reached: Set<String> = ["index.html", "causes.html", "releases.html"]
        var waiting = Array(reached)
        var links: [String: [String]] = [:]
        for (name, bytes) in files where name.hasSuffix(".html") {
            let markup = try Markup([UInt8](bytes))
            if markup.shape.contains(where: { $0 == "form" || $0 == "script" }) {
                problems.append("form in \(name)")
            }
            links[name] = markup.links.filter { !$0.hasPrefix("#") && !$0.hasPrefix("https://") }
        }
        for (name, bytes) in files where name.hasSuffix(".json") && name != "openapi.json" {
            let list = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
            links[name] = [list?["next"] as? String].compactMap { $0 }
        }
        while let name = waiting.popLast() {
            for link in links[name] ?? [] {
                let path = link.prefix { $0 != "#" }
                let folder = name.contains("/") ? String(name.prefix { $0 != "/" }) + "/" : ""
                let target = path.hasPrefix("../") ? String(path.dropFirst(3)) : folder + path
                if files[target] == nil {
                    problems.append("\(name) leads to \(link)")
                } else if reached.insert(target).inserted {
                    waiting.append(target)
                }
            }
        }
        let alone = Set(files.keys).subtracting(reached).filter { $0.hasSuffix(".html") }
        return problems + alone.sorted().map { "nothing leads to \($0)" }
    }

    private func removeRoot() { try? FileManager.default.removeItem(atPath: root) }

    @Test func `an export has lists of the resolved and of the ignored leaks, for all apps and for each app`()
        throws
    {
        let json = try running.json("/api/v1/leaks?app=\(Self.shop)&sort=reports&limit=2")
        let leaks = try #require(json["leaks"] as? [[String: Any]])
        let ids = leaks.compactMap { ($0["id"] as? String).flatMap { LeakID($0) } }
        try #require(ids.count == 2)
        let now = WallClock.milliseconds()
        _ = try running.store.decide(Decision(.resolve(.newestVersion), by: "Ann"), about: ids[0], now: now)
        _ = try running.store.decide(Decision(.ignore(nil), by: "Ann"), about: ids[1], now: now)
        try export(to: "aside")
        let files = try files("aside")
        #expect(try problems(of: files) == [])
        let app = "apps/" + PercentEncoder.fileName(Self.shop)
        for (name, id) in [("resolved", ids[0]), ("\(app)=resolved", ids[0]), ("ignored", ids[1])] {
            let page = String(decoding: try #require(files["\(name).html"]), as: UTF8.self)
            #expect(page.contains("leaks/\(id).html"), "\(name)")
            let list = try JSONSerialization.jsonObject(with: try #require(files["\(name).json"]))
            #expect((list as? [String: Any])?["total"] as? Int == 1, "\(name)")
        }
        #expect(files["known.html"] == nil)
    }

    @Test func `the export of an empty collector does not depend on the time at which it is written`()
        throws
    {
        let empty = try RunningCollector()
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let export = try Export(store: empty.store, publicFolder: publicFolder)
        try export.write(to: "\(root)/one", app: nil)
        // Wait until the clock shows another second.
        let second = WallClock.milliseconds() / 1000
        while WallClock.milliseconds() / 1000 == second { usleep(50_000) }
        try export.write(to: "\(root)/two", app: nil)
        let first = try files("one")
        #expect(try files("two") == first)
        let page = String(decoding: try #require(first["index.html"]), as: UTF8.self)
        #expect(page.contains("No leaks yet") && !page.contains("Updated"))
    }

    @Test func `an export reads each leak and its sample reports from the store once`() throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let store = CountingStore(store: running.store)
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        try Export(store: store, publicFolder: publicFolder).write(to: "\(root)/counted", app: nil)
        let (leaks, samples) = (store.reads.leaks.with { $0 }, store.reads.samples.with { $0 })
        let pages = try files("counted").keys.filter { $0.hasPrefix("leaks/") && $0.hasSuffix(".html") }
        // Each leak has a page of its own and a page of its sample reports.
        #expect(leaks.count > 200 && pages.count == 2 * leaks.count)
        #expect(leaks.filter { $0.value != 1 }.isEmpty && samples.filter { $0.value != 1 }.isEmpty)
        #expect(Set(leaks.keys) == Set(samples.keys))
    }

    @Test func `every link of an export leads to a file, and every page can be reached by links`() throws {
        defer { removeRoot() }
        let result = try export(to: "a")
        let files = try files("a")
        let problems = try problems(of: files)
        #expect(problems == [], "\(problems)")
        // Each of the 212 leaks has a page and a page of its reports. Each of their 210 classes has a page.
        #expect(files.keys.filter { $0.hasPrefix("leaks/") && $0.hasSuffix(".html") }.count == 2 * 212)
        #expect(files.keys.filter { $0.hasPrefix("classes/") && $0.hasSuffix(".html") }.count == 210)
        #expect(Set(files.keys.map { $0.lowercased() }).count == files.count)
        let listed = ExportFolder.names(in: try Array(#require(files[".collector-export"])))
        #expect(listed == Set(files.keys).subtracting([".collector-export"]))
        #expect(files["apps/com.acme.=53hop=p2.html"] != nil && files["index=p2.json"] != nil)
        #expect(result.fileCount + 1 == files.count && result.removedFileCount == 0)
        #expect(files.keys.allSatisfy { $0.split(separator: "/").allSatisfy { $0.utf8.count <= 255 } })
    }

    @Test func `an export does not depend on the clock, but shows a time that is given`() throws {
        defer { removeRoot() }
        try export(to: "a")
        Thread.sleep(forTimeInterval: 1.1)
        try export(to: "b")
        try export(to: "b")
        #expect(try files("a") == files("b"))
        try export(to: "c", at: 1_900_000_000_000)
        let page = String(decoding: try #require(try files("c")["index.html"]), as: UTF8.self)
        #expect(page.contains("2030-03-17 17:46 UTC"))
    }

    @Test
    func `an export for a time before the last report is refused, and its error names the earliest time`()
        throws
    {
        defer { removeRoot() }
        let lastSeen = try #require(try running.store.makeReader().appSummaries().map(\.lastSeen).max())
        var text = ""
        #expect { try export(to: "a", at: lastSeen - 1) } throws: {
            text = "\($0)"
            return text.contains("is before the last report")
        }
        #expect(!FileManager.default.fileExists(atPath: root + "/a"))
        let named = text.split(separator: " ").compactMap { WallClock.milliseconds(rfc3339: String($0)) }
        #expect(named.count == 1)
        try export(to: "b", at: named.first)
        try export(to: "c", at: lastSeen)
    }

    @Test func `errors about unknown apps and environments show no characters that control a terminal`() {
        let name = "\u{202E}evil"
        let errors: [any Error] = [
            Export.NoSuchApp(app: "nope", knownApps: [name]),
            Export.NoSuchEnvironment(environment: "nope", knownEnvironments: [name]),
            UnknownVersionError(
                app: "nope", version: "1", build: nil, isBaseline: false, versions: [], apps: [name],
                environments: []),
        ]
        for error in errors {
            #expect("\(error)".contains("\u{FFFD}evil") && !"\(error)".contains(name), "\(error)")
        }
    }

    @Test
    func `an export removes files of an earlier export that it does not write again, and no other file`()
        throws
    {
        defer { removeRoot() }
        try export(to: "a")
        for name in ["notes.html", "leaks/notes.html"] {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(root)/a/\(name)"))
        }
        let result = try export(to: "a", app: Self.twin)
        let left = try files("a")
        #expect(result.removedFileCount > 400)
        #expect(left["notes.html"] == Data("mine".utf8) && left["leaks/notes.html"] == Data("mine".utf8))
        try export(to: "b", app: Self.twin)
        let fresh = try files("b")
        #expect(left.filter { !$0.key.contains("notes") } == fresh)
        let problems = try problems(of: fresh)
        #expect(problems == [], "\(problems)")
        #expect(
            fresh.keys.filter { $0.hasPrefix("apps/") }.sorted() == [
                "apps/com.acme.shop.html", "apps/com.acme.shop.json",
            ])
    }

    @Test func `leaks that are reported during an export are exported too, even those of a new app`() throws {
        defer { removeRoot() }
        try export(to: "a") { progress in
            guard progress.writtenLeakCount == 10 else { return }
            try? report(app: "late", version: "1", [#"{"class":"Late"}"#])
            try? report(app: Self.twin, version: "2.0", [#"{"class":"Cart","stack":["Late","Cart"]}"#])
        }
        let files = try files("a")
        #expect(files["apps/late.html"] != nil && files["releases/late.html"] != nil)
        #expect(files.keys.filter { $0.hasPrefix("leaks/") && $0.hasSuffix(".html") }.count == 2 * 214)
        #expect(try problems(of: files).filter { !$0.hasPrefix("nothing leads to") } == [])
    }

    @Test func `the next export removes the files that an interrupted export left`() throws {
        defer { removeRoot() }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        var cut = try ExportFolder("\(root)/a")
        try cut.put([1], to: "leaks/00.html")
        try cut.put([2], to: "apps/gone.html")
        var next = try ExportFolder("\(root)/a")
        try next.put([3], to: "apps/gone.html")
        #expect(try next.finish() == 1)
        #expect(
            try files("a") == [
                "apps/gone.html": Data([3]), ".collector-export": Data("apps/gone.html\n".utf8),
            ])
        #expect(!FileManager.default.fileExists(atPath: "\(root)/a/leaks"))
    }

    /// Creates a symbolic link in `root` to another file or folder in `root`.
    private func createLink(_ name: String, to target: String) throws {
        let path = "\(root)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(root)/\(target)")
    }

    @Test func `an export does not write through a symbolic link that has the name of its temporary file`()
        throws
    {
        defer { removeRoot() }
        try createLink("a/.collector-export.part", to: "outside")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(root)/outside"))
        try export(to: "a", app: Self.twin)
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(root)/outside")) == Data("mine".utf8))
        #expect(try files("a")["index.html"] != nil)
    }

    @Test
    func `an export accepts a symbolic link in the path above its folder, but not as the folder itself`()
        throws
    {
        defer { removeRoot() }
        try FileManager.default.createDirectory(atPath: "\(root)/outside", withIntermediateDirectories: true)
        try createLink("www", to: "outside")
        try export(to: "www/leaks", app: Self.twin)
        #expect(try files("outside/leaks")["index.html"] != nil)
        #expect(throws: ExportFolder.Failure.self) { try export(to: "www", app: Self.twin) }
        #expect(throws: ExportFolder.Failure.self) { try export(to: "www/", app: Self.twin) }
    }

    @Test(arguments: [".collector-export", "leaks", "apps", "classes"])
    func `an export fails if a symbolic link replaces one of its folders or its list of files`(name: String)
        throws
    {
        defer { removeRoot() }
        try createLink("a/\(name)", to: "outside")
        if name != ".collector-export" {
            try FileManager.default.createDirectory(
                atPath: "\(root)/outside", withIntermediateDirectories: true)
        }
        #expect { try export(to: "a", app: Self.twin) } throws: {
            "\($0)".hasPrefix("\(root)/a/\(name) is a link, which an export does not follow; remove it or ")
        }
        #expect((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/outside")) ?? [] == [])
        #expect(name != ".collector-export" || !FileManager.default.fileExists(atPath: "\(root)/outside"))
    }

    @Test(arguments: ["hard link", "pipe"])
    func `an export fails if its list of files is a hard link or a pipe`(
        kind: String
    ) throws {
        defer { removeRoot() }
        let list = "\(root)/a/.collector-export"
        let outside = "\(root)/outside"
        try FileManager.default.createDirectory(atPath: "\(root)/a", withIntermediateDirectories: true)
        try Data("index.html\n".utf8).write(to: URL(fileURLWithPath: outside))
        if kind == "pipe" {
            #expect(unsafe mkfifo(list, 0o600) == 0)
        } else {
            try FileManager.default.linkItem(atPath: outside, toPath: list)
        }
        let failure = #expect(throws: ExportFolder.Failure.self) { try export(to: "a", app: Self.twin) }
        let reason = kind == "pipe" ? "is not from an export" : "has a second name (a hard link)"
        #expect(failure?.description.hasPrefix("\(list) \(reason)") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: outside)) == Data("index.html\n".utf8))
    }

    @Test func `an export does not read a list of files that is a symbolic link`() throws {
        defer { removeRoot() }
        try createLink("a/.collector-export", to: "outside")
        try Data("notes.html\n".utf8).write(to: URL(fileURLWithPath: "\(root)/outside"))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(root)/a/notes.html"))
        #expect(throws: ExportFolder.Failure.self) { try export(to: "a", app: Self.twin) }
        #expect(try files("a") == ["notes.html": Data("mine".utf8)])
    }

    @Test func `an export removes no file through a symbolic link to a folder`() throws {
        defer { removeRoot() }
        try createLink("a/leaks", to: "outside")
        try FileManager.default.createDirectory(
            atPath: "\(root)/outside", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(root)/outside/1.html"))
        try Data("leaks/1.html\n".utf8).write(to: URL(fileURLWithPath: "\(root)/a/.collector-export"))
        let folder = try ExportFolder("\(root)/a")
        #expect(throws: ExportFolder.Failure.self) { _ = try folder.finish() }
        #expect(FileManager.default.fileExists(atPath: "\(root)/outside/1.html"))
    }

    @Test(arguments: ["", "/", "/.", "//./"])
    func `an export into a symbolic link is refused, and nothing is written`(end: String) throws {
        defer { removeRoot() }
        try FileManager.default.createDirectory(atPath: "\(root)/real", withIntermediateDirectories: true)
        try createLink("a", to: "real")
        #expect { try export(to: "a" + end, app: Self.twin) } throws: {
            "\($0)".hasPrefix("\(root)/a is a link, which an export does not follow; remove it or ")
        }
        #expect(try files("real").isEmpty)
    }

    @Test(arguments: ["notes.txt", ".git"])
    func `an export into a folder with foreign files is refused, and nothing is written`(name: String)
        throws
    {
        defer { removeRoot() }
        try FileManager.default.createDirectory(atPath: "\(root)/a", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(root)/a/\(name)"))
        #expect { try export(to: "a", app: Self.twin) } throws: {
            "\($0)" == "\(root)/a/\(name) is not from an export; name an empty folder"
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(root)/a") == [name])
    }

    @Test(arguments: ["index.html", "releases.json", "style.css"])
    func `an export does not overwrite a foreign file that has the name of one of its files`(name: String)
        throws
    {
        defer { removeRoot() }
        try FileManager.default.createDirectory(atPath: "\(root)/a", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(root)/a/\(name)"))
        // Repeats the attempt, because the first attempt may have left files.
        for _ in 1...2 {
            #expect { try export(to: "a", app: Self.twin) } throws: {
                "\($0)" == "\(root)/a/\(name) is not from an export; name an empty folder"
            }
        }
        #expect(try files("a") == [name: Data("mine".utf8)])
    }

    @Test func `a foreign file in a subfolder is not overwritten, and after its removal the export succeeds`()
        throws
    {
        defer { removeRoot() }
        let mine = "\(root)/a/apps/\(Self.twin).html"
        try FileManager.default.createDirectory(atPath: "\(root)/a/apps", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: mine))
        // The list of files marks the folder as an export.
        try Data("\n".utf8).write(to: URL(fileURLWithPath: "\(root)/a/.collector-export"))
        for _ in 1...2 {
            #expect { try export(to: "a", app: Self.twin) } throws: {
                "\($0)" == "\(mine) is not from an export; name an empty folder"
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: mine)) == Data("mine".utf8))
        try FileManager.default.removeItem(atPath: mine)
        try export(to: "a", app: Self.twin)
        try export(to: "b", app: Self.twin)
        #expect(try files("a") == files("b"))
    }

    @Test func `an incomplete last line in the list of files does not stop later exports`() throws {
        defer { removeRoot() }
        try FileManager.default.createDirectory(atPath: "\(root)/a", withIntermediateDirectories: true)
        try Data("index.html\nsty".utf8).write(to: URL(fileURLWithPath: "\(root)/a/.collector-export"))
        var cut = try ExportFolder("\(root)/a")
        try cut.put([1], to: "leaks/1.html")
        var next = try ExportFolder("\(root)/a")
        try next.put([2], to: "leaks/1.html")
        _ = try next.finish()
        #expect(try files("a")["leaks/1.html"] == Data([2]))
    }

    @Test func `in a list of files, names outside of the folder and names that no export writes are ignored`()
    {
        let lines = [
            "/etc/passwd", "../up.html", "leaks/../../up", ".", "..", ".ssh", "a//b", "a/b/c", "", "leaks/.x",
            "a\0b",
            "leaks/1.html", "apps/=2Fa=p2.json", "NOTES.md", "index.html",
        ]
        let names = ExportFolder.names(in: Array(lines.joined(separator: "\n").utf8))
        #expect(names == ["leaks/1.html", "apps/=2Fa=p2.json", "index.html"])
    }

    @Test
    func `the error of an export names the path that cannot be created, or the app that does not exist`()
        throws
    {
        defer { removeRoot() }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: root + "/file"))
        #expect { try export(to: "file/a") } throws: { "\($0)".hasPrefix("cannot create \(root)/file/a: ") }
        #expect { try export(to: "a", app: "b") } throws: {
            "\($0)".hasPrefix("there is no app b; the apps are ")
        }
    }
}

@Suite struct FileNameTests {
    @Test(arguments: [
        ("com.acme.shop", "com.acme.shop"), ("com.acme.Shop", "com.acme.=53hop"), ("", "="), ("..", "=2E."),
        ("a/b", "a=2Fb"), ("=53", "=3D53"), ("é", "=C3=A9"), ("a~", "a=7E"),
    ])
    func `a text is encoded as a file name`(text: String, name: String) {
        #expect(PercentEncoder.fileName(text) == name)
    }

    @Test func `encoded file names have at most 200 bytes, and differ even if case is ignored`() {
        let long = String(repeating: "é", count: 100)
        let names = [
            long, long + "a", long + "A", String(repeating: "a", count: 200),
            String(repeating: "a", count: 201),
        ]
        .map(PercentEncoder.fileName)
        #expect(names.allSatisfy { $0.utf8.count <= 200 })
        #expect(Set(names.map { $0.lowercased() }).count == names.count)
    }
}
