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

    var html: HTML {
        let environment = context.query.environment
        guard environment != AppKey.production else { return "" }
        let link: HTML? =
            context.links.isServed
            ? #" <a href="\#(context.links.to(.summary(app: AppScope(context.query.app))))">show production</a>"#
            : nil
        return #"<p class="chip">Environment <strong>\#(IsolatedText(environment))</strong>\#(link)</p>"#
    }
}
