import Testing

@testable import LeakCollector

@Suite struct HTMLTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        (#"" onload="x"#, "&quot; onload=&quot;x"), ("' a='b", "&#39; a=&#39;b"), ("&amp;", "&amp;amp;"),
        ("]]>", "]]&gt;"), ("a\u{0}b\u{1F}c\u{7F}d\u{9F}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}"),
        ("tab\tline\n", "tab\tline\n"), ("\r", "\u{FFFD}"), ("\u{202E}evil\u{2066}", "\u{FFFD}evil\u{FFFD}"),
        ("שלום 👩‍👩‍👧 é", "שלום 👩‍👩‍👧 é"), ("\u{10FFFF}", "\u{10FFFF}"),
    ])
    func `text in HTML is escaped`(text: String, escaped: String) {
        let html: HTML = "\(text)"
        #expect(String(decoding: html.bytes, as: UTF8.self) == escaped)
    }

    @Test func `literals, markup and numbers in HTML are not escaped`() {
        let bold: HTML = "<b>\("<")</b>"
        let nothing: HTML? = nil
        let html: HTML = #"<p class="x">\#(bold)\#(nothing)\#(-12)\#([bold, bold])\#(Count(1284))</p>"#
        #expect(
            String(decoding: html.bytes, as: UTF8.self)
                == #"<p class="x"><b>&lt;</b>-12<b>&lt;</b><b>&lt;</b>1,284</p>"#)
    }

    @Test func `text that is written from right to left is isolated by a bdi element`() {
        #expect(IsolatedText("Cart<A>").html == "Cart&lt;A&gt;")
        #expect(IsolatedText("עגלה").html == "<bdi>\("עגלה")</bdi>")
    }

    @Test func `parts of HTML are joined with a separator between them`() {
        #expect(HTML(["a", "b"], separator: "<br>") == "a<br>b")
        #expect(HTML([HTML](), separator: "<br>").isEmpty)
    }
}
