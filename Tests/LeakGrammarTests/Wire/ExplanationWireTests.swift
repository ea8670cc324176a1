import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// Retain explanations on their way from the device to the collector, and the form of their paths. Also image offsets in
/// stacks.
@Suite struct ExplanationWireTests {
    private static let onPaid = RetainReference(
        owner: "Shop.CartViewModel", field: "onPaid", kind: .property, isClosure: true)

    private func sent(_ explanation: RetainExplanation) throws -> RetainExplanation? {
        var report = LeakReport()
        report.className = "Shop.CartViewModel"
        report.explanation = explanation
        var batch = LeakBatch()
        batch.explanations = [report]
        let document = try WireReader.read(batch.json(), as: .json)
        #expect(document.reports.isEmpty && document.rejected.isEmpty)
        return document.report(try #require(document.explanations.first)).explanation
    }

    private func random(_ random: inout SeededRandom) -> RetainExplanation {
        func path() -> RetainPath {
            let count = Int.random(in: 1...6, using: &random)
            let references = (0..<count).map { _ in
                RetainReference(
                    owner: ["Shop.Cart", "closure", "Shop.Store<Shop.Item>", "Task", "ü\"\\"].randomElement(
                        using: &random)!,
                    field: ["", "items[*]", "state(.loaded).0", "onPaid"].randomElement(using: &random)!,
                    kind: RetainReference.Kind.allCases.randomElement(using: &random)!,
                    isSuspected: Bool.random(using: &random), isClosure: Bool.random(using: &random))
            }
            return RetainPath(
                references: references, target: "Shop.Cart", isCycle: Bool.random(using: &random),
                fullLength: Bool.random(using: &random) ? nil : count + 3)
        }
        var explanation = RetainExplanation()
        if Bool.random(using: &random) {
            explanation.path = path()
            explanation.confidence = Bool.random(using: &random) ? .proven : .suspected
        }
        explanation.furtherCycles = (0..<Int.random(in: 0...2, using: &random)).map { _ in path() }
        explanation.unexplainedReferences = Int.random(in: 0...3, using: &random)
        if Bool.random(using: &random) { explanation.holder = .init(kind: .timer) }
        if Bool.random(using: &random) {
            explanation.closureSites = [
                ImageOffset(image: "Shop (Beta)", imageIdentifier: "6f1b0c3e7b7b3d8c", offset: 0x41b9),
                ImageOffset(image: "Shop", imageIdentifier: "", offset: .max >> 1),
            ]
            explanation.global = ImageOffset(image: "Shop", imageIdentifier: "6f1b0c3e", offset: 8)
        }
        if Bool.random(using: &random) {
            explanation.cost = .init(bytes: 14_210, objects: 9, isAtLeast: Bool.random(using: &random))
        }
        return explanation
    }

    @Test(arguments: 1...50) func `an explanation is read as it was sent`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let explanation = self.random(&random)
        var arrived = try #require(try sent(explanation))
        // The opening parenthesis in an image's name becomes an underscore, as in a call stack.
        arrived.closureSites = arrived.closureSites.map {
            ImageOffset(
                image: $0.image.replacing("_Beta)", with: "(Beta)"), imageIdentifier: $0.imageIdentifier,
                offset: $0.offset)
        }
        #expect(arrived == explanation)
    }

    @Test func `values of an explanation over the limits are truncated, and a long path is shortened`() throws
    {
        var explanation = RetainExplanation()
        let long = RetainReference(
            owner: String(repeating: "A", count: 9_000), field: String(repeating: "b", count: 9_000),
            kind: .property)
        explanation.path = RetainPath(
            references: Array(repeating: long, count: 100), target: "A", isCycle: true)
        explanation.furtherCycles = Array(
            repeating: RetainPath(references: [Self.onPaid], target: "A", isCycle: true), count: 20)
        explanation.confidence = .suspected
        explanation.unexplainedReferences = .max
        explanation.cost = .init(bytes: .max, objects: .max, isAtLeast: true)
        let arrived = try #require(try sent(explanation))
        let path = try #require(arrived.path)
        #expect(path.references.count == WireLimits.pathReferenceCount && path.fullLength == 100)
        #expect(path.references[0].owner.utf8.count == WireLimits.classBytes)
        #expect(arrived.furtherCycles.count == WireLimits.furtherCyclesCount)
        #expect(arrived.cost?.bytes == WireLimits.retainedBytes)
    }

    @Test(arguments: [
        (#"{"class": "A", "why": 5}"#, "why is a number, must be a JSON object"),
        (#"{"class": "A", "why": {"confidence": 1}}"#, "why.confidence is a number, must be a string"),
        (#"{"class": "A", "why": {"path": [{"owner": ""}]}}"#, "why.path[0] has no owner"),
        (#"{"class": "A", "why": {"path": [{"field": "a"}]}}"#, "why.path[0] has no owner"),
        (#"{"class": "A", "why": {"path": [null]}}"#, "why.path[0] is null, must be a JSON object"),
        (#"{"class": "A", "why": {"closures": [null]}}"#, "why.closures[0] is null, must be a string"),
        (
            #"{"class": "A", "why": {"further_cycles": [null]}}"#,
            "why.further_cycles[0] is null, must be a JSON object"
        ),
        (#"{"class": "A", "why": {"path": [5]}}"#, "why.path[0] is a number, must be a JSON object"),
        (
            #"{"class": "A", "why": {"bytes": -1}}"#,
            "why.bytes is -1, must be an integer from 0 to 1099511627776"
        ),
        (#"{"class": "A", "why": {"is_cycle": "yes"}}"#, "why.is_cycle is a string, must be true or false"),
        (#"{"class": "A", "why": {"closures": [1]}}"#, "why.closures[0] is a number, must be a string"),
    ])
    func `an error in an explanation rejects the explanation and no report`(json: String, reason: String)
        throws
    {
        let document = try WireReader.read(Array(json.utf8), as: .json)
        #expect(document.reports.count == 1 && document.rejected.isEmpty)
        #expect(document.report(at: 0).explanation == nil)
        #expect(document.firstExplanationProblem == "reports[0]: \(reason)")
        let batch =
            #"{"reports": [{"class": "B"}, \#(json)], "explanations": [{"class": "A", "why": {}}, \#(json)]}"#
        let read = try WireReader.read(Array(batch.utf8), as: .json)
        #expect(read.reports.count == 2 && read.explanations.count == 1)
        #expect(read.rejectedExplanationCount == 2 && read.firstExplanationProblem == "reports[1]: \(reason)")
    }

    @Test(arguments: [
        (#"{"class": "A"}"#, "why is missing"),
        (#"{"why": {}}"#, "class is missing; add class, message, error with a domain, cycle or fingerprint"),
        ("7", "report is a number, must be a JSON object"),
    ])
    func `an explanation without a leak or without a reason is rejected`(json: String, reason: String) throws
    {
        let batch = #"{"reports": [{"class": "B"}], "explanations": [\#(json)]}"#
        let document = try WireReader.read(Array(batch.utf8), as: .json)
        #expect(document.reports.count == 1 && document.explanations.isEmpty)
        #expect(document.firstExplanationProblem == "explanations[0]: \(reason)")
    }

    @Test func `the number of explanations in a batch is limited, even if the field occurs twice`() {
        let explanations = Array(repeating: #"{"class": "A", "why": {}}"#, count: 600).joined(separator: ",")
        let batch = #"{"explanations": [\#(explanations)], "explanations": [\#(explanations)]}"#
        let error = #expect(throws: WireError.self) { try WireReader.read(Array(batch.utf8), as: .json) }
        #expect(error?.reason == "explanations has more than 1000 entries")
    }

    @Test func `unknown parts of an explanation are left out, and an unknown kind becomes opaque`() throws {
        let json =
            #"{"class": "A", "why": {"path": [{"owner": "A", "kind": "later", "new": []}], "newer": {}, "holder": "thread", "confidence": "sure"}}"#
        let document = try WireReader.read(Array(json.utf8), as: .json)
        let path = try #require(document.report(at: 0).explanation?.path)
        #expect(path.references.map(\.kind) == [.opaque] && path.description == "A → ")
        #expect(document.firstExplanationProblem == nil)
    }

    @Test(arguments: [
        (["Shop.Countdown.timer", "Foundation.Timer._fire"], true, "Countdown.timer"),
        (["Foundation.Timer._fire", "Shop.Countdown.timer"], true, "Countdown.timer"),
        (["Shop.Session.observers[*]"], false, "Session.observers"),
        (["Shop.App.session", "Shop.Session.observers[*]"], false, "Session.observers"),
        (["Shop.Player.state(.failed).retry"], true, "Player.state"),
        (["Foundation.Timer._fire"], true, "Timer._fire"),
        (["Shop.List<Swift.Int>.items[*]", "closure."], true, "List<Int>.items"),
        (["closure.", "Swift.Array.[*]"], false, nil),
    ])
    func `a retain path names the property to look at`(edges: [String], isCycle: Bool, property: String?) {
        let references = edges.map { edge in
            let bracket = edge.firstIndex { "[(".contains($0) } ?? edge.endIndex
            let point = edge[..<bracket].lastIndex(of: ".") ?? edge.startIndex
            return RetainReference(
                owner: String(edge[..<point]), field: String(edge[edge.index(after: point)...]),
                kind: .property)
        }
        let path = RetainPath(references: references, target: "Shop.Row", isCycle: isCycle)
        #expect(path.property == property)
    }

    @Test
    func `the normalized path of a cycle begins at the same position, whichever object it is read from`() {
        let references = [
            Self.onPaid, RetainReference(owner: "closure", field: "", kind: .closureCapture),
            RetainReference(owner: "Shop.Api", field: "owner", kind: .property),
        ]
        let paths = references.indices.map { start in
            let rotated = Array(references[start...] + references[..<start])
            return RetainPath(references: rotated, target: rotated[0].owner, isCycle: true).normalized
        }
        #expect(Set(paths.map(\.description)) == ["Api.owner → CartViewModel.onPaid → closure → Api"])
        #expect(Set(paths.map(\.fingerprint)).count == 1)
    }

    @Test func `a cycle with equal names begins at one position, whichever of its references is suspected`() {
        func cycle(_ suspected: [Bool]) -> RetainPath {
            let references = suspected.map {
                RetainReference(owner: "Shop.Page", field: "next", kind: .property, isSuspected: $0)
            }
            return RetainPath(references: references, target: "Other", isCycle: true).normalized
        }
        #expect(cycle([false, true]) == cycle([true, false]))
        #expect(cycle([false, true, false]) == cycle([false, false, true]))
        #expect(cycle([false]).target == "Shop.Page")
    }

    @Test(arguments: [
        ("0x41b9 in Shop (6f1b)", "Shop", "6f1b", UInt64(0x41b9)), ("0x0 in a b", "a b", "", 0),
        ("0x1 in (", "(", "", 1), ("0x1 in x ()", "x", "", 1),
    ])
    func `elements of stacks with an image offset are read`(
        text: String, image: String, id: String, offset: UInt64
    ) {
        #expect(ImageOffset(element: text) == ImageOffset(image: image, imageIdentifier: id, offset: offset))
    }

    @Test(arguments: [
        "", "0x", "0x in Shop", "41 in Shop", "0x41", "0xg in Shop", "0x1 on Shop",
        "0x11111111111111111 in Shop",
    ])
    func `malformed texts are not read as image offsets`(text: String) {
        #expect(ImageOffset(element: text) == nil)
    }
}
