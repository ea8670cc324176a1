/// One number of the overview.
struct Tile: Component {
    var title: HTML
    var value: HTML
    var note: HTML

    var html: HTML {
        #"<div class="tile"><dt>\#(title)</dt><dd><b>\#(value)</b> <span>\#(note)</span></dd></div>"#
    }
}
