/// A parsed path with parameters, such as `/books/{id}`.
struct Pattern: CustomStringConvertible {
    enum Segment: Hashable {
        case literal([UInt8])
        case parameter
    }

    let description: String
    private(set) var segments: [Segment] = []
    /// The names of the parameters, from left to right.
    private(set) var names: [String] = []

    /// Parses a pattern. An invalid pattern is a programming error and stops the program. See ``Router/add(_:_:endpoint:)`` for
    /// the rules.
    init(_ text: String) {
        description = text
        precondition(text.utf8.first == UInt8(ascii: "/"), "\(text) does not start with a slash")
        let parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            precondition(!part.isEmpty || index == parts.count - 1, "\(text) has an empty segment")
            if part.hasPrefix("{") && part.hasSuffix("}") && part.count > 2 {
                let name = String(part.dropFirst().dropLast())
                precondition(!name.contains { "{}".contains($0) }, "\(text) has braces inside a segment")
                precondition(!names.contains(name), "\(text) names \(name) twice")
                names.append(name)
                segments.append(.parameter)
            } else {
                precondition(!part.contains { "{}".contains($0) }, "\(text) has braces inside a segment")
                segments.append(.literal(Array(part.utf8)))
            }
        }
    }
}
