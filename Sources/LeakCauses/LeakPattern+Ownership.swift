extension LeakPattern {
    /// Objects of an app that keep each other. Most are recognized by the names of properties, so they are only probable.
    static let ownership: [LeakPattern] = [
        LeakPattern(
            "strong_delegate", name: "Delegate that is not weak",
            explanation:
                "An object keeps its delegate or data source strongly, so the delegate is not freed before that object.",
            remedy:
                "weak var {name|delegate}: {target|Delegate}?  // or any protocol that inherits from AnyObject",
            rules: .probable(
                .from("delegate", ending: ["Delegate"]).property.withoutClosure.to(notEnding: "Delegate")),
            .probable(
                .from("dataSource", "datasource", ending: ["DataSource", "Datasource"]).property
                    .withoutClosure.to(
                        ending: "Controller", "VC"), in: .cycle)),
        LeakPattern(
            "self_reference", name: "Object that keeps itself",
            explanation: "A property of the object holds the object itself.",
            remedy: "{field|current} = nil  // when the work is done, or make the property weak",
            rules: .certain(.any.property.withoutClosure, in: .cycle, coversWholePath: true),
            .probable(.any.withoutClosure, in: .cycle, coversWholePath: true)),
        LeakPattern(
            "strong_parent", name: "Reference back that is not weak",
            explanation:
                "The object keeps a second object, which keeps it in turn, such as a parent and its child or a screen and its coordinator.",
            remedy:
                "weak var {name|parent}: {target|Parent}?  // or another reference of the cycle that does not own its object",
            // The last rule matches every such cycle. The other rules choose the reference that the remedy names.
            rules: .probable(.from(beginning: "prev").property.withoutClosure, in: .objectCycle),
            .probable(
                .from("superview", "owner", "coordinator", ending: ["Coordinator"]).property.withoutClosure,
                in: .objectCycle),
            .probable(.from(beginning: "parent").property.withoutClosure, in: .objectCycle),
            .probable(.child, .parent, in: .objectCycle),
            .probable(.ofOwn().property.to(ending: "Controller", "VC"), in: .objectCycle),
            .probable(.ofOwn().property.from(not: "view"), in: .objectCycle),
            .probable(.any, in: .objectCycle)),
    ]
}
