import LeakStore

/// What the newest version's leak-free sessions are to those of the version before: `▼ 0.9 points worse than 5.1.0`; empty
/// where either has none.
struct SessionsChange: Component {
    var overview: Overview

    var html: HTML {
        guard let previous = overview.previous, let now = overview.newest?.leakFreeSessions,
            let before = previous.leakFreeSessions
        else { return "" }
        let tenths = Int(saturating: (now - before) * 1000)
        let other = Isolated(previous.version)
        if tenths == 0 { return "the same as \(other) · " }
        let points = Decimal(tenths: abs(tenths))
        return tenths > 0
            ? #"<em class="better">▲ \#(points) points better</em> than \#(other) · "#
            : #"<em class="worse">▼ \#(points) points worse</em> than \#(other) · "#
    }
}
