import Foundation
import LeakCauses
import LeakMessage
import Testing

/// Compares docs/CAUSES.md with the code.
@Suite struct CausesPageTests {
    private static let page: String? = {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try? String(contentsOf: top.appendingPathComponent("docs/CAUSES.md"), encoding: .utf8)
    }()

    /// Returns the row of the table that describes a cause.
    private static func row(_ cause: LeakCause) -> String {
        let code = cause.remedy.split(separator: "\n").map { "`\($0.trimmingCharacters(in: .whitespaces))`" }
        return
            "| `\(cause.identifier)` | \(cause.name) | \(cause.explanation) | \(code.joined(separator: "<br>")) |"
    }

    @Test
    func `the page of causes has exactly the causes of the code, and the replacement of each merged cause`()
        throws
    {
        let page = try #require(Self.page)
        let sections = page.split(separator: "\n## ")
        func rows(of section: String) throws -> [String] {
            try #require(sections.first { $0.hasPrefix(section) }).split(separator: "\n")
                .filter { $0.hasPrefix("| `") }.map(String.init)
        }
        #expect(try rows(of: "All causes") == LeakCause.all.map(Self.row))
        let merged = try rows(of: "Merged causes")
        #expect(
            CauseVector.merged.allSatisfy { old, new in
                merged.contains { $0.contains("`\(old)`") && $0.contains("`\(new)`") }
            })
    }
}
