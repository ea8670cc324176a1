/// A titled box of a page.
struct Card: Component {
    var title: HTML
    var content: HTML
    /// Id of the element. Links to the card have it as their fragment, and a live page finds the card by it after an
    /// update.
    var id: String?

    init(_ title: HTML, _ content: HTML, id: String? = nil) {
        self.title = title
        self.content = content
        self.id = id
    }

    var html: HTML {
        let idAttribute: HTML? = id.map { #" id="\#($0)""# }
        return #"<section class="card"\#(idAttribute)><h2>\#(title)</h2>\#(content)</section>"#
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

/// A bar whose width shows `part` as a share of `whole`. It is hidden from screen readers, because the number is
/// shown beside it.
struct ShareBar: Component {
    var part: Int
    var whole: Int

    var html: HTML {
        // A small share is still visible.
        let percent = part <= 0 || whole <= 0 ? 0 : max(1, part.scaled(from: whole, to: 100))
        return
            #"<svg class="bar" aria-hidden="true"><rect width="\#(percent)%" height="8" rx="4"/></svg>"#
    }
}

/// A drop-down list of a form.
struct DropDownList: Component {
    var name: String
    var label: String
    /// Label of the empty choice; `nil` if there is none.
    var emptyLabel: String?
    /// Values with their labels, in order.
    var options: [(value: String, text: String)]
    var selectedValue: String?

    var html: HTML {
        var items: [HTML] = []
        if let emptyLabel { items.append(#"<option value="">\#(emptyLabel)</option>"#) }
        for choice in options { items.append(option(value: choice.value, text: choice.text)) }
        // An old link may name a value that no longer exists. It is still listed, so that no other value is chosen
        // silently.
        if let selectedValue, !options.contains(where: { $0.value == selectedValue }) {
            items.append(option(value: selectedValue, text: selectedValue))
        }
        return #"<select name="\#(name)" aria-label="\#(label)">\#(items)</select>"#
    }

    private func option(value: String, text: String) -> HTML {
        let selectedAttribute: HTML = value == selectedValue ? " selected" : ""
        return value == text
            ? "<option\(selectedAttribute)>\(text)</option>"
            : #"<option value="\#(value)"\#(selectedAttribute)>\#(text)</option>"#
    }
}

/// Text of a sender that may be very long. Only its first lines are visible, and the rest can be reached by
/// scrolling, even with the keyboard.
struct LongText: Component {
    /// Maximum bytes of a text that fits into the visible lines, even on a phone.
    static let maxShortBytes = 160

    var html: HTML

    init(_ text: String) { self.init(IsolatedText(text).html, bytes: text.utf8.count) }

    /// - Parameter bytes: bytes of the text without markup.
    init(_ content: HTML, bytes: Int) {
        html = bytes > Self.maxShortBytes ? #"<span class="long" tabindex="0">\#(content)</span>"# : content
    }
}

/// A table of names with their counts, and a bar for the first count of each name.
struct CountTable: Component {
    struct Row {
        var name: String
        /// One count for each heading after the first.
        var counts: [Int]
        /// The count that a bar of full width stands for.
        var fullBarCount: Int
        /// Shown below the name.
        var details: HTML?
    }

    var headings: [String]
    var rows: [Row]

    var html: HTML {
        let head = headings.enumerated().map { index, title -> HTML in
            index == 0 ? #"<th scope="col">\#(title)</th>"# : #"<th scope="col" class="num">\#(title)</th>"#
        }
        return #"""
            <table class="small"><thead><tr>\#(head)<td></td></tr></thead><tbody>\#(rows.map { row($0) })</tbody></table>
            """#
    }

    private func row(_ row: Row) -> HTML {
        let cells = row.counts.map { #"<td class="num">\#(Count($0))</td>"# as HTML }
        let bar = ShareBar(part: row.counts.first ?? 0, whole: row.fullBarCount)
        return
            #"<tr><th scope="row">\#(IsolatedText(row.name))\#(row.details)</th>\#(cells)<td class="share">\#(bar)</td></tr>"#
    }
}
