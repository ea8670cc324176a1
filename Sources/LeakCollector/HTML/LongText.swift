/// Text of a sender that may be longer than anybody wants to scroll past: a few lines of it are in sight, and all of it is
/// there to be scrolled through, with keys too.
struct LongText: Component {
    /// Bytes that fit into the lines in sight, on a phone too.
    static let shortBytes = 160

    /// As it is shown.
    var html: HTML

    init(_ text: String) { self.init(Isolated(text).html, bytes: text.utf8.count) }

    /// - Parameter bytes: of the text alone.
    init(_ content: HTML, bytes: Int) {
        html = bytes > Self.shortBytes ? #"<span class="long" tabindex="0">\#(content)</span>"# : content
    }
}
