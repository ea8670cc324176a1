/// One object that is expected to go, and how far the wait for it has come.
struct Expectation<Subject: Sendable>: Sendable {
    enum Stage: Sendable {
        /// It has its grace period.
        case grace
        /// It outlived that; one more look, since a late release is no leak.
        case secondLook
        /// Its owner was reported, and while that stays it says nothing new.
        case shadowed(Trace)
        /// It was reported; its end is of interest.
        case survivor(Trace)
    }

    /// Where an object is in ``KnownObjects``.
    struct Trace: Hashable, Sendable {
        let identity: ObjectIdentifier
        /// Tells it from another object that has its place in memory later.
        let number: Int
        let since: Int
    }

    /// What tells whether the object is there, without keeping it.
    let subject: Subject
    let circumstances: Circumstances
    let startedAt: Int
    /// The object's identity, if it was known when the wait began.
    var expectedIdentity: ObjectIdentifier?
    /// Counts up, so that what was expected before an object came into use again is told from what was expected after. 0 for
    /// those that came from ``GraceRing``, which holds none that was ever in use again.
    var sequence = 0
    var stage = Stage.grace

    /// The identity of the object; `nil` while nothing is known of it.
    var identity: ObjectIdentifier? {
        switch stage {
        case .grace, .secondLook: nil
        case .shadowed(let trace), .survivor(let trace): trace.identity
        }
    }

    /// Indicates whether nothing is known of the object yet.
    var isAwaited: Bool {
        switch stage {
        case .grace, .secondLook: true
        case .shadowed, .survivor: false
        }
    }
}

/// Told at registration, repeated in what is reported.
struct Circumstances: Sendable {
    let type: AnyClass
    /// Names of the owners, outermost first.
    var path: [String] = []
    var reason: String?
    /// Where it was said that it should go; `nil` if nobody said so, as of controllers that are watched.
    var file: StaticString?
    var line: UInt = 0
    /// The object that keeps this one: while that one is reported, this one is not.
    var owner: WeakSubject?
    /// Whether it is part of what is counted.
    var isCounted = true
    /// Whether it belongs to what is checked already, as views do to their screen: then it counts only if it stays.
    var isPart = false
}

/// What a look at an object found.
enum Sight: Hashable, Sendable {
    case gone
    /// Where it belongs, such as on screen again: not expected to go any more.
    case inUse
    case retained(ObjectIdentifier)
}

/// What is to be told of an expectation.
enum Verdict: Hashable, Sendable {
    /// - alive: how many of the type were reported and are not known to have gone, this one included.
    /// - isWatched: whether its end will be told.
    case leaked(
        ObjectIdentifier, reportID: String, waitedMilliseconds: Int, alive: Int, isWatched: Bool)
    case freed(reportID: String, livedMilliseconds: Int, alive: Int)
    /// It is in use again: its owner keeps it on purpose.
    case cameBack(reportID: String, livedMilliseconds: Int, alive: Int)
    /// Its end will not be told.
    ///
    /// - isIgnored: true if the app ignored the object. Its leak is not reported either, if it was not yet.
    case forgotten(reportID: String, isIgnored: Bool)
}
