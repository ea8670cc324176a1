import Foundation
import Testing

@testable import LeakMessage

/// One line of `causes.jsonl`: a path as a project reported it, and the pattern behind it.
struct CauseVector: Decodable, CustomTestStringConvertible {
    struct Reference: Decodable {
        let owner: String
        let field: String?
        let kind: String
        let closure: Bool?
        let suspected: Bool?
    }

    /// The identifier of the cause; `nil` if no pattern should match.
    let cause: String?
    let cycle: Bool?
    let references: [Reference]
    let target: String
    /// The demangled names of the path's closures.
    let closures: [String]?
    /// Causes that are as right.
    let also: [String]?
    /// The issue, pull request or article that describes the leak.
    let source: String

    var testDescription: String { "\(cause ?? "none"): \(references.map(\.owner).joined(separator: " → "))" }

    var path: RetainPath {
        RetainPath(
            references: references.map {
                RetainReference(
                    owner: $0.owner, field: $0.field ?? "",
                    kind: RetainReference.Kind(rawValue: $0.kind) ?? .opaque,
                    isSuspected: $0.suspected ?? false, isClosure: $0.closure ?? false)
            },
            target: target, isCycle: cycle ?? false)
    }

    /// Paths that the rules were written with, and an equal number of others that only measure the rules. A hash of the line
    /// decides.
    enum Half: Int, CaseIterable {
        case tuning, measuring

        var vectors: [CauseVector] {
            CauseVector.vectors(CauseVector.lines.filter { FNV1a($0).value % 2 == UInt64(rawValue) })
        }
    }

    static let lines = lines(of: "causes")

    /// Paths gathered without knowledge of the rules, only of the table of causes. Three of them led to changes of rules later.
    static let atFirstSight = vectors(lines(of: "causes-at-first-sight"))
    /// Gathered later in the same way: paths of other projects.
    static let atSecondSight = vectors(lines(of: "causes-at-second-sight"))
    /// Gathered after that, with the names of closures where the project tells them. Names of types often have no module here.
    static let atThirdSight = vectors(lines(of: "causes-at-third-sight"))

    /// Gathered from the histories of further projects, in the same way.
    static let atFourthSight = vectors(lines(of: "causes-at-fourth-sight"))

    private static func lines(of file: String) -> [String] {
        guard
            let url = Bundle.module.url(forResource: file, withExtension: "jsonl", subdirectory: "Vectors"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").map(String.init)
    }

    private static func vectors(_ lines: [String]) -> [CauseVector] {
        lines.compactMap { try? JSONDecoder().decode(CauseVector.self, from: Data($0.utf8)) }
    }
}
