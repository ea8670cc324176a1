import Testing

/// ``Markup`` checks the pages of other tests, so it must reject markup that pages must not contain.
@Suite struct MarkupTests {
    @Test(arguments: [
        "<script>alert(1)</script>", #"<p style="color:red">a</p>"#, #"<p onload="x">a</p>"#, "<p>a",
        "<p>a</div>", "a</p>",
        "<p>a & b</p>", "<p>&nbsp;</p>", "<p class=a>b</p>", #"<p class="a" class="b">c</p>"#,
        "<style>a</style>",
        "<iframe></iframe>", "<p", #"<p class="a>b</p>"#, "<p>a</p><!doctype html>",
    ])
    func `the markup parser refuses malformed and forbidden markup`(markup: String) {
        #expect(throws: Markup.Mistake.self) { try Markup(Array(markup.utf8)) }
    }

    @Test func `the markup parser reads names, texts, classes and links`() throws {
        let markup = try Markup(
            Array(##"<!doctype html><p class="a b"><a href="/?a=1&amp;b=&quot;">x &lt; y</a></p>"##.utf8))
        #expect(markup.shape == ["p", "p.class", "a", "a.href"])
        #expect(markup.texts == ["a b", "/?a=1&b=\"", "x < y"])
        #expect(markup.classes == ["a", "b"])
        #expect(markup.links == ["/?a=1&b=\""])
    }
}
