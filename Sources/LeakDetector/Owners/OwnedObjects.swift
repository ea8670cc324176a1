internal import LeakPlatform

/// Objects that owners hold or watch, by identity: an object is in use until its last owner has gone.
///
/// Every change of owners and its consequence happen in one step, so that an owner that goes and another that comes on
/// different threads cannot leave the object expected and owned at once.
final class OwnedObjects: Sendable {
    /// One object with the number of its owners. Touched behind the lock of its ``OwnedObjects`` alone.
    final class Owned: @unchecked Sendable {
        // Unchecked: see above.
        fileprivate let identity: ObjectIdentifier
        /// Owners that keep the object, so that its identity is its own.
        fileprivate var holders = 0
        /// Owners that do not keep it.
        fileprivate var watchers = 0
        /// Set by the first watcher.
        fileprivate var subject: WeakSubject?

        fileprivate init(_ identity: ObjectIdentifier) { self.identity = identity }

        /// `false` if the object may have gone, and another may have its place in memory.
        fileprivate var isCurrent: Bool { holders > 0 || subject?.object != nil }
    }

    private let owned = Guarded([ObjectIdentifier: Owned]())

    /// Adds an owner that keeps the object until it calls ``removeHolder(of:whenLast:)``.
    ///
    /// - Parameter use: takes back what was expected of the object before.
    func addHolder(of object: AnyObject, use: () -> Void) -> Owned {
        add(object, use) { $0.holders += 1 }
    }

    /// Adds an owner that does not keep the object.
    func addWatcher(of object: AnyObject, _ subject: WeakSubject, use: () -> Void) -> Owned {
        add(object, use) {
            $0.watchers += 1
            if $0.subject == nil { $0.subject = subject }
        }
    }

    /// - Parameter expect: called if no other owner is left.
    func removeHolder(of owned: Owned, whenLast expect: () -> Void) {
        remove(owned, expect) { $0.holders -= 1 }
    }

    /// - Parameter expect: called if no other owner is left.
    func removeWatcher(of owned: Owned, whenLast expect: () -> Void) {
        remove(owned, expect) { $0.watchers -= 1 }
    }

    /// Calls `expect` unless the object has an owner. For an owner that is not in the list itself.
    func whenUnowned(_ object: AnyObject, _ expect: () -> Void) {
        let identity = ObjectIdentifier(object)
        owned.with { all in
            // The caller holds the object, so this look is not its end.
            if all[identity]?.isCurrent != true { expect() }
        }
    }

    private func add(_ object: AnyObject, _ use: () -> Void, _ change: (Owned) -> Void) -> Owned {
        let identity = ObjectIdentifier(object)
        return owned.with { all in
            var entry = all[identity] ?? Owned(identity)
            // The caller holds the object, so this look is not its end.
            if !entry.isCurrent { entry = Owned(identity) }
            change(entry)
            all[identity] = entry
            use()
            return entry
        }
    }

    private func remove(_ entry: Owned, _ expect: () -> Void, _ change: (Owned) -> Void) {
        owned.with { all in
            change(entry)
            guard entry.holders == 0, entry.watchers == 0 else { return }
            if all[entry.identity] === entry { all[entry.identity] = nil }
            expect()
        }
    }
}
