extension LeakPattern {
    /// Objects of an app that keep each other. Most are recognized by the names of properties, so they are only probable.
    static let ownership: [LeakPattern] = [
        LeakPattern(
            "strong_delegate", name: "Delegate that is not weak",
            explanation: "The object keeps its delegate, and the delegate keeps the object.",
            remedy:
                "weak var {name|delegate}: (any {owner|Object}Delegate)?  // a protocol that inherits from AnyObject",
            rules: .probable(
                .from("delegate", ending: ["Delegate"]).property.object.to(notEnding: "Delegate"))),
        LeakPattern(
            "strong_data_source", name: "Data source that is not weak",
            explanation: "The object keeps its data source, and the data source keeps the object.",
            remedy:
                "weak var {name|dataSource}: (any {owner|Object}DataSource)?  // a protocol that inherits from AnyObject",
            rules: .probable(
                .from("dataSource", "datasource", ending: ["DataSource", "Datasource"]).property.object.to(
                    ending: "Controller", "VC"), in: .cycle)),
        LeakPattern(
            "linked_nodes", name: "Doubly linked nodes",
            explanation: "Each node keeps the next one and the one before it.",
            remedy: """
                var {holder|next}: {target|Node}?
                weak var {name|previous}: {target|Node}?
                """,
            rules: .probable(.from(beginning: "next").object, .from(beginning: "prev").object, in: .cycle)),
        LeakPattern(
            "strong_parent", name: "Parent that is not weak",
            explanation: "The parent keeps its child, and the child keeps the parent.",
            remedy: "weak var {name|parent}: {target|Parent}?",
            rules: .probable(.from("superview", "owner").property.object, in: .cycle),
            .probable(.from(beginning: "parent").property.object, in: .cycle),
            .probable(.child, .parent, in: .cycle),
            .probable(.child, .any.object, .parent, in: .cycle)),
        LeakPattern(
            "view_model_coordinator", name: "Screen or view model that keeps its coordinator",
            explanation:
                "The coordinator keeps the screen, and the screen or its view model keeps the coordinator.",
            remedy: "weak var {name|coordinator}: {target|Coordinator}?",
            rules: .probable(.from("coordinator").property.object, in: .cycle),
            .probable(.ofOwn(ending: "Controller", "ViewModel").object.to(ending: "Coordinator"), in: .cycle)),
        LeakPattern(
            "router_screen", name: "Router or presenter that keeps its screen",
            explanation: "The screen keeps its presenter and router, and one of them keeps the screen.",
            remedy: "weak var {name|viewController}: {target|Screen}?",
            rules: .probable(
                .ofOwn(ending: "Router", "Wireframe").from("viewController", "view", "presenter").object,
                in: .cycle),
            .probable(
                .ofOwn(ending: "Presenter").from("view", "viewController", "userInterface").object, in: .cycle
            ),
            .probable(.ofOwn(ending: "Interactor").from("presenter", "output").object, in: .cycle)),
        LeakPattern(
            "self_reference", name: "Object that keeps itself",
            explanation: "A property of the object holds the object itself.",
            remedy: "{field|current} = nil  // when the work is done, or make the property weak",
            rules: .certain(.any.object, in: .cycle, isWhole: true)),
    ]
}
