#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit

    extension LeakDetector {
        /// Checks whether a view controller is being closed, and expects it to be deallocated if it is. Call it in
        /// `viewDidDisappear`:
        ///
        /// ```swift
        /// override func viewDidDisappear() {
        ///     super.viewDidDisappear()
        ///     LeakDetector.shared?.checkDeallocation(of: self)
        /// }
        /// ```
        ///
        /// A controller is ignored while its outermost parent, or without a parent the controller itself, is presented or in a
        /// window.
        ///
        /// - Parameter seconds: the grace period of the controller; `nil` for the usual grace period,
        ///   ``Limits/graceMilliseconds``.
        @MainActor
        public func checkDeallocation(
            of controller: NSViewController, after seconds: Double? = nil, file: StaticString = #fileID,
            line: UInt = #line
        ) {
            guard !isDeallocating(controller) else { return }
            screens.check(controller, after: seconds, file: file, line: line)
        }

        /// Expects a window that is closed for good to be deallocated soon, with its controller and its content. Call it in
        /// `windowWillClose(_:)`, but not for a window that will be shown again.
        ///
        /// - Parameter seconds: the grace period of each of these objects; `nil` for the usual grace period,
        ///   ``Limits/graceMilliseconds``.
        @MainActor
        public func checkDeallocation(
            of window: NSWindow, after seconds: Double? = nil, file: StaticString = #fileID,
            line: UInt = #line
        ) {
            let owner: AnyObject = window.windowController ?? window
            let parts: [AnyObject?] = [window.windowController, window, window.contentViewController]
            for case let part? in parts {
                expectDeallocation(
                    of: part, after: seconds, owner: part === owner ? nil : owner, reason: "closed",
                    file: file,
                    line: line)
            }
        }
    }
#endif
