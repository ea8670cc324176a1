/// Objects that a look on any thread found, kept until they are let go of on the queue where objects may end.
///
/// An object that is found again while the queue is blocked is kept once.
final class HeldObjects: @unchecked Sendable {
    // Unchecked: added to inside the lock of the sweeper that has it, and let go of when no sweeper has it any more.
    private var objects: [ObjectIdentifier: AnyObject] = [:]

    init(_ objects: [AnyObject]) { add(objects) }

    var count: Int { objects.count }

    func add(_ objects: [AnyObject]) {
        for object in objects { self.objects[ObjectIdentifier(object)] = object }
    }

    func letGo() { objects = [:] }
}
