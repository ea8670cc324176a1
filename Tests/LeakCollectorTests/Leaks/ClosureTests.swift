import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Closures on the paths of a leak, with the names that symbols give them.
@Suite struct ClosureTests {
    private let running: RunningCollector

    init() throws { running = try RunningCollector() }

    private static let one = "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"
    /// The build id of an ELF image.
    private static let other = "0E2C8D7CFDA15B32C0F4A7F42DEFB3C7B9B3B9C1"
    private static let bind = "closure #1 in CartModel.bind()"

    private func upload(_ image: String, at start: UInt64, _ calls: [SymbolicatedFrame]) throws {
        var builder = SymbolTableBuilder(image: try #require(ImageID(image)), name: "Shop", architecture: "")
        builder.add(start..<(start + 0x100), calls)
        let answer = try running.post(
            builder.finish(), "application/octet-stream", to: "/api/v1/symbols",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 200)
    }

    /// Sends a leak with the cycle `CartModel.onPaid → closure → Payment.onEnd → closure → CartModel`.
    ///
    /// - Parameter start: the object of the cycle that was found.
    private func explain(_ closures: [String], start: Int = 0) throws {
        let references = ["CartModel\", \"field\": \"onPaid", "Payment\", \"field\": \"onEnd"].map {
            #"{"owner": "Shop.\#($0)", "kind": "property", "closure": true}"#
        }
        let path = (references[start...] + references[..<start]).joined(separator: ",")
        let sites = (closures[(start % closures.count)...] + closures[..<(start % closures.count)])
            .map { "\"\($0)\"" }.joined(separator: ",")
        let body = """
            {"app": {"id": "shop", "module": "Shop"}, "reports": [{"class": "Shop.CartModel", "why": {
             "confidence": "proven", "is_cycle": true, "path": [\(path)], "closures": [\(sites)]}}]}
            """
        #expect(try running.post(body).status == 200)
    }

    private var leak: String {
        get throws {
            let leaks = try #require(
                try running.json("/api/v1/leaks?app=shop&state=any")["leaks"] as? [[String: Any]])
            #expect(leaks.count == 1)
            return try #require(leaks.first?["id"] as? String)
        }
    }

    private var page: String { get throws { try running.get("/leaks/\(leak)").text } }

    /// The JSON of the only variant of the only leak.
    private var variant: [String: Any] {
        get throws {
            let why = try #require(try running.json("/api/v1/leaks/\(leak)")["why"] as? [String: Any])
            let variants = try #require(why["variants"] as? [[String: Any]])
            #expect(variants.count == 1)
            return try #require(variants.first)
        }
    }

    /// The closure sets, most frequent first, such as `2: name file:line, 0x41b9 in Shop`: a closure without a name is its image
    /// offset.
    private var closures: [String] {
        get throws {
            let sets = try #require(try variant["closures"] as? [[String: Any]])
            return try sets.map { set in
                let functions = try #require(set["functions"] as? [[String: Any]])
                let texts = functions.map { function in
                    if let place = function["place"] as? String { return place }
                    let line = (function["line"] as? Int).map { ":\($0)" } ?? ""
                    return "\(function["name"] ?? "") \(function["file"] as? String ?? "-")\(line)"
                }
                return "\(set["count"] ?? 0): \(texts.joined(separator: ", "))"
            }
        }
    }

    private static let cart = [SymbolicatedFrame(function: bind, file: "CartModel.swift", line: 12)]

    @Test(arguments: [true, false])
    func `symbols name a closure, whether they come before or after the report`(areFirst: Bool) throws {
        if areFirst { try upload(Self.one, at: 0x4100, Self.cart) }
        try explain(["0x41b9 in Shop (\(Self.one))"])
        if !areFirst {
            #expect(try closures == ["1: 0x41b9 in Shop (\(Self.one))"])
            #expect(try page.contains("<code>0x41b9 in Shop (\(Self.one))</code>"))
            try upload(Self.one, at: 0x4100, Self.cart)
        }
        #expect(try closures == ["1: \(Self.bind) CartModel.swift:12"])
        #expect(try page.contains("<code>\(Self.bind) (CartModel.swift:12)</code>"))
    }

    @Test func `builds share one variant and one closure, whenever their symbols arrive`() throws {
        try upload(Self.one, at: 0x4100, Self.cart)
        try explain(["0x41b9 in Shop (\(Self.one))"])
        try explain(["0x777 in Shop (\(Self.other))"])
        try explain(["0x777 in Shop (\(Self.other.lowercased()))"])
        #expect(try variant["count"] as? Int == 3)
        let place = "0x777 in Shop (\(try #require(ImageID(Self.other))))"
        #expect(try closures == ["2: \(place)", "1: \(Self.bind) CartModel.swift:12"])
        // The page shows no offsets of closures whose names are known.
        #expect(try !page.contains("<code>0x777"))
        try upload(
            Self.other, at: 0x700, [SymbolicatedFrame(function: Self.bind, file: "CartModel.swift", line: 14)]
        )
        #expect(try closures == ["3: \(Self.bind) CartModel.swift:14"])
    }

    @Test func `the page of causes names closures by their symbols`() throws {
        func cause() throws -> [String] {
            let causes = try #require(
                try running.json("/api/v1/causes?app=shop")["causes"] as? [[String: Any]])
            let ofCause = try #require(causes.first?["cause"] as? [String: Any])
            let ofLeak = try #require(try variant["cause"] as? [String: Any])
            return [ofCause, ofLeak].compactMap { $0["identifier"] as? String }
        }
        try explain(["0x41b9 in Shop (\(Self.one))"])
        #expect(try cause() != ["nested_closure", "nested_closure"])
        let inner = SymbolicatedFrame(
            function: "closure #1 in \(Self.bind)", file: "CartModel.swift", line: 12)
        try upload(Self.one, at: 0x4100, [inner])
        #expect(try cause() == ["nested_closure", "nested_closure"])
    }

    @Test func `the name of a closure that was found with the report stays when the symbols are removed`()
        throws
    {
        try upload(Self.one, at: 0x4100, Self.cart)
        try explain(["0x41b9 in Shop (\(Self.one))"])
        var options = HTTPClient.Options()
        options.usesProxy = false
        let answer = try HTTPClient(options).delete(
            "\(running.address)/api/v1/symbols/\(Self.one)",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 200)
        #expect(try closures == ["1: \(Self.bind) CartModel.swift:12"])
    }

    @Test func `closures of a cycle are the same from each of its objects`() throws {
        let places = ["0x41b9 in Shop (\(Self.one))", "0x5001 in Shop (\(Self.one))"]
        try explain(places)
        try explain(places, start: 1)
        #expect(try closures == ["2: \(places.joined(separator: ", "))"])
    }

    @Test(arguments: [
        ([SymbolicatedFrame(function: bind, line: 3)], "stored_closure", "\(bind) -:3"),
        // The code that binds the context has the closure's name and no line.
        (
            [
                SymbolicatedFrame(function: "Cart.total.getter", file: "Cart.swift", line: 9),
                SymbolicatedFrame(function: bind, file: "Cart.swift", line: 12),
                SymbolicatedFrame(function: bind),
            ], "stored_closure", "\(bind) Cart.swift:12"
        ),
        (
            [SymbolicatedFrame(function: "closure #1 in closure #2 in CartModel.bind()")], "nested_closure",
            "closure #1 in closure #2 in CartModel.bind() -"
        ),
        (
            [SymbolicatedFrame(function: "implicit closure #2 in implicit closure #1 in CartModel.bind()")],
            "method_reference", "implicit closure #2 in implicit closure #1 in CartModel.bind() -"
        ),
        (
            [SymbolicatedFrame(function: "closure #1 in CartModel.onPaid.getter")], "lazy_closure",
            "closure #1 in CartModel.onPaid.getter -"
        ),
    ])
    func `the name of a closure determines the cause`(calls: [SymbolicatedFrame], cause: String, text: String)
        throws
    {
        try upload(Self.one, at: 0x4100, calls)
        let body = """
            {"app": {"id": "shop", "module": "Shop"}, "reports": [{"class": "Shop.CartModel", "why": {
             "confidence": "proven", "is_cycle": true, "target": "Shop.CartModel",
             "path": [{"owner": "Shop.CartModel", "field": "onPaid", "kind": "property", "closure": true}],
             "closures": ["0x41b9 in Shop (\(Self.one))"]}}]}
            """
        #expect(try running.post(body).status == 200)
        #expect(try closures == ["1: \(text)"])
        #expect((try variant["cause"] as? [String: Any])?["identifier"] as? String == cause)
    }

    @Test func `an image's name is text on a page, and an invalid id is left out`() throws {
        try explain(["0x41b9 in <b>Shop</b> (nobody)"])
        #expect(try closures == ["1: 0x41b9 in b>"])
        #expect(try page.contains("<code>0x41b9 in b&gt;</code>"))
    }

    @Test func `an export names closures too`() throws {
        try explain(["0x41b9 in Shop (\(Self.one))"])
        try upload(Self.one, at: 0x4100, Self.cart)
        let folder = NSTemporaryDirectory() + "export-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        try Export(store: running.store, publicFolder: publicFolder).write(to: folder, app: nil)
        let json = try String(contentsOfFile: "\(folder)/leaks/\(leak).json", encoding: .utf8)
        #expect(json.contains(Self.bind))
    }

    // MARK: Stored texts

    private static func explanation(_ sites: [ImageOffset]) -> RetainExplanation {
        var explanation = RetainExplanation()
        explanation.path = RetainPath(
            references: [RetainReference(owner: "A", field: "f", kind: .property, isClosure: true)],
            target: "A",
            isCycle: true)
        explanation.closureSites = sites
        return explanation
    }

    @Test(arguments: [
        ("Shop", one), ("My App", one), ("/usr/lib/libc.so.6", other), ("Shop", ""), ("", one),
        ("a\r\n\tb(c)", one),
        (String(repeating: "ö", count: 600), one), ("Shop", "evil\n1 in x"),
    ])
    func `stored closures are read as they were written`(image: String, id: String) throws {
        let site = ImageOffset(image: image, imageIdentifier: id, offset: 0x41b9)
        let explanation = Self.explanation(Array(repeating: site, count: 32))
        let stored = try #require(StoredClosures(explanation, of: StoredReason(explanation)))
        #expect(stored.text.utf8.count <= 2_000)
        let read = try #require(StoredClosures(text: stored.text))
        #expect(read.text == stored.text && read.pathFingerprint == stored.pathFingerprint)
        #expect(!read.closures.isEmpty && read.closures == Array(stored.closures.prefix(read.closures.count)))
    }

    @Test(arguments: ["", "abc", "\n", "abc\n", "\n\n"])
    func `incomplete texts are not read as closures`(text: String) {
        #expect(StoredClosures(text: text) == nil)
    }
}
