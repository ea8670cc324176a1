import LeakDetector

/// A use of an object, after which the object leaks, is freed late, or is freed in time.
@MainActor
struct Scenario {
    /// The time at which the object is freed, if ever.
    enum End: Hashable {
        case freedInTime, leaked, freedLate
    }

    enum Release: Hashable {
        case previous, newest
    }

    /// A short description of the mistake, for the output.
    let title: String
    let end: End
    /// The only release that has the leak: the previous release if the leak is fixed in the newest, or the newest if the leak
    /// is new. `nil` if both releases have the leak.
    let onlyIn: Release?
    /// The paths that may be found for the object, as the page of its leak shows them, but without question marks. Any of
    /// these paths is right. Empty if no path can be found.
    let expectedPaths: [String]
    /// The owners of the object, outermost first, as an app would name them.
    private let path: [String]
    /// The reason why the object should be freed, such as `dismissed`.
    private let reason: String
    /// A closure that creates an object, and makes the mistake only if `goesWrong` is `true`: a screen that can leak does
    /// not leak each time.
    private let make: @MainActor (_ goesWrong: Bool) -> AnyObject
    private let file: StaticString
    private let line: UInt

    init(
        _ title: String, _ end: End = .leaked, onlyIn: Release? = nil, keptBy expectedPaths: String...,
        path: [String], reason: String,
        file: StaticString = #fileID, line: UInt = #line,
        make: @escaping @MainActor (_ goesWrong: Bool) -> AnyObject
    ) {
        (self.title, self.end, self.onlyIn) = (title, end, onlyIn)
        self.expectedPaths = expectedPaths
        (self.path, self.reason) = (path, reason)
        (self.file, self.line) = (file, line)
        self.make = make
    }

    /// Makes the mistake.
    ///
    /// - Returns: the address of the object, which nothing but the mistake keeps.
    func leakObject() -> UnsafeRawPointer {
        let object = unsafe Unmanaged.passRetained(make(true))
        defer { unsafe object.release() }
        return unsafe UnsafeRawPointer(object.toOpaque())
    }

    /// Creates the object, tells the detector that the object should be freed, and releases it as an app would.
    func play(with detector: LeakDetector, goesWrong: Bool) {
        detector.expectDeallocation(
            of: make(goesWrong), path: path, reason: reason, file: file, line: line)
    }
}
