import LeakDetector

/// One way to leak, or not to.
@MainActor
struct Scenario {
    enum End: Hashable {
        case gone, leaked, freedLate
    }

    enum Release: Hashable {
        case previous, newest
    }

    /// What the code does wrong, as one would say it to a colleague.
    let title: String
    let end: End
    /// Fixed before the newest version, or new in it; `nil`: in both.
    let onlyIn: Release?
    /// The path that keeps the object, as the page of its leak shows it, without question marks. Several where each is right;
    /// none where none can be found.
    let expectedPaths: [String]
    /// The owners of the object, outermost first, as an app would name them.
    private let path: [String]
    private let reason: String
    /// Makes an object and, only when told that it goes wrong, the mistake: most closes of a screen go well, also of one
    /// that leaks now and then.
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
    func leak() -> UnsafeRawPointer {
        let object = unsafe Unmanaged.passRetained(make(true))
        defer { unsafe object.release() }
        return unsafe UnsafeRawPointer(object.toOpaque())
    }

    /// Says that an object should be gone, and lets go of it as an app would.
    func play(_ detector: LeakDetector, goesWrong: Bool) {
        detector.expectDeallocation(
            of: make(goesWrong), path: path, reason: reason, file: file, line: line)
    }
}
