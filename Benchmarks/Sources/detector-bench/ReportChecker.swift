import Foundation
import LeakMessage

/// Compares the reported leaks with the expected leaks.
final class ReportChecker: @unchecked Sendable {
    // `Sendable` is unchecked: mutable state is accessed only while `lock` is locked.
    private let lock = NSLock()
    private var leaks: [LeakReport] = []
    private var ends: [LeakReport] = []

    func take(_ report: LeakReport) {
        lock.withLock { if report.event == .freed { ends.append(report) } else { leaks.append(report) } }
    }

    /// The number of leaks reported so far, and of reported ends of leaks.
    var counts: (leaks: Int, ends: Int) { lock.withLock { (leaks.count, ends.count) } }

    /// - Parameter kept: class names of the objects that were kept, by the reason that they were expected with.
    /// - Returns: the errors; empty when each object was reported once and ended once, and no other was reported.
    func countingErrors(kept: [String: String]) -> [String] {
        let (leaks, ends) = lock.withLock { (self.leaks, self.ends) }
        let reasons = leaks.map { $0.reason ?? "an object that was expected without a reason" }
        let ids = leaks.map { $0.id ?? "none" }
        let ended = ends.map { $0.id ?? "none" }
        let misnamed = leaks.filter { leak in
            leak.reason.flatMap { kept[$0] }.map { $0 != leak.className } ?? false
        }
        let cases = [
            ("were reported though nobody kept them", reasons.filter { kept[$0] == nil }),
            ("were kept and not reported", Array(Set(kept.keys).subtracting(reasons))),
            ("were reported more than once", repeated(leaks.compactMap(\.reason))),
            ("were reported with the name of another class", misnamed.map { $0.className ?? "none" }),
            ("have the id of another in their reports", repeated(ids)),
            ("ended and had not been reported", Array(Set(ended).subtracting(ids))),
            ("were reported and have no reported end", Array(Set(ids).subtracting(ended))),
            ("ended more than once", repeated(ended)),
        ]
        return cases.filter { !$0.1.isEmpty }.map { "\($1.count) objects \($0), such as: \($1[0])" }
    }

    func forget() { lock.withLock { (leaks, ends) = ([], []) } }

    private func repeated(_ texts: [String]) -> [String] {
        Dictionary(grouping: texts) { $0 }.filter { $0.value.count > 1 }.map(\.key)
    }
}
