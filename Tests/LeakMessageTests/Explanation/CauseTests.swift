import LeakSeededRandom
import Foundation
import LeakCauses
import LeakMessage
import Testing

/// Causes of leaks, recognized by their paths, and the texts about them.
@Suite struct CauseTests {
    @Test(arguments: CauseVector.Half.allCases)
    func `at least nine of ten example paths have a right cause, and no wrong cause is certain`(
        half: CauseVector.Half
    ) {
        let vectors = half.vectors
        let found = vectors.map { ($0, $0.foundCause, $0.agreement(with: $0.foundCause)) }
        #expect(vectors.count >= 150)
        #expect(found.count { $0.2 != .wrong && $0.2 != .none } * 10 >= vectors.count * 9)
        for (vector, cause, agreement) in found where cause?.isCertain == true {
            #expect(agreement == .right, "\(vector) is \(cause?.identifier ?? "none")")
        }
    }

    private typealias Collection = CauseVector.Collection

    /// docs/CAUSES.md has these numbers, and the numbers that each collection had with the rules at the time it was gathered.
    @Test(arguments: [
        (Collection.first, [155, 13, 16, 0, 1, 3]), (.second, [125, 21, 15, 0, 1, 5]),
        (.third, [156, 8, 16, 5, 0, 0]), (.fourth, [149, 19, 27, 4, 0, 1]),
        (.fifth, [125, 11, 1, 11, 1, 2]),
    ])
    func `at least nine of ten paths of each collection have a right cause, and no wrong cause is certain`(
        collection: CauseVector.Collection, counts: [Int]
    ) {
        let found = collection.vectors.map { ($0, $0.foundCause, $0.agreement(with: $0.foundCause)) }
        #expect(
            CauseVector.Agreement.allCases.map { agreement in found.count { $0.2 == agreement } } == counts)
        #expect(found.count { [.right, .broader, .byForm].contains($0.2) } * 10 >= found.count * 9)
        for (vector, cause, agreement) in found where cause?.isCertain == true {
            #expect([.right, .alsoRight, .broader].contains(agreement), "\(vector.source): \(vector.path)")
        }
    }

    @Test func `causes that were merged are replaced by causes that exist`() {
        let currentIdentifiers = Set(LeakCause.all.map(\.identifier))
        #expect(
            currentIdentifiers.isSuperset(of: CauseVector.merged.values)
                && currentIdentifiers.isSuperset(of: CauseVector.byForm))
        #expect(currentIdentifiers.isDisjoint(with: CauseVector.merged.keys))
        for (cause, broader) in CauseVector.broader {
            #expect(
                currentIdentifiers.contains(CauseVector.currentIdentifier(of: cause))
                    && currentIdentifiers.isSuperset(of: broader), "\(cause)")
        }
    }

    @Test(arguments: [
        ("Inner<A>", false), ("Shop.Inner<A>", false), ("DispatchWorkItem", false),
        ("Dispatch.DispatchWorkItem", true), ("NSBlockOperation", true),
    ])
    func `a type whose module is unknown makes a cause uncertain`(owner: String, isCertain: Bool) {
        let path = RetainPath(
            references: [
                RetainReference(owner: "Shop.Cart", field: "box", kind: .property),
                RetainReference(owner: owner, field: "handler", kind: .property, isClosure: true),
                RetainReference(owner: "closure", field: "", kind: .closureCapture),
            ], target: "Shop.Cart", isCycle: true)
        #expect(LeakCause(of: path, closureNames: ["closure #1 in Cart.bind()"])?.isCertain == isCertain)
    }

    @Test func `every cause has an example path, and at least 40 example paths have no cause`() {
        let vectors = CauseVector.Half.allCases.flatMap(\.vectors)
        #expect(vectors.count == CauseVector.lines.count)
        #expect(
            Set(vectors.compactMap { $0.cause.map(CauseVector.currentIdentifier(of:)) })
                == Set(LeakCause.all.map(\.identifier)))
        #expect(vectors.count { $0.cause == nil } >= 40)
        #expect(vectors.allSatisfy { !$0.source.isEmpty })
    }

    @Test func `there are at least forty causes, each with an identifier and a text of its own`() {
        let causes = LeakCause.all
        #expect(causes.count >= 40)
        for texts in [causes.map(\.identifier), causes.map(\.name), causes.map(\.explanation)] {
            #expect(Set(texts).count == causes.count)
        }
        for cause in causes {
            #expect(
                cause.identifier.allSatisfy { $0.isLowercase && $0.isASCII || $0 == "_" },
                "\(cause.identifier)")
            #expect(cause.explanation.hasSuffix("."))
            #expect(!(cause.explanation + cause.remedy).contains("|"), "\(cause.identifier)")
            #expect(
                cause.remedy.split(separator: "\n").allSatisfy { $0.utf8.count <= 140 }, "\(cause.identifier)"
            )
        }
    }

    // MARK: Texts

    private static func cycle(_ references: RetainReference...) -> RetainPath {
        RetainPath(
            references: references, target: references.first?.owner ?? "", isCycle: true)
    }

    private static let timer = RetainReference(owner: "Shop.Page", field: "refreshTimer", kind: .property)

    @Test func `the remedy contains names of properties and types of the path`() throws {
        let callback = RetainReference(
            owner: "Shop.CartModel", field: "onPaid", kind: .property, isClosure: true)
        #expect(LeakCause(of: Self.cycle(callback))?.remedy == "onPaid = { [weak self] in … }")
        let target = RetainReference(owner: "NSTimer", field: "_target", kind: .property)
        let cause = try #require(LeakCause(of: Self.cycle(Self.timer, target)))
        #expect(cause.identifier == "timer_target")
        #expect(cause.remedy.contains("refreshTimer.invalidate()"))
        let service = RetainReference(
            owner: "Shop.URLLoader<Swift.Int>", field: "completion", kind: .property, isClosure: true)
        let handler = LeakCause(of: Self.cycle(Self.timer, service))
        #expect(handler?.remedy == "urlLoader.completion = { [weak self] in … }")
    }

    /// The remedy is about the reference back to an owner, not about a reference to an object that is owned.
    @Test(arguments: [
        ("page", "Shop.Page", "weak var page: Page?"),
        ("owner", "Shop.Page", "weak var owner: Page?"),
        ("listener", "Shop.PageController", "weak var listener: PageController?"),
    ])
    func `the remedy for a reference back to an owner makes its property weak`(
        field: String, owner: String, remedy: String
    ) {
        let path = Self.cycle(
            RetainReference(owner: owner, field: "_view", kind: .property),
            RetainReference(owner: "UIView", field: "_subviewCache[*]", kind: .element),
            RetainReference(owner: "Shop.Row", field: field, kind: .property))
        let cause = LeakCause(of: path)
        #expect(cause?.identifier == "strong_parent")
        #expect(cause?.remedy.hasPrefix(remedy) == true)
    }

    @Test func `the remedy of a method reference names no field of Apple's types`() {
        let path = RetainPath(
            references: [
                RetainReference(owner: "NSNotificationCenter", field: "", kind: .property),
                RetainReference(owner: "__NSObserver", field: "block", kind: .property, isClosure: true),
            ], target: "Shop.Page", isCycle: false)
        let cause = LeakCause(
            of: path, closureNames: ["implicit closure #2 in implicit closure #1 in Page.show()"])
        #expect(cause?.identifier == "method_reference")
        #expect(cause?.remedy == "button.onTap = { [weak self] in self?.tap() }")
    }

    @Test(arguments: [
        "", "?", "1", "a\nb", "{field|x}", "`onTap`", "на-клик", String(repeating: "x", count: 65), "\u{0}",
    ])
    func `a name that is not a Swift identifier is left out of a remedy`(field: String) {
        let callback = RetainReference(
            owner: "Shop.CartModel", field: field, kind: .property, isClosure: true)
        #expect(LeakCause(of: Self.cycle(callback))?.remedy == "handler = { [weak self] in … }")
    }

    @Test func `a remedy names a property of the app, not a collection or a field of Apple's types`() {
        let list = RetainReference(owner: "Shop.Page", field: "observations[*]", kind: .element)
        let observation = RetainReference(
            owner: "NSKeyValueObservation", field: "callback", kind: .property, isClosure: true)
        #expect(LeakCause(of: Self.cycle(list, observation))?.remedy.hasPrefix("observation = ") == true)
        let property = RetainReference(owner: "Shop.Page", field: "nameObservation", kind: .property)
        #expect(
            LeakCause(of: Self.cycle(property, observation))?.remedy.hasPrefix("nameObservation = ") == true)
        let rows = RetainReference(
            owner: "Shop.Page", field: "rows[*].onSelect", kind: .element, isClosure: true)
        #expect(LeakCause(of: Self.cycle(rows))?.remedy == "onSelect = { [weak self] in … }")
    }

    @Test func `advice calls a cause probable if a closure has no name or the path is not proven`()
        throws
    {
        var explanation = RetainExplanation()
        #expect(explanation.advice == nil)
        explanation.path = Self.cycle(
            RetainReference(owner: "Shop.CartModel", field: "onPaid", kind: .property, isClosure: true))
        explanation.confidence = .suspected
        let words =
            "Closure that captures its owner. The object keeps a closure, and the closure captures the object."
            + " Write instead:\n    onPaid = { [weak self] in … }"
        #expect(explanation.advice == "Probable cause: \(words)")
        explanation.confidence = .proven
        #expect(explanation.advice == "Probable cause: \(words)")
        #expect(
            LeakCause(of: explanation.path!, closureNames: ["closure #1 in CartModel.bind()"])?.isCertain
                == true)
        explanation.path?.references[0].isSuspected = true
        #expect(explanation.cause?.isCertain == false)
        #expect(explanation.advice == "Probable cause: \(words)")
    }

    // MARK: Certainty

    /// Names of types that only look like `NSTimer` or `Foundation.Timer`.
    @Test(arguments: [
        "Shop.Timer", "Shop.NSTimer", "Timer", "Foundation.TimerBox", "Shop.Foundation.Timer", "NSTimer.Box",
    ])
    func `a type of the app with a name like a known type is not read as the known type`(owner: String) {
        let target = RetainReference(owner: owner, field: "target", kind: .property)
        #expect(LeakCause(of: Self.cycle(Self.timer, target))?.identifier == "strong_parent")
    }

    @Test(arguments: ["NSTimer", "__C.NSTimer", "Foundation.NSTimer", "__NSCFTimer", "Foundation.Timer"])
    func `a known type is recognized by each name that runtimes give it`(owner: String) {
        let target = RetainReference(owner: owner, field: "target", kind: .property)
        #expect(LeakCause(of: Self.cycle(Self.timer, target))?.isCertain == true)
    }

    @Test func `a cause that is found by the name of a property is only probable`() {
        let names = [
            ("delegate", "strong_delegate"), ("parent", "strong_parent"),
            ("coordinator", "strong_parent"), ("board", "strong_parent"),
        ]
        for (name, identifier) in names {
            let reference = RetainReference(owner: "Shop.Child", field: name, kind: .property)
            let cause = LeakCause(of: Self.cycle(Self.timer, reference))
            #expect(cause?.identifier == identifier)
            #expect(cause?.isCertain == false)
        }
    }

    @Test func `a truncated cycle has no certain cause`() {
        let callback = RetainReference(owner: "Shop.Page", field: "onTap", kind: .property, isClosure: true)
        let names = ["closure #1 in Page.show()"]
        var path = Self.cycle(callback)
        #expect(LeakCause(of: path, closureNames: names)?.isCertain == true)
        path.fullLength = 40
        #expect(LeakCause(of: path, closureNames: names)?.isCertain == false)
    }

    @Test func `if closure names are missing and could change the cause, the cause is not certain`() {
        for vector in CauseVector.Half.allCases.flatMap(\.vectors) where vector.closures != nil {
            let cause = LeakCause(of: vector.path)
            #expect(
                cause == nil || cause?.identifier == vector.cause || cause?.isCertain == false, "\(vector)")
        }
        let closure = RetainReference(owner: "Shop.Page", field: "onTap", kind: .property, isClosure: true)
        #expect(LeakCause(of: Self.cycle(closure))?.isCertain == false)
        #expect(
            LeakCause(of: Self.cycle(closure), closureNames: ["closure #1 in Page.show()"])?.isCertain == true
        )
    }

    /// Text such as "the object keeps the data source" is not true of an object that the screen holds through a closure.
    @Test(arguments: ["UIAlertAction", "UIAction", "UICollectionViewDiffableDataSource"])
    func `in a cycle, a handler that a screen keeps is not described as the leaked object's own`(
        owner: String
    ) {
        let screen = RetainReference(owner: "Shop.Page", field: "part", kind: .property)
        let closure = RetainReference(owner: owner, field: "handler", kind: .property, isClosure: true)
        #expect(LeakCause(of: Self.cycle(screen, closure))?.identifier != "stored_handler")
        let held = RetainPath(
            references: [screen, closure], target: "Shop.Row", isCycle: false)
        #expect(LeakCause(of: held)?.identifier == "stored_handler")
    }

    @Test func `a cycle has one cause, whichever of its objects was found`() {
        for vector in CauseVector.Half.allCases.flatMap(\.vectors) where vector.cycle == true {
            let path = vector.path
            let cause = LeakCause(of: path, closureNames: vector.closures ?? [])
            for start in path.references.indices.dropFirst() {
                // A path of references never starts at the captures of a closure.
                guard path.references[start].kind != .closureCapture, path.references[start].kind != .block
                else { continue }
                let rotated = RetainPath(
                    references: Array(path.references[start...] + path.references[..<start]),
                    target: path.references[start].owner, isCycle: true)
                let other = LeakCause(of: rotated, closureNames: vector.closures ?? [])
                #expect(other?.identifier == cause?.identifier, "\(vector.testDescription)")
            }
        }
    }

    @Test(arguments: [
        ("closure #1 in closure #2 in Gallery.bind()", "nested_closure"),
        ("closure #1 () -> () in closure #2 () -> () in Shop.Gallery.bind() -> ()", "nested_closure"),
        ("closure #1 in closure #2 in static Screens.family.getter", "stored_closure"),
        ("closure #1 in Gallery.bind()", "stored_closure"),
        ("implicit closure #2 in implicit closure #1 in closure #4 in Screens.make()", "method_reference"),
        // A closure in an autoclosure, such as the right side of `??`.
        ("closure #1 in implicit closure #1 in Gallery.bind()", "stored_closure"),
    ])
    func `a closure counts as nested if the closure around it belongs to the object's own code`(
        name: String, cause: String
    ) {
        let zoom = RetainReference(owner: "Shop.Gallery", field: "onZoom", kind: .property, isClosure: true)
        let path = RetainPath(references: [zoom], target: "Shop.Gallery", isCycle: true)
        #expect(LeakCause(of: path, closureNames: [name])?.identifier == cause)
    }

    // MARK: Paths with unusual names

    @Test(arguments: ["Ä<[(.", "\u{301}", "_", "{field|"])
    func `paths with names of any length have short texts`(part: String) {
        let long = String(repeating: part, count: 20_000)
        var paths = [RetainPath(references: [], target: "", isCycle: true)]
        for kind in RetainReference.Kind.allCases {
            for isCycle in [true, false] {
                let reference = RetainReference(owner: long, field: long, kind: kind, isClosure: isCycle)
                paths.append(
                    RetainPath(
                        references: Array(repeating: reference, count: 10_000), target: long,
                        isCycle: isCycle))
            }
        }
        for path in paths {
            let cause = LeakCause(of: path, closureNames: Array(repeating: long, count: 1_000))
            #expect((cause?.explanation ?? "").utf8.count + (cause?.remedy ?? "").utf8.count < 2_000)
        }
    }

    @Test func `random paths have causes whose texts stay short`() {
        var random = SeededRandom(seed: 7)
        let vectors = CauseVector.Half.allCases.flatMap(\.vectors).map(\.path)
        let references = vectors.flatMap(\.references)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...6, using: &random)
            let path = RetainPath(
                references: (0..<count).map { _ in references.randomElement(using: &random)! },
                target: references.randomElement(using: &random)!.owner, isCycle: Bool.random(using: &random))
            guard let cause = LeakCause(of: path) else { continue }
            #expect(cause.remedy.utf8.count < 600 && !cause.remedy.contains("|"))
            #expect(!path.isSuspected || !cause.isCertain)
        }
    }
}
