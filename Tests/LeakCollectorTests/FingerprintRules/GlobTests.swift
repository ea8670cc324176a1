import LeakSeededRandom
import Testing

@testable import LeakCollector

@Suite struct GlobTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        try Glob(pattern).matches(Glob.characters(of: text))
    }

    @Test(arguments: [
        ("Cart", "Cart", true), ("Cart", "Cart2", false), ("Cart", "cart", false), ("Cart*", "Cart", true),
        ("Cart*", "CartModel", true), ("*Model", "CartModel", true), ("*Model", "CartModels", false),
        ("*", "", true), ("?", "", false), ("?", "é", true), ("??", "é", false), ("C?rt", "Cärt", true),
        ("*Cart*Model*", "MyCartViewModel2", true), ("*Cart*Model*", "ModelCart", false),
        ("Ca*rt", "Cart", true), ("Car*rt", "Cart", false), ("a*a", "a", false), ("**a**", "bab", true),
        ("*?a", "a", false), ("*a?*", "xab", true), ("Store<*>", "Store<HomeState, …>", true),
    ])
    func `a pattern matches a whole text`(pattern: String, text: String, isMatch: Bool) throws {
        #expect(try matches(pattern, text) == isMatch)
    }

    /// Compares each character of the pattern in turn, with all lengths for each asterisk.
    private static func reference(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
        switch pattern.first {
        case nil: text.isEmpty
        case "*":
            (0...text.count).contains { reference(pattern.dropFirst(), text.dropFirst($0)) }
        case "?": !text.isEmpty && reference(pattern.dropFirst(), text.dropFirst())
        case let character: text.first == character && reference(pattern.dropFirst(), text.dropFirst())
        }
    }

    @Test(arguments: 1...8)
    func `random patterns match what a simple reference matches`(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var matchCount = 0
        for _ in 0..<2_000 {
            let pattern = String((0..<random.number(1...7)).map { _ in random.element(of: Array("aab*?*")) })
            let text = String((0..<random.number(0...9)).map { _ in random.element(of: Array("aab")) })
            let expected = Self.reference(Array(pattern)[...], Array(text)[...])
            #expect(try matches(pattern, text) == expected, "\(pattern) and \(text)")
            if expected { matchCount += 1 }
        }
        #expect(matchCount > 100 && matchCount < 1_900)
    }

    @Test(arguments: [
        "*" + String(repeating: "a*", count: 255), "*" + String(repeating: "a", count: 63) + "b*",
        String(repeating: "a", count: 400) + "*", "*" + String(repeating: "?a", count: 32) + "*b",
        "*" + String(repeating: "aaaaaaab*", count: 50),
    ])
    func `each character of a text is compared at most once, with any pattern`(pattern: String) throws {
        let glob = try Glob(pattern)
        for count in [0, 1, 64, 512, 5_000] {
            var steps = 0
            _ = glob.matches([UInt32](repeating: 0x61, count: count), steps: &steps)
            #expect(steps <= count)
            #expect(count < 512 || steps > 0)
        }
    }

    @Test func `a pattern has limits`() {
        #expect(throws: Glob.Invalid.empty) { try Glob("") }
        #expect(throws: Glob.Invalid.tooLong(bytes: 513)) { try Glob(String(repeating: "a", count: 513)) }
        #expect(throws: Glob.Invalid.pieceTooLong(characters: 65)) {
            try Glob("*" + String(repeating: "a", count: 65) + "*")
        }
        #expect(throws: Never.self) { try Glob(String(repeating: "a", count: 512)) }
        #expect(throws: Never.self) { try Glob("*" + String(repeating: "a", count: 64) + "*") }
    }
}
