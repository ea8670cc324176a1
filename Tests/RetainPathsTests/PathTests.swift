import LeakGrammar
import LeakMessage
import Testing

@testable import RetainPaths

private final class Kid { var parent: Guardian? }
private enum Shelf {
    final class Book<Page> { var onRead: (() -> Void)? }
}
private final class Guardian {
    var kids: [Kid] = []
    var onChange: (() -> Void)?
}

@Suite struct PathTests {
    private let finder: RetainPathFinder

    init() throws { finder = try #require(TestFinder.shared) }

    private func explain(_ object: AnyObject, budget: Budget = .release) -> RetainExplanation {
        var finder = finder
        finder.budget = budget
        let reference = unsafe Unmanaged.passUnretained(object)
        return unsafe finder.explain(UnsafeRawPointer(reference.toOpaque()), callerReferences: 1)
    }

    @Test func `the path of a cycle has the same fingerprint from each of its objects`() throws {
        let (guardian, kid) = (Guardian(), Kid())
        guardian.kids = [Kid(), kid]
        kid.parent = guardian
        let first = try #require(explain(guardian).path)
        let second = try #require(explain(kid).path)
        #expect(first.description == "Guardian.kids[*] → Kid.parent → Guardian")
        #expect(second.description == "Kid.parent → Guardian.kids[*] → Kid")
        #expect(first.edges == ["RetainPathsTests.Guardian.kids[*]", "RetainPathsTests.Kid.parent"])
        #expect(first.fingerprint == second.fingerprint)
    }

    @Test func `a path that is read from JSON has the same text`() throws {
        let book = Shelf.Book<Kid>()
        book.onRead = { _ = book }
        let path = try #require(explain(book).path)
        #expect(path.description == "Shelf.Book<Kid>.onRead → closure → Shelf.Book<Kid>")
        #expect(RetainPath(json: path.json()) == path)
        #expect(RetainPath(json: path.json())?.description == path.description)
        book.onRead = nil
    }

    /// Fingerprints are stored. Another way to compute them needs a new version; the expected value below must not change.
    @Test func `the fingerprint of a path does not change between versions`() {
        let path = RetainPath(
            references: [
                RetainReference(owner: "Shop.Cart", field: "onPaid", kind: .property, isClosure: true),
                RetainReference(owner: "closure", field: "", kind: .closureCapture),
            ], target: "Shop.Cart", isCycle: true)
        #expect(path.edges == ["Shop.Cart.onPaid", "closure"])
        #expect(path.fingerprint == "b9b59bc7ae60d2cf")
    }

    @Test func `consecutive closures in a path count as one, even if the cycle begins with a closure`() {
        func path(_ owners: [String]) -> RetainPath {
            let references = owners.map {
                RetainReference(owner: $0, field: $0 == "closure" ? "" : "field", kind: .property)
            }
            return RetainPath(
                references: references, target: owners[0], isCycle: true)
        }
        let edges = path(["A", "closure", "B"]).edges
        #expect(path(["A", "closure", "closure", "B"]).edges == edges)
        #expect(path(["closure", "B", "A", "closure"]).edges == edges)
        #expect(path(["B", "A", "closure", "closure", "closure"]).edges == edges)
    }

    @Test func `an explanation contains the image and offset of a closure`() throws {
        let (guardian, kid) = (Guardian(), Kid())
        guardian.onChange = { guardian.kids = [kid] }
        let explanation = explain(guardian)
        let site = try #require(explanation.closureSites.first)
        #expect(explanation.closureSites.count == 1)
        #expect(!site.image.isEmpty)
        #expect(site.offset > 0)
        #expect(explanation.references.map(\.kind) == [.property, .closureCapture])
        #expect(explanation.references.map(\.isClosure) == [true, false])
        guardian.onChange = nil
    }

    @Test func `an address without an object gives an empty explanation`() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: 64)
        defer { unsafe memory.deallocate() }
        #expect(unsafe finder.explain(memory, callerReferences: 0) == RetainExplanation())
        let unmapped = try unsafe #require(UnsafeRawPointer(bitPattern: 0x10_0000))
        #expect(unsafe finder.explain(unmapped, callerReferences: 0) == RetainExplanation())
    }

    @Test func `the agreement of two explanations contains only the cycles that both have`() {
        func explanation(_ fields: [String], unexplained: Int = 0) -> RetainExplanation {
            var explanation = RetainExplanation()
            let paths = fields.map {
                RetainPath(
                    references: [RetainReference(owner: "A", field: $0, kind: .property)], target: "A",
                    isCycle: true)
            }
            (explanation.path, explanation.furtherCycles) = (paths.first, Array(paths.dropFirst()))
            explanation.confidence = paths.isEmpty ? .none : .proven
            explanation.unexplainedReferences = unexplained
            return explanation
        }
        #expect(explanation(["a", "b"]).agreeing(with: explanation(["a", "b"])) == explanation(["a", "b"]))
        let common = explanation(["a", "b"]).agreeing(with: explanation(["b"]))
        #expect(common.path?.description == "A.b → A")
        #expect(common.confidence == .suspected)
        let other = explanation(["a"]).agreeing(with: explanation(["c"]))
        #expect(other.path == nil)
        #expect(other.confidence == .none)
        #expect(
            explanation(["a"]).agreeing(with: explanation(["a"], unexplained: 1)).confidence == .suspected)
    }
}
