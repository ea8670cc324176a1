import LeakStore

/// App, version, state, kind, period, search and order as one form. The address of the result contains the chosen
/// values.
struct FilterForm: Component {
    var context: PageContext

    var html: HTML {
        guard context.links.isServed else { return appLinks }
        let query = context.query
        return #"""
            <form class="filters" role="search" action="\#(context.links.to(.summary(app: nil)))">
            \#(HTML(choices.map(\.html), separator: "\n"))
            \#(order)
            <input type="search" name="q" value="\#(query.search ?? "")" \#
            placeholder="Search class or path" aria-label="Search">
            \#(hiddenFields)<button>Apply</button>\#(classFilter)
            </form>
            """#
    }

    private var choices: [DropDownList] {
        let query = context.query
        return [
            DropDownList(
                name: "app", label: "App", emptyLabel: "All apps", options: context.apps.map { ($0, $0) },
                selectedValue: query.app),
            DropDownList.environments(of: context),
            DropDownList(
                name: "version", label: "Version", emptyLabel: "All versions",
                options: context.versions.map { ($0, $0) }, selectedValue: query.version),
            DropDownList(
                name: "state", label: "State", emptyLabel: nil,
                options: LeakQuery.StateFilter.allCases.map { ($0.rawValue, $0.displayName) },
                selectedValue: query.state.rawValue),
            DropDownList(
                name: "kind", label: "Kind", emptyLabel: "Any kind", options: Self.kinds,
                selectedValue: query.kind),
            DropDownList(
                name: "period", label: "Period", emptyLabel: "Any time",
                options: Period.allCases.map { ($0.rawValue, "Last \($0.displayName)") },
                selectedValue: query.period?.rawValue),
        ].compactMap(\.self)
    }

    /// The choice of the order. In a list of one version, impact and installs give the same order
    /// (``LeakQuery/effectiveSort``), so only one of the two is offered.
    private var order: DropDownList {
        let query = context.query
        let isOfVersion = query.version != nil
        return DropDownList(
            name: "sort", label: "Order",
            options: LeakQuery.Sort.allCases.compactMap { sort in
                guard isOfVersion else { return (sort.rawValue, sort.displayName) }
                guard sort != .installs else { return nil }
                return (sort.rawValue, (sort == .impact ? .installs : sort).displayName)
            },
            selectedValue: (isOfVersion && query.sort == .installs ? .impact : query.sort).rawValue)
    }

    private static let kinds = ["view_controller", "view", "object", "cycle"].map {
        ($0, ObjectKindName.displayName(of: $0))
    }

    /// Hidden fields with the query's other parameters, which the form would otherwise drop. They leave out the cursor,
    /// because the result begins at its first page, and the direction, because it belongs to the previous order.
    private var hiddenFields: HTML {
        let others = Set(choices.map(\.name) + [order.name, "order", "q", "cursor"])
        return HTML(
            context.query.parameters.compactMap { name, value in
                guard let value, !others.contains(name) else { return nil }
                return #"<input type="hidden" name="\#(name)" value="\#(value)">"#
            }, separator: "")
    }

    /// The class that the list is restricted to, with a link that removes the restriction.
    private var classFilter: HTML? {
        context.query.className.map { name in
            #"""
            <p class="chip">Only <strong>\#(IsolatedText(name))</strong> \#
            <a href="\#(context.summaryLink { $0.className = nil })">show all classes</a></p>
            """#
        }
    }

    /// In an export, links to the apps replace the form, because files cannot answer a form.
    private var appLinks: HTML {
        guard context.apps.count > 1 else { return "" }
        let all: [HTML] = [link(nil, "All apps")]
        return #"<nav class="filters" aria-label="Apps">\#(all + context.apps.map { link($0, $0) })</nav>"#
    }

    private func link(_ app: String?, _ text: String) -> HTML {
        let mark: HTML = app == context.query.app ? #" aria-current="page""# : ""
        return
            #"<a href="\#(context.links.to(.summary(app: AppScope(app, environment: context.query.environment))))"\#(mark)>\#(IsolatedText(text))</a>"#
    }
}
