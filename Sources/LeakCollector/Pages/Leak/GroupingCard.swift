import LeakStore

/// Why these reports are one leak.
struct GroupingCard: Component {
    var leak: LeakIdentity

    var html: HTML {
        let rule = leak.groupedBy
        let stack: HTML? =
            rule.stack.isEmpty ? nil : "<div><dt>stack</dt><dd>\(LeakPath(rule.stack).whole)</dd></div>"
        let name: HTML = leak.quality == .low ? "text" : "class"
        let note: HTML =
            leak.quality == .low
            ? #"<p class="dim">The report named no class: its text, with numbers masked, stands for one.</p>"#
            : ""
        let mangled: HTML =
            rule.isMangled
            ? #"<p class="dim">A name is mangled in a way that could not be read; it stands as it came.</p>"#
            : ""
        return Card(
            "Grouped by, rule \(rule.version)",
            #"""
            <dl class="keys"><div><dt>\#(name)</dt><dd><code>\#(LongText(rule.className))</code></dd></div>\#
            \#(stack)</dl>\#(note)\#(mangled)
            """#, id: "grouping"
        ).html
    }
}
