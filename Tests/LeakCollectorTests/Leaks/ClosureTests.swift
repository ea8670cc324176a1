import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Closures in the retain paths of a leak, with their names from symbols.
@Suite struct ClosureTests {
    private let running: RunningCollector

    init() throws { running = try RunningCollector() }

    /// The UUID of a Mach-O image.
    private static let uuid = "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"
    /// The build id of an ELF image.
    private static let buildID = "0E2C8D7CFDA15B32C0F4A7F42DEFB3C7B9B3B9C1"
    private static let bindClosure = "closure #1 in CartModel.bind()"

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
    /// - Parameter start: the index of the reference with which the path of the report starts.
    private func reportCycle(_ closures: [String], start: Int = 0) throws {
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

    private var leakID: String {
        get throws {
            let leaks = try #require(
                try running.json("/api/v1/leaks?app=shop&state=any")["leaks"] as? [[String: Any]])
            #expect(leaks.count == 1)
            return try #require(leaks.first?["id"] as? String)
        }
    }

    private var page: String { get throws { try running.get("/leaks/\(leakID)").text } }

    /// The JSON of the only variant of the only leak.
    private var variant: [String: Any] {
        get throws {
            let why = try #require(try running.json("/api/v1/leaks/\(leakID)")["why"] as? [String: Any])
            let variants = try #require(why["variants"] as? [[String: Any]])
            #expect(variants.count == 1)
            return try #require(variants.first)
        }
    }

    /// One text for each different list of closures in the reports, most frequent first, such as `2: name file:line, 0x41b9 in
    /// Shop` for a list of two closures in two reports. A closure without a name has its offset and its image.
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

    private static let cart = [SymbolicatedFrame(function: bindClosure, file: "CartModel.swift", line: 12)]

    @Test(arguments: [true, false])
    func `a closure gets its name from symbols, whether they are uploaded before or after the report`(
        areFirst: Bool
    )
        throws
    {
        if areFirst { try upload(Self.uuid, at: 0x4100, Self.cart) }
        try reportCycle(["0x41b9 in Shop (\(Self.uuid))"])
        if !areFirst {
            #expect(try closures == ["1: 0x41b9 in Shop (\(Self.uuid))"])
            #expect(try page.contains("<code>0x41b9 in Shop (\(Self.uuid))</code>"))
            try upload(Self.uuid, at: 0x4100, Self.cart)
        }
        #expect(try closures == ["1: \(Self.bindClosure) CartModel.swift:12"])
        #expect(try page.contains("<code>\(Self.bindClosure) (CartModel.swift:12)</code>"))
    }

    @Test func `two builds share one retain path and one closure, even if symbols of one are uploaded later`()
        throws
    {
        try upload(Self.uuid, at: 0x4100, Self.cart)
        try reportCycle(["0x41b9 in Shop (\(Self.uuid))"])
        try reportCycle(["0x777 in Shop (\(Self.buildID))"])
        try reportCycle(["0x777 in Shop (\(Self.buildID.lowercased()))"])
        #expect(try variant["count"] as? Int == 3)
        let place = "0x777 in Shop (\(try #require(ImageID(Self.buildID))))"
        #expect(try closures == ["2: \(place)", "1: \(Self.bindClosure) CartModel.swift:12"])
        // The page lists only closures with names if at least one closure of the path has a name.
        #expect(try !page.contains("<code>0x777"))
        try upload(
            Self.buildID, at: 0x700,
            [SymbolicatedFrame(function: Self.bindClosure, file: "CartModel.swift", line: 14)])
        #expect(try closures == ["3: \(Self.bindClosure) CartModel.swift:14"])
    }

    @Test func `names from symbols determine the cause of a leak, in the list of causes and in the leak`()
        throws
    {
        func cause() throws -> [String] {
            let causes = try #require(
                try running.json("/api/v1/causes?app=shop")["causes"] as? [[String: Any]])
            let ofCause = try #require(causes.first?["cause"] as? [String: Any])
            let ofLeak = try #require(try variant["cause"] as? [String: Any])
            return [ofCause, ofLeak].compactMap { $0["identifier"] as? String }
        }
        try reportCycle(["0x41b9 in Shop (\(Self.uuid))"])
        #expect(try cause() != ["nested_closure", "nested_closure"])
        let inner = SymbolicatedFrame(
            function: "closure #1 in \(Self.bindClosure)", file: "CartModel.swift", line: 12)
        try upload(Self.uuid, at: 0x4100, [inner])
        #expect(try cause() == ["nested_closure", "nested_closure"])
    }

    @Test func `a closure keeps the name that it got from symbols after the symbols are removed`()
        throws
    {
        try upload(Self.uuid, at: 0x4100, Self.cart)
        try reportCycle(["0x41b9 in Shop (\(Self.uuid))"])
        var options = HTTPClient.Options()
        options.usesProxy = false
        let answer = try HTTPClient(options).delete(
            "\(running.address)/api/v1/symbols/\(Self.uuid)",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 200)
        #expect(try closures == ["1: \(Self.bindClosure) CartModel.swift:12"])
    }

    @Test func `the closures of a cycle are equal in reports whose paths start at different objects`()
        throws
    {
        let places = ["0x41b9 in Shop (\(Self.uuid))", "0x5001 in Shop (\(Self.uuid))"]
        try reportCycle(places)
        try reportCycle(places, start: 1)
        #expect(try closures == ["2: \(places.joined(separator: ", "))"])
    }

    @Test(arguments: [
        ([SymbolicatedFrame(function: bindClosure, line: 3)], "stored_closure", "\(bindClosure) -:3"),
        // The last frame is generated code that binds the context: it has the closure's name, but no line.
        (
            [
                SymbolicatedFrame(function: "Cart.total.getter", file: "Cart.swift", line: 9),
                SymbolicatedFrame(function: bindClosure, file: "Cart.swift", line: 12),
                SymbolicatedFrame(function: bindClosure),
            ], "stored_closure", "\(bindClosure) Cart.swift:12"
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
    func `the name of a closure determines the cause of its leak`(
        calls: [SymbolicatedFrame], cause: String, text: String
    ) throws {
        try upload(Self.uuid, at: 0x4100, calls)
        let body = """
            {"app": {"id": "shop", "module": "Shop"}, "reports": [{"class": "Shop.CartModel", "why": {
             "confidence": "proven", "is_cycle": true, "target": "Shop.CartModel",
             "path": [{"owner": "Shop.CartModel", "field": "onPaid", "kind": "property", "closure": true}],
             "closures": ["0x41b9 in Shop (\(Self.uuid))"]}}]}
            """
        #expect(try running.post(body).status == 200)
        #expect(try closures == ["1: \(text)"])
        #expect((try variant["cause"] as? [String: Any])?["identifier"] as? String == cause)
    }

    @Test func `a page escapes the image name of a closure, and leaves out an invalid image ID`() throws {
        try reportCycle(["0x41b9 in <b>Shop</b> (nobody)"])
        #expect(try closures == ["1: 0x41b9 in b>"])
        #expect(try page.contains("<code>0x41b9 in b&gt;</code>"))
    }

    @Test func `an export contains the names of closures`() throws {
        try reportCycle(["0x41b9 in Shop (\(Self.uuid))"])
        try upload(Self.uuid, at: 0x4100, Self.cart)
        let folder = NSTemporaryDirectory() + "export-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let publicFolder = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
        try Export(store: running.store, publicFolder: publicFolder).write(to: folder, app: nil)
        let json = try String(contentsOfFile: "\(folder)/leaks/\(leakID).json", encoding: .utf8)
        #expect(json.contains(Self.bindClosure))
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
        ("Shop", uuid), ("My App", uuid), ("/usr/lib/libc.so.6", buildID), ("Shop", ""), ("", uuid),
        ("a\r\n\tb(c)", uuid),
        (String(repeating: "ö", count: 600), uuid), ("Shop", "evil\n1 in x"),
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
