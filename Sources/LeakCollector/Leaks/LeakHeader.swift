import LeakStore

/// Head of a page about a leak: app, kind, class, path and state.
struct LeakHeader: Component {
    var context: PageContext
    var leak: LeakIdentity
    var badge: HTML?
    /// The line about the most recent decision.
    var decisionStatus: HTML?
    /// Links to the same leak in other environments.
    var otherEnvironments: HTML?
    /// The form to resolve, ignore, reopen or comment on the leak.
    var form: HTML?
    /// True if the title links to the leak's page.
    var isLink = false

    var html: HTML {
        let title: HTML =
            isLink
            ? #"<a href="\#(context.links.to(.leak(leak.id)))">\#(IsolatedText(leak.title))</a>"#
            : IsolatedText(leak.title).html
        return #"""
            <p class="crumb"><a href="\#(context.links.to(.summary(app: leak.appKey.scope)))">\#(IsolatedText(leak.app))</a> › \#
            \#(ObjectKindName.displayName(of: leak.kind))\#(module)</p>
            <div class="head"><div><h1>\#(LongText(title, bytes: leak.title.utf8.count))</h1><p>\#(LeakPath(of: leak).fullPath)</p>\#
            <p class="state">\#(badge)</p>\#(decisionStatus)\#(otherEnvironments)</div>\#(form)</div>
            """#
    }

    private var module: HTML? {
        leak.module.map { " › module \(IsolatedText($0))" }
    }
}

/// The line of a leak's page that links to the same leak in other environments.
struct OtherEnvironments: Component {
    var context: PageContext
    var leaks: [(environment: String, id: LeakID, reports: Int)]

    /// Finds the other environments from which a leak was reported.
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
            #"<a href="\#(context.links.to(.leak(leak.id)))">\#(IsolatedText(leak.environment))</a> (\#(Count(leak.reports).text(noun: "report", plural: "reports")))"#
        }
        return #"<p class="dim">Also reported from \#(HTML(links, separator: ", "))</p>"#
    }
}
