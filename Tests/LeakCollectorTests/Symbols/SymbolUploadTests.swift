import LeakCollectorSupport
import Foundation
import LeakGzip
import LeakHTTPClient
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// `POST /api/v1/symbols` and the list of uploads, the function names in stored and in new reports, and the memory that symbol
/// tables take.
@Suite struct SymbolUploadTests {
    private let running: RunningCollector

    init() throws { running = try RunningCollector() }

    private static let token = [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]
    private static let image = "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"
    private static let otherImage = "0000000000000000000000000000BEEF"

    /// Returns the table of a build whose functions begin at `start`.
    private static func table(_ image: String, at start: UInt64, name: String = "Shop") -> [UInt8] {
        var builder = SymbolTableBuilder(image: ImageID(image)!, name: name, architecture: "arm64")
        builder.add(
            start..<(start + 0x100),
            [SymbolicatedFrame(function: "CartModel.load()", file: "Cart.swift", line: 7)])
        builder.add(
            (start + 0x100)..<(start + 0x200),
            [SymbolicatedFrame(function: "run()", file: "main.swift", line: 2)])
        return builder.finish()
    }

    private static func stack(_ image: String, at start: UInt64) -> [String] {
        [start + 0x10, start + 0x110].map {
            ImageOffset.element(offset: $0, path: "/app/Shop", imageID: image)
        } + [ImageOffset.element(offset: 0x99, path: "/usr/lib/libc.so.6", imageID: "00112233445566778899")]
    }

    private func report(_ stack: [String], version: String = "1.0", _ more: String = "") throws {
        let elements = stack.map { "\"\($0)\"" }.joined(separator: ",")
        let body = """
            {"app":{"id":"shop","module":"Shop","version":"\(version)"},
             "reports":[{"class":"Shop.CartModel"\(more),"stack":[\(elements)]}]}
            """
        #expect(try running.post(body).status == 200)
    }

    private func upload(
        _ table: [UInt8], fields: [HTTPField] = token, type: String = "application/octet-stream"
    ) throws -> HTTPResponse {
        try running.post(table, type, to: "/api/v1/symbols", fields: fields)
    }

    private func leaks() throws -> [[String: Any]] {
        try #require(try running.json("/api/v1/leaks?app=shop")["leaks"] as? [[String: Any]])
    }

    private static let namedStack = [
        "at CartModel.load() in Shop (Cart.swift:7)", "at run() in Shop (main.swift:2)",
        "at libc.so.6 + 0x99",
    ]

    // MARK: Naming

    @Test func `the list of symbols rounds sizes up to whole KiB`() throws {
        let entry =
            #"{"image":"A","name":"Shop","bytes":512,"uploaded_at":"2026-11-20","used_at":"2026-11-20"}"#
        let list = try SymbolList(json: Array(#"{"symbols":[\#(entry),\#(entry)]}"#.utf8))
        #expect(list.lines.map { $0.contains(" 1 KiB") } == [true, true, true], "\(list.lines)")
    }

    @Test func `symbol uploads merge the leaks of two builds, and new reports are added to the merged leak`()
        throws
    {
        try report(Self.stack(Self.image, at: 0x1000))
        try report(Self.stack(Self.otherImage, at: 0x5000), version: "1.1")
        let before = try leaks()
        #expect(before.count == 2)
        let ids = before.compactMap { $0["id"] as? String }

        let first = try upload(Self.table(Self.image, at: 0x1000))
        #expect(first.status == 200)
        let answer = try first.json
        #expect(answer["leaks_named"] as? Int == 1 && answer["leaks_merged"] as? Int == 0)
        #expect(answer["image"] as? String == Self.image && answer["replaced"] as? Bool == false)
        #expect(try leaks().count == 2)

        let packed = Gzip.deflate(Self.table(Self.otherImage, at: 0x5000))
        let second = try upload(packed, fields: Self.token + [HTTPField("Content-Encoding", "gzip")])
        #expect(second.status == 200)
        #expect(try second.json["leaks_merged"] as? Int == 1)
        let leak = try #require(try leaks().first)
        #expect(try leaks().count == 1 && leak["reports"] as? Int == 2)
        #expect(leak["stack"] as? [String] == Self.namedStack)
        for id in ids { #expect(try running.get("/api/v1/leaks/\(id)").status == 303) }

        // The group caches already contain groups for the frames without names. These groups must not be used any more.
        try report(Self.stack(Self.image, at: 0x1000))
        try report(Self.stack(Self.otherImage, at: 0x5000), version: "1.1")
        #expect(try leaks().count == 1 && leaks().first?["reports"] as? Int == 4)
        let detail = try running.json("/api/v1/leaks/\(leak["id"] as? String ?? "")")
        #expect("\(detail)".contains("function names from symbols"))
        #expect(try running.store.verify() == [])
        // The stored reports already have the groups that the rules give, so there is nothing to regroup.
        let plans = try RegroupPlanner(store: running.store, now: WallClock.milliseconds()).plans(app: nil)
        #expect(plans.allSatisfy { $0.groups.isEmpty && $0.ambiguousLeaks.isEmpty })
    }

    @Test func `a report with function names and a symbolicated report belong to the same leak`() throws {
        #expect(try upload(Self.table(Self.image, at: 0x1000)).status == 200)
        try report([
            "0   Shop   0x0000000104f85e10 $s4Shop9CartModelC4loadyyF + 104",
            "1   Shop   0x0000000104f85f10 run() + 4",
        ])
        try report(Self.stack(Self.image, at: 0x1000))
        #expect(try leaks().count == 1)
    }

    @Test func `symbols name the frames of a leak with a fingerprint, and do not change its ID`() throws {
        try report(Self.stack(Self.image, at: 0x1000), #","fingerprint":["cart"]"#)
        let id = try #require(try leaks().first?["id"] as? String)
        #expect(try upload(Self.table(Self.image, at: 0x1000)).json["leaks_named"] as? Int == 1)
        let leak = try #require(try leaks().first)
        #expect(leak["id"] as? String == id && leak["stack"] as? [String] == Self.namedStack)
        #expect(try running.store.verify() == [])
        #expect(try upload(Self.table(Self.image, at: 0x1000)).json["leaks_named"] as? Int == 0)
    }

    @Test func `a symbol table that covers no frame changes nothing`() throws {
        try report(Self.stack(Self.image, at: 0x1000))
        let before = try leaks().first?["stack"] as? [String]
        #expect(try upload(Self.table(Self.image, at: 0x9000)).json["leaks_named"] as? Int == 0)
        #expect(try leaks().first?["stack"] as? [String] == before)
    }

    @Test func `a leak still has function names after its symbols are removed, and is not regrouped`()
        throws
    {
        try report(Self.stack(Self.image, at: 0x1000))
        #expect(try upload(Self.table(Self.image, at: 0x1000)).status == 200)
        var options = HTTPClient.Options()
        options.usesProxy = false
        let client = try HTTPClient(options)
        let path = "\(running.address)/api/v1/symbols/"
        #expect(try client.delete(path + Self.image, fields: Self.token).status == 200)
        #expect(try client.delete(path + Self.image, fields: Self.token).status == 404)
        #expect(try client.delete(path + "xyz", fields: Self.token).status == 400)
        #expect(try leaks().first?["stack"] as? [String] == Self.namedStack)
        let plans = try RegroupPlanner(store: running.store, now: WallClock.milliseconds()).plans(app: nil)
        #expect(plans.allSatisfy { $0.groups.isEmpty })
        try report(Self.stack(Self.image, at: 0x1000))
        #expect(try leaks().count == 2)
    }

    @Test func `the page of a leak names the images whose symbols are missing`() throws {
        try report(Self.stack(Self.image, at: 0x1000))
        let id = try #require(try leaks().first?["id"] as? String)
        let page = try running.get("/leaks/\(id)").text
        #expect(page.contains("collector symbols upload") && page.contains(Self.image))
        // Symbols of system libraries are not available, so the page does not ask for them.
        let note = try #require(page.components(separatedBy: "The functions of image").last?.prefix(400))
        #expect(!note.contains("00112233445566778899"))
        #expect(try upload(Self.table(Self.image, at: 0x1000)).status == 200)
        let merged = try #require(try leaks().first?["id"] as? String)
        #expect(try !running.get("/leaks/\(merged)").text.contains("collector symbols upload"))
    }

    // MARK: Memory

    @Test func `symbol tables are read from the store on demand, within their memory limit`() throws {
        #expect(try upload(Self.table(Self.image, at: 0x1000)).status == 200)
        #expect(try upload(Self.table(Self.otherImage, at: 0x5000)).status == 200)
        // This cache is empty, as in another process.
        let tables = SymbolTableCache(store: running.store, maxMemoryBytes: 1)
        let reader = try running.store.makeReader()
        #expect(try tables.calls(in: Self.image, at: .offset(0x1000)).isEmpty)
        try tables.refresh(from: reader)
        #expect(!tables.areInMemory && tables.bytes == 0)
        for _ in 0..<2 {
            #expect(
                try tables.calls(in: Self.image, at: .offset(0x1000)).first?.function == "CartModel.load()")
            #expect(try tables.calls(in: Self.otherImage, at: .offset(0x5100)).first?.function == "run()")
        }
        #expect(!tables.areInMemory && tables.bytes > 0)
        let generation = tables.generation
        try tables.refresh(from: reader)
        #expect(tables.generation == generation)
        #expect(try running.store.removeSymbols(.image, of: Self.image))
        try tables.refresh(from: reader)
        #expect(tables.generation != generation)
        #expect(try tables.calls(in: Self.image, at: .offset(0x1000)).isEmpty)
        // The use of a table by reports is stored, so that the table is kept longer.
        let later = WallClock.milliseconds() + 86_400_000
        try tables.storeUse(now: later)
        #expect(try reader.symbols().map(\.usedAt) == [later])
    }

    @Test func `a damaged symbol table is read once, and counts as a table in memory`() throws {
        let stored = StoredSymbols(
            kind: .image, image: Self.image, name: "Shop", uploadedAt: 0, usedAt: 0, bytes: 3)
        _ = try running.store.put(stored, body: [1, 2, 3], audit: nil)
        let tables = SymbolTableCache(store: running.store)
        try tables.refresh(from: running.store.makeReader())
        #expect(!tables.areInMemory)
        #expect(tables.callsInMemory(in: Self.image, at: .offset(0x1000)) == nil)
        #expect(try tables.calls(in: Self.image, at: .offset(0x1000)).isEmpty)
        #expect(tables.areInMemory)
        #expect(tables.callsInMemory(in: Self.image, at: .offset(0x1000)) == [])
    }

    @Test
    func `an event loop leaves a request to the pool only if its frames need a table that is not in memory`()
        throws
    {
        #expect(try upload(Self.table(Self.image, at: 0x1000)).status == 200)
        #expect(try upload(Self.table(Self.otherImage, at: 0x5000)).status == 200)
        let tables = SymbolTableCache(store: running.store)
        try tables.refresh(from: running.store.makeReader())
        let key = Credential(id: 7, purpose: .ingest, name: "k", hash: [], createdAt: 0)
        var cache = GroupCache(symbolTables: tables)
        func isIncomplete(_ stack: [String], readsSymbols: Bool = false) throws -> Bool {
            let elements = stack.map { "\"\($0)\"" }.joined(separator: ",")
            let request = IngestRequest(
                body: Array(#"{"class":"Shop.CartModel","stack":[\#(elements)]}"#.utf8), format: .json,
                receivedAt: WallClock.milliseconds())
            cache.begin(readsSymbols: readsSymbols)
            return try SubmissionBuilder(request, key: key, cache: &cache).isIncomplete
        }
        let stack = Self.stack(Self.image, at: 0x1000)
        #expect(try isIncomplete(stack) && cache.count == 0)
        #expect(try !isIncomplete(Self.stack("00112233445566778899AABBCCDDEEFF", at: 0x1000)))
        #expect(try !isIncomplete(stack, readsSymbols: true))
        // The table of the other image was never needed, so it is still only in the store.
        #expect(try !isIncomplete(stack) && !tables.areInMemory)
    }

    // MARK: Requests

    @Test func `the response to an upload and the list of uploads have the documented fields`() throws {
        let schemas = try SchemaValidator(running.json("/openapi.json"))
        let answer = try upload(Self.table(Self.image, at: 0x1000)).json
        #expect(
            schemas.problems(
                of: answer, as: ["$ref": "#/components/schemas/SymbolUpload"], at: "SymbolUpload"
            ).isEmpty)
        #expect(try upload(Self.table(Self.image, at: 0x2000)).json["replaced"] as? Bool == true)
        let list = try #require(try running.json("/api/v1/symbols")["symbols"] as? [[String: Any]])
        #expect(list.count == 1 && list[0]["image"] as? String == Self.image)
        #expect(
            schemas.problems(
                of: list[0], as: ["$ref": "#/components/schemas/SymbolTable"], at: "SymbolTable"
            ).isEmpty)
        let text = try SymbolList(json: running.get("/api/v1/symbols").body).lines
        #expect(text.count == 2 && text[0].hasPrefix("\(Self.image)  Shop") && text[1].hasPrefix("1 image, "))
    }

    @Test func `an upload needs an access token, the right content type and a valid symbol table`() throws {
        let table = Self.table(Self.image, at: 0x1000)
        #expect(try upload(table, fields: []).status == 401)
        let key = [HTTPField("Authorization", "Bearer \(RunningCollector.key)")]
        #expect(try upload(table, fields: key).status == 401)
        #expect(try upload(table, type: "application/json").status == 415)
        for hostile in [
            [], Array(table.dropLast()), table + [0], Array("LCSYM".utf8), [UInt8](repeating: 0, count: 4096),
        ] {
            let answer = try upload(hostile)
            #expect(answer.status == 400 && answer.text.contains("the symbol table cannot be read"))
        }
        // 17 MiB of zeros are sent compressed, and then uncompressed.
        let zeros = [UInt8](repeating: 0, count: 17 << 20)
        let bomb = try upload(
            Gzip.deflate(zeros), fields: Self.token + [HTTPField("Content-Encoding", "gzip")])
        #expect(bomb.status == 413)
        #expect(try upload(zeros).status == 413)
        #expect(try running.json("/api/v1/symbols")["symbols"] as? [String] == [])
    }
}
