import LeakSeededRandom
import Foundation
import LeakMessage
import Testing

@testable import LeakCollector

@Suite struct MessageInvariantTests {
    /// Returns the smallest inputs of the fuzzer that together reach the most code, and every input that once violated an
    /// invariant.
    private static func corpus() throws -> [(name: String, bytes: [UInt8])] {
        let folder = try #require(
            Bundle.module.url(forResource: "corpus", withExtension: nil, subdirectory: "Vectors"))
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
            ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0)))
        }
    }

    @Test func `every input of the fuzzer's corpus satisfies the invariants`() throws {
        let corpus = try Self.corpus()
        #expect(corpus.count >= 100)
        var cache = GroupCache()
        for (name, bytes) in corpus {
            let violation = MessageInvariants.violation(by: bytes, cache: &cache)
            #expect(violation == nil, "\(name)")
        }
    }

    @Test(arguments: PrivatePlaces.messages.indices)
    func `a secret is not stored, even between quotes, addresses and texts of detectors`(place: Int) {
        var random = SeededRandom(seed: UInt64(place))
        let parts = [
            "'", "\"", "' \"", "'>", "\\", "100% ", "\n", "\n📄 <A: 0x3f>", ":\n[<A: 0x3f>]", " has leaked",
            "2s ago ",
            " not deallocated after being ", "\n\nDeinited after 1.0s.", "\napp state on leak: ACTIVE",
            " after 3s (2 left)",
            " - current count: 2", "Fatal error: ", "\ntitle: \"", "it's", " <B: 0x1", "\n操作路径",
            "{\"a\": \"b\"}", " - ",
        ]
        for _ in 0..<30 {
            let typed =
                random.element(of: parts) + random.element(of: parts) + "Zq7Xk" + random.element(of: parts)
            var report = LeakReport()
            report.message = PrivatePlaces.messages[place](typed)
            let leakedText = MessageInvariants.textContaining("Zq7Xk", in: report)
            #expect(leakedText == nil, "\(report.message ?? "")")
        }
    }
}
