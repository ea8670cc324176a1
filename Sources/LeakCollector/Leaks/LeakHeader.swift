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
    /// The form for a decision.
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
