import Testing

@testable import LeakStore

@Suite struct VersionOrderTests {
    /// Oldest first; the pre-releases of 1.0.0 are the example of Semantic Versioning 2.0.0 §11.4.
    static let ordered = [
        "", "unknown", "0.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.0.1", "1.0.1", "1.2", "1.10", "1.10.1-2", "1.10.1", "2",
        "v2.1",
        "2.2b3", "2.2", "5.2.0", "10", "2024.11", "20261120.1", "99999999999999999999999",
    ]

    @Test func `any two versions are in the expected order`() {
        for (first, one) in Self.ordered.enumerated() {
            for (second, other) in Self.ordered.enumerated() {
                #expect((VersionOrder(one) < VersionOrder(other)) == (first < second), "\(one) and \(other)")
            }
        }
    }

    @Test(arguments: [
        ("5.2", "5.2.0"), ("v5.2", "5.2"), ("5.02", "5.2"), ("5.2+a", "5.2+b"), ("1-a+x", "1-a"),
    ])
    func `versions of equal rank differ, and no version of another rank is between them`(
        one: String, other: String
    ) {
        #expect(VersionOrder(one) != VersionOrder(other))
        for between in ["5.1.9", "5.2.0-rc", "5.2.1", "1-b", "0.9", "1"] {
            #expect(
                (VersionOrder(one) < VersionOrder(between)) == (VersionOrder(other) < VersionOrder(between)))
        }
    }

    @Test
    func `the rank bounds of a text separate lower, equal and higher versions, even if it is not a version`()
    {
        for (first, one) in Self.ordered.enumerated() {
            let (lower, upper) = (
                VersionOrder(one).sameRankLowerBound, VersionOrder(one).higherRankLowerBound
            )
            for (second, other) in Self.ordered.enumerated() {
                let key = VersionOrder(other).key
                #expect(key.lexicographicallyPrecedes(lower) == (second < first), "\(other) and \(one)")
                #expect(key.lexicographicallyPrecedes(upper) == (second <= first), "\(other) after \(one)")
            }
        }
    }

    @Test(arguments: [("5.2", "v5.2.0"), ("1-a+x", "1.0-a"), ("0", "0.0"), ("2+9", "02")])
    func `versions of equal rank have the same rank bounds`(one: String, other: String) {
        let (one, other) = (VersionOrder(one), VersionOrder(other))
        #expect(
            one.sameRankLowerBound == other.sameRankLowerBound
                && one.higherRankLowerBound == other.higherRankLowerBound)
        #expect(one.isNumbered && other.isNumbered)
    }

    @Test(arguments: ["", "unknown", "v", "-1", ".5"])
    func `a text without a leading number is not a version`(text: String) {
        #expect(!VersionOrder(text).isNumbered)
    }
}
