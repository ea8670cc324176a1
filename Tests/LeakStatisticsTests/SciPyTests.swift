import Foundation
import LeakStatistics
import Testing

/// Comparison with the results of SciPy for cases that `Scripts/statistics-vectors` generates at random. `STATISTICS_VECTORS`
/// names a file with other cases.
@Suite struct SciPyTests {
    private struct Case: Decodable {
        var scipy: String?
        var fisher: [Int]?
        var t: Double?
        var freedom: Int?
        var p: Double?
        var events: Int?
        var trials: Int?
        var confidence: Double?
        var wilson: [Double]?
        var exact: [Double]?
        var upper: Double?
        var ps: [Double]?
        var adjusted: [Double]?
    }

    private static func cases() throws -> [Case] {
        let named = ProcessInfo.processInfo.environment["STATISTICS_VECTORS"].map {
            URL(fileURLWithPath: $0)
        }
        let file = try #require(
            named ?? Bundle.module.url(forResource: "Vectors/scipy", withExtension: "jsonl"))
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Case.self, from: Data($0.utf8))
        }
    }

    /// Compares by the relative difference, because the smallest probabilities matter most. Sums and factorials of millions
    /// lose some digits in both libraries.
    private func isClose(_ one: Double, _ other: Double, within tolerance: Double = 1e-7) -> Bool {
        abs(one - other) <= tolerance * max(abs(one), abs(other)) || abs(one - other) < 1e-15
    }

    @Test func `every result equals that of SciPy`() throws {
        let cases = try Self.cases()
        var checked: [String: Int] = [:]
        for given in cases {
            if let counts = given.fisher, let p = given.p {
                let first = Proportion(events: counts[0], trials: counts[1])
                let second = Proportion(events: counts[2], trials: counts[3])
                let own = FisherTest.probabilityOfRise(from: first, to: second)
                #expect(isClose(own, p), "Fisher \(counts): \(own), SciPy \(p)")
                checked["Fisher", default: 0] += 1
            } else if let t = given.t, let freedom = given.freedom, let p = given.p {
                let own = StudentT.upperTail(t, degreesOfFreedom: freedom)
                #expect(isClose(own, p), "t \(t), \(freedom) degrees of freedom: \(own), SciPy \(p)")
                checked["t", default: 0] += 1
            } else if let events = given.events, let trials = given.trials,
                let confidence = given.confidence, let wilson = given.wilson, let exact = given.exact,
                let upper = given.upper
            {
                let counts = Proportion(events: events, trials: trials)
                let own = [
                    counts.wilsonInterval(confidence: confidence),
                    counts.exactInterval(confidence: confidence),
                ].flatMap { [$0.lowerBound, $0.upperBound] }
                for (mine, theirs) in zip(own, wilson + exact) {
                    #expect(
                        isClose(mine, theirs),
                        "\(events) of \(trials), \(confidence): \(own), SciPy \(wilson + exact)")
                }
                #expect(isClose(counts.exactUpperBound(confidence: confidence), upper))
                checked["intervals", default: 0] += 1
            } else if let probabilities = given.ps, let adjusted = given.adjusted {
                let own = BenjaminiHochberg.adjusted(probabilities)
                #expect(zip(own, adjusted).allSatisfy { isClose($0, $1) }, "\(probabilities)")
                checked["Benjamini–Hochberg", default: 0] += 1
            } else {
                #expect(given.scipy != nil)
            }
        }
        #expect(checked.values.reduce(0, +) == cases.count - 1 && checked.count == 4)
        #expect(checked.values.allSatisfy { $0 >= 100 }, "\(checked)")
    }
}
