internal import LeakPlatform

/// Objects that owners hold or watch, by identity: an object is in use until its last owner is removed.
///
/// Each change of owners and its consequence happen in one step. So when an owner is removed and another is added on different
/// threads, the object cannot be both expected and owned.
final class OwnedObjects: Sendable {
    /// The owners of one object, as two counts: owners that retain the object, and owners that do not. Accessed only while the
    /// lock of its ``OwnedObjects`` is locked.
    final class OwnerCounts: @unchecked Sendable {
        // `Sendable` is unchecked: all state is accessed only while the lock of the ``OwnedObjects`` is locked.
        fileprivate let identity: ObjectIdentifier
        /// The number of owners that retain the object, so that no other object has its identity.
        fileprivate var holderCount = 0
        /// The number of owners that do not retain the object.
        fileprivate var watcherCount = 0
        /// A weak reference to the object, set by the first watcher.
        fileprivate var subject: WeakSubject?

        fileprivate init(_ identity: ObjectIdentifier) { self.identity = identity }

        /// `false` if the object may be deallocated, and another object may have its address.
        fileprivate var isCurrent: Bool { holderCount > 0 || subject?.object != nil }
    }

    private let owned = Guarded([ObjectIdentifier: OwnerCounts]())

    /// Adds an owner that retains the object until it calls ``removeHolder(from:ifLast:)``.
    ///
    /// - Parameter withdrawExpectations: withdraws earlier expectations of the object. Always called once.
    func addHolder(of object: AnyObject, withdrawExpectations: () -> Void) -> OwnerCounts {
        add(object, withdrawExpectations: withdrawExpectations) { $0.holderCount += 1 }
    }

    /// Adds an owner that does not retain the object.
    ///
    /// - Parameter withdrawExpectations: withdraws earlier expectations of the object. Always called once.
    func addWatcher(of object: AnyObject, _ subject: WeakSubject, withdrawExpectations: () -> Void)
        -> OwnerCounts
    {
        add(object, withdrawExpectations: withdrawExpectations) {
            $0.watcherCount += 1
            if $0.subject == nil { $0.subject = subject }
        }
    }

    /// Removes an owner that retains the object.
    ///
    /// - Parameter expectDeallocation: called if no other owner is left.
    func removeHolder(from counts: OwnerCounts, ifLast expectDeallocation: () -> Void) {
        remove(from: counts, ifLast: expectDeallocation) { $0.holderCount -= 1 }
    }

    /// Removes an owner that does not retain the object.
    ///
    /// - Parameter expectDeallocation: called if no other owner is left.
    func removeWatcher(from counts: OwnerCounts, ifLast expectDeallocation: () -> Void) {
        remove(from: counts, ifLast: expectDeallocation) { $0.watcherCount -= 1 }
    }

    /// Calls `body` unless the object has an owner. Used by a former owner that was not added, as there was no detector then.
    func ifNotOwned(_ object: AnyObject, _ body: () -> Void) {
        let identity = ObjectIdentifier(object)
        owned.with { all in
            // The caller retains the object, so reading the reference does not deallocate it.
            if all[identity]?.isCurrent != true { body() }
        }
    }

    private func add(_ object: AnyObject, withdrawExpectations: () -> Void, change: (OwnerCounts) -> Void)
        -> OwnerCounts
    {
        let identity = ObjectIdentifier(object)
        return owned.with { all in
            var entry = all[identity] ?? OwnerCounts(identity)
            // The caller retains the object, so reading the reference does not deallocate it.
            if !entry.isCurrent { entry = OwnerCounts(identity) }
            change(entry)
            all[identity] = entry
            withdrawExpectations()
            return entry
        }
    }

    private func remove(
        from counts: OwnerCounts, ifLast expectDeallocation: () -> Void, change: (OwnerCounts) -> Void
    ) {
        owned.with { all in
            change(counts)
            guard counts.holderCount == 0, counts.watcherCount == 0 else { return }
            if all[counts.identity] === counts { all[counts.identity] = nil }
            expectDeallocation()
        }
    }
}
