import LeakStore

/// The line of a leak's page that links to the same leak in other environments.
struct OtherEnvironments: Component {
    var context: PageContext
    var leaks: [(environment: String, id: LeakID, reports: Int)]

    /// Finds the environments from which a leak was reported too.
    init(of leak: LeakIdentity, context: PageContext, reader: any StoreReader) throws(StoreError) {
        self.context = context
        leaks = []
        // An export has the pages of one environment.
        guard context.links.isServed else { return }
        for (environment, id) in try reader.idsInOtherEnvironments(of: leak) {
            guard let other = try reader.outline(of: id) else { continue }
            leaks.append((environment, id, other.reports))
        }
    }

    var html: HTML {
        guard !leaks.isEmpty else { return "" }
        let links = leaks.map { leak -> HTML in
            #"<a href="\#(context.links.to(.leak(leak.id)))">\#(IsolatedText(leak.environment))</a> (\#(Count(leak.reports).of("report", "reports")))"#
        }
        return #"<p class="dim">Also reported from \#(HTML(links, separator: ", "))</p>"#
    }
}
