import Foundation
import Testing

/// One line of `wire.jsonl`: bytes in, outcome.
struct Vector: Sendable, CustomStringConvertible {
    enum Step: Sendable {
        case bytes([UInt8])
        case wait(milliseconds: Int)
        case endSending
    }

    let id: String
    let title: String
    let steps: [Step]
    /// A regular expression over the statuses joined by `,`, then `!` if the server closed, `~` if not.
    let outcome: String
    let body: String?

    var description: String { "\(id) \(title)" }

    func matches(_ text: String) -> Bool {
        guard let pattern = try? Regex(outcome) else { return false }
        return text.wholeMatch(of: pattern) != nil
    }

    /// All bytes of the steps.
    var bytes: [UInt8] {
        steps.flatMap { step -> [UInt8] in
            if case .bytes(let bytes) = step { return bytes }
            return []
        }
    }

    static func all() throws -> [Vector] {
        let url = try #require(
            Bundle.module.url(forResource: "wire", withExtension: "jsonl", subdirectory: "Vectors"))
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
            let entry = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let sent = try #require(entry["send"] as? [Any])
            return Vector(
                id: try #require(entry["id"] as? String), title: try #require(entry["title"] as? String),
                steps: sent.map { step in
                    // One byte per character, Latin-1.
                    if let text = step as? String {
                        return .bytes(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
                    }
                    if let wait = (step as? [String: Any])?["wait"] as? Double {
                        return .wait(milliseconds: Int(wait * 1000))
                    }
                    return .endSending
                },
                outcome: try #require(entry["expect"] as? String), body: entry["body"] as? String)
        }
    }
}
