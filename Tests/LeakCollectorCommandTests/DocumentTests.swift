import Foundation
import Testing

@testable import leak_collector

/// README.md and the pages that it links to.
@Suite struct DocumentTests {
    private static let top = URL(fileURLWithPath: CollectorProcess.publicFolder).deletingLastPathComponent()

    private static func text(of page: String) throws -> String {
        try String(contentsOf: top.appendingPathComponent(page), encoding: .utf8)
    }

    private static var pages: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: top.path + "/docs")) ?? []
        return [
            "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md",
            "Conformance/README.md",
        ]
            + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
    }

    @Test func `the README has at most 900 words`() throws {
        let words = try Self.text(of: "README.md").split { $0.isWhitespace }
        #expect((300...900).contains(words.count))
    }

    @Test func `the index links to every page of docs, and the README to the index`() throws {
        let index = try Self.text(of: "docs/README.md")
        let guides = Self.pages.filter { $0.hasPrefix("docs/") && $0 != "docs/README.md" }
        #expect(guides.count >= 10)
        for page in guides { #expect(index.contains("](\(page.dropFirst(5)))"), "\(page)") }
        #expect(try Self.text(of: "README.md").contains("](docs/README.md)"))
    }

    @Test(arguments: pages) func `every link of a page leads to an existing file and heading`(page: String)
        throws
    {
        for target in Self.links(of: try Self.text(of: page)) where !target.contains("://") {
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let folder = Self.top.appendingPathComponent(page).deletingLastPathComponent()
            let file =
                parts[0].isEmpty
                ? Self.top.appendingPathComponent(page) : folder.appendingPathComponent(parts[0])
            #expect(FileManager.default.fileExists(atPath: file.standardizedFileURL.path), "\(target)")
            guard parts.count == 2, let text = try? String(contentsOf: file, encoding: .utf8) else {
                continue
            }
            #expect(Self.anchors(of: text).contains(parts[1]), "\(target)")
        }
    }

    @Test func `the program accepts each command in the documents, and the Makefile has each target`()
        throws
    {
        let makefile = try Self.text(of: "Makefile")
        var count = 0
        for page in Self.pages {
            for line in Self.code(of: try Self.text(of: page)) {
                var line = line.trimmingCharacters(in: .whitespaces)
                for prefix in ["$ ", "run: ", "docker exec collector "] where line.hasPrefix(prefix) {
                    line.removeFirst(prefix.count)
                }
                let command = line.components(separatedBy: " #")[0]
                let words = command.split(separator: " ").map { $0.filter { $0 != "\"" } }
                if words.first == "make", words.count > 1, !words[1].hasPrefix("-") {
                    #expect(makefile.contains("\n\(words[1]):"), "\(page): \(line)")
                } else if words.first == "collector" {
                    #expect(throws: Never.self, "\(page): \(line)") {
                        _ = try Command(Array(words.dropFirst()))
                    }
                    count += 1
                }
            }
        }
        #expect(count >= 10)
    }

    /// A suite that compiles the Swift code of a page contains the name of the page as a string. `DocumentationTests` compiles
    /// the code of all pages of LeakHTTPServer.
    @Test func `every page with Swift code is named in a test suite`() throws {
        let suites = try Self.files(below: "Tests", ending: "Tests.swift").map { try Self.text(of: $0) }
        for page in try Self.pages + Self.files(below: "Sources", ending: ".md") {
            guard try Self.text(of: page).contains("```swift\n") else { continue }
            guard !page.contains("LeakHTTPServer.docc/") else { continue }
            #expect(suites.contains { $0.contains("\"\(page)\"") }, "\(page)")
        }
    }

    private static func files(below folder: String, ending: String) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: top.path + "/" + folder)?.allObjects as? [String]
        return try #require(names).filter { $0.hasSuffix(ending) }.sorted().map { folder + "/" + $0 }
    }

    /// Returns the lines of all code blocks.
    private static func code(of text: String) -> [String] {
        var isCode = false
        return text.components(separatedBy: "\n").filter { line in
            guard line.hasPrefix("```") else { return isCode }
            isCode.toggle()
            return false
        }
    }

    /// Returns the target of each `[text](target)` outside of code.
    private static func links(of text: String) -> [String] {
        var isCode = false
        let prose = text.components(separatedBy: "\n").filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
        return prose.joined(separator: "\n").components(separatedBy: "](").dropFirst().compactMap {
            $0.components(separatedBy: ")").first
        }
    }

    /// Returns the anchors that GitHub gives to the headings.
    private static func anchors(of text: String) -> Set<String> {
        let headings = text.components(separatedBy: "\n").filter { $0.hasPrefix("#") }
        return Set(
            headings.map { heading in
                let words = heading.drop { $0 == "#" }.dropFirst().lowercased()
                return String(
                    words.compactMap {
                        $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil
                    })
            })
    }
}
