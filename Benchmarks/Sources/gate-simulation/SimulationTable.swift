import Foundation
import LeakStatistics

/// The results of the gate, counted by kind of pair, and the promises that they are compared with.
struct SimulationTable {
    /// A simulated pair of releases, and the result of the gate.
    struct Outcome {
        let pair: Simulation.Pair
        let result: ReleaseGate.Result

        /// `true` if the leak that differs between the releases fails the second release.
        var isFound: Bool {
            pair.changed.map { result.leaks[$0].failsRelease }
                ?? (pair.change == .allDoubled && result.verdict == .failed)
        }

        /// `true` if the rare classes have enough checks together.
        var hasEnoughChecksOfPool: Bool {
            switch result.pool?.result {
            case .enough, .worse: true
            case .needs, .fewDevices, nil: false
            }
        }

        /// `true` if the most checked classes, up to 80 % of the baseline's checks, have enough checks, by themselves or
        /// together.
        ///
        /// Does not use ``ReleaseGate/Result/hasEnoughData``, so that the table shows a mistake in that value.
        var hasEnoughChecks: Bool {
            let checks = pair.classes.map { $0.baseline.reduce(0, +) }
            let required = 0.8 * Double(checks.reduce(0, +))
            var covered = 0
            let pool = hasEnoughChecksOfPool ? Set(result.pool?.classIndices ?? []) : []
            for index in checks.indices.sorted(by: { checks[$0] > checks[$1] }) {
                guard Double(covered) < required else { break }
                guard result.classes[index] == .enough || pool.contains(index) else { return false }
                covered += checks[index]
            }
            return true
        }

        /// `true` if the class of the changed leak has enough checks in the second release.
        var hasEnoughChecksOfClass: Bool {
            pair.changed.map { result.classes[pair.leaks[$0].classIndex] == .enough } ?? false
        }
    }

    /// A result that a pair can have. A pair can be both `failed` and `found`.
    private enum Column: CaseIterable {
        case failed, passed, cannotTell, found

        func includes(_ outcome: Outcome) -> Bool {
            switch self {
            case .failed: outcome.result.verdict == .failed
            case .passed: outcome.result.verdict == .passed
            case .cannotTell: outcome.result.verdict == .cannotTell
            case .found: outcome.isFound
            }
        }
    }

    /// The bound of a share of the pairs in a row. It is compared with the counted share as it is: the same seed gives the same
    /// share, so there is no allowance for chance.
    private struct Promise {
        let column: Column
        let text: String
        let holds: @Sendable (_ share: Double) -> Bool

        static let fewFail = Promise(column: .failed, text: "at most 1 % fail") { $0 <= 0.01 }
        static let mostPass = Promise(column: .passed, text: "at least 95 % pass") { $0 >= 0.95 }
        static let nonePasses = Promise(column: .passed, text: "none passes") { $0 == 0 }
        static let doublingsFound = Promise(column: .found, text: "at least 95 % found") { $0 >= 0.95 }
        static let newLeaksFound = Promise(column: .found, text: "at least 99 % found") { $0 >= 0.99 }
    }

    /// The pairs of one kind.
    private struct Row {
        let size: AppSize
        let title: String
        /// `nil` for pairs with any change.
        let change: Change?
        let promise: Promise?
        let condition: (Outcome) -> Bool
        var pairs = 0
        var counts: [Column: Int] = [:]

        init(
            _ title: String, _ change: Change?, _ promise: Promise? = nil, size: AppSize = .small,
            where condition: @escaping (Outcome) -> Bool = { _ in true }
        ) {
            (self.size, self.title, self.change) = (size, title, change)
            (self.promise, self.condition) = (promise, condition)
        }

        func includes(_ outcome: Outcome) -> Bool {
            size == outcome.pair.size && (change == nil || change == outcome.pair.change)
                && condition(outcome)
        }

        /// Returns a share from 0 to 1; `nil` if there are no pairs, and for the column `found` of pairs in which no leak changes.
        func share(_ column: Column) -> Double? {
            let hasColumn = column != .found || (change != nil && change != .unchanged)
            return pairs > 0 && hasColumn ? Double(counts[column, default: 0]) / Double(pairs) : nil
        }
    }

    private let seed: Int
    private var pairs = (small: 0, large: 0)
    private var rows = Self.makeRows() + Self.makeLargeRows()

    init(seed: Int) { self.seed = seed }

    private static func makeRows() -> [Row] {
        var rows = [Row("unchanged", .unchanged, .fewFail)]
        for isShifting in [false, true] {
            rows.append(
                Row("… mix of screens \(isShifting ? "shifts" : "stays")", .unchanged, .fewFail) {
                    $0.pair.isShifting == isShifting
                })
        }
        for correlation in Simulation.correlations {
            rows.append(
                Row(
                    "… correlation within a device \(String(format: "%g", correlation))", .unchanged, .fewFail
                ) {
                    $0.pair.correlation == correlation
                })
        }
        rows += [
            Row("… enough checks", .unchanged, .mostPass) { $0.hasEnoughChecks },
            Row("too few checks, changed or not", nil, .nonePasses) { !$0.hasEnoughChecks },
            Row("rate doubled, from 5 % or more", .doubled),
            Row("… 3,000 checks of its class in both, correlation up to 0.02", .doubled, .doublingsFound) {
                $0.pair.checks >= 3_000 && $0.pair.correlation <= 0.02
            },
            Row("… enough checks of its class", .doubled, .doublingsFound) { $0.hasEnoughChecksOfClass },
            Row("new leak in 5 % of checks", .newLeak),
            Row("… 3,000 checks of its class in both", .newLeak, .newLeaksFound) { $0.pair.checks >= 3_000 },
            Row("… enough checks of its class", .newLeak, .newLeaksFound) { $0.hasEnoughChecksOfClass },
        ]
        return rows
    }

    /// The rows of large apps. Rows without a promise are only for information: some have only 50 pairs.
    private static func makeLargeRows() -> [Row] {
        var rows = [Row("50 to 150 classes, unchanged", .unchanged, .fewFail, size: .large)]
        for isShifting in [false, true] {
            rows.append(
                Row(
                    "… mix of screens \(isShifting ? "shifts" : "stays")", .unchanged, size: .large
                ) {
                    $0.pair.isShifting == isShifting
                })
        }
        rows += [
            Row("… enough checks", .unchanged, .mostPass, size: .large) { $0.hasEnoughChecks },
            Row("50 to 150 classes, too few checks, changed or not", nil, .nonePasses, size: .large) {
                !$0.hasEnoughChecks
            },
            Row("50 to 150 classes, all rates doubled", .allDoubled, size: .large),
            Row("… enough checks of the rare classes together", .allDoubled, .doublingsFound, size: .large) {
                $0.hasEnoughChecksOfPool
            },
            Row("50 to 150 classes, one rate doubled, from 5 % or more", .doubled, size: .large),
            Row("… enough checks of the rare classes together", .doubled, size: .large) {
                $0.hasEnoughChecksOfPool
            },
            Row("… enough checks of its class", .doubled, size: .large) {
                $0.hasEnoughChecksOfClass
            },
            Row("50 to 150 classes, new leak in 5 % of the checks of one class", .newLeak, size: .large),
            Row("… enough checks of the rare classes together", .newLeak, size: .large) {
                $0.hasEnoughChecksOfPool
            },
            Row("… enough checks of its class", .newLeak, .newLeaksFound, size: .large) {
                $0.hasEnoughChecksOfClass
            },
        ]
        return rows
    }

    mutating func add(_ outcome: Outcome) {
        if outcome.pair.size == .small { pairs.small += 1 } else { pairs.large += 1 }
        for index in rows.indices where rows[index].includes(outcome) {
            rows[index].pairs += 1
            for column in Column.allCases where column.includes(outcome) {
                rows[index].counts[column, default: 0] += 1
            }
        }
    }

    var markdown: String {
        let lines = rows.map { row in
            let cells =
                [row.title, Self.text(row.pairs)] + Column.allCases.map { Self.text(row.share($0)) }
                + [row.promise?.text ?? ""]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return """
            \(Self.text(pairs.small)) pairs with 1 to 12 classes and \(Self.text(pairs.large)) with 50 to 150, seed \(seed):

            | second release of the pair | pairs | fail | pass | cannot tell | changed leak found | promised |
            |---|---|---|---|---|---|---|
            \(lines.joined(separator: "\n"))
            """
    }

    /// A sentence for each promise that does not hold.
    var brokenPromises: [String] {
        var kind = ""
        return rows.compactMap { row in
            if !row.title.hasPrefix("…") { kind = row.title }
            guard let promise = row.promise else { return nil }
            let name = row.title == kind ? kind : "\(kind) \(row.title)"
            guard let share = row.share(promise.column) else {
                return "\(name): promised is “\(promise.text)”, but there was no such pair"
            }
            guard !promise.holds(share) else { return nil }
            return "\(name): promised is “\(promise.text)”, but it was \(Self.text(share)) "
                + "of \(Self.text(row.pairs)) pairs"
        }
    }

    /// Returns a percentage. It has no decimals only if the share is exactly 0 or 1.
    private static func text(_ share: Double?) -> String {
        guard let share else { return "" }
        if share == 0 || share == 1 { return share == 0 ? "0 %" : "100 %" }
        return String(format: "%.2f %%", 100 * share)
    }

    /// Returns the number with a comma before each three digits.
    private static func text(_ number: Int) -> String {
        var digits = Array(String(number))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }
}
