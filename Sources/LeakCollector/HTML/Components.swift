/// A titled box of a page.
struct Card: Component {
    var title: HTML
    var content: HTML
    /// The fragment of its address, by which a page that is renewed finds it again.
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

/// One number of the overview.
struct Tile: Component {
    var title: HTML
    var value: HTML
    var note: HTML

    var html: HTML {
        #"<div class="tile"><dt>\#(title)</dt><dd><b>\#(value)</b> <span>\#(note)</span></dd></div>"#
    }
}

/// A bar as wide as a share of the widest beside it. For the eye alone: the number stands beside it.
struct ShareBar: Component {
    var part: Int
    var whole: Int

    var html: HTML {
        // A little is never nothing.
        let percent = part <= 0 || whole <= 0 ? 0 : max(1, part.scaled(from: whole, to: 100))
        return
            #"<svg class="bar" aria-hidden="true"><rect width="\#(percent)%" height="8" rx="4"/></svg>"#
    }
}

/// A drop-down list of a form.
struct Choice: Component {
    var name: String
    var label: String
    /// The label of no choice; `nil` where there must be one.
    var none: String?
    /// Values and how they read, in order.
    var options: [(value: String, text: String)]
    var chosen: String?

    var html: HTML {
        var items: [HTML] = []
        if let none { items.append(#"<option value="">\#(none)</option>"#) }
        for option in options { items.append(item(option.value, option.text)) }
        // An old link may name what is gone by now: it must not turn into another choice unseen.
        if let chosen, !options.contains(where: { $0.value == chosen }) { items.append(item(chosen, chosen)) }
        return #"<select name="\#(name)" aria-label="\#(label)">\#(items)</select>"#
    }

    private func item(_ value: String, _ text: String) -> HTML {
        let mark: HTML = value == chosen ? " selected" : ""
        return value == text
            ? "<option\(mark)>\(text)</option>" : #"<option value="\#(value)"\#(mark)>\#(text)</option>"#
    }
}

/// Text of a sender that may be longer than anybody wants to scroll past: a few lines of it are in sight, and all of it is
/// there to be scrolled through, with keys too.
struct LongText: Component {
    /// Bytes that fit into the lines in sight, on a phone too.
    static let shortBytes = 160

    /// As it is shown.
    var html: HTML

    init(_ text: String) { self.init(IsolatedText(text).html, bytes: text.utf8.count) }

    /// - Parameter bytes: of the text alone.
    init(_ content: HTML, bytes: Int) {
        html = bytes > Self.shortBytes ? #"<span class="long" tabindex="0">\#(content)</span>"# : content
    }
}

/// Names with their counts, each with a bar for the first of them.
struct CountTable: Component {
    struct Row {
        var name: String
        /// As many as there are heads after the first.
        var counts: [Int]
        /// The count of the longest bar.
        var most: Int
    }

    var heads: [String]
    var rows: [Row]

    var html: HTML {
        let head = heads.enumerated().map { index, title -> HTML in
            index == 0 ? #"<th scope="col">\#(title)</th>"# : #"<th scope="col" class="num">\#(title)</th>"#
        }
        return #"""
            <table class="small"><thead><tr>\#(head)<td></td></tr></thead><tbody>\#(rows.map { row($0) })</tbody></table>
            """#
    }

    private func row(_ row: Row) -> HTML {
        let cells = row.counts.map { #"<td class="num">\#(Count($0))</td>"# as HTML }
        let bar = ShareBar(part: row.counts.first ?? 0, whole: row.most)
        return
            #"<tr><th scope="row">\#(IsolatedText(row.name))</th>\#(cells)<td class="share">\#(bar)</td></tr>"#
    }
}
