internal import LeakStore

/// Where a known leak happens: `iOS from 11.2, before 11.3`.
struct KnownSystems: Component {
    var leak: KnownLeak

    var html: HTML {
        leak.systems.isEmpty
            ? "every system" : HTML(leak.systems.map { "\($0.description)" as HTML }, separator: "; ")
    }
}
