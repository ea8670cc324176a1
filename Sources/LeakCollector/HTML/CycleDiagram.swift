/// A retain cycle to draw: objects in order, each of which keeps the next; the last keeps the first.
struct CycleShape: Hashable, Sendable {
    struct Node: Hashable, Sendable {
        /// The object's class or description, such as `CheckoutViewController` or `closure`.
        var object: String
        /// The property by which the object keeps the next one: `onPaid`.
        var property: String?
        /// True if this is the reported object.
        var isReportedObject: Bool
    }

    /// The objects in order. The reported object comes first if it is part of the cycle.
    let nodes: [Node]

    init(nodes: [Node]) { self.nodes = nodes }

    /// Reads the references of a report.
    ///
    /// - Parameters:
    ///   - references: `["Cart.onChange", "closure", "Cart"]`, starting at any object of the cycle; the last element may
    ///     repeat the first to show that the cycle closes.
    ///   - className: the reported class, without its module.
    init(_ references: [String], of className: String?) {
        var nodes = references.map { reference -> Node in
            if let className, Self.isName(reference, className) {
                return Node(object: reference, isReportedObject: false)
            }
            let reference = Reference(reference)
            return Node(object: reference.object, property: reference.property, isReportedObject: false)
        }
        Self.removeRepeatedObject(&nodes)
        if let className, let start = nodes.firstIndex(where: { Self.isName($0.object, className) }) {
            nodes[start].isReportedObject = true
            nodes = Array(nodes[start...] + nodes[..<start])
        }
        self.nodes = nodes
    }

    /// Returns the references from the reported object on and back to it, or `references` unchanged if the object is
    /// not part of the cycle.
    static func path(_ references: [String], of className: String?) -> [String] {
        let nodes = CycleShape(references, of: className).nodes
        guard let first = nodes.first, first.isReportedObject else { return references }
        let names = nodes.map { [$0.object, $0.property].compactMap(\.self).joined(separator: ".") }
        return names + [first.object]
    }

    /// Removes the object that is named twice to show that the cycle closes. A report may begin at any object of the
    /// cycle. If two neighbours have the same name, the neighbour without a property is removed. If there is no such
    /// pair, the last object is removed if it repeats the first.
    private static func removeRepeatedObject(_ nodes: inout [Node]) {
        guard nodes.count > 1 else { return }
        let repeated = nodes.indices.last { index in
            let hasNamesake = [nodes.index(after: index), index - 1].contains { neighbour in
                let other = nodes[(neighbour + nodes.count) % nodes.count]
                return other.object == nodes[index].object && other.property != nil
            }
            return nodes[index].property == nil && hasNamesake
        }
        if let repeated {
            nodes.remove(at: repeated)
        } else if nodes.first?.object == nodes.last?.object {
            nodes.removeLast()
        }
    }

    /// Returns `true` if `object` is the name of the class, with or without a module before it.
    private static func isName(_ object: String, _ className: String) -> Bool {
        object == className || object.hasSuffix("." + className)
    }
}

/// A cycle as a list of boxes, each with an arrow to the next, and a bracket from the last back to the first.
///
/// The markup is a list, and the style sheet draws the cycle around it. Thus long names wrap, and a screen reader reads
/// the objects in order.
struct CycleDiagram: Component {
    var cycle: CycleShape

    var html: HTML {
        guard let first = cycle.nodes.first, let last = cycle.nodes.last else { return "" }
        let items = cycle.nodes.dropLast().map { item($0, referenceLabel: label($0.property)) }
        let back: HTML =
            #"\#(label(last.property))<span class="hidden">, which leads back to \#(IsolatedText(first.object))</span>"#
        return #"<ol class="cycle">\#(items)\#(item(last, referenceLabel: back))</ol>"#
    }

    private func item(_ node: CycleShape.Node, referenceLabel: HTML) -> HTML {
        let leak: HTML = node.isReportedObject ? #" class="leaked""# : ""
        let mark: HTML = node.isReportedObject ? " <small>the leaked object</small>" : ""
        return
            "<li\(leak)><div><code>\(LongText(node.object))</code>\(mark)</div><span>\(referenceLabel)</span></li>"
    }

    private func label(_ property: String?) -> HTML {
        guard let property else { return "strong reference" }
        return "via <code>\(LongText(property))</code>"
    }
}
