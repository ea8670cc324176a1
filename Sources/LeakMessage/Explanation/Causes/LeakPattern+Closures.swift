extension LeakPattern {
    /// Patterns of closures of an app's own types, distinguished by the shape of the cycle.
    static let closures: [LeakPattern] = [
        LeakPattern(
            "method_reference", "Reference to a method of self",
            "A reference to a method, such as `self.tap`, captures the object like a closure that uses `self`, without showing it.",
            write: "{object|button}.{field|onTap} = { [weak self] in self?.tap() }",
            if: .certain(.any.closure, in: .ownCycle, closureNamed: " in implicit closure #")),
        LeakPattern(
            "lazy_closure", "Lazy property that holds a closure",
            "The lazy property keeps its closure after the first use, and the closure captures the object.",
            write: "lazy var {field|handler}: () -> Void = { [weak self] in … }",
            if: .certain(.any.closure.lazy, in: .ownCycle),
            .certain(.any.closure, in: .ownCycle, closureNamed: ".{field|?}.getter")),
        LeakPattern(
            "nested_closure", "Closure inside a closure",
            "A closure inside another one captures the object strongly, even if the outer closure captures it weakly.",
            write: """
                {object|service}.{field|completion} = { [weak self] in
                    self?.load { [weak self] in … }
                }
                """,
            // The outer closure belongs to the object itself. Otherwise it belongs to a caller and captures nothing of this cycle.
            if: .certain(.any.closure, in: .ownCycle, closureNamed: " in closure #", "{target|?}."),
            .probable(.any.single.nestedClosures.notGeneric, in: .ownCycle)),
        LeakPattern(
            "binding_closure", "Closure bound to an observable value",
            "The view model keeps an observable value, the value keeps its listeners, and a listener captures the object.",
            write: "viewModel.{holder|value}.bind { [weak self] value in … }",
            if: .probable(
                .ofOwn(
                    ending: ".Observable", ".Box", ".Dynamic", ".Bindable", ".ObservableValue", "StateFlow",
                    "LiveData"
                ).closure,
                in: .ownCycle)),
        LeakPattern(
            "cell_callback", "Callback of a cell",
            "The screen keeps the list, the list keeps its cells, and the callback of a cell captures the screen.",
            write: "cell.{name|onTap} = { [weak self] in … }",
            if: .certain(
                .of("UITableView", "UICollectionView").element.from(not: "subviewCache"), .any.closure,
                in: .ownCycle),
            .probable(.ofOwn(ending: "Cell").closure, in: .ownCycle)),
        LeakPattern(
            "child_callback", "Callback of a child",
            "The object keeps its children, and the callback of a child captures the object.",
            write: "child.{name|onSelect} = { [weak self] in … }",
            if: .certain(.any.element.object, .any.closure, in: .ownCycle),
            .certain(.any.member.closure, in: .ownCycle, isWhole: true)),
        LeakPattern(
            "closure_collection", "Handlers in a collection",
            "The object keeps a list or dictionary of closures, and one of them captures the object.",
            write: "{list|handlers}[key] = { [weak self] in … }",
            if: .certain(.any.element.closure, in: .ownCycle, isWhole: true)),
        LeakPattern(
            "stored_closure", "Closure that captures its owner",
            "The object keeps a closure, and the closure captures the object.",
            write: "{field|handler} = { [weak self] in … }",
            if: .certain(.any.closure, in: .ownCycle, isWhole: true)),
        LeakPattern(
            "stored_handler", "Handler kept by another object",
            "The object keeps another one, such as a service or view, whose closure captures the object.",
            write: "{object|service}.{field|completion} = { [weak self] in … }",
            if: .certain(.any.closure, in: .ownCycle)),
    ]
}
