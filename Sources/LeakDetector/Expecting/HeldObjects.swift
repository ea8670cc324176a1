/// Objects that a look on any thread found, kept until they are let go of on the queue where objects may end.
final class HeldObjects: @unchecked Sendable {
    // Unchecked: handed over to the one queue that calls ``letGo()``.
    private var objects: [AnyObject]

    init(_ objects: [AnyObject]) { self.objects = objects }

    func letGo() { objects = [] }
}
