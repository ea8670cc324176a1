import Foundation
import Testing

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

    @Test func `the README links to every page of docs`() throws {
        let readme = try Self.text(of: "README.md")
        let guides = Self.pages.filter { $0.hasPrefix("docs/") }
        #expect(guides.count >= 10)
        for page in guides { #expect(readme.contains("](\(page))"), "\(page)") }
    }

    @Test(arguments: pages) func `every link leads to a file and a heading`(page: String) throws {
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

    /// The targets of all `[text](target)` outside of code.
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

    /// The anchors that GitHub gives to the headings.
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
