internal import LeakPlatform

/// Objects that owners hold or watch, by identity: an object is in use until its last owner is removed.
///
/// Each change of owners and its consequence happen in one step. So when an owner is removed and another is added on different
/// threads, the object cannot be both expected and owned.
final class OwnedObjects: Sendable {
    /// The numbers of owners of one object. Accessed only while the lock of its ``OwnedObjects`` is locked.
    final class OwnerCounts: @unchecked Sendable {
        // `Sendable` is unchecked: all state is accessed only while the lock of the ``OwnedObjects`` is locked.
        fileprivate let identity: ObjectIdentifier
        /// The number of owners that retain the object, so that no other object has its identity.
        fileprivate var holders = 0
        /// The number of owners that do not retain the object.
        fileprivate var watchers = 0
        /// A weak reference to the object, set by the first watcher.
        fileprivate var subject: WeakSubject?

        fileprivate init(_ identity: ObjectIdentifier) { self.identity = identity }

        /// `false` if the object may be deallocated, and another object may have its address.
        fileprivate var isCurrent: Bool { holders > 0 || subject?.object != nil }
    }

    private let owned = Guarded([ObjectIdentifier: OwnerCounts]())

    /// Adds an owner that retains the object until it calls ``removeHolder(of:whenLast:)``.
    ///
    /// - Parameter use: withdraws earlier expectations of the object.
    func addHolder(of object: AnyObject, use: () -> Void) -> OwnerCounts {
        add(object, use: use) { $0.holders += 1 }
    }

    /// Adds an owner that does not retain the object.
    func addWatcher(of object: AnyObject, _ subject: WeakSubject, use: () -> Void) -> OwnerCounts {
        add(object, use: use) {
            $0.watchers += 1
            if $0.subject == nil { $0.subject = subject }
        }
    }

    /// Removes an owner that retains the object.
    ///
    /// - Parameter expect: called if no other owner is left.
    func removeHolder(of owned: OwnerCounts, whenLast expect: () -> Void) {
        remove(owned, whenLast: expect) { $0.holders -= 1 }
    }

    /// Removes an owner that does not retain the object.
    ///
    /// - Parameter expect: called if no other owner is left.
    func removeWatcher(of owned: OwnerCounts, whenLast expect: () -> Void) {
        remove(owned, whenLast: expect) { $0.watchers -= 1 }
    }

    /// Calls `expect` unless the object has an owner. Used by a former owner that was not added, as there was no detector then.
    func callUnlessOwned(_ object: AnyObject, _ expect: () -> Void) {
        let identity = ObjectIdentifier(object)
        owned.with { all in
            // The caller retains the object, so reading the reference does not deallocate it.
            if all[identity]?.isCurrent != true { expect() }
        }
    }

    private func add(_ object: AnyObject, use: () -> Void, change: (OwnerCounts) -> Void) -> OwnerCounts {
        let identity = ObjectIdentifier(object)
        return owned.with { all in
            var entry = all[identity] ?? OwnerCounts(identity)
            // The caller retains the object, so reading the reference does not deallocate it.
            if !entry.isCurrent { entry = OwnerCounts(identity) }
            change(entry)
            all[identity] = entry
            use()
            return entry
        }
    }

    private func remove(_ entry: OwnerCounts, whenLast expect: () -> Void, change: (OwnerCounts) -> Void) {
        owned.with { all in
            change(entry)
            guard entry.holders == 0, entry.watchers == 0 else { return }
            if all[entry.identity] === entry { all[entry.identity] = nil }
            expect()
        }
    }
}
