internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// An explanation in the form in which the store counts equal explanations: its path in the form that is the same on every
/// device, whether the path was proven, and whether the bytes are a lower bound.
struct StoredReason: Hashable {
    /// The normalized path; `nil` if no path was found, or if not even its first reference fits into
    /// `Submission.Explanation.maxReasonBytes`.
    let path: RetainPath?
    let isProven: Bool
    /// True if the object may keep more bytes than were counted.
    let isByteCountLowerBound: Bool

    init(_ explanation: RetainExplanation) {
        path = explanation.path.flatMap { Self.bounded($0.normalized) }
        isProven = explanation.confidence == .proven
        isByteCountLowerBound = explanation.cost?.isAtLeast == true
    }

    /// Parses a text in the form of ``text``. A text of another form gives no path.
    init(text: String) {
        let letter = text.first?.lowercased().first
        isProven = letter == Self.provenLetter
        isByteCountLowerBound = letter != text.first
        path = RetainPath(json: Array(text.utf8.dropFirst()))
    }

    /// The stored form: a letter, in upper case if the bytes are a lower bound, and the path as JSON; at most
    /// `Submission.Explanation.maxReasonBytes`.
    var text: String {
        let lowercaseLetter = String(isProven ? Self.provenLetter : Self.suspectedLetter)
        let letter = isByteCountLowerBound ? lowercaseLetter.uppercased() : lowercaseLetter
        guard let path else { return letter }
        return letter + String(decoding: path.json(), as: UTF8.self)
    }

    private static let provenLetter: Character = "p"
    private static let suspectedLetter: Character = "s"

    /// Returns the path. If its JSON is too long, the path is shortened to as many references as fit; `nil` if not even one
    /// fits. A binary search finds the number of references.
    private static func bounded(_ path: RetainPath) -> RetainPath? {
        func fits(_ path: RetainPath) -> Bool { path.json().count < Submission.Explanation.maxReasonBytes }
        guard !fits(path) else { return path }
        func prefix(_ count: Int) -> RetainPath {
            RetainPath(
                references: Array(path.references[..<count]), target: path.references[count].owner,
                isCycle: path.isCycle, fullLength: path.fullLength ?? path.references.count)
        }
        var (fitting, tooMany) = (0, path.references.count)
        while tooMany - fitting > 1 {
            let middle = (fitting + tooMany) / 2
            if fits(prefix(middle)) { fitting = middle } else { tooMany = middle }
        }
        return fitting == 0 ? nil : prefix(fitting)
    }
}
