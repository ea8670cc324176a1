import Foundation
import Testing

@Suite struct HTTPInvariantTests {
    /// Returns the fuzzer's corpus: inputs that together reach all code that the fuzzer has reached, as short as possible.
    private static func corpus() throws -> [(name: String, bytes: [UInt8])] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "Vectors/corpus")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
            ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0)))
        }
    }

    @Test func `every input of the fuzzer's corpus gives the same result, however it is split`() throws {
        let corpus = try Self.corpus()
        #expect(corpus.count >= 100)
        for (name, bytes) in corpus {
            let violation = HTTPInvariants.violation(by: bytes)
            #expect(violation == nil, "\(name)")
        }
    }
}
