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

/// The line at the top of a page that shows another environment than ``AppKey/production``.
struct EnvironmentNote: Component {
    var context: PageContext
    /// The navigation entry of the page, to which the link to production leads; `nil` for the page of a leak. Its link leads to
    /// the list, because a leak has another id in each environment.
    var section: PageLayout.Section?

    var html: HTML {
        let environment = context.query.environment
        guard environment != AppKey.production else { return "" }
        let production = AppScope(context.query.app)
        let target: LinkTarget =
            switch section {
            case .causes: .causes(app: production)
            case .releases: .releases(app: production)
            case .summary, .access, nil: .summary(app: production)
            }
        let link: HTML? =
            context.links.isServed ? #" <a href="\#(context.links.to(target))">show production</a>"# : nil
        return #"<p class="chip">Environment <strong>\#(IsolatedText(environment))</strong>\#(link)</p>"#
    }
}
