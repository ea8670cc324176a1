internal import LeakStore

/// A version as a sender or a person names it, separated from a build in parentheses at its end: `1.9 (5)` is the build `5` of
/// the version `1.9`. By the order of versions the whole text would be a pre-release of `1.9`.
struct VersionName {
    var version: String
    var build: String?

    init(version: String, build: String?) {
        self.version = version
        self.build = build
    }

    init(_ text: String) {
        version = text
        guard text.utf8.last == UInt8(ascii: ")"), let parenthesis = text.lastIndex(of: "(") else { return }
        let front = String(text[..<parenthesis]).trimmedOfWhiteSpace
        let inner = String(text[text.index(after: parenthesis)...].dropLast()).trimmedOfWhiteSpace
        // A build begins with a digit; `1.9 (beta)` is a pre-release.
        guard VersionOrder(front).isNumbered, let first = inner.utf8.first,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return }
        (version, build) = (front, inner)
    }

    /// `1.9 (5)`, or `1.9` without a build.
    var text: String { version + (build.map { " (\($0))" } ?? "") }
}

extension String {
    /// The text without white space at its ends.
    var trimmedOfWhiteSpace: String {
        guard first?.isWhitespace == true || last?.isWhitespace == true else { return self }
        var text = self[...].drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
