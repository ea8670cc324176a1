extension LeakPattern {
    /// Patterns that are recognized by the name of the closure alone, independent of the object that keeps the closure.
    static let methodReferences: [LeakPattern] = [
        LeakPattern(
            "method_reference", name: "Reference to a method of self",
            explanation:
                "A reference to a method, such as `self.tap`, captures the object like a closure that uses `self`, although no closure is "
                + "visible in the code.",
            remedy: "{object|button}.{ownField|onTap} = { [weak self] in self?.tap() }",
            rules: .certain(.any.closure, closureNamed: "^implicit closure #", " in implicit closure #"))
    ]

    /// Patterns of closures of any type, distinguished by what keeps the closure.
    static let closures: [LeakPattern] = [
        LeakPattern(
            "associated_closure", name: "Closure in an associated object",
            explanation:
                "A closure kept through `objc_setAssociatedObject` captures the object that the closure is attached to, or an "
                + "owner of that object.",
            remedy: "button.onTap { [weak self] in … }",
            rules: .certain(.associatedObject.closure, in: .cycle),
            .probable(.associatedObject, .any.closure, in: .cycle),
            .probable(.associatedObject, .any, .any.closure, in: .cycle),
            .probable(
                .ofOwn(ending: "ClosureSleeve", "ActionTrampoline", "ActionWrapper", "ClosureWrapper")
                    .closure, in: .cycle)),
        LeakPattern(
            "lazy_closure", name: "Lazy property that holds a closure",
            explanation:
                "The lazy property keeps its closure after the first use, and the closure captures the object.",
            remedy: "lazy var {field|handler}: () -> Void = { [weak self] in … }",
            rules: .certain(.any.closure.lazy, in: .ownCycle),
            .certain(.any.closure, in: .ownCycle, coversWholePath: true, closureNamed: ".{field|?}.getter")),
        LeakPattern(
            "nested_closure", name: "Closure inside a closure",
            explanation:
                "A closure inside another one captures the object strongly, even if the outer closure captures it weakly.",
            remedy: """
                {object|service}.{field|completion} = { [weak self] in
                    self?.load { [weak self] in … }
                }
                """,
            // The closure's name must contain the name of the target's type, so that the outer closure is in code of the object
            // itself: the outer closure of a caller captures nothing of this cycle. An outer closure in a getter is excluded,
            // because it only computes the value of a lazy property.
            rules: .probable(
                .any.closure, in: .ownCycle, closureNamed: " in closure #", "{target|?}.", except: ".getter")),
        LeakPattern(
            "cell_callback", name: "Callback of a cell",
            explanation:
                "The screen keeps the list, the list keeps its cells, and the callback of a cell captures the screen.",
            remedy: "cell.{name|onTap} = { [weak self] in … }",
            rules: .probable(
                .of("UITableView", "UICollectionView").element.from(not: "subviewCache"), .any.closure,
                in: .ownCycle),
            .probable(.any, .ofOwn(ending: "Cell").closure, in: .ownCycle)),
        LeakPattern(
            "stored_closure", name: "Closure that captures its owner",
            explanation: "The object keeps a closure, and the closure captures the object.",
            remedy: "{field|handler} = { [weak self] in … }",
            rules: .certain(.any.closure, in: .ownCycle, coversWholePath: true)),
        LeakPattern(
            "stored_handler", name: "Handler kept by another object",
            explanation:
                "Another object, such as a service, view or child, keeps a closure, and the closure captures the object.",
            remedy: "{object|service}.{field|completion} = { [weak self] in … }",
            // These rules are only probable, because the path may have a more specific cause, with types that no rule knows.
            rules: .probable(.any.closure, in: .ownCycle), .probable(.any.closure, in: .held)),
    ]
}
