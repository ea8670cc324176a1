internal import LeakPlatform
import LeakStore

/// The parts around the content of every page: head, navigation and footer.
struct PageLayout: Component {
    enum Section: Hashable {
        case summary, causes, releases, events, access
    }

    /// Anchor at the start of a page's content, after the navigation.
    static let mainAnchor = "main"

    /// Title of the window; ` · Leak Collector` follows.
    var title: String
    /// The navigation entry of this page.
    var section: Section?
    var context: PageContext
    /// False if the visitor has not signed in.
    var hasNavigation = true
    /// True if the page reloads itself while it is open.
    var isLive = false
    var main: HTML
    /// Parts of the footer before the time, each in an element of its own.
    var footer: [HTML] = []

    var html: HTML {
        let links = context.links
        let robotsTag: HTML = links.isServed ? #"<meta name="robots" content="noindex">"# : ""
        return #"""
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">\#(robotsTag)
            <title>\#(title) · Leak Collector</title>
            <link rel="stylesheet" href="\#(links.to(.file("style.css")))">
            <link rel="icon" href="\#(links.to(.file("icon.svg")))" type="image/svg+xml">\#(script)
            </head><body>
            <a class="skip" href="#main">Skip to content</a>
            <header><a class="brand" href="\#(links.to(.summary(app: nil)))">Leak Collector</a>\#(navigation)</header>
            <main id="main"\#(isLive && links.isServed ? " data-live" : "")>
            \#(operatorAlert)\#(EnvironmentNote(context: context, section: section))\#(main)
            </main>
            <footer>\#(footer.map { "<span>\($0)</span>" })\#(updatedTime)</footer>
            </body></html>

            """#
    }

    /// Script element of a served page. Plain files have no server to ask, and visitors who have not signed in see
    /// nothing that changes.
    private var script: HTML? {
        let links = context.links
        return links.isServed && hasNavigation
            ? #"<script src="\#(links.to(.file("live.js")))" defer></script>"# : nil
    }

    private var operatorAlert: HTML? {
        context.operatorAlert.map { #"<p class="alert" role="alert">Attention: \#($0)</p>"# }
    }

    private var navigation: HTML {
        guard hasNavigation else { return "" }
        let links = context.links
        let signOut: HTML =
            links.isServed && context.canSignOut
            ? #"<form method="post" action="\#(links.to(.signOut))"><button class="quiet">Sign out</button></form>"#
            : ""
        // An export has no page about keys and tokens.
        let access: HTML? =
            links.isServed && context.permissions.contains(.administer)
            ? #"<a href="\#(links.to(.access))"\#(currentPageAttribute(.access))>Settings</a>"# : nil
        // Plain files have no page of events.
        let query = context.query
        let eventFilter = EventFilter(
            app: query.app, environment: query.environment == AppKey.production ? nil : query.environment)
        let events: HTML? =
            links.isServed
            ? #"<a href="\#(links.to(.events(eventFilter)))"\#(currentPageAttribute(.events))>Events</a>"#
            : nil
        return #"""
            <nav aria-label="Pages"><a href="\#(links.to(.summary(app: context.query.scope)))"\#(currentPageAttribute(.summary))>Leaks</a>\#
            <a href="\#(links.to(.causes(app: context.query.scope)))"\#(currentPageAttribute(.causes))>Causes</a>\#
            <a href="\#(links.to(.releases(app: context.query.scope)))"\#(currentPageAttribute(.releases))>Releases</a>\#(events)\#(access)\#
            <a href="\#(links.to(.file("openapi.json")))">API description</a></nav>\#(signOut)
            """#
    }

    private func currentPageAttribute(_ section: Section) -> HTML {
        section == self.section ? #" aria-current="page""# : ""
    }

    private var updatedTime: HTML? {
        guard context.now != PageContext.noTime else { return nil }
        let time = CivilTime(milliseconds: context.now)
        return #"<span>Updated <time datetime="\#(time.rfc3339)">\#(time.full)</time></span>"#
    }
}
