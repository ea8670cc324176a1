import LeakGzip
import LeakSeededRandom
import Testing

@testable import LeakStore

/// Reports that are stored compressed.
@Suite struct SampleBodyTests {
    private let directory = TemporaryDirectory(isInMemory: true)
    private let page = leak("Page")

    /// Returns a JSON text of exactly this number of bytes, with different frames.
    private static func json(_ bytes: Int) -> String {
        let frames = (0..<bytes / 40).map { "\"Shop CartModel.step\($0 * 7_919 % 1_000)()\"" }
        let head = #"{"message":"gone","stack":["# + frames.joined(separator: ",") + #"],"tab":""#
        return head + String(repeating: "x", count: bytes - head.utf8.count - 2) + #""}"#
    }

    private func storedBody() throws -> [UInt8] {
        let connection = try SQLiteConnection(path: directory.database, access: .readOnly)
        let select = try connection.statement("select body from sample where id = 1 << 40 | 1")
        defer { select.reset() }
        #expect(try select.step())
        return select.bytes(0)
    }

    @Test(arguments: [(200, false), (1_023, false), (1_024, true), (3_000, true), (16_384, true)])
    func `a report of at least one kilobyte is stored compressed, and read back unchanged`(
        bytes: Int, isCompressed: Bool
    ) throws {
        let body = Self.json(bytes)
        #expect(body.utf8.count == bytes)
        let store = try directory.store()
        #expect(try store.count([submission([Report(leak: page, body: body)])], now: noon) == [.counted])
        let samples = try #require(try store.makeReader().samples(of: page.id))
        #expect(samples.map(\.body) == [Array(body.utf8)])
        #expect(try storedBody().count < (isCompressed ? bytes / 2 : bytes + 1))
        #expect(try storedBody().elementsEqual(body.utf8) == !isCompressed)
        #expect(try store.verify() == [])
    }

    @Test func `bytes that compression does not shorten are stored as they are`() throws {
        var random = SeededRandom(seed: 7)
        let bytes = Array("{".utf8) + (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        var deflater = Deflater(level: 1)
        #expect(SampleBody.packed(bytes, by: &deflater) == bytes)
        #expect(SampleBody.json(bytes) == bytes)
    }

    @Test(arguments: ["x'1f8b'", "substr(body, 1, 40)", "substr(body, 1, length(body) - 1) || x'ff'"])
    func `reading a damaged report throws an error, verify reports it, and a search skips it`(body: String)
        throws
    {
        let store = try directory.store()
        let report = Report(leak: page, body: Self.json(3_000))
        #expect(try store.count([submission([report])], now: noon) == [.counted])
        let connection = try SQLiteConnection(path: directory.database, access: .readWrite)
        try connection.execute("update sample set body = cast(\(body) as blob)")
        let error = #expect(throws: StoreError.self) { try store.makeReader().samples(of: page.id) }
        #expect(error?.reason == .corrupt)
        #expect(error?.description.contains("a report") == true)
        #expect(try store.verify() == ["a report that is kept as a sample can be read: not true for 3 rows"])
        // A search skips the damaged report.
        var query = LeakQuery()
        query.search = "gone"
        #expect(try store.makeReader().leaks(query, now: noon).total == 0)
    }
}
