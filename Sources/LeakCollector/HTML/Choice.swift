/// A drop-down list of a form.
struct Choice: Component {
    var name: String
    var label: String
    /// What stands for no choice; `nil` where there must be one.
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
