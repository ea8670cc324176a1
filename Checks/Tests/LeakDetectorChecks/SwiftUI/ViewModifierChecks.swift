import Combine
import LeakMessage
import SwiftUI
import Testing

@testable import LeakDetector

private final class Model: ObservableObject {
    let objectWillChange = ObservableObjectPublisher()
    let name = "cart"
}

private struct CartView: View {
    let model: Model
    let detector: LeakDetector

    var body: some View {
        Text("cart").expectDeallocation(
            of: model, path: ["Shop", "Cart"], detector: detector, file: "App/Cart.swift", line: 7)
    }
}

extension Serialized {
    @MainActor @Suite struct ViewModifierChecks {
        private let bench = Bench()
        private let graph = Graph()

        private func show(_ model: Model?) {
            graph.show(model.map { CartView(model: $0, detector: bench.detector) })
        }

        @Test func `a model that stays after its view was removed is reported`() {
            let model = Model()
            show(model)
            show(model)
            bench.advance(by: 5_000)
            #expect(bench.lines == [])
            show(nil)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model"])
            #expect(bench.reports.first?.reason == "view removed")
            #expect(
                bench.reports.first?.stack.map { $0.split(separator: ".").last } == ["Shop", "Cart", "Model"])
            #expect(bench.reports.first?.keys.contains(CustomKey("file", .string("App/Cart.swift"))) == true)
            withExtendedLifetime(model) {}
        }

        @Test func `a model that is freed with its view is checked and not reported`() {
            show(Model())
            show(nil)
            bench.advance(by: 5_000)
            #expect(bench.lines == [])
            #expect(bench.detector.counts.checked == 1)
        }

        @Test func `a model that another model replaced is reported if it stays`() {
            let first = Model()
            show(first)
            let second = Model()
            show(second)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model"])
            #expect(bench.findings.first?.isObject(first) == true)
            show(nil)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model", "leak Model"])
            withExtendedLifetime(second) {}
        }

        @Test func `a model that is shown, replaced and shown again is not reported while it is shown`() {
            let (first, second) = (Model(), Model())
            show(first)
            show(second)
            bench.advance(by: 700)
            show(first)
            bench.advance(by: 60_000)
            #expect(bench.lines == ["leak Model"])
            #expect(bench.findings.first?.isObject(second) == true)
            show(nil)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model", "leak Model"], "it should be freed with its last view")
            withExtendedLifetime((first, second)) {}
        }

        @Test func `a model that is hidden and shown again within its grace period is not reported`() {
            let model = Model()
            show(model)
            show(nil)
            bench.advance(by: 700)
            show(model)
            bench.advance(by: 60_000)
            #expect(bench.lines == [])
            withExtendedLifetime(model) {}
        }

        @Test func `if a reported model is shown again, its return is reported`() {
            let model = Model()
            show(model)
            show(nil)
            bench.advance(by: 5_000)
            show(model)
            bench.advance(by: 1_000)
            #expect(bench.lines == ["leak Model", "came back Model 3500"])
            withExtendedLifetime(model) {}
        }

        @Test func `a model of two views is not reported before the last of the two views is removed`() {
            let model = Model()
            let other = Graph()
            show(model)
            other.show(Optional(CartView(model: model, detector: bench.detector)))
            other.show(CartView?.none)
            bench.advance(by: 60_000)
            #expect(bench.lines == [])
            show(nil)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model"])
            withExtendedLifetime(model) {}
        }
    }
}

/// A view with both wrappers on one property, as docs/DETECTOR.md shows it.
private struct ComposedView: View {
    @StateObject @Deallocating private var model = Model()
    let seen: (Model) -> Void

    init(seen: @escaping (Model) -> Void) { self.seen = seen }

    var body: some View {
        Text("cart").onAppear { seen(model) }
    }
}

private struct OwnerView: View {
    @StateObject private var model: Deallocating<Model>
    let seen: (Deallocating<Model>) -> Void

    init(_ detector: LeakDetector, seen: @escaping (Deallocating<Model>) -> Void) {
        _model = StateObject(wrappedValue: Deallocating(wrappedValue: Model(), detector: detector))
        self.seen = seen
    }

    var body: some View {
        Text("cart").onAppear { seen(model) }
    }
}

extension Serialized {
    @MainActor @Suite struct StateObjectChecks {
        private let bench = Bench()
        private let graph = Graph()

        @Test
        func `a model in a state object is expected to be freed with the view, not with each value of it`() {
            var kept: Model?
            func view() -> OwnerView? { OwnerView(bench.detector) { kept = $0.wrappedValue } }
            graph.show(view())
            graph.show(view())
            bench.advance(by: 5_000)
            #expect(bench.lines == [])
            graph.show(OwnerView?.none)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model"])
            withExtendedLifetime(kept) {}
        }

        @Test
        func `a StateObject of Deallocating has one model for all values of a view, freed with the view`() {
            var seen: [Model] = []
            for _ in 0..<2 { graph.show(ComposedView { seen.append($0) }) }
            #expect(seen.count == 1)
            weak let model = seen.first
            seen = []
            #expect(model != nil, "the view keeps it")
            graph.show(ComposedView?.none)
            #expect(model == nil)
        }

        @Test func `Deallocating publishes the changes of its model`() {
            let owner = Deallocating(wrappedValue: Model(), detector: bench.detector)
            var changes = 0
            owner.objectWillChange.sink { changes += 1 }
            owner.wrappedValue.objectWillChange.send()
            #expect(changes == 1)
        }

        /// Shows a model in a view that does not retain it, as a view that has its model in a state object.
        private func showAlone(_ model: Model, in other: Graph? = nil) {
            (other ?? graph).show(Text("cart").expectDeallocation(of: model, detector: bench.detector))
        }

        /// Shows a model, releases it, and returns another model at the same address. The allocator chooses addresses, so
        /// several models are tried.
        private func successorOfShownModel() -> Model? {
            for _ in 0..<100 {
                var first = Optional(Model())
                let identity = first.map { ObjectIdentifier($0) }
                if let first { showAlone(first) }
                first = nil
                var others: [Model] = []
                for _ in 0..<1_000 {
                    let model = Model()
                    if ObjectIdentifier(model) == identity { return model }
                    others.append(model)
                }
            }
            return nil
        }

        @Test
        func `a model at the address of a freed model is not reported before its view is removed`() throws {
            let second = try #require(successorOfShownModel())
            showAlone(second)
            bench.advance(by: 5_000)
            #expect(bench.lines == [])
            graph.show(CartView?.none)
            bench.advance(by: 5_000)
            #expect(bench.lines == ["leak Model"])
            withExtendedLifetime(second) {}
        }

        @Test
        func
            `a model at the address of a freed model is not reported while one of its two views is shown`()
            throws
        {
            let second = try #require(successorOfShownModel())
            showAlone(second)
            let other = Graph()
            showAlone(second, in: other)
            other.show(CartView?.none)
            bench.advance(by: 60_000)
            #expect(bench.lines == [], "the first view shows it")
            withExtendedLifetime(second) {}
        }
    }
}
