/// A retain cycle to draw: objects in order, each of which keeps the next; the last keeps the first.
struct CycleShape: Hashable, Sendable {
    struct Link: Hashable, Sendable {
        /// The object's class or description, such as `CheckoutViewController` or `closure`.
        var object: String
        /// The property by which the object keeps the next one: `onPaid`.
        var property: String?
        /// True if this is the reported object.
        var isLeak: Bool
    }

    /// The objects in order. The reported object comes first if it is part of the cycle.
    let links: [Link]

    init(links: [Link]) { self.links = links }

    /// Reads the references of a report.
    ///
    /// - Parameters:
    ///   - references: `["Cart.onChange", "closure", "Cart"]`, starting at any object of the cycle; the last may repeat
    ///     the first to show that the cycle closes.
    ///   - className: the reported class, without its module.
    init(_ references: [String], of className: String?) {
        var links = references.map { reference -> Link in
            if let className, Self.isName(reference, className) {
                return Link(object: reference, isLeak: false)
            }
            let reference = Reference(reference)
            return Link(object: reference.object, property: reference.property, isLeak: false)
        }
        Self.removeRepeatedObject(&links)
        if let className, let start = links.firstIndex(where: { Self.isName($0.object, className) }) {
            links[start].isLeak = true
            links = Array(links[start...] + links[..<start])
        }
        self.links = links
    }

    /// Returns the references from the reported object on and back to it, or `references` unchanged if the object is
    /// not part of the cycle.
    static func path(_ references: [String], of className: String?) -> [String] {
        let links = CycleShape(references, of: className).links
        guard let first = links.first, first.isLeak else { return references }
        let names = links.map { [$0.object, $0.property].compactMap(\.self).joined(separator: ".") }
        return names + [first.object]
    }

    /// Removes the object that is named twice to show that the cycle closes, wherever the report begins. Of two
    /// neighbours with the same name it removes the one without a property. If there is no such pair, it removes the
    /// last object if that repeats the first.
    private static func removeRepeatedObject(_ links: inout [Link]) {
        guard links.count > 1 else { return }
        let repeated = links.indices.last { index in
            let isNamed = [links.index(after: index), index - 1].contains { neighbour in
                let other = links[(neighbour + links.count) % links.count]
                return other.object == links[index].object && other.property != nil
            }
            return links[index].property == nil && isNamed
        }
        if let repeated {
            links.remove(at: repeated)
        } else if links.first?.object == links.last?.object {
            links.removeLast()
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
        guard let first = cycle.links.first, let last = cycle.links.last else { return "" }
        let items = cycle.links.dropLast().map { item($0, keeps: label($0.property)) }
        let back: HTML =
            #"\#(label(last.property))<span class="hidden"> back to \#(IsolatedText(first.object))</span>"#
        return #"<ol class="cycle">\#(items)\#(item(last, keeps: back))</ol>"#
    }

    private func item(_ link: CycleShape.Link, keeps: HTML) -> HTML {
        let leak: HTML = link.isLeak ? #" class="leaked""# : ""
        let mark: HTML = link.isLeak ? " <small>the leaked object</small>" : ""
        return "<li\(leak)><div><code>\(LongText(link.object))</code>\(mark)</div><span>\(keeps)</span></li>"
    }

    private func label(_ property: String?) -> HTML {
        guard let property else { return "strong reference" }
        return "via <code>\(LongText(property))</code>"
    }
}
