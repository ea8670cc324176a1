extension LeakPattern {
    /// Patterns of closures of an app's own types, distinguished by the shape of the cycle.
    static let closures: [LeakPattern] = [
        LeakPattern(
            "method_reference", name: "Reference to a method of self",
            explanation:
                "A reference to a method, such as `self.tap`, captures the object like a closure that uses `self`, without showing it.",
            remedy: "{object|button}.{field|onTap} = { [weak self] in self?.tap() }",
            rules: .certain(.any.closure, in: .ownCycle, closureNamed: " in implicit closure #")),
        LeakPattern(
            "lazy_closure", name: "Lazy property that holds a closure",
            explanation:
                "The lazy property keeps its closure after the first use, and the closure captures the object.",
            remedy: "lazy var {field|handler}: () -> Void = { [weak self] in … }",
            rules: .certain(.any.closure.lazy, in: .ownCycle),
            .certain(.any.closure, in: .ownCycle, closureNamed: ".{field|?}.getter")),
        LeakPattern(
            "nested_closure", name: "Closure inside a closure",
            explanation:
                "A closure inside another one captures the object strongly, even if the outer closure captures it weakly.",
            remedy: """
                {object|service}.{field|completion} = { [weak self] in
                    self?.load { [weak self] in … }
                }
                """,
            // The target's name restricts the rule to outer closures of the object itself. A caller's closure captures nothing of
            // this cycle.
            rules: .certain(.any.closure, in: .ownCycle, closureNamed: " in closure #", "{target|?}."),
            .probable(.any.property.nestedClosures.notGeneric, in: .ownCycle)),
        LeakPattern(
            "binding_closure", name: "Closure bound to an observable value",
            explanation:
                "The view model keeps an observable value, the value keeps its listeners, and a listener captures the object.",
            remedy: "viewModel.{holder|value}.bind { [weak self] value in … }",
            rules: .probable(
                .ofOwn(
                    ending: ".Observable", ".Box", ".Dynamic", ".Bindable", ".ObservableValue", "StateFlow",
                    "LiveData"
                ).closure,
                in: .ownCycle)),
        LeakPattern(
            "cell_callback", name: "Callback of a cell",
            explanation:
                "The screen keeps the list, the list keeps its cells, and the callback of a cell captures the screen.",
            remedy: "cell.{name|onTap} = { [weak self] in … }",
            rules: .certain(
                .of("UITableView", "UICollectionView").element.from(not: "subviewCache"), .any.closure,
                in: .ownCycle),
            .probable(.ofOwn(ending: "Cell").closure, in: .ownCycle)),
        LeakPattern(
            "child_callback", name: "Callback of a child",
            explanation: "The object keeps its children, and the callback of a child captures the object.",
            remedy: "child.{name|onSelect} = { [weak self] in … }",
            rules: .certain(.any.element.object, .any.closure, in: .ownCycle),
            .certain(.any.member.closure, in: .ownCycle, isWhole: true)),
        LeakPattern(
            "closure_collection", name: "Handlers in a collection",
            explanation:
                "The object keeps a list or dictionary of closures, and one of them captures the object.",
            remedy: "{list|handlers}[key] = { [weak self] in … }",
            rules: .certain(.any.element.closure, in: .ownCycle, isWhole: true)),
        LeakPattern(
            "stored_closure", name: "Closure that captures its owner",
            explanation: "The object keeps a closure, and the closure captures the object.",
            remedy: "{field|handler} = { [weak self] in … }",
            rules: .certain(.any.closure, in: .ownCycle, isWhole: true)),
        LeakPattern(
            "stored_handler", name: "Handler kept by another object",
            explanation:
                "The object keeps another one, such as a service or view, whose closure captures the object.",
            remedy: "{object|service}.{field|completion} = { [weak self] in … }",
            rules: .certain(.any.closure, in: .ownCycle)),
    ]
}
