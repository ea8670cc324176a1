/// A titled box of a page.
struct Card: Component {
    var title: HTML
    var content: HTML

    init(_ title: HTML, _ content: HTML) {
        self.title = title
        self.content = content
    }

    var html: HTML {
        #"<section class="card"><h2>\#(title)</h2>\#(content)</section>"#
    }
}
