/// A titled box of a page.
struct Card: Component {
    var title: HTML
    var content: HTML
    /// What an address leads to it by, and what it is known again by where a page is renewed while it is looked at.
    var id: String?

    init(_ title: HTML, _ content: HTML, id: String? = nil) {
        self.title = title
        self.content = content
        self.id = id
    }

    var html: HTML {
        let mark: HTML? = id.map { #" id="\#($0)""# }
        return #"<section class="card"\#(mark)><h2>\#(title)</h2>\#(content)</section>"#
    }
}
