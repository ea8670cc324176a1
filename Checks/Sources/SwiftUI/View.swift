@MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("Never is never shown") }
}

@resultBuilder
@MainActor
public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildOptional<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
}

/// A view that shows itself, without a body.
@MainActor
protocol Primitive: View where Body == Never {
    func show(in graph: Graph, at path: String)
}

extension Primitive {
    public var body: Never { fatalError("\(Self.self) has no body") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("an optional has no body") }
}

extension Optional: Primitive where Wrapped: View {
    func show(in graph: Graph, at path: String) {
        if let self { graph.show(self, at: path + "/some") }
    }
}

public struct Color: Primitive {
    public static let clear = Color()
    func show(in graph: Graph, at path: String) {}
}

public struct Text: Primitive {
    public init(_ text: String) {}
    func show(in graph: Graph, at path: String) {}
}

extension View {
    public func background(_ background: some View) -> some View {
        Layers(front: self, back: background)
    }

    public func id(_ id: some Hashable) -> some View { Identified(content: self, id: AnyHashable(id)) }
    public func onAppear(_ action: @escaping () -> Void) -> some View {
        Appearing(content: self, action: action)
    }
}

private struct Layers<Front: View, Back: View>: Primitive {
    let front: Front
    let back: Back
    func show(in graph: Graph, at path: String) {
        graph.show(front, at: path + "/front")
        graph.show(back, at: path + "/back")
    }
}

private struct Identified<Content: View>: Primitive {
    let content: Content
    let id: AnyHashable
    func show(in graph: Graph, at path: String) {
        graph.show(content, at: path + "/id=\(graph.number(of: id, at: path))")
    }
}

private struct Appearing<Content: View>: Primitive {
    let content: Content
    let action: () -> Void
    func show(in graph: Graph, at path: String) {
        graph.show(content, at: path + "/appearing")
        graph.runIfNew(path, action)
    }
}
