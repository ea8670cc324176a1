import Foundation

/// A text of a detector, and the parts by which the collector distinguishes its leak: one line of `messages.jsonl`.
public struct DetectorText: Decodable, Sendable, CustomStringConvertible {
    public let message: String
    /// The class without generic arguments, as version 1 of the grouping rules cleans it.
    public let className: String?
    public let stack: [String]?
    public let children: [String]?
    public let cycle: [String]?
    public let isFreed: Bool

    private enum CodingKeys: String, CodingKey {
        case message, stack, children, cycle
        case className = "class"
        case isFreed = "freed"
    }

    public var description: String { String(message.prefix(60)) }

    /// All parts together. Texts with equal parts belong to one leak.
    public var leakParts: [[String]] {
        [className.map { [$0] } ?? [], stack ?? [], children ?? [], cycle ?? [], isFreed ? ["freed"] : []]
    }

    /// The texts of all lines of the file. A line that cannot be decoded stops the tests.
    public static let all: [DetectorText] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("messages.jsonl")
        do {
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
                try JSONDecoder().decode(DetectorText.self, from: Data($0.utf8))
            }
        } catch {
            fatalError("\(file.path): \(error)")
        }
    }()
}
