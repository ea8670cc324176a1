/// One object that is expected to go, and how far the wait for it has come.
struct Expectation<Subject: Sendable>: Sendable {
    /// Told at registration, repeated in what is reported.
    struct Circumstances: Sendable {
        let type: AnyClass
        /// Names of the owners, outermost first.
        let path: [String]
        let reason: String?
        let file: StaticString
        let line: UInt
    }

    enum Stage: Sendable {
        /// It has its grace period.
        case grace
        /// It outlived that; one more look, since a late release is no leak.
        case secondLook
        /// It was reported; its end is of interest.
        case survivor(Survivor)
    }

    struct Survivor: Sendable {
        let reportID: String
        let identity: ObjectIdentifier
        let since: Int
    }

    /// What tells whether the object is there, without keeping it.
    let subject: Subject
    let circumstances: Circumstances
    let startedAt: Int
    var stage = Stage.grace
}

/// What a look at an object found.
enum Sight: Hashable {
    case gone
    case alive(ObjectIdentifier)
}

/// What is to be told of an expectation.
enum Verdict: Sendable {
    /// - alive: survivors of the type now, this one included.
    case leaked(reportID: String, waitedMilliseconds: Int, alive: Int)
    case freed(reportID: String, livedMilliseconds: Int, alive: Int)
}
