/// One object that is expected to be deallocated, and the stage of the wait for it.
struct Expectation<Subject: Sendable>: Sendable {
    enum Stage: Sendable {
        /// The grace period of the object runs.
        case grace
        /// The object outlived its grace period. It is checked once more, since a late release is not a leak.
        case secondCheck
        /// The owner of the object was reported. While the owner stays, a report of the object would say nothing new.
        case keptByOwner(KnownKey)
        /// The object was reported, and its deallocation will be reported too.
        case survivor(KnownKey)
    }

    /// The key of an object in ``KnownObjects``.
    struct KnownKey: Hashable, Sendable {
        let identity: ObjectIdentifier
        /// Distinguishes the object from a later object at the same address.
        let number: Int
        /// The time of ``ActiveClock`` at which the object became known, in milliseconds.
        let since: Int
    }

    /// Access to the object, without retaining it.
    let subject: Subject
    let context: ExpectationContext
    /// The time of ``ActiveClock`` at which the grace period started, in milliseconds.
    let startedAt: Int
    /// The object's identity, if it was known when the wait began.
    var expectedIdentity: ObjectIdentifier?
    /// A number that increases with each expectation. It distinguishes expectations that were made before an object came into
    /// use again from later expectations. It is 0 for expectations from ``GraceTimingWheel``, which accepts only objects
    /// without an earlier use.
    var sequence = 0
    var stage = Stage.grace

    /// The identity of the object; `nil` while the object is not in ``KnownObjects``.
    var identity: ObjectIdentifier? {
        switch stage {
        case .grace, .secondCheck: nil
        case .keptByOwner(let key), .survivor(let key): key.identity
        }
    }

    /// `true` until the second check decides whether the object leaked.
    var isAwaited: Bool {
        switch stage {
        case .grace, .secondCheck: true
        case .keptByOwner, .survivor: false
        }
    }
}

/// Values given with an expectation. The reports of the object repeat the type, path, reason, file and line that are given
/// here.
struct ExpectationContext: Sendable {
    let type: AnyClass
    /// Names of the owners, outermost first.
    var path: [String] = []
    var reason: String?
    /// The source file of the call that expects the object to be deallocated; `nil` without such a call, as for watched
    /// controllers.
    var file: StaticString?
    var line: UInt = 0
    /// The object that retains this object. If it is reported as leaked, this object is not reported.
    var owner: WeakSubject?
    /// `false` if the detector does not count the object, as the object of a self-test.
    var isCounted = true
    /// `true` if the object belongs to an object that is checked already, as views belong to their screen. Such an object is
    /// counted as checked only if it stays in memory.
    var isPart = false
}

/// The result of a check of an object.
enum ObjectState: Hashable, Sendable {
    case gone
    /// The object is in use again, such as a screen that is shown again: it is no longer expected to be deallocated.
    case inUse
    case retained(ObjectIdentifier)
}

/// Result of an expectation, which ``LeakNotifier`` handles.
enum ExpectationResult: Hashable, Sendable {
    /// The object leaked.
    ///
    /// - aliveCount: number of objects of the type that were reported and are not known to be deallocated, including this one.
    /// - isWatched: `true` if the deallocation of the object will be reported.
    case leaked(
        ObjectIdentifier, reportID: String, waitedMilliseconds: Int, aliveCount: Int, isWatched: Bool)
    /// A leaked object was deallocated.
    case freed(reportID: String, livedMilliseconds: Int, aliveCount: Int)
    /// The object is in use again: its owner keeps it on purpose.
    case cameBack(reportID: String, livedMilliseconds: Int, aliveCount: Int)
    /// The deallocation of the object will not be reported.
    ///
    /// - isIgnored: `true` if the app ignored the object. Its leak is then not reported either, unless that already happened.
    case forgotten(reportID: String, isIgnored: Bool)
}
