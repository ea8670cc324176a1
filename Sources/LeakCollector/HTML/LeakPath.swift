internal import LeakGrammar
internal import LeakMessage
import LeakStore

/// The stack of a leak: the path of owners, outermost first: `UINavigationController › CheckoutViewController`; or a
/// call stack, innermost function first: `CartModel.bind() in Shop ← main in Shop`.
struct LeakPath: Component {
    let elements: [String]
    private let separator: HTML

    init(_ elements: [String]) {
        let calls = CallStack.titles(of: elements)
        self.elements = calls ?? elements
        separator = calls == nil ? " › " : " ← "
    }

    /// Creates the path of a leak: its stack, or if it has none, the references of its cycle, from the leaked object back to
    /// that object.
    init(of leak: LeakIdentity) {
        self.init(leak.stack.isEmpty ? CycleShape.path(leak.cycle, of: leak.className) : leak.stack)
    }

    /// Creates the short form for a list. A call stack is reduced to the app's functions, which determine the group.
    init(brief leak: LeakIdentity) {
        let calls = leak.groupingKey.stack
        self = CallStack.titles(of: leak.stack) == nil || calls.isEmpty ? LeakPath(of: leak) : LeakPath(calls)
    }

    var html: HTML {
        elements.isEmpty
            ? "" : #"<code>\#(HTML(elements.map { IsolatedText($0).html }, separator: separator))</code>"#
    }

    /// The path for a leak's own page, where all of it can be reached by scrolling. A list shows only its first
    /// lines.
    var fullPath: LongText {
        LongText(html, bytes: elements.reduce(0) { $0 + $1.utf8.count })
    }
}
