import LeakCollectorSupport
import LeakHTTPClient
import Testing

@testable import LeakCollector

/// The Markdown of a leak, for a ticket.
@Suite struct LeakMarkdownTests {
    private func markdown(_ report: String) throws -> String {
        let running = try RunningCollector()
        #expect(try running.post(report).status == 200)
        let leaks = try #require(try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])
        let id = try #require(leaks.first?["id"] as? String)
        let answer = try running.get("/api/v1/leaks/\(id)/markdown")
        #expect(answer.status == 200)
        #expect(answer.field("Content-Type") == "text/markdown; charset=utf-8")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("[Open this leak](http://localhost:\(running.port)/leaks/\(id))"))
        return text
    }

    @Test func `the Markdown of a leak says what leaks, where it was seen and what keeps it`() throws {
        let text = try markdown(
            #"""
            {"app":{"id":"shop","version":"5.2.0"},"device":{"os":"iOS","os_version":"18.1","model":"iPhone16,2"},
             "install":"a","reports":[{"class":"CartController","stack":["UINavigationController","CartController"],
             "cycle":["CartController.onPaid","closure","CartController"]}]}
            """#)
        for line in [
            "## `CartController`", "- **App:** `shop`", "- **State:** new in `5.2.0`",
            "- **Versions:** `5.2.0`",
            "- **Device models:** `iPhone16,2` (1)", "UINavigationController › CartController",
            "CartController.onPaid → closure → CartController",
        ] {
            #expect(text.split(separator: "\n").contains { $0 == line }, "\(line) in \(text)")
        }
        #expect(text.contains("- **Seen:** 1 report from 1 install, "))
    }

    /// No text of a report becomes a link, a picture, a heading or the end of a block. If punctuation combines with the scalar
    /// before or after it, Swift sees one combined character, but Markdown still sees the punctuation.
    @Test(arguments: ["", "\u{D4E}", "\u{301}", "\u{200D}"])
    func `text from reports is not interpreted as Markdown`(joint: String) throws {
        let markup = "\(joint)<img src=//evil>\(joint) www.evil.example *a*\(joint) `\(joint) @me #1"
        let text = try markdown(
            #"""
            {"app":{"id":"a<b>","version":"1"},"device":{"os":"iOS","os_version":"MARKUP","model":"MARKUP"},
             "reports":[{"class":"[x](http://evil)","stack":["# a MARKUP","[x](http://evil)"]}]}
            """#.replacing("MARKUP", with: markup))
        #expect(text.split(separator: "\n").first == "## `[x](http://evil)`")
        #expect(text.contains("- **App:** `a<b>`"))
        #expect(text.contains("iOS"))
        // All text outside of code comes from the collector itself.
        var outside: [UInt8] = []
        for line in text.split(separator: "\n").prefix(while: { $0 != "Path:" }) {
            var rest = Array(line.utf8)[...]
            while let start = rest.firstIndex(of: UInt8(ascii: "`")) {
                outside += rest[..<start]
                let fence = rest[start...].prefix { $0 == UInt8(ascii: "`") }
                var end = fence.endIndex
                while end < rest.endIndex {
                    let run = rest[end...].prefix { $0 == UInt8(ascii: "`") }
                    if run.count == fence.count { break }
                    end = max(run.endIndex, end + 1)
                }
                #expect(end < rest.endIndex, "a span without an end in \(line)")
                rest = rest[min(end + fence.count, rest.endIndex)...]
            }
            outside += rest
        }
        let words = String(decoding: outside, as: UTF8.self)
        #expect(!words.contains("evil") && !words.contains("<") && !words.contains("@"), "\(words)")
    }

    @Test(arguments: [
        (["a", "b"], ["```", "a", "b", "```"]),
        (["a `b`"], ["```", "a `b`", "```"]),
        (["```", "a````b"], ["`````", "```", "a````b", "`````"]),
        (["a\n```\r\nb"], ["````", "a ```  b", "````"]),
        (["```\u{301}"], ["````", "```\u{301}", "````"]),
    ])
    func `no line inside a code block ends the block`(lines: [String], block: [String]) {
        #expect(LeakMarkdown.codeBlock(lines) == block)
    }

    @Test func `a request for the Markdown of a missing leak gets 404`() throws {
        let running = try RunningCollector()
        let answer = try running.get("/api/v1/leaks/00112233445566778899aabbccddeeff/markdown")
        #expect(answer.status == 404)
        #expect(answer.field("Content-Type") == "application/problem+json")
    }
}
