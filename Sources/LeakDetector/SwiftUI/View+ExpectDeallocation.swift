#if canImport(SwiftUI)
    public import SwiftUI

    extension View {
        /// Expects an object to be deallocated when this view is removed, or when the view gets another object instead.
        ///
        /// ```swift
        /// CartView(model: model)
        ///     .expectDeallocation(of: model)
        /// ```
        ///
        /// - Parameters:
        ///   - object: a model that only this view should keep.
        ///   - seconds: its grace period; `nil` for the usual grace period, ``LeakDetector/Limits/graceMilliseconds``.
        ///   - path: names of the owners of the object, outermost first.
        ///   - reason: the reason why the object should be deallocated.
        ///   - detector: `nil` uses the shared detector, ``LeakDetector/shared``, once it was started.
        @MainActor
        public func expectDeallocation(
            of object: AnyObject, after seconds: Double? = nil, path: [String] = [],
            reason: String? = "view removed", detector: LeakDetector? = nil, file: StaticString = #fileID,
            line: UInt = #line
        ) -> some View {
            // Another object gives the background view another identity, so SwiftUI drops the state with the watcher of the
            // previous object.
            background(
                WatchingView(detector: detector) { [weak object] watcher in
                    guard let object else { return }
                    watcher.expectDeallocation(
                        of: object, after: seconds, path: path, reason: reason, file: file, line: line)
                }
                .id(WatchedIdentity(WeakSubject(object))))
        }
    }

    /// The identity of the object that a view watches. Views do not retain the object, so another object may get its address later.
    private struct WatchedIdentity: Hashable {
        private let subject: WeakSubject

        init(_ subject: WeakSubject) { self.subject = subject }

        static func == (one: Self, other: Self) -> Bool {
            guard one.subject !== other.subject else { return true }
            return one.subject.identity == other.subject.identity && one.subject.livingIdentity != nil
                && other.subject.livingIdentity != nil
        }

        func hash(into hasher: inout Hasher) { hasher.combine(subject.identity) }
    }

    /// A view that shows nothing. Its state lives as long as the view that it is the background of.
    private struct WatchingView: View {
        @State private var watcher: LeakWatcher
        private let watch: (LeakWatcher) -> Void

        init(detector: LeakDetector?, watch: @escaping (LeakWatcher) -> Void) {
            _watcher = State(initialValue: LeakWatcher(detector))
            self.watch = watch
        }

        var body: some View {
            Color.clear.onAppear { watch(watcher) }
        }
    }
#endif
