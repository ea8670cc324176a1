import LeakStore

extension DropDownList {
    /// Returns the choice of the environment; `nil` if there is only ``AppKey/production``.
    static func environments(of context: PageContext) -> DropDownList? {
        let chosen = context.query.environment
        let others = Set(context.environments + [chosen]).subtracting([AppKey.production]).sorted()
        guard !others.isEmpty else { return nil }
        return DropDownList(
            name: "environment", label: "Environment", emptyLabel: nil,
            options: ([AppKey.production] + others).map { ($0, $0) }, selectedValue: chosen)
    }

    /// Returns a hidden field that keeps the environment of a page when its form is sent; `nil` for ``AppKey/production``.
    static func hiddenEnvironment(of context: PageContext) -> HTML? {
        let environment = context.query.environment
        return environment == AppKey.production
            ? nil : #"<input type="hidden" name="environment" value="\#(environment)">"#
    }
}

/// The form with only the choice of the environment. It is empty without a choice, and in an export.
struct EnvironmentForm: Component {
    var context: PageContext
    /// The page that the form leads to. Browsers replace its query by the fields of the form.
    var target: LinkTarget
    /// A field of the page's query besides the app, such as the class of a page of a class.
    var hiddenField: (name: String, value: String)?

    var html: HTML {
        guard context.links.isServed, let choice = DropDownList.environments(of: context) else { return "" }
        let fields = [context.query.app.map { ("app", $0) }, hiddenField].compactMap(\.self).map {
            #"<input type="hidden" name="\#($0.0)" value="\#($0.1)">"# as HTML
        }
        return #"""
            <form class="filters" action="\#(context.links.to(target))">\#
            \#(fields)\#(choice)<button>Apply</button></form>
            """#
    }
}

/// The line at the top of a page that shows another environment than ``AppKey/production``.
struct EnvironmentNote: Component {
    var context: PageContext
    /// The navigation entry of the page, to which the link to production leads; `nil` for the page of a leak. On that page the
    /// link leads to the list, because a leak has another id in each environment.
    var section: PageLayout.Section?

    var html: HTML {
        let environment = context.query.environment
        guard environment != AppKey.production else { return "" }
        let production = AppScope(context.query.app)
        let target: LinkTarget =
            switch section {
            case .causes: .causes(app: production)
            case .releases: .releases(app: production)
            case .events: .events(EventFilter(app: context.query.app, environment: AppKey.production))
            case .summary, .access, nil: .summary(app: production)
            }
        let link: HTML? =
            context.links.isServed ? #" <a href="\#(context.links.to(target))">show production</a>"# : nil
        return #"<p class="chip">Environment <strong>\#(IsolatedText(environment))</strong>\#(link)</p>"#
    }
}
