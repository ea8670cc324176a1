import Foundation
import LeakMessage

/// Compares the reported leaks with the expected leaks.
final class ReportChecker: @unchecked Sendable {
    // `Sendable` is unchecked: mutable state is accessed only while `lock` is locked.
    private let lock = NSLock()
    private var leaks: [LeakReport] = []
    private var ends: [LeakReport] = []

    func add(_ report: LeakReport) {
        lock.withLock { if report.event == .freed { ends.append(report) } else { leaks.append(report) } }
    }

    /// The number of objects reported as leaked so far, and of those reported as freed.
    var counts: (leaks: Int, ends: Int) { lock.withLock { (leaks.count, ends.count) } }

    /// - Parameter expectedClassNames: class names of the objects that were kept, by the reason of their expectation.
    /// - Returns: the errors; empty if each kept object was reported once as leaked and once as freed, and no other object was
    ///   reported.
    func errors(expectedClassNames: [String: String]) -> [String] {
        let (leaks, ends) = lock.withLock { (self.leaks, self.ends) }
        let reasons = leaks.map { $0.reason ?? "an object that was expected without a reason" }
        let ids = leaks.map { $0.id ?? "none" }
        let ended = ends.map { $0.id ?? "none" }
        let misnamed = leaks.filter { leak in
            leak.reason.flatMap { expectedClassNames[$0] }.map { $0 != leak.className } ?? false
        }
        let cases = [
            ("were reported although they were not kept", reasons.filter { expectedClassNames[$0] == nil }),
            ("were kept and not reported", Array(Set(expectedClassNames.keys).subtracting(reasons))),
            ("were reported more than once", repeated(leaks.compactMap(\.reason))),
            ("were reported with the name of another class", misnamed.map { $0.className ?? "none" }),
            ("were reported with the id of another object", repeated(ids)),
            ("were reported as freed, but not as leaked", Array(Set(ended).subtracting(ids))),
            ("were reported as leaked, but not as freed", Array(Set(ids).subtracting(ended))),
            ("were reported as freed more than once", repeated(ended)),
        ]
        return cases.filter { !$0.1.isEmpty }.map { "\($1.count) objects \($0), such as: \($1[0])" }
    }

    func forget() { lock.withLock { (leaks, ends) = ([], []) } }

    private func repeated(_ texts: [String]) -> [String] {
        Dictionary(grouping: texts) { $0 }.filter { $0.value.count > 1 }.map(\.key)
    }
}
