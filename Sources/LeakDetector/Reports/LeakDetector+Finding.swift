public import LeakMessage

/// A leak that is to be reported. It is a class, because a report in a struct would be copied with each finding.
final class FoundLeak: Sendable {
    let report: LeakReport
    let subject: any Subject
    let type: AnyClass
    let identity: ObjectIdentifier
    let isWatched: Bool

    init(
        _ report: LeakReport, _ subject: any Subject, type: AnyClass, identity: ObjectIdentifier,
        isWatched: Bool
    ) {
        self.report = report
        self.subject = subject
        self.type = type
        self.identity = identity
        self.isWatched = isWatched
    }

    var id: String { report.id ?? "" }

    /// `true` while the leaked object exists. Read it on the checker's queue.
    var isAlive: Bool { subject.object.map(ObjectIdentifier.init) == identity }
}

extension LeakDetector {
    /// An object that stayed in memory though it should have been deallocated.
    ///
    /// It gives access to the object only as a `Sendable` type, because other threads may still use the object.
    public struct Finding: Sendable {
        /// The report that would be sent: class, path, reason, time waited.
        public var report: LeakReport { leak.report }
        private let leak: FoundLeak

        init(_ leak: FoundLeak) { self.leak = leak }

        var object: AnyObject? { leak.subject.object }

        /// Returns `true` if the object is an instance of a class or of one of its subclasses.
        public func isInstance<Class: AnyObject>(of type: Class.Type) -> Bool { leak.type is Class.Type }

        /// Returns `true` if this is the object that was found.
        public func isObject(_ object: AnyObject) -> Bool {
            // Compares the identities first: if they are equal, the caller retains the object that `subject.object` returns, so
            // that reading it cannot release it last.
            ObjectIdentifier(object) == leak.identity && leak.subject.object === object
        }

        /// Returns the object, while it exists, as a class that is `Sendable`, such as a view, a view controller, another class of
        /// the main actor, or an actor. Keeping a strong reference to it makes the leak worse.
        ///
        /// - Returns: `nil` if the object was freed or has another class, and if `type` is a protocol such as
        ///   `any AnyObject & Sendable`: a cast to it succeeds even for objects that are not `Sendable`.
        public func object<Class: AnyObject & Sendable>(as type: Class.Type = Class.self) -> Class? {
            guard type as Any is AnyClass else { return nil }
            return leak.subject.object as? Class
        }

        /// The qualified name of the object's class.
        public var className: String { leak.report.className ?? "" }

        /// The finding in one line:
        /// `Shop.CartModel is still in memory 1.5 s after it should have been freed (popped): Cart → Shop.CartModel`.
        public var text: String { FindingText.line(leak.report) }
    }

    /// Answer of the app to a finding.
    public enum Answer: Hashable, Sendable {
        /// Report the leak.
        case report
        /// Report the leak, and in debug builds show it on screen, with a picture if the object is a view or a controller. In
        /// release builds, on systems without UIKit, and while no scene is active, write it to standard error.
        case showAlert
        /// Shows an alert like ``showAlert``, but without a picture.
        case showAlertWithoutScreenshot
        /// Report nothing about this object, now or later, because it is meant to stay.
        case ignore
        /// Report nothing about objects of this class from now on, because they are meant to stay.
        case ignoreClass
    }
}
