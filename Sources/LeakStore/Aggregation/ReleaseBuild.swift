/// A version, and optionally a build of it.
package struct ReleaseBuild: Equatable, Sendable {
    package var version: String
    /// `nil` for all builds.
    package var build: String?

    package init(version: String, build: String?) {
        self.version = version
        self.build = build
    }

    /// Creates the release to which “now” refers. A version that does not begin with a number cannot be told from versions whose
    /// names begin with its name, so a decision cannot name a build of it.
    package init(current version: String, newestBuild: String?) {
        self.init(version: version, build: VersionOrder(version).isNumbered ? newestBuild : nil)
    }

    /// Parses a version as a sender or a person names it, with a build in parentheses at its end: `1.9 (5)` is the build `5` of
    /// the version `1.9`. By the order of versions the whole text would be a pre-release of `1.9`.
    package init(_ text: String) {
        self.init(version: text, build: nil)
        guard text.utf8.last == UInt8(ascii: ")"), let parenthesis = text.lastIndex(of: "(") else { return }
        let front = String(text[..<parenthesis]).trimmedOfWhiteSpace
        let inner = String(text[text.index(after: parenthesis)...].dropLast()).trimmedOfWhiteSpace
        // A build begins with a digit; `1.9 (beta)` is a pre-release.
        guard VersionOrder(front).isNumbered, let first = inner.utf8.first,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return }
        (version, build) = (front, inner)
    }

    /// Returns the later of two releases to which “now” refers in two environments. If both have the same version and only one
    /// names a build, returns the whole version, because builds of one environment say nothing about those of the other.
    package static func later(_ one: Self, _ other: Self) -> Self {
        let (order, otherOrder) = (VersionOrder(one.version), VersionOrder(other.version))
        let hasSameVersion = order.sameRankLowerBound == otherOrder.sameRankLowerBound
        if hasSameVersion, one.build == nil || other.build == nil { return one.build == nil ? one : other }
        return max(one, other)
    }

    /// `1.9 (5)`, or `1.9` without a build.
    package var text: String { version + (build.map { " (\($0))" } ?? "") }
}

/// Orders by the rank of the version, then by build.
extension ReleaseBuild: Comparable {
    package static func < (one: Self, other: Self) -> Bool {
        let (order, otherOrder) = (VersionOrder(one.version), VersionOrder(other.version))
        guard order.sameRankLowerBound == otherOrder.sameRankLowerBound, one.build != other.build else {
            return order < otherOrder
        }
        return VersionOrder(one.build ?? "") < VersionOrder(other.build ?? "")
    }
}

extension LeakRow {
    /// The version in which the leak is new, with its build if only some builds of the version have the leak.
    package var firstRelease: ReleaseBuild { ReleaseBuild(version: firstVersion, build: newInBuild) }
}

extension String {
    /// The text without white space at its ends.
    package var trimmedOfWhiteSpace: String {
        guard first?.isWhitespace == true || last?.isWhitespace == true else { return self }
        var text = self[...].drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
