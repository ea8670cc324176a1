public import Foundation

/// One line of a file in `LeakHTTPServerTests/Vectors`: the bytes to send and the expected outcome.
public struct Vector: Sendable, CustomStringConvertible {
    public enum Step: Sendable {
        case bytes([UInt8])
        case wait(milliseconds: Int)
        case endSending
    }

    /// The reason why a file of vectors cannot be used.
    public struct Unreadable: Error, CustomStringConvertible {
        public let description: String
    }

    public let id: String
    public let title: String
    public var steps: [Step]
    /// A regular expression for the statuses, joined by `,`, and then `!` if the server closed the connection, or `~` if not.
    public var outcome: String
    /// The body of the last answer.
    public let body: String?
    /// Fields of the last answer, by names in lower case; `nil` for a field that must not be there.
    public let fields: [String: String?]

    public var description: String { "\(id) \(title)" }

    public func matches(_ text: String) -> Bool {
        guard let pattern = try? Regex(outcome) else { return false }
        return text.wholeMatch(of: pattern) != nil
    }

    /// All bytes of the steps.
    public var bytes: [UInt8] { pieces.reduce(into: []) { $0 += $1 } }

    /// `true` if the first request is a `HEAD` request, whose answer has no body.
    public var asksHeadFirst: Bool { pieces.first?.starts(with: Array("HEAD".utf8)) ?? false }

    /// The bytes of each step that has bytes.
    public var pieces: [[UInt8]] {
        steps.compactMap { step in
            if case .bytes(let bytes) = step { bytes } else { nil }
        }
    }

    /// `true` if the client itself closes its sending side.
    public var endsSending: Bool {
        steps.contains { step in
            if case .endSending = step { true } else { false }
        }
    }

    /// Returns the vectors for a server that answers every request with its body: the first collection (`wire`), general
    /// rules (`table`), and further rules of the RFCs (`rules`).
    public static func all() throws -> [Vector] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try ["wire", "table", "rules"].flatMap { name in
            try read(folder.appendingPathComponent("LeakHTTPServerTests/Vectors/\(name).jsonl"))
        }
    }

    /// Returns the vectors of one file.
    public static func read(_ file: URL) throws -> [Vector] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            guard let vector = try Vector(JSONSerialization.jsonObject(with: Data(line.utf8))) else {
                throw Unreadable(description: "\(file.lastPathComponent): \(line.prefix(100))")
            }
            return vector
        }
    }

    private init?(_ json: Any) {
        guard let entry = json as? [String: Any], let sent = entry["send"] as? [Any],
            let id = entry["id"] as? String, let title = entry["title"] as? String,
            let outcome = entry["expect"] as? String
        else { return nil }
        let steps = sent.compactMap(Self.step)
        guard steps.count == sent.count else { return nil }
        self.id = id
        self.title = title
        self.steps = steps
        self.outcome = outcome
        body = entry["body"] as? String
        fields = (entry["fields"] as? [String: Any] ?? [:]).mapValues { $0 as? String }
    }

    /// Reads one step: `"text"` with one byte per character, Latin-1; `{"repeat": "text", "times": 9}`; `{"wait": seconds}`;
    /// or `{"shutdown": "write"}`.
    private static func step(_ json: Any) -> Step? {
        if let text = json as? String { return .bytes(latin1(text)) }
        guard let entry = json as? [String: Any] else { return nil }
        if let text = entry["repeat"] as? String, let times = entry["times"] as? Int {
            let piece = latin1(text)
            return .bytes((0..<times).reduce(into: []) { bytes, _ in bytes += piece })
        }
        if let seconds = entry["wait"] as? Double { return .wait(milliseconds: Int(seconds * 1000)) }
        return entry["shutdown"] as? String == "write" ? .endSending : nil
    }

    private static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
