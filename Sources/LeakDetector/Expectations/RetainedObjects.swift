/// Objects that were checked while a lock was held and stay retained, because a `deinit` must not run inside the lock. They are
/// released on the queue where objects may be deallocated.
///
/// An object that is found again while the queue is blocked is retained once.
final class RetainedObjects: @unchecked Sendable {
    // `Sendable` is unchecked: `objects` changes only while the lock of the checker that owns this object is locked, and is
    // released when no checker owns this object any more.
    private var objects: [ObjectIdentifier: AnyObject] = [:]

    init(_ objects: [AnyObject]) { add(objects) }

    var count: Int { objects.count }

    func add(_ objects: [AnyObject]) {
        for object in objects { self.objects[ObjectIdentifier(object)] = object }
    }

    func releaseAll() { objects = [:] }
}
