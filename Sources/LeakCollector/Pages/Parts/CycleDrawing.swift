/// A retain cycle ready to be drawn: objects in order, each keeping the next and the last the first.
struct CycleShape: Hashable, Sendable {
    struct Link: Hashable, Sendable {
        /// `CheckoutViewController`, `closure`
        var object: String
        /// The property by which it keeps the next one: `onPaid`.
        var property: String?
        /// Whether it is the object that was reported.
        var isLeak: Bool
    }

    /// The reported object first, where it is part of the cycle.
    let links: [Link]

    /// Reads the references of a report.
    ///
    /// - Parameters:
    ///   - references: `["Cart.onChange", "closure", "Cart"]`, starting anywhere; the last may repeat the first to
    ///     show that the circle closes.
    ///   - className: the reported class, without its module.
    init(_ references: [String], of className: String?) {
        var links = references.map { reference -> Link in
            if let className, Self.names(reference, className) {
                return Link(object: reference, isLeak: false)
            }
            let (object, property) = Self.split(reference)
            return Link(object: object, property: property, isLeak: false)
        }
        if links.count > 1, let first = links.first, let last = links.last, first.object == last.object {
            // Whichever end names the property keeps it.
            if first.property == nil { links[0].property = last.property }
            links.removeLast()
        }
        if let className, let start = links.firstIndex(where: { Self.names($0.object, className) }) {
            links[start].isLeak = true
            links = Array(links[start...] + links[..<start])
        }
        self.links = links
    }

    /// Whether `object` is `className`, with or without a module before it.
    private static func names(_ object: String, _ className: String) -> Bool {
        object == className || object.hasSuffix("." + className)
    }

    /// Splits `Shop.Cart.onChange` into `Shop.Cart` and `onChange`: a property begins in lower case, after a type.
    private static func split(_ reference: String) -> (object: String, property: String?) {
        var depth = 0
        var isAfterType = false
        var isComponentStart = true
        for index in reference.indices {
            let character = reference[index]
            if isComponentStart {
                isAfterType = character.isUppercase || character == "_" && !isAfterType
                isComponentStart = false
            }
            switch character {
            case "<", "(", "[": depth += 1
            case ">", ")", "]": depth -= 1
            case "." where depth == 0:
                let next = reference.index(after: index)
                guard next < reference.endIndex else { return (reference, nil) }
                let start = reference[next]
                if isAfterType, start.isLowercase || start == "_" || start == "$" {
                    return (String(reference[..<index]), String(reference[next...]))
                }
                isComponentStart = true
            default: break
            }
        }
        return (reference, nil)
    }
}

/// A cycle as a list of boxes, each with an arrow to the next, and a bracket from the last back to the first.
///
/// Drawn by the style sheet around a list, so that long names wrap and a screen reader reads it in order.
struct CycleDrawing: Component {
    var cycle: CycleShape

    var html: HTML {
        guard let first = cycle.links.first, let last = cycle.links.last else { return "" }
        let items = cycle.links.dropLast().map { item($0, keeps: label($0.property)) }
        let back: HTML =
            #"\#(label(last.property))<span class="hidden"> \#(Isolated(first.object)) again</span>"#
        return #"<ol class="cycle">\#(items)\#(item(last, keeps: back))</ol>"#
    }

    private func item(_ link: CycleShape.Link, keeps: HTML) -> HTML {
        let leak: HTML = link.isLeak ? #" class="leaked""# : ""
        let mark: HTML = link.isLeak ? " <small>the leaked object</small>" : ""
        return "<li\(leak)><div><code>\(Isolated(link.object))</code>\(mark)</div><span>\(keeps)</span></li>"
    }

    private func label(_ property: String?) -> HTML {
        guard let property else { return "keeps" }
        return "keeps by <code>\(Isolated(property))</code>"
    }
}
