import LeakSeededRandom
import LeakCollectorSupport
import LeakHTTPClient
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// Mappings from the names that R8 assigned to the original names.
@Suite struct MappingTests {
    private static let text = """
        # compiler: R8
        # {"id":"com.android.tools.r8.mapping","version":"2.2"}
        # pg_map_id: 7f5bbd1
        # pg_map_hash: SHA-256 7f5bbd1a
        com.acme.shop.Cart -> a.b.c:
        # {"id":"sourceFile","fileName":"Cart.kt"}
            int count -> a
            1:3:void add(com.acme.shop.Item,int):44:46 -> a
            4:4:void com.acme.shop.List.push(int):12:12 -> a
            4:4:void add(com.acme.shop.Item,int):50 -> a
            5:9:void clear():60:60 -> b
            void <init>() -> <init>
            void lambda$watch$0():70:70 -> d
        com.acme.shop.List -> a.b.d:
        # {"id":"sourceFile","fileName":"List.java"}
        com.acme.shop.Kept -> com.acme.shop.Kept:
        kotlin.Unit -> a.a:
            void run() -> a
        """

    private static func table(_ text: String = text) throws -> [UInt8] {
        var file = MappingFileParser()
        for line in text.split(separator: "\n") { file.read(String(line)) }
        return try file.finish()
    }

    @Test(
        arguments: [
            ("a.b.c.a", 2, ["com.acme.shop.Cart.add Cart.kt:45"]),
            ("a.b.c.a", 4, ["com.acme.shop.List.push List.java:12", "com.acme.shop.Cart.add Cart.kt:50"]),
            ("a.b.c.b", 7, ["com.acme.shop.Cart.clear Cart.kt:60"]),
            // If the line of the frame is missing or unknown, the result has no line.
            ("a.b.c.b", nil, ["com.acme.shop.Cart.clear Cart.kt:-"]),
            ("a.b.c.a", 99, ["com.acme.shop.Cart.a Cart.kt:-"]),
            ("a.b.c.<init>", 1, ["com.acme.shop.Cart.<init> Cart.kt:-"]),
            ("a.b.c.unknown", 1, ["com.acme.shop.Cart.unknown Cart.kt:-"]), ("x.y.z", 1, []),
        ] as [(String, Int?, [String])])
    func `an obfuscated frame is replaced by the methods of the mapping`(
        name: String, line: Int?, methods: [String]
    )
        throws
    {
        let table = try MappingTable(Self.table())
        let dot = try #require(name.lastIndex(of: "."))
        let calls = table.calls(
            className: String(name[..<dot]), name: String(name[name.index(after: dot)...]), line: line)
        #expect(
            calls.map {
                "\($0.className ?? "").\($0.function) \($0.file ?? "-"):\($0.line.map(String.init) ?? "-")"
            } == methods)
        #expect(table.mapID == "7f5bbd1" && table.classCount == 4)
    }

    @Test func `symbolicated Java frames have the grouping key of a build that was not obfuscated`() throws {
        let table = try MappingTable(Self.table())
        let stack = try #require(
            CallStack([
                "at a.b.c.a(r8-map-id-7f5bbd1:4)", "at a.b.c.d(r8-map-id-7f5bbd1)",
                "at a.a.a(r8-map-id-7f5bbd1:3)",
                "at android.os.Handler.dispatch(Handler.java:9)", "at a.b.c.a(SourceFile:4)",
            ]))
        #expect(stack.displayedElements.first == "at c.a in a.b (r8-map-id-7f5bbd1:4)")
        #expect(CallStack.imageIDs(ofUnnamedFunctionsIn: stack.displayedElements) == ["r8-map-id-7f5bbd1"])
        let named = stack.named { image, place in
            guard image == table.name, case .method(let className, let name, let line) = place else {
                return []
            }
            return table.calls(className: className, name: name, line: line)
        }
        let plain = try #require(
            CallStack([
                "at com.acme.shop.List.push(List.java:12)", "at com.acme.shop.Cart.add(Cart.kt:50)",
                "at com.acme.shop.Cart.lambda$watch$0(Cart.kt:70)", "at kotlin.Unit.run(Unit.kt)",
                "at android.os.Handler.dispatch(Handler.java:9)", "at a.b.c.a(SourceFile:4)",
            ]))
        #expect(named.keyElements == plain.keyElements && !named.keyElements.isEmpty)
        #expect(named.displayedElements.first == "at List.push in com.acme.shop (List.java:12)")
        #expect(CallStack.imageIDs(ofUnnamedFunctionsIn: named.displayedElements).isEmpty)
    }

    @Test(arguments: [
        ("", "pg_map_id"), ("com.acme.Cart -> a.b:", "pg_map_id"), ("# pg_map_id: 12", "names no class"),
        (
            "# pg_map_id: \(String(repeating: "a", count: 65))\nc -> a:",
            "its pg_map_id is 65 bytes, the limit is 64"
        ),
    ])
    func `a file without classes, or with a map ID that is missing or too long, is refused as a mapping`(
        text: String, words: String
    ) {
        let error = #expect(throws: MappingFileParser.Unreadable.self) { try Self.table(text) }
        #expect(error?.description.contains(words) == true)
    }

    @Test func `a mapping table without its end, or with a byte after it, is refused`() throws {
        let bytes = try Self.table()
        for count in bytes.indices {
            #expect(throws: SymbolTable.Invalid.self) { try MappingTable(Array(bytes[..<count])) }
        }
        #expect(throws: SymbolTable.Invalid.self) { try MappingTable(bytes + [0]) }
    }

    @Test(arguments: 1...20)
    func `changed bytes of a mapping table are refused, or give a table that can be searched`(seed: UInt64)
        throws
    {
        var random = SeededRandom(seed: seed)
        let sample = try Self.table()
        for _ in 0..<200 {
            var bytes = sample
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            guard let table = try? MappingTable(bytes) else { continue }
            for line in [nil, 0, 4, 7, .max] {
                _ = table.calls(className: "a.b.c", name: "a", line: line)
            }
        }
    }

    // MARK: Served

    @Test func `the leaks of two obfuscated builds are merged when their mappings are uploaded`() throws {
        let running = try RunningCollector()
        func report(_ map: String, _ type: String) throws {
            let body = """
                {"app":{"id":"shop","version":"1.0"},"reports":[{"class":"com.acme.shop.Cart",
                 "stack":["at \(type).a(r8-map-id-\(map):2)","at \(type).b(r8-map-id-\(map):7)"]}]}
                """
            #expect(try running.post(body).status == 200)
        }
        func upload(_ text: String) throws -> [String: Any] {
            try running.post(
                Self.table(text), "application/octet-stream", to: "/api/v1/symbols",
                fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")]
            ).json
        }
        try report("7f5bbd1", "a.b.c")
        try report("8", "x.y")
        let other = Self.text.replacing("7f5bbd1", with: "8").replacing("-> a.b.c:", with: "-> x.y:")
        #expect(try upload(Self.text)["leaks_named"] as? Int == 1)
        #expect(try upload(other)["leaks_merged"] as? Int == 1)
        try report("8", "x.y")
        let leaks = try #require(try running.json("/api/v1/leaks?app=shop")["leaks"] as? [[String: Any]])
        #expect(leaks.count == 1 && leaks[0]["reports"] as? Int == 3)
        #expect(
            leaks[0]["stack"] as? [String] == [
                "at Cart.add in com.acme.shop (Cart.kt:45)", "at Cart.clear in com.acme.shop (Cart.kt:60)",
            ])
        #expect(try running.store.verify() == [])
        let client = try HTTPClient()
        let image = try #require(ImageID("r8-map-id-8"))
        let answer = try client.delete(
            running.address + "/api/v1/symbols/\(image)",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(answer.status == 200)
    }
}
