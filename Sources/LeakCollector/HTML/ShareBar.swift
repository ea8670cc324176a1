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
