internal import LeakMessage

/// A renderer that turns edges of a graph into the references of a report.
struct PathRenderer {
    static let framesName = "async frames"

    private let graph: ObjectGraph
    private let layouts: ObjectLayouts
    private let images: ImageAddressMap

    init(_ walker: borrowing GraphWalker) {
        graph = walker.graph
        layouts = walker.reader.layouts
        images = walker.reader.images
    }

    /// - Parameter length: the number of references of the whole path; more than `edges.count` if it was cut.
    func path(_ edges: [Int32], isCycle: Bool, length: Int) -> RetainPath {
        var references: [RetainReference] = []
        guard let first = edges.first else {
            return RetainPath(references: [], target: "", isCycle: isCycle)
        }
        var owner = Int(graph.edges[Int(first)].from)
        var field = ""
        var isSuspected = false
        var isElementOfContainer = false
        for index in edges {
            let edge = graph.edges[Int(index)]
            append(edge, to: &field)
            isSuspected = isSuspected || edge.flags.contains(.suspected)
            isElementOfContainer = isElementOfContainer || edge.flags.contains(.element)
            if index != edges.last, isFolded(edge) { continue }
            references.append(
                RetainReference(
                    owner: typeName(owner), field: field,
                    kind: kind(owner, field: field, isElementOfContainer: isElementOfContainer),
                    isSuspected: isSuspected, isClosure: edge.flags.contains(.closure)))
            (owner, field, isSuspected, isElementOfContainer) = (Int(edge.to), "", false, false)
        }
        return RetainPath(
            references: references, target: typeName(owner), isCycle: isCycle,
            fullLength: length > edges.count ? length : nil)
    }

    /// Returns the code addresses of the closures on a path, as offsets in their images.
    func closureSites(_ edges: [Int32]) -> [ImageOffset] {
        edges.compactMap { index in
            let function = graph.edges[Int(index)].function
            return function == 0 ? nil : images.offset(of: function)
        }
    }

    private func append(_ edge: ObjectGraph.Edge, to field: inout String) {
        // A global has no field name; its image and offset are shown instead.
        if graph.nodes[Int(edge.from)].layoutIndex < 0 { return }
        if edge.flags.contains(.element) { field += edge.flags.contains(.key) ? "[key]" : "[*]" }
        // Captures have no names, but the fields of a captured struct do.
        let label = layouts.types.labels.text(edge.label)
        if label.isEmpty { return }
        field += field.isEmpty || label.hasPrefix("(") ? label : ".\(label)"
    }

    /// Returns `true` if the target of an edge is shown as part of the reference that leads to it: storage, boxes and captured
    /// variables.
    private func isFolded(_ edge: ObjectGraph.Edge) -> Bool {
        let layout = layouts.layout(graph.nodes[Int(edge.to)].layoutIndex)
        if layout.isFolded { return true }
        return layout.kind == .closureContext && edge.flags.isDisjoint(with: [.closure, .suspected])
    }

    /// Returns the object's type with its module, or a word such as `closure` for an object without a type.
    func typeName(_ node: Int) -> String {
        guard graph.nodes[node].layoutIndex >= 0 else { return "global" }
        let layout = layouts.layout(graph.nodes[node].layoutIndex)
        switch layout.kind {
        case .closureContext, .genericContext: return "closure"
        case .task: return "Task"
        case .taskFrames: return Self.framesName
        case .block: return "block"
        case .box: return "box"
        case .object, .storage: return MetadataName.qualified(Metadata(layout.metadata))
        }
    }

    private func kind(_ node: Int, field: String, isElementOfContainer: Bool) -> RetainReference.Kind {
        guard graph.nodes[node].layoutIndex >= 0 else { return .global }
        switch layouts.layout(graph.nodes[node].layoutIndex).kind {
        case .closureContext, .genericContext: return .closureCapture
        case .task, .taskFrames: return .task
        case .block: return .block
        case .object, .storage, .box:
            if isElementOfContainer { return .element }
            return field.contains("(.") ? .enumPayload : .property
        }
    }
}
