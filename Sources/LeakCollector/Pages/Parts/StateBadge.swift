import LeakStore

/// The state of a leak in a word or two, with what explains it.
struct StateBadge: Component {
    var row: LeakRow

    var html: HTML {
        switch row.state {
        case .slow:
            let lived: HTML? = row.lived.map {
                "<small>freed after \(Lapse(milliseconds: $0.p50)) (median)</small>"
            }
            return #"<span class="badge slow">Slow release</span>\#(lived)"#
        case .open where row.isNew:
            return #"<span class="badge new">New in \#(Isolated(row.firstVersion))</span>"#
        case .open:
            return #"<span class="badge open">Open</span>"#
        }
    }
}
