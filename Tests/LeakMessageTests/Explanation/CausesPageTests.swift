import Foundation
import LeakMessage
import Testing

/// docs/CAUSES.md, held against the code.
@Suite struct CausesPageTests {
    private static let page: String? = {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try? String(contentsOf: top.appendingPathComponent("docs/CAUSES.md"), encoding: .utf8)
    }()

    /// The row of the table that describes a cause.
    private static func row(_ cause: LeakCause) -> String {
        let code = cause.remedy.split(separator: "\n").map { "`\($0.trimmingCharacters(in: .whitespaces))`" }
        return
            "| `\(cause.identifier)` | \(cause.name) | \(cause.explanation) | \(code.joined(separator: "<br>")) |"
    }

    @Test func `the page lists exactly the causes of the code, in their order`() throws {
        let page = try #require(Self.page)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(rows == LeakCause.all.map(Self.row))
    }
}
