import Foundation
import LeakMessage
import Testing

@testable import LeakCauses

/// One line of `causes.jsonl`: a path as a project reported it, and its cause.
struct CauseVector: Decodable, CustomTestStringConvertible {
    struct Reference: Decodable {
        let owner: String
        let field: String?
        let kind: String
        let closure: Bool?
        let suspected: Bool?
    }

    /// The identifier of the cause, chosen from the causes that existed when the path was gathered; `nil` if none fitted.
    let cause: String?
    let cycle: Bool?
    let references: [Reference]
    let target: String
    /// The demangled names of the path's closures.
    let closures: [String]?
    /// Identifiers of other causes that are equally right.
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

    // MARK: Agreement

    /// Agreement of a found cause with the cause that the project names.
    enum Agreement: CaseIterable {
        /// The same cause, perhaps with the identifier of the cause that it was merged into.
        case right
        /// A broader cause that is also true. The path lacks the evidence for the project's cause.
        case broader
        /// A cause that follows from the form of the path. When the path was gathered, no cause fitted.
        case byForm
        /// Another cause that the vector lists as equally right, or a cause that is broader than such a cause.
        case alsoRight
        case none, wrong
    }

    /// Identifiers of causes in earlier versions, and the identifier of the cause that each was merged into.
    static let merged = [
        "binding_closure": "stored_handler", "child_callback": "stored_handler",
        "closure_collection": "stored_closure", "combine_operator": "combine_sink",
        "linked_nodes": "strong_parent", "operation_completion": "operation_block",
        "published_subscriber": "combine_sink", "router_screen": "strong_parent",
        "strong_data_source": "strong_delegate", "view_model_coordinator": "strong_parent",
    ]

    /// For a cause, the broader causes whose texts are true too. They are found for paths that lack the evidence for the cause:
    /// a name of a closure, or a type of a known library.
    static let broader: [String: Set<String>] = [
        "binding_closure": ["rx_subscription"],
        "cell_callback": ["stored_handler"],
        "child_callback": ["stored_closure"],
        "closure_collection": ["stored_handler"],
        "combine_operator": ["rx_subscription"],
        "continuation": ["stored_task", "suspended_function"],
        "endless_sequence": ["stored_task", "suspended_function"],
        "lazy_closure": ["stored_closure", "stored_handler"],
        "method_reference": [
            "cell_callback", "combine_sink", "network_handler", "notification_observer", "player_observer",
            "rx_subscription", "stored_closure", "stored_handler", "timer_block", "work_item",
        ],
        "nested_closure": ["stored_closure", "stored_handler"],
        "notification_token": ["stored_handler"],
        "operation_completion": ["stored_closure", "stored_handler"],
        "singleton_observer": ["global_variable"],
        "strong_data_source": ["strong_parent"],
        "strong_delegate": ["strong_parent"],
    ]

    /// Causes that follow from the form of a path alone, so that their texts are true of every path of this form.
    static let byForm: Set = [
        "dispatch_after", "global_variable", "singleton_handler", "stored_closure", "stored_handler",
        "strong_parent",
    ]

    static func currentIdentifier(of identifier: String) -> String { merged[identifier] ?? identifier }

    func agreement(with found: LeakCause?) -> Agreement {
        let identifier = found?.identifier
        if identifier == cause.map(Self.currentIdentifier(of:)) { return .right }
        guard let identifier else { return .none }
        if let cause, Self.broader[cause]?.contains(identifier) == true { return .broader }
        if cause == nil, Self.byForm.contains(identifier) { return .byForm }
        let isAlsoRight = (also ?? []).contains {
            Self.currentIdentifier(of: $0) == identifier || Self.broader[$0]?.contains(identifier) == true
        }
        return isAlsoRight ? .alsoRight : .wrong
    }

    /// The cause that the rules find for the path and the names of its closures.
    var foundCause: LeakCause? { LeakCause(of: path, closureNames: closures ?? []) }

    // MARK: Files

    /// The half of the vectors with which the rules were written, and the half that only measures the rules. A hash of the line
    /// decides to which half a vector belongs.
    enum Half: Int, CaseIterable {
        case tuning, measuring

        var vectors: [CauseVector] {
            CauseVector.vectors(CauseVector.lines.filter { FNV1a($0).value % 2 == UInt64(rawValue) })
        }
    }

    static let lines = lines(of: "causes")

    /// Collections of paths of other projects. The cause of each path was chosen from the table of causes of that time, without
    /// knowledge of the rules that find causes. The third and the fourth collection have names of closures if the projects give
    /// them. Types in the third collection often have no module.
    enum Collection: String, CaseIterable {
        case first = "causes-at-first-sight"
        case second = "causes-at-second-sight"
        case third = "causes-at-third-sight"
        case fourth = "causes-at-fourth-sight"
        case fifth = "causes-at-fifth-sight"

        var vectors: [CauseVector] { CauseVector.vectors(CauseVector.lines(of: rawValue)) }
    }

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
